// Package lang is kernels over the whole language. The compiler's test runs each on the simulator and as a Go function on the host, with
// the same input: the output must be the same, and so must a panic.
package lang

import "math"

// A writer appends numbers to the output.
type writer struct {
	out []int64
	n   int
}

func (w *writer) put(v int64) {
	w.out[w.n] = v
	w.n++
}

func (w *writer) bool(v bool) {
	if v {
		w.put(1)
	} else {
		w.put(0)
	}
}

func (w *writer) f64(v float64) { w.put(int64(math.Float64bits(v))) }
func (w *writer) f32(v float32) { w.put(int64(math.Float32bits(v))) }
