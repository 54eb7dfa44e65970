package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// maxUnrollNest bounds the instructions of a nest of loops that is unrolled from the outside. Fewer
// remain with constant counters, as masks and distances of shuffles become constants.
const maxUnrollNest = 320

// decidesInner reports whether the counter of the loop decides how often each loop inside runs, and
// whether all iterations together have at most a number of instructions. So it is with the loops of
// a sorting network:
//
//	for size := 2; size <= 32; size *= 2 {
//		for d := size / 2; d > 0; d /= 2 { … }
//	}
func (u *unrolling) decidesInner(loops *ir.Loops, dom *ir.Dom) bool {
	all, _ := loopSize(u.loop)
	for _, inner := range u.loop.Children {
		size, _ := loopSize(inner)
		all -= size
		if len(inner.Children) > 0 || len(inner.Latches) != 1 {
			return false
		}
	}
	total := 0
	x, _ := entryValue(loops, u.loop, u.test.phi).IsConst()
	step, _ := fromPhi(u.test.phi.Args[latchIndex(loops, u.loop)], u.loop.Header)
	for n := 0; n < u.iterations() && total <= maxUnrollNest; n++ {
		total += all
		for _, inner := range u.loop.Children {
			trips, ok := u.innerTrips(loops, dom, inner, x)
			if !ok || trips > maxPlainTrips {
				return false
			}
			size, _ := loopSize(inner)
			total += size * (trips - 1) // its last test is decided
		}
		x, _ = step.at(x)
	}
	return total <= maxUnrollNest
}

// latchIndex is the position of the back edge among the predecessors of a loop's header.
func latchIndex(loops *ir.Loops, l *ir.Loop) int {
	for i, p := range l.Header.Preds {
		if loops.Contains(l, p) {
			return i
		}
	}
	panic("BUG: a loop without a back edge")
}

// innerTrips is how often the header of a loop inside runs, where the outer counter is x.
func (u *unrolling) innerTrips(loops *ir.Loops, dom *ir.Dom, inner *ir.Loop, x uint64) (int, bool) {
	number := func(v *ir.Value) (uint64, bool) {
		if c, ok := v.IsConst(); ok {
			return c, true
		}
		p, ok := fromPhi(v, u.loop.Header)
		if !ok || p.phi != u.test.phi {
			return 0, false
		}
		return p.at(x)
	}
	best, found := 0, false
	for _, b := range inner.Blocks {
		if loops.Of(b) != inner || !dom.Dominates(b, inner.Latches[0]) {
			continue
		}
		if _, n, ok := countTripsFrom(loops, inner, b, number); ok && (!found || n < best) {
			best, found = n, true
		}
	}
	return best, found
}
