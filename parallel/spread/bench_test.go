package spread_test

import (
	"fmt"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/parallel"
	"github.com/gridstride/gridstride/parallel/internal/suite"
	"github.com/gridstride/gridstride/parallel/spread"
)

// benchmarkLength is a whole vector's: large on GPUs, and small enough for simulated devices.
func benchmarkLength() int {
	if onGPU() {
		return 1 << 29
	}
	return 1 << 14
}

// BenchmarkSort sorts float32 keys, spread over one device and more. Each run begins with the same
// random keys, which the time includes the copy of.
func BenchmarkSort(b *testing.B) {
	benchmark(b, func(b *testing.B, h *spread.Handle, keys, x []gridstride.Buffer[float32]) {
		for r := range x {
			must(b, gridstride.Copy(h.Group().Stream(r), x[r], keys[r]))
		}
		must(b, spread.Sort(b.Context(), h, x))
		must(b, h.Group().Wait(b.Context()))
	})
}

// BenchmarkSum adds float32, spread over one device and more.
func BenchmarkSum(b *testing.B) {
	benchmark(b, func(b *testing.B, h *spread.Handle, keys, _ []gridstride.Buffer[float32]) {
		_, err := spread.Sum(b.Context(), h, keys)
		must(b, err)
	})
}

func benchmark(b *testing.B, do func(b *testing.B, h *spread.Handle, keys, x []gridstride.Buffer[float32])) {
	for _, ranks := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprint(ranks), func(b *testing.B) {
			h := open(b, ranks)
			if h.Group().Ranks() < ranks {
				b.Skip("fewer GPUs")
			}
			var keys, x []gridstride.Buffer[float32]
			for r := range ranks {
				k, other := randomKeys(b, h, r, benchmarkLength()/ranks)
				keys, x = append(keys, k), append(x, other)
			}
			do(b, h, keys, x) // loads the kernels
			for b.Loop() {
				do(b, h, keys, x)
			}
		})
	}
}

// randomKeys makes n keys on rank r's device, and room for as many.
func randomKeys(b *testing.B, h *spread.Handle, r, n int) (keys, room gridstride.Buffer[float32]) {
	s := h.Group().Stream(r)
	w, err := parallel.New(s)
	must(b, err)
	keys, err = gridstride.Make[float32](s.Device(), n)
	must(b, err)
	room, err = gridstride.Make[float32](s.Device(), n)
	must(b, err)
	b.Cleanup(func() {
		must(b, keys.Free())
		must(b, room.Free())
		must(b, w.Close())
	})
	from, err := gridstride.Make[uint64](s.Device(), n)
	must(b, err)
	must(b, parallel.Iota(w, from, uint64(r*n)))
	must(b, parallel.Transform(w, keys, from, suite.Fractions[float32]{Of: suite.Words{Run: 1}}))
	must(b, from.Free())
	return keys, room
}
