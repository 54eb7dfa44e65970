package sim

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// queryOp is txq or suq.
type queryOp struct {
	what    code.Query
	surface bool
}

func (b *binder) query(in *code.Inst, to *inst) {
	to.A, to.D = in.Args[0].Off, in.Dst[0].Off
	op := &queryOp{in.Query, in.Op == ptx.OpSuq}
	to.run, to.observed = op.run, stepped(op.run)
}

// run asks for the size of the object of each running lane: 0 for a dimension, or layers, that it
// does not have.
func (op *queryOp) run(w *warp, in *inst) {
	for m := w.Exec; m != 0; m &= m - 1 {
		i := firstLane(m)
		o, kind, why := w.wk.m.object(reg[uint64](w, in.A)[i], op.surface)
		if why != "" {
			w.wk.raise(w.fault(in, i, kind, why))
			continue
		}
		s := o.shape()
		n := map[code.Query]int{code.QueryWidth: s.Width, code.QueryHeight: s.Height, code.QueryDepth: s.Depth, code.QueryLayers: s.Layers}[op.what]
		reg[uint32](w, in.D)[i] = uint32(n)
	}
}
