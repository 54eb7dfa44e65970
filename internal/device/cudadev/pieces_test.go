package cudadev

import (
	"slices"
	"testing"
)

// TestCut cuts copies into parts: small ones at both ends, none above the limit, nothing left out.
func TestCut(t *testing.T) {
	t.Parallel()
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
