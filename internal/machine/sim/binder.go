package sim

import (
	"cmp"
	"fmt"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/decode"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// binder binds the code of one kernel.
type binder struct {
	mod *ptx.Module
	sm  int // the device's compute capability
	binding
	errs LoadErrors

	// The function and the instruction at hand.
	fn *code.Func
	in *code.Inst
}

// fail notes what is wrong with the instruction at hand.
func (b *binder) fail(format string, args ...any) {
	b.errs = append(b.errs, decode.NewError(b.mod, b.fn.Name, b.in.Site.Instr, fmt.Sprintf(format, args...)))
}

// block is the bound form of a block, which may not be bound yet; nil of none.
func (b *binder) block(blk *code.Block) *bblock {
	if blk == nil {
		return nil
	}
	to, ok := b.blocks[blk]
	if !ok {
		to = &bblock{}
		b.blocks[blk] = to
	}
	return to
}

// access binds the address of an access, of elements of a type.
func (b *binder) access(kind event.AccessKind, m code.Address, elem, elements int, to *inst) *memOp {
	op := &memOp{
		kind: kind, space: m.Space, cluster: m.Cluster, size: uint64(elem * elements), elem: uint64(elem), addr32: m.Base.Bits == 32,
		align: m.Align,
	}
	op.order, op.scope = ordering(b.in)
	to.A, to.Imm, to.seg = m.Base.Off, m.Offset, segShared
	if m.Memo >= 0 {
		to.seg = uint32(segCache + m.Memo)
	}
	to.mem, to.observed = op, watchAccess
	return op
}

// ordering is the memory order and scope of an access. Atomics without a scope have the GPU's.
func ordering(in *code.Inst) (event.MemOrder, event.Scope) {
	switch {
	case in.Has(code.Volatile):
		return event.Volatile, event.System
	case in.Order != "":
		return in.Order, cmp.Or(in.Scope, event.GPU)
	case in.Op == ptx.OpAtom || in.Op == ptx.OpRed:
		return event.Relaxed, cmp.Or(in.Scope, event.GPU)
	}
	return event.Weak, event.NoScope
}
