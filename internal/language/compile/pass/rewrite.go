package pass

import (
	"math"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// rewriter walks a function in reverse postorder. A pass replaces instructions by others, which it
// puts before them. Each constant occurs once, in the entry block.
type rewriter struct {
	f       *ir.Func
	rep     *ir.Replacer
	block   *ir.Block
	out     []*ir.Value // the block's new instructions so far
	pos     ir.Pos
	fast    bool // the instruction visited is
	consts  map[constKey]*ir.Value
	pending []*ir.Value // the constants, put into the entry at the end
	changed bool
}

type constKey struct {
	t    ir.Type
	bits uint64
}

// newRewriter moves the constants to the entry block, one of each.
func newRewriter(f *ir.Func) *rewriter {
	r := &rewriter{f: f, rep: ir.NewReplacer(f), consts: map[constKey]*ir.Value{}}
	for _, b := range f.Blocks {
		kept := b.Instrs[:0]
		for _, v := range b.Instrs {
			if v.Op != ir.Const {
				kept = append(kept, v)
				continue
			}
			k := constKey{v.Type, v.Int}
			if c := r.consts[k]; c != nil {
				r.rep.Replace(v, c)
				continue
			}
			v.Pos, v.Block = ir.Pos{}, f.Entry()
			r.consts[k] = v
			r.pending = append(r.pending, v)
		}
		clear(b.Instrs[len(kept):])
		b.Instrs = kept
	}
	return r
}

// run calls visit for every instruction of the reachable blocks, its arguments already replaced.
// visit returns what stands for the instruction: v itself to keep it, another value, or nil to drop
// it.
func (r *rewriter) run(order []*ir.Block, visit func(v *ir.Value) *ir.Value) {
	for _, b := range order {
		old := b.Instrs
		r.block, r.out = b, make([]*ir.Value, 0, len(old))
		for _, v := range old {
			for i, a := range v.Args {
				v.Args[i] = r.rep.Get(a)
			}
			r.pos, r.fast = v.Pos, v.Fast
			switch w := r.rep.Get(visit(v)); w {
			case v:
				r.out = append(r.out, v)
			case nil:
				v.Block = nil
				r.changed = true
			default:
				r.rep.Replace(v, w)
				v.Block = nil
				r.changed = true
			}
		}
		b.Instrs = r.out
	}
	r.finish()
}

// finish puts the constants into the entry block. It applies replacements to the arguments that
// were visited before their values were replaced: the arguments of phis.
func (r *rewriter) finish() {
	r.rep.Apply()
	r.fast = false
	entry := r.f.Entry()
	entry.Instrs = append(r.pending, entry.Instrs...)
	r.pending = nil
}

// emit makes an instruction before the one visited. It is fast if that is.
func (r *rewriter) emit(op ir.Op, t ir.Type, args ...*ir.Value) *ir.Value {
	v := r.f.NewValue(op, t, args...)
	v.Pos, v.Block = r.pos, r.block
	v.Fast = r.fast && op.MayBeFast(args...)
	r.out = append(r.out, v)
	return v
}

func (r *rewriter) emitSub(op ir.Op, sub ir.Sub, t ir.Type, args ...*ir.Value) *ir.Value {
	v := r.emit(op, t, args...)
	v.Sub = sub
	return v
}

// constant is the constant with these bits.
func (r *rewriter) constant(t ir.Type, bits uint64) *ir.Value {
	if t == ir.I32 || t == ir.F32 {
		bits = uint64(uint32(bits))
	}
	k := constKey{t, bits}
	c := r.consts[k]
	if c == nil {
		c = r.f.NewValue(ir.Const, t)
		c.Int, c.Block = bits, r.f.Entry()
		r.consts[k] = c
		r.pending = append(r.pending, c)
	}
	return c
}

func (r *rewriter) int(t ir.Type, x int64) *ir.Value { return r.constant(t, uint64(x)) }

func (r *rewriter) bool(x bool) *ir.Value { return r.constant(ir.Bool, b2i(x)) }

func b2i(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// isInt reports whether v is the integer constant x.
func isInt(v *ir.Value, x int64) bool {
	c, ok := v.IntConst()
	return ok && c == x
}

// isBool reports whether v is the Bool constant x.
func isBool(v *ir.Value, x bool) bool {
	return v.Op == ir.Const && v.Type == ir.Bool && v.Int == b2i(x)
}

// isFloat reports whether v is the floating-point constant x, told from -0.
func isFloat(v *ir.Value, x float64) bool {
	if v.Op != ir.Const {
		return false
	}
	switch v.Type {
	case ir.F32:
		return uint32(v.Int) == math.Float32bits(float32(x))
	case ir.F64:
		return v.Int == math.Float64bits(x)
	}
	return false
}

// powerOfTwo reports whether v is a constant 1<<k, k < width-1, and returns k.
func powerOfTwo(v *ir.Value) (k int64, ok bool) {
	x, ok := v.IntConst()
	if !ok || x <= 0 || x&(x-1) != 0 {
		return 0, false
	}
	for x > 1 {
		x >>= 1
		k++
	}
	return k, true
}
