package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// Loads replaces a load by the value that an earlier load gave, or that an earlier store put there,
// where nothing between them may have changed it. A block starts with what its one predecessor knew
// at its end. At atomics, fences and barriers it forgets everything except the thread's own local
// memory, because other threads write there.
//
// This is available-load elimination on extended basic blocks (Muchnick, Advanced Compiler Design
// and Implementation, 12.4).
func Loads(f *ir.Func) {
	dom := f.Dominators()
	alias := newAliases(f)
	rep := ir.NewReplacer(f)
	out := make([]known, f.NumBlocks())
	for _, b := range dom.Order {
		k := known{}
		if len(b.Preds) == 1 && dom.Reachable(b.Preds[0]) {
			k = out[b.Preds[0].ID].clone()
		}
		for _, v := range b.Instrs {
			for i, a := range v.Args {
				v.Args[i] = rep.Get(a)
			}
			k.step(v, alias, rep)
		}
		out[b.ID] = k
	}
	rep.Apply()
}

// known is the known contents of memory.
type known []content

// content says that the memory at ptr, as mem, holds a value of some type.
type content struct {
	ptr   *ir.Value
	mem   ir.Mem
	value *ir.Value
}

// maxKnown bounds what is remembered, so that a long block costs linear time.
const maxKnown = 64

func (k known) clone() known { return append(known(nil), k...) }

func (k *known) step(v *ir.Value, alias *aliases, rep *ir.Replacer) {
	switch v.Op {
	case ir.Load:
		if v.Lanes > 0 {
			return
		}
		for _, c := range *k {
			if c.ptr == v.Args[0] && c.mem == v.Mem && c.value.Type == v.Type {
				rep.Replace(v, c.value)
				return
			}
		}
		k.add(content{v.Args[0], v.Mem, v})
	case ir.Store:
		k.forget(func(c content) bool { return alias.may(v.Args[0], int64(storeSize(v)), c.ptr, int64(c.mem.Size())) })
		if v.Lanes == 0 && wholeValue(v.Mem) {
			k.add(content{v.Args[0], v.Mem, v.Args[1]})
		}
	case ir.MemZero, ir.MemCopy:
		k.forget(func(c content) bool { return alias.may(v.Args[0], v.Size, c.ptr, int64(c.mem.Size())) })
	default:
		if v.Op.Writes() {
			k.forget(func(c content) bool { return !alias.private(c.ptr) })
		}
	}
}

func (k *known) add(c content) {
	if len(*k) >= maxKnown {
		*k = append((*k)[:0], (*k)[1:]...)
	}
	*k = append(*k, c)
}

func (k *known) forget(changed func(content) bool) {
	kept := (*k)[:0]
	for _, c := range *k {
		if !changed(c) {
			kept = append(kept, c)
		}
	}
	*k = kept
}

func storeSize(v *ir.Value) int { return v.Mem.Size() * max(v.Lanes, 1) }

// wholeValue reports whether memory of type m gives back every bit of what was stored: a byte
// stored from an I32 does not.
func wholeValue(m ir.Mem) bool { return m.Size() >= 4 }
