package spread

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
)

var cuts = flag.Int("cuts", 2000, "how many random runs to cut")

// TestCut cuts random runs, with few samples a round, and compares with a plain merge.
func TestCut(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*cuts) {
		r := rand.New(rand.NewPCG(seed, 8))
		runs := make([][]int, 1+r.IntN(6))
		var lengths []int
		n, keys := 0, 1+r.IntN(300)
		for i := range runs {
			for range r.IntN(1 + r.IntN(400)) {
				runs[i] = append(runs[i], r.IntN(keys))
			}
			slices.Sort(runs[i])
			lengths, n = append(lengths, len(runs[i])), n+len(runs[i])
		}
		rounds := 0
		s := &splitter[int]{runs: lengths, less: func(a, b int) bool { return a < b }, samples: 2*len(runs) + 3 + r.IntN(20)}
		s.read = func(_ context.Context, r, first, end, step int) (list []int, err error) {
			for i := first; i < end; i += step {
				list = append(list, runs[r][i])
			}
			return list, nil
		}
		read := s.read
		s.read = func(ctx context.Context, run, first, end, step int) ([]int, error) {
			if rounds++; rounds > 200*len(runs) {
				t.Fatalf("case %d: no end", seed)
			}
			return read(ctx, run, first, end, step)
		}
		k := r.IntN(n + 1)
		got, err := s.cut(t.Context(), k)
		if want := plainCut(runs, k); err != nil || !slices.Equal(got, want) {
			t.Fatalf("case %d: the first %d of %v are %v, %v; want %v", seed, k, runs, got, err, want)
		}
	}
}

// plainCut takes the smallest element, of the first run that has it, k times.
func plainCut(runs [][]int, k int) []int {
	at := make([]int, len(runs))
	for range k {
		best := -1
		for r, run := range runs {
			if at[r] < len(run) && (best < 0 || run[at[r]] < runs[best][at[best]]) {
				best = r
			}
		}
		at[best]++
	}
	return at
}
