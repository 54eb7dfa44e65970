package p

import (
	. "fmt"
	. "math"

	. "example.com/geom"
	named "example.com/geom"
	. "github.com/gridstride/gridstride/gpu"
)

// Host code may.
var _ = Sprint(Pi, Dim, MaxBlockThreads)

func init() { Twice[1] = 3 }

type Local struct{ ThreadIdx int }

//gpu:kernel
func K(x []float32, v Vec) { // ERROR 23:"^a kernel cannot use Vec from the dot import of .example.com/geom.: import the package by its name, and write geom.Vec$"
	for i := range GridStride(len(x)) { // ERROR 17:"^a kernel cannot use GridStride from the dot import of .*/gpu.: .* write gpu.GridStride$"
		x[i] = float32(Float64bits(1)) // ERROR 18:"cannot use Float64bits from the dot import of .math.: .* write math.Float64bits$"
	}
	x[0] = float32(Local{ThreadIdx: 1}.ThreadIdx)
	ThreadIdx := 2
	x[1] = float32(ThreadIdx)
	x[2] = named.Twice[0] // ERROR 9:"^geom.Twice may change, it is assigned at p.go:15:15"
	Println()             // ERROR 2:"^undefined: Println$"
}
