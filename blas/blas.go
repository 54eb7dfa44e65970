// Package blas is linear algebra on slices of float32 and float64, run by the CPU with the widest
// vectors it has: AVX-512 or AVX2 on amd64, NEON on arm64, Go elsewhere. It needs no cgo and opens
// no device.
//
//	s := blas.Dot(x, y)
//	blas.Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 0, c)
//
// # Names
//
// The names are BLAS's without the letter of the type, since the functions are generic. A function
// on vectors takes slices of adjacent elements. The function with Inc in its name takes BLAS's
// arguments: a number of elements, and an increment for each vector. With a negative increment the
// vector begins at its far end. A [Matrix] is stored by rows, as in gonum, and has its own leading
// dimension, so that functions on matrices need one form only. Package gpublas has the same names
// for the buffers of a device. A program that computes on slices need not know about devices.
//
// # Bits
//
// A result has the same bits on every CPU, with every instruction set and any number of goroutines:
// the order of the additions is part of each function, and multiplications are fused with
// additions. The order is not the order of a loop from the first element to the last. A sum over
// more than 65,536 elements is the sum of partial sums over pieces of 65,536 elements, which
// goroutines share. [SumReproducible], [DotReproducible], [AsumReproducible] and [Nrm2Reproducible]
// do not depend on any order.
//
// # Arguments
//
// Bad arguments panic with the function's name and the numbers. A function that writes a vector or
// a matrix must not be given memory for it that overlaps with an input, unless its comment allows
// it. Functions may be called from many goroutines. Functions on long vectors, and levels 2 and 3
// on large matrices, use the idle processors. Trsv uses one.
//
// The environment variable GRIDSTRIDE_CPU (avx512, avx2, neon or generic) chooses the instruction
// set, for tests.
package blas

import "github.com/gridstride/gridstride/internal/library/asm"

// Float are the types of elements.
type Float interface{ asm.Float }
