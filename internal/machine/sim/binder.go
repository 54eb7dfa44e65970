package sim

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/decode"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// binder binds the code of one kernel.
type binder struct {
	mod    *ptx.Module
	sm     int // the device's compute capability
	funcs  map[*code.Func]*function
	blocks map[*code.Block]*bblock
	errs   LoadErrors

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

// ordering is the memory order and scope of an access.
func ordering(in *code.Inst) (event.MemOrder, event.Scope) {
	switch {
	case in.Has("volatile"):
		return event.Volatile, event.System
	case in.Mod("sem") != "":
		return event.MemOrder(in.Mod("sem")), scopeOf(in.Mod("scope"))
	case in.Op == "atom" || in.Op == "red":
		return event.Relaxed, scopeOf(in.Mod("scope"))
	}
	return event.Weak, event.NoScope
}

// scopeOf is a scope modifier; atomics without one have GPU scope.
func scopeOf(s string) event.Scope {
	if s == "" {
		return event.GPU
	}
	return event.Scope(s)
}
