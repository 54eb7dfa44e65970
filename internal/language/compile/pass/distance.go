package pass

import (
	"cmp"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// maxDistances bounds the distances that share keeps in registers for one loop.
const maxDistances = 6

// sharing is how the addresses of a loop are made, where some of one object share a pointer. The first
// addresses of an object get pointers. Another is the sum of an earlier address and a distance, which
// the loop does not change. So a few pointers and distances are enough for the rows of a matrix around
// a point, in several copies of a loop's body: the row below is the row above of a later copy, and is
// not computed again. Every iteration computes all of these addresses, in the order of the list, so an
// earlier one is known.
type sharing struct {
	places    []place
	distances []polynomial
	pointers  int
}

// place is an address, root + sum, and how it is made.
type place struct {
	root *ir.Value
	sum  polynomial

	v        *ir.Value
	how      making
	from     int       // the place that it is, or is made from
	distance int       // from there
	ptr      *ir.Value // what holds the address, once it is made
}

// making is how an address is made.
type making uint8

const (
	byPointer  making = iota // it is a pointer that every iteration bumps
	asBefore                 // it is an earlier place
	byDistance               // it is a distance from an earlier place
	byItself                 // there are too many pointers: it stays as it is
)

// sharing decides how addresses are made.
func (s *strength) sharing(all []*ir.Value) *sharing {
	x := &sharing{}
	for _, v := range all {
		p := placeOf(v)
		p.v = v
		way := s.nearest(x, &p)
		switch {
		case p.how == byPointer && x.pointers < maxPointers:
			x.pointers++
		case p.how == byPointer, p.how == byDistance && p.distance == len(x.distances) && p.distance == maxDistances:
			p.how = byItself
		case p.how == byDistance && p.distance == len(x.distances):
			x.distances = append(x.distances, way)
		}
		x.places = append(x.places, p)
	}
	return x
}

// nearest finds a place from which a distance leads to p: none, one that there is already, or any that
// the loop does not change. It returns the distance.
func (s *strength) nearest(x *sharing, p *place) (way polynomial) {
	for i, known := range x.places {
		if known.root != p.root || known.how == byItself || known.how == asBefore {
			continue
		}
		d := p.sum.plus(known.sum, -1)
		if len(d) == 0 {
			p.how, p.from = asBefore, i
			return nil
		}
		k := slices.IndexFunc(x.distances, func(x polynomial) bool { return slices.EqualFunc(x, d, product.equal) })
		switch {
		case k >= 0:
			p.how, p.from, p.distance, way = byDistance, i, k, d
		case p.how == byPointer && !slices.ContainsFunc(d, s.changes):
			p.how, p.from, p.distance, way = byDistance, i, len(x.distances), d
		}
	}
	return way
}

// share makes the addresses.
func (s *strength) share(x *sharing, distinct int) {
	values := make([]*ir.Value, len(x.distances))
	for i := range x.places {
		p := &x.places[i]
		switch p.how {
		case byItself:
			s.remarks.missed(s.l, addressPointer, p.v, tooManyPointers)
		case byPointer:
			p.ptr = s.pointer(p.v)
			s.rep.Replace(p.v, p.ptr)
		case asBefore:
			s.rep.Replace(p.v, x.places[p.from].ptr)
		case byDistance:
			if values[p.distance] == nil {
				values[p.distance] = s.distance(x.distances[p.distance], p.v)
			}
			p.ptr = p.v
			p.v.Args[0], p.v.Args[1] = x.places[p.from].ptr, values[p.distance]
		}
	}
	for i := range x.places {
		if x.places[i].how == byPointer {
			s.goOn(x, &x.places[i], values)
		}
	}
	s.remarks.did(s.l, loopPointers, nil, sharedDetail, x.pointers, distinct)
}

// goOn lets a pointer go on from the last address that is made from it, if it is one of the distances
// from there to the next iteration's: a loop of several rows needs no other distance, of all of them.
func (s *strength) goOn(x *sharing, p *place, values []*ir.Value) {
	next := p.ptr.Args[latchIndex(s.loops, s.l)]
	step := polynomialOf(next.Args[1], maxSplit)
	for i := range slices.Backward(x.places) {
		q := &x.places[i]
		if q.how != byDistance || q.root != p.root {
			continue
		}
		rest := step.plus(q.sum.plus(p.sum, -1), -1)
		k := slices.IndexFunc(x.distances, func(d polynomial) bool { return slices.EqualFunc(rest, d, product.equal) })
		if k >= 0 && values[k].Op != ir.Const {
			next.Args[0], next.Args[1] = q.ptr, values[k]
			return
		}
	}
}

// tooManyPointers is the reason why an address has no pointer.
var tooManyPointers = obstacle{becausePointers, [2]int{maxPointers, maxDistances}, nil}

// changes reports whether the loop changes a product.
func (s *strength) changes(p product) bool {
	return slices.ContainsFunc(p.of, func(v *ir.Value) bool { return s.loops.Contains(s.l, v.Block) })
}

// distance computes a sum before the loop.
func (s *strength) distance(sum polynomial, at *ir.Value) *ir.Value {
	var total *ir.Value
	for _, p := range sum {
		var x *ir.Value
		for _, v := range p.of {
			if x != nil {
				v = s.emit(s.pre, at, ir.Mul, ir.I64, x, v)
			}
			x = v
		}
		switch {
		case x == nil:
			x = s.number(p.by)
		case p.by != 1:
			x = s.emit(s.pre, at, ir.Mul, ir.I64, x, s.number(p.by))
		}
		if total != nil {
			x = s.emit(s.pre, at, ir.Add, ir.I64, total, x)
		}
		total = x
	}
	return total
}

// polynomial is a sum of products, modulo 2^64, in the order of product.compare. No two are of the
// same values, and none is 0.
type polynomial []product

// product is a number times values, in the order of their IDs.
type product struct {
	of []*ir.Value
	by int64
}

// Limits of a polynomial: its products, and the values of one.
const (
	maxProducts = 12
	maxFactors  = 4
)

// placeOf takes an address apart into its object and a sum.
func placeOf(v *ir.Value) place {
	p := place{root: v}
	for p.root.Op == ir.PtrAdd {
		sum := p.sum.plus(polynomialOf(p.root.Args[1], maxSplit), 1)
		if len(sum) > maxProducts {
			break
		}
		p.root, p.sum = p.root.Args[0], sum
	}
	return p
}

// polynomialOf takes v, an I64, apart, or is v.
func polynomialOf(v *ir.Value, depth int) polynomial {
	if c, ok := v.IntConst(); ok {
		return polynomial{}.with(product{by: c})
	}
	itself := polynomial{{of: []*ir.Value{v}, by: 1}}
	if depth == 0 {
		return itself
	}
	arg := func(i int) polynomial { return polynomialOf(v.Args[i], depth-1) }
	out := itself
	switch v.Op {
	case ir.Add:
		out = arg(0).plus(arg(1), 1)
	case ir.Subtract:
		out = arg(0).plus(arg(1), -1)
	case ir.Neg:
		out = polynomial{}.plus(arg(0), -1)
	case ir.Mul:
		out = arg(0).times(arg(1))
	case ir.Shl:
		if c, ok := v.Args[1].IntConst(); ok && c >= 0 && c < 63 {
			out = polynomial{}.plus(arg(0), 1<<c)
		}
	}
	if len(out) > maxProducts || slices.ContainsFunc(out, func(p product) bool { return len(p.of) > maxFactors }) {
		return itself
	}
	return out
}

// plus is x + y*by.
func (x polynomial) plus(y polynomial, by int64) polynomial {
	for _, p := range y {
		x = x.with(product{p.of, p.by * by})
	}
	return x
}

// with is x + p.
func (x polynomial) with(p product) polynomial {
	at, found := slices.BinarySearchFunc(x, p, product.compare)
	x = slices.Clone(x)
	if !found {
		x = slices.Insert(x, at, product{p.of, 0})
	}
	x[at].by += p.by
	if x[at].by == 0 {
		x = slices.Delete(x, at, at+1)
	}
	return x
}

// times is x * y.
func (x polynomial) times(y polynomial) polynomial {
	out := polynomial{}
	for _, p := range x {
		for _, q := range y {
			of := append(slices.Clone(p.of), q.of...)
			slices.SortFunc(of, func(v, w *ir.Value) int { return cmp.Compare(v.ID, w.ID) })
			out = out.with(product{of, p.by * q.by})
		}
	}
	return out
}

// compare orders products by their values.
func (p product) compare(q product) int {
	return slices.CompareFunc(p.of, q.of, func(v, w *ir.Value) int { return cmp.Compare(v.ID, w.ID) })
}

func (p product) equal(q product) bool { return p.by == q.by && p.compare(q) == 0 }
