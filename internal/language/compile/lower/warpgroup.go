package lower

import (
	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// setMaxNReg lowers gpu.SetMaxNRegInc and gpu.SetMaxNRegDec.
func (f *frame) setMaxNReg(in *ssa.Call, how intrinsic) value {
	l := f.l
	n := f.value(in.Call.Args[0]).one()
	if l.f.MinBlocks == 0 {
		l.errorf(f.messagePos(in), "gpu.%s: NVIDIA's assembler ignores it in a kernel of which it cannot say how many registers "+
			"a thread has at first: write //gpu:kernel minblocks=1 and block=", how.name)
	}
	l.b.EmitSub(ir.SetMaxNReg, how.sub, ir.Void, l.b.Emit(ir.Trunc, ir.I32, n))
	return value{}
}
