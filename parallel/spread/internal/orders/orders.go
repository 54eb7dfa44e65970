// Package orders has the orders in which package parallel sorts floating-point numbers, and the kernels
// that merge by them.
package orders

import (
	"math"

	_ "github.com/gridstride/gridstride/parallel" // has the kernels' sources
)

//go:generate go tool gridstride build

//gpu:instance parallel.Merge[float32,Total32] parallel.Merge[float64,Total64]

// Total32 is IEEE 754's totalOrder of float32: bits whose sign is set are before the others, and in the
// other order.
type Total32 struct{}

// Less compares the bits as integers.
func (Total32) Less(a, b float32) bool { return ordered32(a) < ordered32(b) }

func ordered32(x float32) uint32 {
	bits := math.Float32bits(x)
	if bits>>31 != 0 {
		return ^bits
	}
	return bits | 1<<31
}

// Total64 is IEEE 754's totalOrder of float64.
type Total64 struct{}

// Less compares the bits as integers.
func (Total64) Less(a, b float64) bool { return ordered64(a) < ordered64(b) }

func ordered64(x float64) uint64 {
	bits := math.Float64bits(x)
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}
