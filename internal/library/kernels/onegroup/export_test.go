package onegroup

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// LaunchBy is Launch by a kernel.
func (p *Plan[T, S, V]) LaunchBy(kernel int, s *gridstride.Stream, a, b warpgroups.Factor[T], c gridstride.Buffer[S], shape warpgroups.Shape, alpha, beta S) error {
	return p.launchBy(kernel, s, a, b, c, shape, alpha, beta)
}

// Facts are a kernel's tiling, and whether such a kernel exists.
func (t *Tilings) Facts(kernel int) (rows, cols, deepest, deep int, turns, ok bool) {
	k := t[kernel]
	if k == nil {
		return 0, 0, 0, 0, false, false
	}
	return k.rows, k.cols, k.deepest, k.deep, k.turns, true
}
