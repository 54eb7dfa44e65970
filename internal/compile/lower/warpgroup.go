package lower

import (
	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/compile/ir"
)

// The registers that a thread may be given by setmaxnreg (PTX ISA, setmaxnreg).
const (
	fewestRegisters = 24
	mostRegisters   = abi.MostRegisters
	registerStep    = 8
)

// setMaxNReg lowers gpu.SetMaxNRegInc and gpu.SetMaxNRegDec.
func (f *frame) setMaxNReg(in *ssa.Call, how intrinsic) value {
	l := f.l
	n, known := f.value(in.Call.Args[0]).one().IntConst()
	switch {
	case !known:
		l.errorf(f.messagePos(in), "gpu.%s: the number of registers must be a constant", how.name)
	case n < fewestRegisters || n > mostRegisters || n%registerStep != 0:
		l.errorf(f.messagePos(in), "gpu.%s: a thread cannot have %d registers: give a multiple of %d from %d to %d",
			how.name, n, registerStep, fewestRegisters, mostRegisters)
	case l.f.MinBlocks == 0:
		l.errorf(f.messagePos(in), "gpu.%s: NVIDIA's assembler ignores it in a kernel of which it cannot say how many registers "+
			"a thread has at first: write //gpu:kernel minblocks=1 and block=", how.name)
	}
	l.b.EmitSub(ir.SetMaxNReg, how.sub, ir.Void, l.b.Int(ir.I32, n))
	return value{}
}
