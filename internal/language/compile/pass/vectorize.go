package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Vectorize joins loads from adjacent addresses, and stores to them, into accesses of two or four
// lanes, 16 bytes at most, if the first address is known to be aligned for it. Numbers of 16 bits
// are joined to words, and those to lanes. A joined load replaces its first load, a joined store
// its last store: between them is nothing that may touch the same memory, no check, and nothing
// that other threads could notice.
func Vectorize(f *ir.Func) {
	z := &vectorizer{f: f, zeros: alignments(f), alias: newAliases(f), rep: ir.NewReplacer(f), remarks: newRemarker(f, nil)}
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

	// For remarks: the loop, and the runs of the block that a store ended.
	remarks *remarker
	loop    *ir.Loop
	cut     []cutRun
}

// cutRun is a run that a store ended because it may write there.
type cutRun struct {
	*run
	by *ir.Value
}

// run is accesses through one pointer at constant offsets, with nothing in the way between them.
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
	if z.remarks != nil {
		z.loop, z.cut = z.remarks.loops.Of(b), nil
	}
	replace := map[*ir.Value][]*ir.Value{} // the replacement of an access
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

// access adds v to its run, after closing the runs that it interferes with.
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
		same := r.of(v, base, t)
		overlaps := slices.ContainsFunc(r.all, func(a at) bool { return a.off < off+size && off < a.off+size })
		if same && len(r.all) < maxRun && !overlaps && !slices.ContainsFunc(r.crossed, touches) {
			mine = r
			return false
		}
		ends := same
		if r.op == ir.Store || v.Op == ir.Store {
			if slices.ContainsFunc(r.all, func(a at) bool { return touches(a.v) }) {
				ends = true
				z.noteCut(r, v)
			}
		}
		if ends {
			z.join(r, replace)
		} else if v.Op == ir.Store && r.op == ir.Load {
			r.crossed = append(r.crossed, v)
		}
		return ends
	})
	if v.Mem.Size() < 2 || t == ir.Ptr || t == ir.Bool {
		return
	}
	if mine == nil {
		mine = &run{op: v.Op, base: base, mem: v.Mem, typ: t}
		z.remarkCut(mine, at{off, v})
		z.open = append(z.open, mine)
	}
	mine.all = append(mine.all, at{off, v})
}

// of reports whether v, an access through base of type t, is one of the run's kind.
func (r *run) of(v, base *ir.Value, t ir.Type) bool {
	return r.op == v.Op && r.base == base && r.mem == v.Mem && r.typ == t
}

// subject is the subject of remarks about the run's accesses.
func (r *run) subject() subject {
	if r.op == ir.Store {
		return storeVector
	}
	return loadVector
}

// noteCut remembers a run that an access ended.
func (z *vectorizer) noteCut(r *run, by *ir.Value) {
	if z.loop != nil && len(z.cut) < maxRun {
		z.cut = append(z.cut, cutRun{r, by})
	}
}

// remarkCut reports that a would be in a run with its neighbour without a store between them.
func (z *vectorizer) remarkCut(r *run, a at) {
	size := int64(r.mem.Size())
	for _, c := range z.cut {
		beside := func(b at) bool { return b.off == a.off+size || b.off == a.off-size }
		if c.of(a.v, r.base, r.typ) && slices.ContainsFunc(c.all, beside) {
			why := becauseAlias
			if c.by.Op == ir.Load {
				why = becauseRead
			}
			z.remarks.missed(z.loop, r.subject(), a.v, obstacle{why: why, at: c.by})
		}
	}
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
		switch {
		case lanes > 1:
			z.remarks.did(z.loop, r.subject(), sorted[i].v, vectorDetail, int(lanes*size))
			z.vector(r, sorted[i:i+int(lanes)], replace)
		case n > 1:
			o := obstacle{why: becauseAlignment, numbers: [2]int{int(2 * size)}}
			z.remarks.missed(z.loop, r.subject(), sorted[i].v, o)
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
	place := last
	if r.op == ir.Load {
		place = first
	}
	j := &joined{z: z, run: r, group: group, place: place}
	ptr := j.emit(ir.PtrAdd, ir.Ptr, r.base, z.constant(ir.I64, group[0].off))
	ptr.Space = group[0].v.Args[0].PointsTo()
	if r.op == ir.Store {
		j.store(ptr)
	} else {
		j.load(ptr)
	}
	replace[place] = j.out
}

// constant makes a constant in the entry.
func (z *vectorizer) constant(t ir.Type, x int64) *ir.Value {
	c := z.f.NewValue(ir.Const, t)
	c.Int, c.Block = uint64(x), z.f.Entry()
	z.made = append(z.made, c)
	return c
}

// joined makes one access of a group of accesses.
type joined struct {
	z     *vectorizer
	run   *run
	group []at
	place *ir.Value
	out   []*ir.Value
}

func (j *joined) emit(op ir.Op, t ir.Type, args ...*ir.Value) *ir.Value {
	v := j.z.f.NewValue(op, t, args...)
	v.Pos = j.place.Pos
	j.out = append(j.out, v)
	return v
}

// access makes the access, of lanes of a memory type.
func (j *joined) access(t ir.Type, mem ir.Mem, lanes int, args ...*ir.Value) *ir.Value {
	w := j.emit(j.run.op, t, args...)
	w.Mem, w.Space, w.Align = mem, j.place.Space, lanes*mem.Size()
	if lanes > 1 {
		w.Lanes = lanes
	}
	return w
}

// words reports whether the accesses are joined to words first.
func (j *joined) words() bool { return j.run.mem.Size() == 2 }

func (j *joined) store(ptr *ir.Value) {
	args := []*ir.Value{ptr}
	for i, a := range j.group {
		switch {
		case !j.words():
			args = append(args, a.v.Args[1])
		case i%2 == 1:
			selector := j.z.constant(ir.I32, ir.LowHalves)
			args = append(args, j.emit(ir.Prmt, ir.I32, j.group[i-1].v.Args[1], a.v.Args[1], selector))
		}
	}
	mem := j.run.mem
	if j.words() {
		mem = ir.B32
	}
	j.access(ir.Void, mem, len(args)-1, args...)
}

func (j *joined) load(ptr *ir.Value) {
	n, mem := len(j.group), j.run.mem
	if j.words() {
		n, mem = n/2, ir.B32
	}
	w := j.access(j.place.Type, mem, n, ptr)
	lanes := []*ir.Value{w}
	if n > 1 {
		lanes = make([]*ir.Value, n)
		for i := range lanes {
			lanes[i] = j.emit(ir.Extract, w.Type, w)
			lanes[i].Int = uint64(i)
		}
	}
	for i, a := range j.group {
		x := lanes[i*n/len(j.group)]
		if j.words() {
			x = j.half(x, i%2)
		}
		x.Pos, x.Name = a.v.Pos, a.v.Name
		j.z.rep.Replace(a.v, x)
	}
}

// half is the lower or the upper half of a word, as a load of it gives it.
func (j *joined) half(word *ir.Value, i int) *ir.Value {
	low, high := ir.Zext16, ir.ShrU
	if j.run.mem == ir.S16 {
		low, high = ir.Sext16, ir.ShrS
	}
	if i == 0 {
		return j.emit(low, ir.I32, word)
	}
	return j.emit(high, ir.I32, word, j.z.constant(ir.I32, 16))
}
