package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/compile/ir"
)

// Vectorize joins loads from adjacent addresses, and stores to them, into accesses of two or four
// lanes, 16 bytes at most, where the first address is known to be aligned for it. A joined load
// stands where its first was, a joined store where its last was: between them there is nothing that
// may touch the same memory, no check, and nothing that other threads could notice.
func Vectorize(f *ir.Func) {
	z := &vectorizer{f: f, zeros: alignments(f), alias: newAliases(f), rep: ir.NewReplacer(f)}
	for _, b := range f.Blocks {
		z.block(b)
	}
	z.rep.Apply()
	f.Entry().Instrs = append(z.made, f.Entry().Instrs...)
}

type vectorizer struct {
	f     *ir.Func
	zeros []int
	alias *aliases
	rep   *ir.Replacer
	open  []*run
	made  []*ir.Value // constants for the entry
}

// run is accesses through one pointer at constant offsets, between which nothing stands in the way.
type run struct {
	op   ir.Op
	base *ir.Value
	mem  ir.Mem
	typ  ir.Type
	all  []at
	// crossed are the stores since the first access: a load that joins would move above them.
	crossed []*ir.Value
}

// at is an access and its offset.
type at struct {
	off int64
	v   *ir.Value
}

// maxRun bounds the accesses looked at together.
const maxRun = 64

// block gathers runs and joins them when something ends them.
func (z *vectorizer) block(b *ir.Block) {
	if len(b.Instrs) < 3 {
		return
	}
	replace := map[*ir.Value][]*ir.Value{} // an access to what stands in its place
	for _, v := range b.Instrs {
		switch {
		case (v.Op == ir.Load || v.Op == ir.Store) && v.Lanes == 0:
			z.access(v, replace)
		case v.Op.Pure() || v.Op == ir.Alloca:
		default:
			z.closeAll(replace)
		}
	}
	z.closeAll(replace)
	if len(replace) == 0 {
		return
	}
	var out []*ir.Value
	for _, v := range b.Instrs {
		ws, ok := replace[v]
		if !ok {
			out = append(out, v)
			continue
		}
		for _, w := range ws {
			w.Block = b
			out = append(out, w)
		}
	}
	b.Instrs = out
}

// access adds v to its run, having closed the runs that it stands in the way of.
func (z *vectorizer) access(v *ir.Value, replace map[*ir.Value][]*ir.Value) {
	base, off := constOffset(v.Args[0])
	t := v.Type
	if v.Op == ir.Store {
		t = v.Args[1].Type
	}
	size := int64(v.Mem.Size())
	touches := func(w *ir.Value) bool { return z.alias.may(v.Args[0], size, w.Args[0], size8(w)) }
	var mine *run
	z.open = slices.DeleteFunc(z.open, func(r *run) bool {
		same := r.op == v.Op && r.base == base && r.mem == v.Mem && r.typ == t
		overlaps := slices.ContainsFunc(r.all, func(a at) bool { return a.off < off+size && off < a.off+size })
		if same && len(r.all) < maxRun && !overlaps && !slices.ContainsFunc(r.crossed, touches) {
			mine = r
			return false
		}
		ends := same
		if r.op == ir.Store || v.Op == ir.Store {
			ends = ends || slices.ContainsFunc(r.all, func(a at) bool { return touches(a.v) })
		}
		if ends {
			z.join(r, replace)
		} else if v.Op == ir.Store && r.op == ir.Load {
			r.crossed = append(r.crossed, v)
		}
		return ends
	})
	if v.Mem.Size() < 4 || t == ir.Ptr || t == ir.Bool {
		return
	}
	if mine == nil {
		mine = &run{op: v.Op, base: base, mem: v.Mem, typ: t}
		z.open = append(z.open, mine)
	}
	mine.all = append(mine.all, at{off, v})
}

func size8(v *ir.Value) int64 { return int64(storeSize(v)) }

func (z *vectorizer) closeAll(replace map[*ir.Value][]*ir.Value) {
	for _, r := range z.open {
		z.join(r, replace)
	}
	z.open = z.open[:0]
}

// join finds adjacent aligned accesses in a run, the widest first.
func (z *vectorizer) join(r *run, replace map[*ir.Value][]*ir.Value) {
	size := int64(r.mem.Size())
	sorted := slices.Clone(r.all)
	slices.SortFunc(sorted, func(a, b at) int { return int(a.off - b.off) })
	for i := 0; i < len(sorted); {
		n := 1
		for i+n < len(sorted) && sorted[i+n].off == sorted[i].off+int64(n)*size {
			n++
		}
		lanes := int64(16 / r.mem.Size())
		for lanes > 1 && (int64(n) < lanes || !z.aligned(r.base, sorted[i].off, lanes*size)) {
			lanes /= 2
		}
		if lanes > 1 {
			z.vector(r, sorted[i:i+int(lanes)], replace)
		}
		i += int(lanes)
	}
}

// aligned reports whether base+off is a multiple of n, a power of two.
func (z *vectorizer) aligned(base *ir.Value, off, n int64) bool {
	return off%n == 0 && int64(1)<<min(z.zeros[base.ID], 30) >= n
}

// vector replaces the accesses, which are in the order of their addresses, by one.
func (z *vectorizer) vector(r *run, group []at, replace map[*ir.Value][]*ir.Value) {
	order := map[*ir.Value]int{}
	for i, a := range r.all { // in the order of the text
		order[a.v] = i
	}
	first, last := group[0].v, group[0].v
	for _, a := range group {
		if order[a.v] < order[first] {
			first = a.v
		}
		if order[a.v] > order[last] {
			last = a.v
		}
		replace[a.v] = nil
	}
	lanes := len(group)
	place := last
	if r.op == ir.Load {
		place = first
	}
	off := z.f.NewValue(ir.Const, ir.I64)
	off.Int, off.Block = uint64(group[0].off), z.f.Entry()
	z.made = append(z.made, off)
	ptr := z.f.NewValue(ir.PtrAdd, ir.Ptr, r.base, off)
	ptr.Pos, ptr.Space = place.Pos, group[0].v.Args[0].PointsTo()
	w := z.f.NewValue(r.op, first.Type, ptr)
	w.Pos, w.Mem, w.Space, w.Lanes, w.Align = place.Pos, r.mem, first.Space, lanes, lanes*r.mem.Size()
	out := []*ir.Value{ptr, w}
	for i, a := range group {
		if r.op == ir.Store {
			w.Args = append(w.Args, a.v.Args[1])
			continue
		}
		x := z.f.NewValue(ir.Extract, a.v.Type, w)
		x.Int, x.Pos, x.Name = uint64(i), a.v.Pos, a.v.Name
		z.rep.Replace(a.v, x)
		out = append(out, x)
	}
	replace[place] = out
}
