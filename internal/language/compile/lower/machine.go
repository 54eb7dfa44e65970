package lower

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// machine lowers an instruction that an intrinsic names. Instructions that exist once for each type
// have separate functions. The rest take scalars.
func (f *frame) machine(in *ssa.Call, how intrinsic) value {
	switch how.name {
	case "LdMatrixRows", "LdMatrixColumns", "LdMatrixRows2", "LdMatrixColumns2", "StMatrixRows", "StMatrixColumns":
		return f.matrixAccess(in, how)
	case "CpAsync", "CpAsyncZeroFill":
		return f.asyncCopy(in, how)
	case "CpAsyncBulkTensor", "CpAsyncBulkTensorMulticast", "CpAsyncBulkTensorStore", "CpAsyncBulkPrefetchTensor":
		return f.tensorCopy(in, how)
	case "CpAsyncBulk", "CpAsyncBulkMulticast", "CpAsyncBulkCluster", "CpAsyncBulkStore", "CpAsyncBulkPrefetch":
		return f.bulkCopy(in, how)
	case "MBarrierInit", "MBarrierExpectTx", "MBarrierArriveExpectTx", "MBarrierCompleteTx":
		f.checkCount(in, how)
	case "MBarrierTestWaitParity", "MBarrierTryWaitParity", "MBarrierTryWaitParityCluster":
		f.checkParity(in, how)
	}
	switch how.name {
	case "MBarrierTryWait", "MBarrierTryWaitParity":
		if !f.l.target.Has(abi.Target{SM: 90}) { // which waits for no time
			how.sub = ir.MachineSub(strings.Replace(how.name, "Try", "Test", 1))
		}
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
	switch {
	case results == nil:
		return value{}
	case results[0].Type == ir.Bool:
		return scalarValue(results[0])
	}
	return f.l.ofWords(in.Type(), results)
}

// checkParity refuses constants that are no parity.
func (f *frame) checkParity(in *ssa.Call, how intrinsic) {
	if n, ok := f.value(in.Call.Args[1]).one().IntConst(); ok && n != 0 && n != 1 {
		f.l.errorf(f.l.here(), "the parity of an mbarrier's phase is 0 or 1, and not %d", n)
	}
}

// checkCount refuses counts of an mbarrier that it cannot hold. Those that are not constants are
// the simulator's.
func (f *frame) checkCount(in *ssa.Call, how intrinsic) {
	n, ok := f.value(in.Call.Args[1]).one().IntConst()
	least := int64(0)
	if how.name == "MBarrierInit" {
		least = 1
	}
	if ok && (n < least || n > abi.MBarrierMax) {
		f.l.errorf(f.messagePos(in), "gpu.%s: an mbarrier counts from %d to %d, and not %d", how.name, least, abi.MBarrierMax, n)
	}
}
