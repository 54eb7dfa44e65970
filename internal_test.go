package gridstride

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// TestSimQueue compares the ring with a slice, over growth and wrapping around.
func TestSimQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var q simQueue
	var want [][]byte
	for i := range 10_000 {
		if r.IntN(100) < 52 {
			params := make([]byte, r.IntN(200))
			for j := range params {
				params[j] = byte(i + j)
			}
			q.push(simOp{params: params})
			want = append(want, slices.Clone(params))
			clear(params) // push must have copied
		} else if len(want) > 0 {
			if got := q.front(); !slices.Equal(got.params, want[0]) {
				t.Fatalf("step %d: front is %v, want %v", i, got.params, want[0])
			}
			q.pop()
			want = want[1:]
		}
		if q.n != len(want) {
			t.Fatalf("step %d: length %d, want %d", i, q.n, len(want))
		}
	}
	if len(want) < 100 {
		t.Fatalf("the queue never grew: %d at the end", len(want))
	}
}

// TestLifetime ends an object while goroutines hold and release it: it is given back once, by the
// last.
func TestLifetime(t *testing.T) {
	for range 200 {
		var l lifetime
		var holders, given atomic.Int32
		giveBack := func() {
			if holders.Load() != 0 {
				t.Error("given back while held")
			}
			given.Add(1)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for l.acquire() {
					holders.Add(1)
					holders.Add(-1)
					if l.release() {
						giveBack()
					}
				}
			})
		}
		var firsts atomic.Int32
		for range 2 {
			wg.Go(func() {
				first, now := l.end()
				if first {
					firsts.Add(1)
				}
				if now {
					giveBack()
				}
			})
		}
		wg.Wait()
		if given.Load() != 1 || firsts.Load() != 1 || l.alive() {
			t.Fatalf("given back %d times, ended first %d times, alive: %t", given.Load(), firsts.Load(), l.alive())
		}
	}
}

// TestCut cuts copies into parts: small ones at both ends, none above the limit, nothing left out.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		n, most, least, workers int
		want                    []int // sizes
	}{
		{n: 1, most: 8, least: 1, workers: 2, want: []int{1}},
		{n: 8, most: 8, least: 8, workers: 2, want: []int{8}},
		{n: 17, most: 8, least: 8, workers: 2, want: []int{8, 8, 1}},
		{n: 17, most: 4, least: 2, workers: 2, want: []int{2, 2, 4, 4, 1, 2, 2}},
		{n: 40, most: 8, least: 2, workers: 2, want: []int{2, 2, 4, 4, 8, 8, 4, 4, 2, 2}},
		{n: 41, most: 8, least: 1, workers: 1, want: []int{1, 2, 4, 8, 8, 8, 3, 4, 2, 1}},
	} {
		var sizes []int
		at := 0
		for _, end := range cut(c.n, c.most, c.least, c.workers) {
			sizes = append(sizes, end-at)
			at = end
		}
		if !slices.Equal(sizes, c.want) || at != c.n {
			t.Errorf("cut(%d, %d, %d, %d): parts of %v, want %v", c.n, c.most, c.least, c.workers, sizes, c.want)
		}
	}
}
