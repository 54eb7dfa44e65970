package pass

import (
	"math"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// ranges holds the known facts about the integers of a function. It has an interval for each value.
// At each point that a walk of the dominator tree visits, it also has the facts of the branches
// taken and the checks passed on the way: tighter intervals, and differences x <= y + c between two
// values.
//
// Intervals are found as in abstract interpretation: an optimistic iteration, widened at loops to a
// few thresholds, then two descending steps (Cousot and Cousot 1977). Differences are proved on
// demand along chains of facts, as in ABCD (Bodík, Gupta and Sarkar, PLDI 2000), but on the
// dominator tree with scoped facts, as in the prove pass of Go's compiler.
type ranges struct {
	f      *ir.Func
	dom    *ir.Dom
	loops  *ir.Loops
	def    []interval // by value ID: wherever the value is defined
	known  []bool     // by value ID: def was computed
	exact  []bool     // by value ID: the value's operation does not wrap
	cur    []interval // by value ID: at the place being visited; meets def
	edges  map[*ir.Value][]interval
	grow   map[*ir.Value]int // how often a phi grew
	le     [][]difference    // by value ID of x: x <= y + c
	ge     [][]difference    // by value ID of y, with y for x: x >= y - c, the same facts seen from the other side
	non0   map[*ir.Value]bool
	undo   []undo
	search search

	relate bool // it keeps differences
	widen  bool
	hurry  bool // a phi that grows becomes anything
	giveUp bool // every phi is anything
	moved  bool // a def grew

	spreads bool // a fact about a parameter is being spread to values below it

	edge  edgeFacts
	visit func(v *ir.Value) // in the last walk, before what v itself says is known

	suppose func(r *ranges, b *ir.Block) // nil, or adds facts at the end of b
}

// difference is a fact about some value x: x <= y + c (or x >= y - c in the list ge).
type difference struct {
	y *ir.Value
	c int64
}

// undo takes back one fact.
type undo struct {
	v    *ir.Value
	old  interval
	kind uint8 // what of v: cur, le, ge or non0
}

const (
	undoCur = iota
	undoLE
	undoGE
	undoNon0
)

// thresholds are where a growing bound stops: the sizes of types, the largest slice, and what can
// be added to that without wrapping.
var thresholds = []int64{0, 31, math.MaxUint8, 1024, math.MaxUint16, math.MaxInt32, math.MaxUint32, maxLen,
	2 * maxLen, 1 << 60, math.MaxInt64}

// maxPasses bounds the passes over a function. A long sequence of loops over one slice can take a
// pass for each loop: where each ends, the slice is not longer than its counter. If every phi is
// anything, the next pass finds all other values.
const maxPasses = 60

// maxLen is the largest length of a slice: an address has at most 48 bits.
const maxLen = 1 << 48

// analyse finds the ranges of f and then calls visit for every instruction, each block after those
// that dominate it.
func analyse(f *ir.Func, visit func(r *ranges, v *ir.Value)) *ranges {
	return analyseWith(f, visit, nil)
}

// analyseWith is analyse with more facts: suppose notes what it takes for known at the end of a block.
func analyseWith(f *ir.Func, visit func(r *ranges, v *ir.Value), suppose func(r *ranges, b *ir.Block)) *ranges {
	n := f.NumValues()
	r := &ranges{
		f: f, dom: f.Dominators(), def: make([]interval, n), known: make([]bool, n), exact: make([]bool, n),
		cur: make([]interval, n),
		le:  make([][]difference, n), ge: make([][]difference, n),
		edges: map[*ir.Value][]interval{}, grow: map[*ir.Value]int{}, non0: map[*ir.Value]bool{},
	}
	r.loops = f.Loops(r.dom)
	r.suppose = suppose
	r.search = search{dist: make([]int64, n), stamp: make([]int, n)}
	r.widen = true
	for pass := 0; ; pass++ {
		r.moved = false
		r.walk()
		if !r.moved {
			break
		}
		if pass == maxPasses+2 {
			panic("BUG: ranges do not settle")
		}
		r.hurry = pass > maxPasses/2 // what still moves is not worth waiting for
		r.giveUp = pass >= maxPasses
	}
	r.widen = false
	r.walk()
	r.relate = true
	r.edge.gather = true
	r.walk()
	r.edge.gather = false
	r.visit = func(v *ir.Value) { visit(r, v) }
	r.walk()
	return r
}

// walk visits the dominator tree, facts in scope.
func (r *ranges) walk() {
	type frame struct {
		b    *ir.Block
		next int
		mark int
	}
	entry := r.f.Entry()
	stack := []frame{{b: entry}}
	r.block(entry)
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if kids := r.dom.Children(top.b); top.next < len(kids) {
			kid := kids[top.next]
			top.next++
			mark := len(r.undo)
			r.enter(kid)
			r.block(kid)
			stack = append(stack, frame{b: kid, mark: mark})
			continue
		}
		r.rollback(top.mark)
		stack = stack[:len(stack)-1]
	}
}

// enter assumes what every way into b says. Where one edge enters a loop, its facts stay: they are
// about values that the loop does not change.
func (r *ranges) enter(b *ir.Block) {
	var in *ir.Block
	for _, p := range b.Preds {
		if r.dom.Dominates(b, p) || !r.dom.Reachable(p) {
			continue
		}
		if in != nil {
			return
		}
		in = p
	}
	if in != nil {
		r.assumeEdge(in, b)
	}
}

// assumeEdge assumes the condition under which control goes from p to b.
func (r *ranges) assumeEdge(p, b *ir.Block) {
	t := p.Term()
	if t.Op == ir.Branch && p.Succs[0] != p.Succs[1] {
		r.assume(t.Args[0], p.Succs[0] == b)
	}
}

func (r *ranges) block(b *ir.Block) {
	for _, phi := range b.Phis() {
		r.phi(phi)
	}
	if r.relate {
		r.phiFacts(b)
	}
	for _, v := range b.Instrs {
		if r.visit != nil {
			r.visit(v)
		}
		if v.Op != ir.Phi {
			r.instr(v)
		}
	}
	if r.suppose != nil {
		r.suppose(r, b)
	}
	for _, s := range b.Succs {
		if len(s.Phis()) > 0 {
			r.leave(b, s)
		}
	}
}

// instr computes the interval of v, and the facts that follow from its execution.
func (r *ranges) instr(v *ir.Value) {
	switch v.Op {
	case ir.Check:
		r.assumeCheck(v)
		return
	case ir.Const:
		if !v.Type.IsFloat() {
			x, ok := v.IntConst()
			if !ok {
				x = int64(v.Int)
			}
			r.define(v, point(x), false)
		}
		return
	}
	if !v.Type.IsInt() && v.Type != ir.Bool {
		return
	}
	x, exact := leafRange(r.f, v)
	if len(v.Args) > 0 && v.Op.Pure() && v.Op != ir.Extract {
		x, exact = transfer(v, func(i int) interval {
			if a := v.Args[i]; a.Type.IsInt() || a.Type == ir.Bool {
				return r.rangeOf(a)
			}
			return interval{math.MinInt64, math.MaxInt64}
		})
		if v.Op == ir.Cmp {
			x = r.compare(v)
		}
	}
	if r.relate && v.Op == ir.Subtract && r.proveLE(v.Args[1], v.Args[0], 0) {
		x, exact = r.difference(v, x, exact)
	}
	r.define(v, x, exact)
	if r.relate {
		r.defineFacts(v)
	}
}

// difference is the range of x-y where y <= x is known: it is not negative. It is exact if y is not
// negative either.
func (r *ranges) difference(v *ir.Value, x interval, exact bool) (interval, bool) {
	if exact {
		return x.meet(interval{0, math.MaxInt64}), true
	}
	if a, b := r.rangeOf(v.Args[0]), r.rangeOf(v.Args[1]); b.lo >= 0 {
		return interval{0, a.hi}, true
	}
	return x, exact
}

// define notes the interval of v, which holds wherever v is defined.
func (r *ranges) define(v *ir.Value, x interval, exact bool) {
	x = x.meet(typeRange(v.Type))
	if x.empty() { // code that cannot run
		x = typeRange(v.Type)
	}
	if !r.known[v.ID] || r.def[v.ID] != x {
		r.moved = true
	}
	r.known[v.ID], r.def[v.ID], r.exact[v.ID] = true, x, exact
	r.cur[v.ID] = x
}

// rangeOf is the interval of v here.
func (r *ranges) rangeOf(v *ir.Value) interval {
	if !r.known[v.ID] {
		return typeRange(v.Type)
	}
	return r.cur[v.ID]
}

// phi joins what its arguments are on the edges.
func (r *ranges) phi(v *ir.Value) {
	if !v.Type.IsInt() && v.Type != ir.Bool {
		return
	}
	if r.edges[v] == nil {
		r.edges[v] = make([]interval, len(v.Args))
		for i := range v.Args {
			r.edges[v][i] = interval{1, 0} // not reached yet
		}
	}
	x := interval{math.MaxInt64, math.MinInt64}
	for _, e := range r.edges[v] {
		if !e.empty() {
			x = x.join(e)
		}
	}
	if x.empty() {
		x = typeRange(v.Type)
	}
	if old := r.def[v.ID]; r.widen && r.known[v.ID] && x != old {
		x = x.join(old)
		if r.grow[v]++; r.grow[v] > 1 {
			x = widened(old, x, v.Type)
		}
		if r.hurry {
			x = typeRange(v.Type)
		}
	}
	if r.widen && r.giveUp {
		x = typeRange(v.Type)
	}
	r.define(v, x, false)
}

// widened moves the bounds that grew to the next threshold.
func widened(old, x interval, t ir.Type) interval {
	if x.hi > old.hi {
		i, _ := slices.BinarySearch(thresholds, x.hi)
		x.hi = thresholds[i]
	}
	if x.lo < old.lo && x.lo >= 0 {
		x.lo = 0
	} else if x.lo < old.lo {
		i, _ := slices.BinarySearch(thresholds, -(x.lo + 1)) // for lo = -1 - threshold
		x.lo = -1 - thresholds[i]
	}
	return x.meet(typeRange(t))
}

// leave notes what the phis of s get on the edge from b, under the condition of that edge.
func (r *ranges) leave(b, s *ir.Block) {
	mark := len(r.undo)
	r.assumeEdge(b, s)
	for i, p := range s.Preds {
		if p != b {
			continue
		}
		for _, phi := range s.Phis() {
			if !phi.Type.IsInt() && phi.Type != ir.Bool {
				continue
			}
			if r.edges[phi] == nil {
				r.edges[phi] = make([]interval, len(phi.Args))
				for k := range phi.Args {
					r.edges[phi][k] = interval{1, 0}
				}
			}
			r.edges[phi][i] = r.rangeOf(phi.Args[i])
			if r.relate {
				r.edge.note(r, phi, i)
			}
		}
	}
	r.rollback(mark)
}

func (r *ranges) rollback(mark int) {
	for len(r.undo) > mark {
		u := r.undo[len(r.undo)-1]
		r.undo = r.undo[:len(r.undo)-1]
		switch u.kind {
		case undoCur:
			r.cur[u.v.ID] = u.old
		case undoLE:
			r.le[u.v.ID] = r.le[u.v.ID][:len(r.le[u.v.ID])-1]
		case undoGE:
			r.ge[u.v.ID] = r.ge[u.v.ID][:len(r.ge[u.v.ID])-1]
		case undoNon0:
			delete(r.non0, u.v)
		}
	}
}

// leafRange is the interval of a value that does not follow from arguments.
func leafRange(f *ir.Func, v *ir.Value) (interval, bool) {
	switch v.Op {
	case ir.ParamVal:
		if f.Params[v.Int].Role == "len" {
			return interval{0, maxLen}, false
		}
		return memRange(f.Params[v.Int].Mem, v.Type), false
	case ir.Load, ir.Extract:
		m := v.Mem
		if v.Op == ir.Extract {
			m = v.Args[0].Mem
		}
		return memRange(m, v.Type), false
	case ir.SReg:
		return sregRange(v.Sub, f.BlockDim), false
	case ir.DynSize:
		return interval{0, 1 << 20}, false
	}
	return typeRange(v.Type), false
}

func memRange(m ir.Mem, t ir.Type) interval {
	switch {
	case t == ir.Bool:
	case m == ir.U8:
		return interval{0, math.MaxUint8}
	case m == ir.S8:
		return interval{math.MinInt8, math.MaxInt8}
	case m == ir.U16:
		return interval{0, math.MaxUint16}
	case m == ir.S16:
		return interval{math.MinInt16, math.MaxInt16}
	}
	return typeRange(t)
}

// sregRange is the range of a special register: the limits of the CUDA C++ Programming Guide, table
// "Technical Specifications per Compute Capability", or the fixed block size.
var limits = abi.AnyLimits()

func sregRange(s ir.Sub, block [3]int) interval {
	switch {
	case s >= ir.TidX && s <= ir.TidZ:
		n := sregRange(ir.NTidX+(s-ir.TidX), block)
		return interval{0, n.hi - 1}
	case s >= ir.NTidX && s <= ir.NTidZ:
		if n := int64(block[s-ir.NTidX]); n > 0 {
			return point(n)
		}
		return interval{1, int64(limits.Block[s-ir.NTidX])}
	case s >= ir.CTAIdX && s <= ir.CTAIdZ:
		return interval{0, sregRange(ir.NCTAIdX+(s-ir.CTAIdX), block).hi - 1}
	case s >= ir.NCTAIdX && s <= ir.NCTAIdZ:
		return interval{1, int64(limits.Grid[s-ir.NCTAIdX])}
	case s >= ir.ClusterIdX && s <= ir.ClusterIdZ:
		return interval{0, int64(limits.Grid[s-ir.ClusterIdX]) - 1}
	case s >= ir.CTAInClusterX && s <= ir.CTAInClusterZ, s == ir.BlockRank:
		return interval{0, int64(limits.Cluster) - 1}
	case s >= ir.NCTAInClusterX && s <= ir.NCTAInClusterZ, s == ir.ClusterSize:
		return interval{1, int64(limits.Cluster)}
	case s == ir.LaneID:
		return interval{0, 31}
	}
	return typeRange(ir.I32)
}
