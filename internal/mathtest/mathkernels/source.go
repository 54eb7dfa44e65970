package mathkernels

import _ "embed"

// Source is this package, for the compiler: it need not lie on the machine that a kernel is
// compiled on.
//
//go:embed mathkernels.go
var Source []byte
