package host

import "github.com/gridstride/gridstride/internal/library/order"

// The order in which package parallel's kernels combine elements, which internal/suite there holds
// these functions to: a kernel has blocks, and they have warps.
const (
	block = order.Block
	warp  = 32
	rows  = order.ReduceItems
	tile  = block * rows
)

// lanes has a result so far for each thread of a block, and room for the elements that a thread loads.
type lanes[U any] struct {
	v    [block]U
	used int // threads that have elements
	in   [rows]U
}

// start gives all threads the identity.
func (s *lanes[U]) start(identity U) {
	s.used = 0
	for i := range s.v {
		s.v[i] = identity
	}
}

// reduce combines n elements. add combines a tile of them, or the rest of fewer, with what the
// threads have.
func reduce[U any](n int, identity U, combine func(a, b U) U, add func(s *lanes[U], from, n int)) U {
	blocks := order.ReduceBlocks(n)
	partial := make([]U, blocks)
	each(blocks, max(blocks/(8*cores()), 1), func(b, end int) {
		var s lanes[U]
		for ; b < end; b++ {
			s.start(identity)
			for first := b * tile; first < n; first += blocks * tile {
				size := min(n-first, tile)
				s.used = max(s.used, min(size, block))
				add(&s, first, size)
			}
			partial[b] = s.reduce(s.used, identity, combine)
		}
	})
	if blocks == 1 {
		return partial[0]
	}
	var s lanes[U]
	s.start(identity)
	for i, v := range partial {
		s.v[i%block] = combine(s.v[i%block], v)
	}
	return s.reduce(min(blocks, block), identity, combine)
}

// reduceLoaded is reduce of elements that load finds: from i on, a block apart.
func reduceLoaded[U any](n int, identity U, combine func(a, b U) U, load func(to []U, i int)) U {
	return reduce(n, identity, combine, func(s *lanes[U], from, n int) { s.combine(from, n, load, combine) })
}

// combine combines a tile of n elements with what the threads have.
func (s *lanes[U]) combine(from, n int, load func(to []U, i int), combine func(a, b U) U) {
	for t := range min(n, block) {
		in := s.in[:ceil(n-t, block)]
		load(in, from+t)
		if n < tile {
			for _, v := range in {
				s.v[t] = combine(s.v[t], v)
			}
			continue
		}
		for size := rows / 2; size > 0; size /= 2 {
			for k := range size {
				in[k] = combine(in[2*k], in[2*k+1])
			}
		}
		s.v[t] = combine(s.v[t], in[0])
	}
}

// addTile adds the elements of a tile to what the threads have, in the order of lanes.combine.
func addTile[T Number](v *[block]T, x *[tile]T) {
	const b = block
	for t := range b {
		low := ((x[t] + x[t+b]) + (x[t+2*b] + x[t+3*b])) + ((x[t+4*b] + x[t+5*b]) + (x[t+6*b] + x[t+7*b]))
		high := ((x[t+8*b] + x[t+9*b]) + (x[t+10*b] + x[t+11*b])) + ((x[t+12*b] + x[t+13*b]) + (x[t+14*b] + x[t+15*b]))
		v[t] += low + high
	}
}

// reduce combines what the first threads have: first in each warp, then the warps. What the others
// have is the identity.
func (s *lanes[U]) reduce(threads int, identity U, combine func(a, b U) U) U {
	if threads == 0 {
		return identity
	}
	for w := 0; w < threads; w += warp {
		for d := warp / 2; d > 0; d /= 2 {
			for i := w; i < min(w+d, threads-d); i++ {
				s.v[i] = combine(s.v[i], s.v[i+d])
			}
		}
		if w > 0 {
			s.v[0] = combine(s.v[0], s.v[w])
		}
	}
	return s.v[0]
}

// operator is an operator of a scan, also for many elements in a call: shift combines each of the lanes
// from d on with the one d before it, and after combines a value with each lane.
type operator[S any] struct {
	identity S
	combine  func(a, b S) S
	shift    func(lanes []S, d int)
	after    func(v S, lanes []S)
}

// operatorOf is an operator that is called for each element.
func operatorOf[S any](identity S, combine func(a, b S) S) *operator[S] {
	return &operator[S]{identity, combine,
		func(lanes []S, d int) {
			for l := len(lanes) - 1; l >= d; l-- {
				lanes[l] = combine(lanes[l-d], lanes[l])
			}
		},
		func(v S, lanes []S) {
			for l := range lanes {
				lanes[l] = combine(v, lanes[l])
			}
		}}
}

// adding is the operator + of numbers.
func adding[T Number]() *operator[T] {
	return &operator[T]{0, plus[T],
		func(lanes []T, d int) {
			for l := len(lanes) - 1; l >= d; l-- {
				lanes[l] = lanes[l-d] + lanes[l]
			}
		},
		func(v T, lanes []T) {
			for l := range lanes {
				lanes[l] = v + lanes[l]
			}
		}}
}

// scanBlock sets v[t], of a thread t, to what the threads before it have, and returns what all have.
func (o *operator[S]) scanBlock(v []S) (total S) {
	before := o.identity
	for w := 0; w < len(v); w += warp {
		lanes := v[w:min(w+warp, len(v))]
		for d := 1; d < len(lanes); d *= 2 {
			o.shift(lanes, d)
		}
		through := lanes[len(lanes)-1]
		copy(lanes[1:], lanes)
		if lanes[0] = before; w > 0 {
			o.after(before, lanes[1:])
			through = o.combine(total, through)
		}
		before, total = through, through
	}
	return total
}

// chain combines the sums of tiles, in groups of a warp.
type chain[S any] struct {
	*operator[S]
	tiles   int
	steps   [6][warp]S // of the scan of a group: the last is its result
	through S          // the last group's end
}

// next returns what the tiles before the next one combine to, which has total.
func (c *chain[S]) next(total S) (before S) {
	own, group := c.tiles%warp, c.tiles/warp
	last := len(c.steps) - 1
	before = c.identity
	switch {
	case own > 0 && group > 0:
		before = c.combine(c.through, c.steps[last][own-1])
	case own > 0:
		before = c.steps[last][own-1]
	case group > 0:
		before = c.through
	}
	for k := range last {
		c.steps[k][own] = total
		if d := 1 << k; own >= d {
			total = c.combine(c.steps[k][own-d], total)
		}
	}
	c.steps[last][own] = total
	if own == warp-1 {
		if group > 0 {
			total = c.combine(c.through, total)
		}
		c.through = total
	}
	c.tiles++
	return before
}
