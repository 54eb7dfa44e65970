package lower

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// maxExchanged is how many bytes lanes of a warp exchange at a time.
const maxExchanged = 32

// exchange lowers a shuffle or a comparison of any value between the lanes of a warp: word by word.
func (f *frame) exchange(in *ssa.Call, how intrinsic) value {
	l := f.l
	t := in.Call.Args[1].Type()
	if why := notPlain(t); why != "" {
		l.errorf(f.messagePos(in), "gpu.%s: %s is no value for other lanes: %s", how.name, l.typeName(t), why)
		return l.undefined(in.Type())
	}
	if size := l.layout(t).size; size > maxExchanged {
		l.errorf(f.messagePos(in), "gpu.%s exchanges at most %d bytes, %s has %d: exchange parts of it, or go through shared "+
			"memory", how.name, maxExchanged, l.typeName(t), size)
		return l.undefined(in.Type())
	}
	mask, words := f.value(in.Call.Args[0]).one(), l.words(t, f.value(in.Call.Args[1]))
	if how.op == ir.Match {
		return f.match(how, mask, words)
	}
	lane := l.b.Emit(ir.Trunc, ir.I32, f.value(in.Call.Args[2]).one())
	for i, w := range words {
		words[i] = l.b.EmitSub(ir.Shfl, how.sub, w.Type, mask, w, lane)
	}
	return l.ofWords(t, words)
}

// match is which lanes have equal words, or whether all have.
func (f *frame) match(how intrinsic, mask *ir.Value, words []*ir.Value) value {
	l, typ := f.l, ir.I32
	if how.sub == ir.MatchAll {
		typ = ir.Bool
	}
	var all *ir.Value
	for _, w := range words {
		if w.Type.IsFloat() {
			w = l.b.Emit(ir.Bitcast, map[ir.Type]ir.Type{ir.F32: ir.I32, ir.F64: ir.I64}[w.Type], w)
		}
		one := l.b.EmitSub(ir.Match, how.sub, typ, mask, w)
		if all == nil {
			all = one
		} else {
			all = l.b.Emit(ir.And, typ, all, one)
		}
	}
	return scalarValue(all)
}

// words are the scalars of a value. Scalars of less than 32 bits that share a word are joined, as
// in memory.
func (l *lowerer) words(t types.Type, v value) []*ir.Value {
	var words []*ir.Value
	l.eachWord(t, func(first, n int) {
		if n == 0 {
			words = append(words, v.leaves[first].v)
			return
		}
		words = append(words, l.word(l.layout(t).scalars[first:first+n], v.leaves[first:first+n]))
	})
	if len(words) == 0 { // a value without parts is the same everywhere; the lanes meet all the same
		words = append(words, l.b.Int(ir.I32, 0))
	}
	return words
}

// lowBytes is the selector of Prmt for the low byte of x below the low byte of y.
const lowBytes = 0x40

// word puts scalars of less than 32 bits together.
func (l *lowerer) word(parts []scalar, leaves []leaf) *ir.Value {
	like := func(n, size int) bool {
		return len(parts) == n && !slices.ContainsFunc(parts, func(s scalar) bool { return s.typ != ir.I32 || s.mem.Size() != size })
	}
	switch {
	case like(2, 2):
		return l.prmt(leaves[0].v, leaves[1].v, ir.LowHalves)
	case like(4, 1):
		return l.prmt(l.prmt(leaves[0].v, leaves[1].v, lowBytes), l.prmt(leaves[2].v, leaves[3].v, lowBytes), ir.LowHalves)
	}
	var word *ir.Value
	for i, s := range parts {
		part := l.small(leaves[i].v, s.mem)
		if shift := 8 * (s.off % 4); shift > 0 {
			part = l.b.Emit(ir.Shl, ir.I32, part, l.b.Int(ir.I32, shift))
		}
		if word == nil {
			word = part
		} else {
			word = l.b.Emit(ir.Or, ir.I32, word, part)
		}
	}
	return word
}

// small is a scalar of less than 32 bits, zero-extended.
func (l *lowerer) small(v *ir.Value, m ir.Mem) *ir.Value {
	switch {
	case v.Type == ir.Bool:
		return l.b.Select(v, l.b.Int(ir.I32, 1), l.b.Int(ir.I32, 0))
	case m == ir.S8:
		return l.b.Emit(ir.Zext8, ir.I32, v)
	case m == ir.S16:
		return l.b.Emit(ir.Zext16, ir.I32, v)
	}
	return v
}

// ofWords is the value that has the words.
func (l *lowerer) ofWords(t types.Type, words []*ir.Value) value {
	v := value{}
	i := 0
	l.eachWord(t, func(first, n int) {
		word := words[i]
		i++
		if n == 0 {
			v.leaves = append(v.leaves, leaf{v: word})
			return
		}
		for _, s := range l.layout(t).scalars[first : first+n] {
			v.leaves = append(v.leaves, leaf{v: l.unsmall(word, s)})
		}
	})
	return v
}

// unsmall takes a scalar of less than 32 bits out of its word.
func (l *lowerer) unsmall(word *ir.Value, s scalar) *ir.Value {
	if shift := 8 * (s.off % 4); shift > 0 {
		word = l.b.Emit(ir.ShrU, ir.I32, word, l.b.Int(ir.I32, shift))
	}
	op := map[ir.Mem]ir.Op{ir.U8: ir.Zext8, ir.S8: ir.Sext8, ir.U16: ir.Zext16, ir.S16: ir.Sext16}[s.mem]
	part := l.b.Emit(op, ir.I32, word)
	if s.typ == ir.Bool {
		return l.b.Cmp(ir.Ne, part, l.b.Int(ir.I32, 0))
	}
	return part
}

// eachWord calls f for the scalars of a type: with n 0 for one of 32 or 64 bits, else with the
// number of smaller scalars in one word.
func (l *lowerer) eachWord(t types.Type, f func(first, n int)) {
	scalars := l.layout(t).scalars
	for i := 0; i < len(scalars); {
		if scalars[i].mem.Size() >= 4 {
			f(i, 0)
			i++
			continue
		}
		n := 1
		for i+n < len(scalars) && scalars[i+n].mem.Size() < 4 && scalars[i+n].off/4 == scalars[i].off/4 {
			n++
		}
		f(i, n)
		i += n
	}
}
