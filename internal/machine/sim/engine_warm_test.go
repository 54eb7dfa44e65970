package sim

import (
	"context"
	"sync"
	"testing"
)

// TestWarmUp launches a kernel again and again while the engine waits until it is worth loading it: within
// a launch of several workers, and in launches at once. Its results and counts do not change.
func TestWarmUp(t *testing.T) {
	t.Parallel()
	const n, blocks, threads, rounds = 3000, 12, 64, 6
	for _, patience := range []int{0, 1, 7, 40, 1 << 20} {
		e := newCompiler()
		e.patience = patience
		r := newRigWith(t, dotPTX, Config{Workers: 4}, e)
		k, err := r.p.Entry("dot")
		if err != nil {
			t.Fatal(err)
		}
		a, b := upload(r, normal(n)), upload(r, normal(n))
		launch := func() (sums []float32, stats Stats) {
			c := upload(r, make([]float32, blocks))
			stats, err := r.m.Launch(context.Background(), k, Launch{Grid: x(blocks), Block: x(threads), Params: r.params(k, a, n, b, n, c)})
			if err != nil {
				t.Error(err)
			}
			stats.Elapsed = 0
			return view[float32](r, c, blocks), stats
		}
		want, counted := launch()
		var all sync.WaitGroup
		for range rounds {
			all.Go(func() {
				for range rounds {
					got, stats := launch()
					for i := range got {
						if got[i] != want[i] || stats != counted {
							t.Errorf("patience %d: sum %d is %v, %+v; first %v, %+v", patience, i, got[i], stats, want[i], counted)
							return
						}
					}
				}
			})
		}
		all.Wait()
		enough := counted.Instructions*(1+rounds*rounds) >= k.warmth.worth
		if k.warmth.loaded.Load() != enough || enough != (patience < 1<<20) {
			t.Errorf("patience %d: after %d launches of %d instructions the kernel is loaded: %v", patience, 1+rounds*rounds, counted.Instructions, !enough)
		}
	}
}
