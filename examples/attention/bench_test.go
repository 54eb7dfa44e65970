package main

import (
	"testing"

	"github.com/gridstride/gridstride"
)

// benchmarked is a head of 512 queries and as many keys.
func benchmarked() *Inputs[Row64] {
	return random[Row64](Shape{Queries: 512, Keys: 512, Scale: 0.125}, 1)
}

// BenchmarkForward is the forward pass on the simulator, by the engine that GRIDSTRIDE_ENGINE names,
// or on the GPU.
func BenchmarkForward(b *testing.B) {
	dev, err := gridstride.Open()
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	j := &job[Row64, Sums64]{ctx: b.Context(), dev: dev, stream: dev.Stream(), in: benchmarked()}
	saved := SavedBuffers[Row64]{Q: j.copyOf(j.in.Q), K: j.copyOf(j.in.K), V: j.copyOf(j.in.V), Logs: room[float32](j, 512)}
	out := room[Row64](j, 512)
	for b.Loop() {
		j.time(func() error { return j.forward(saved, out) })
	}
	if j.err != nil {
		b.Fatal(j.err)
	}
}

// BenchmarkPlainGo is the forward pass as one would write it in Go, in float32 on one core.
func BenchmarkPlainGo(b *testing.B) {
	in := benchmarked()
	q, k, v := wide[float32](in.Q), wide[float32](in.K), wide[float32](in.V)
	for b.Loop() {
		for i := range q {
			out := make([]float32, len(v[0]))
			for j, p := range weights(&in.Shape, i, q[i], k) {
				addTo(out, p, v[j])
			}
			q[i][0] += 0 * out[0] // which keeps the compiler from leaving it out
		}
	}
}
