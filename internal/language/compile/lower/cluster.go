package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// mapShared lowers gpu.MapSharedRank, whose rank is an index of the cluster's blocks.
func (f *frame) mapShared(in *ssa.Call) value {
	l := f.l
	p, rank := f.value(in.Call.Args[0]).leaves[0], f.value(in.Call.Args[1]).one()
	l.checkNil(p)
	l.checkIndex(rank, l.b.Emit(ir.Zext32, ir.I64, l.b.SReg(ir.ClusterSize)), types.Typ[types.Int])
	v := l.b.Emit(ir.MapShared, ir.Ptr, p.v, l.b.Emit(ir.Trunc, ir.I32, rank))
	v.Align = p.v.Align
	return value{leaves: []leaf{{v: v, nonNil: true}}}
}
