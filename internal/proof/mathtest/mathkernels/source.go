package mathkernels

import "embed"

// Sources are the files of this package, for the compiler: they need not lie on the machine that a
// kernel is compiled on.
//
//go:embed doubles.go errors.go floors.go mathkernels.go
var Sources embed.FS
