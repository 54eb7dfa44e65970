package lower

import (
	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/compile/ir"
)

// machine lowers an instruction that stands for itself. Those of which there is one for each type
// have a function of their own, and the rest take scalars.
func (f *frame) machine(in *ssa.Call, how intrinsic) value {
	switch how.name {
	case "LdMatrixRows", "LdMatrixColumns", "LdMatrixRows2", "LdMatrixColumns2", "StMatrixRows", "StMatrixColumns":
		return f.matrixAccess(in, how)
	case "CpAsync", "CpAsyncZeroFill":
		return f.asyncCopy(in, how)
	case "CpAsyncWaitGroup":
		return f.waitGroup(in, how)
	}
	var args []*ir.Value
	for i, a := range in.Call.Args {
		p := f.value(a).leaves[0]
		x := p.v
		switch ir.MachineFormOf(how.sub).Sig[2+i] {
		case 'p':
			f.l.checkNil(p)
		case 'i':
			if x.Type == ir.I64 {
				x = f.l.b.Emit(ir.Trunc, ir.I32, x)
			}
		}
		args = append(args, x)
	}
	results := f.l.b.Machine(how.sub, args...)
	if results == nil {
		return value{}
	}
	return f.l.ofWords(in.Type(), results)
}
