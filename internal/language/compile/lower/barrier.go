package lower

import (
	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// namedBarrier lowers gpu.SyncBarrier and gpu.ArriveBarrier. Their operands are checked here where
// they are constants, else when the kernel runs.
func (f *frame) namedBarrier(in *ssa.Call, how intrinsic) value {
	l, name := f.l, "gpu."+how.name
	id, threads := f.value(in.Call.Args[0]).one(), f.value(in.Call.Args[1]).one()
	if n, known := id.IntConst(); !known {
		l.checkMultiple(id, 1, abi.Barriers-1, name+": there is no such barrier")
	} else if n < 1 || n >= abi.Barriers {
		l.errorf(f.messagePos(in), "%s: there is no barrier %d: they are numbered 1 to %d, and 0 is gpu.SyncThreads's",
			name, n, abi.Barriers-1)
	}
	most := int64(abi.AnyLimits().Threads)
	if n, known := threads.IntConst(); !known {
		l.checkMultiple(threads, abi.WarpSize, most, name+": whole warps meet at a barrier, and no other number of threads")
	} else if n < 1 || n > most || n%abi.WarpSize != 0 {
		l.errorf(f.messagePos(in), "%s: %d threads cannot meet: it is whole warps that do, so give it a multiple of %d, "+
			"up to %d", name, n, abi.WarpSize, most)
	}
	l.b.EmitSub(ir.NamedBarrier, how.sub, ir.Void, l.b.Emit(ir.Trunc, ir.I32, id), l.b.Emit(ir.Trunc, ir.I32, threads))
	return value{}
}

// checkMultiple makes sure that n is a multiple of step, which is a power of two, from step to
// most.
func (l *lowerer) checkMultiple(n *ir.Value, step, most int64, message string) {
	b := l.b
	ok := b.Cmp(ir.LeU, b.Emit(ir.Subtract, ir.I64, n, b.Int(ir.I64, step)), b.Int(ir.I64, most-step))
	if step > 1 {
		rest := b.Emit(ir.And, ir.I64, n, b.Int(ir.I64, step-1))
		ok = b.Emit(ir.And, ir.Bool, ok, b.Cmp(ir.Eq, rest, b.Int(ir.I64, 0)))
	}
	b.Check(ir.CheckAssert, ok, l.text(message))
}
