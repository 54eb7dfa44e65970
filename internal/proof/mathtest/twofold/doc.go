// Package twofold computes functions of mathematics to about 100 bits, in kernels and on the host:
// it is the reference where MPFR would take too long. A number is a sum of two float64 (Dekker, A
// floating-point technique for extending the available precision, 1971). It shares nothing with the
// packages that it is a reference for but their elementary operations. The tests hold it to MPFR.
package twofold

import "embed"

// Sources are the files of this package, for the compiler: they need not lie on the machine that a
// kernel is compiled on.
//
//go:embed angle.go error.go exp.go log.go root.go sum.go tables.go ulp.go
var Sources embed.FS
