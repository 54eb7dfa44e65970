package onegroup

import (
	"testing"

	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// TestChoice: products of few tiles take small tiles, and those that larger tiles are better for
// are not this package's.
func TestChoice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tilings       *Tilings
		m, n, k       int
		count, kernel int
		deepB         bool
	}{
		{Half, 128, 128, 128, 1, Narrow, false}, {Half, 512, 512, 512, 1, Narrow, true}, {Half, 768, 768, 768, 1, Wide, true},
		{Half, 1024, 1024, 1024, 1, Wide, false}, {Half, 2048, 2048, 2048, 1, none, true}, {Half, 64, 64, 64, 1000, Short, true},
		{Half, 64, 64, 65, 1000, none, true}, {Half, 4096, 4096, 64, 1, none, true}, {Half, 1, 1, 0, 1, none, true},
		{TF32, 1024, 1024, 1024, 1, Wide, true}, {TF32, 1024, 1024, 1024, 1, Wide, false}, {TF32, 64, 64, 32, 1000, none, true},
		{Int8, 1024, 1024, 1024, 1, Wide, true}, {Int8, 1024, 1024, 1024, 1, none, false}, {Int8, 512, 512, 512, 1, Narrow, false},
	} {
		s := warpgroups.Shape{M: c.m, N: c.n, K: c.k, Count: c.count}
		if got := c.tilings.choose(&s, true, c.deepB); got != c.kernel {
			t.Errorf("%+v, B deep: %v: kernel %d, want %d", s, c.deepB, got, c.kernel)
		}
	}
}
