package main

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
)

// benchmarked is a head of 512 queries and as many keys.
func benchmarked() *Inputs[Row64] {
	return random[Row64](Shape{Queries: 512, Keys: 512, Scale: 0.125}, 1)
}

// BenchmarkForward is the forward pass on the simulator, by the engine that GRIDSTRIDE_ENGINE names,
// or on the GPU.
func BenchmarkForward(b *testing.B) { forward[Row64, Sums64](b, open(b), benchmarked()) }

// BenchmarkForwardOnGPU is 16 heads of size 128 with 4,096 tokens each, which testdata/attention.py
// has for PyTorch.
func BenchmarkForwardOnGPU(b *testing.B) {
	dev := open(b)
	if dev.Info().Backend == "sim" {
		b.Skip("there is no GPU")
	}
	for _, causal := range []bool{false, true} {
		b.Run(fmt.Sprintf("causal=%t", causal), func(b *testing.B) {
			shape := Shape{Queries: 4096, Keys: 4096, Causal: causal, Scale: 1 / math.Sqrt2 / 8}
			forward[Row128, Sums128](b, dev, random[Row128](shape, 16))
		})
	}
}

// open opens the device until the benchmark ends.
func open(b *testing.B) *gridstride.Device {
	dev, err := gridstride.Open()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { dev.Close() })
	return dev
}

// forward measures the forward pass.
func forward[R Row, S Sums](b *testing.B, dev *gridstride.Device, in *Inputs[R]) {
	j := &job[R, S]{ctx: b.Context(), dev: dev, stream: dev.Stream(), in: in}
	saved := SavedBuffers[R]{Q: j.copyOf(in.Q), K: j.copyOf(in.K), V: j.copyOf(in.V), Logs: room[float32](j, len(in.Q))}
	out := room[R](j, len(in.Q))
	var took time.Duration
	for b.Loop() {
		took += j.time(func() error { return j.forward(saved, out) })
	}
	if j.err != nil {
		b.Fatal(j.err)
	}
	b.ReportMetric(float64(took.Nanoseconds())/1000/float64(b.N), "device-us")
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
