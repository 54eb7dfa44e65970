package fast32

import "embed"

// Source is the files of this package, which the compiler reads for kernels.
//
//go:embed *.go
var Source embed.FS
