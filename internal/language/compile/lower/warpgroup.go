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
		l.errorf(f.messagePos(in), "gpu.%s needs a fixed register count, or ptxas ignores it: add minblocks=1 and block=N to //gpu:kernel",
			how.name)
	}
	l.b.EmitSub(ir.SetMaxNReg, how.sub, ir.Void, l.b.Emit(ir.Trunc, ir.I32, n))
	return value{}
}
