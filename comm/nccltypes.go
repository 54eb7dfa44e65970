package comm

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/device/nccl"
)

// reduction is a reduction in NCCL's terms.
type reduction struct {
	of nccl.Type
	op nccl.Op
}

// reductionOf is a reduction of T by NCCL, if the group may use it: if its bits are the same as our
// kernels', or any order will do. NCCL has no integers of 16 bits. Its smallest and largest numbers
// ignore NaN. Of two ranks the order of additions does not matter. A product of bfloat16 that is
// subnormal is rounded once by NCCL, and twice by way of float32.
func reductionOf[T Number](g *Group, op Op) (r reduction, ok bool) {
	if !g.usesNCCL() {
		return r, false
	}
	r.op = map[Op]nccl.Op{Sum: nccl.Sum, Prod: nccl.Prod, Min: nccl.Min, Max: nccl.Max}[op]
	float, short := true, false
	switch any(*new(T)).(type) {
	case int8:
		r.of, float = nccl.Int8, false
	case uint8:
		r.of, float = nccl.Uint8, false
	case int32:
		r.of, float = nccl.Int32, false
	case uint32:
		r.of, float = nccl.Uint32, false
	case int, int64:
		r.of, float = nccl.Int64, false
	case uint, uint64:
		r.of, float = nccl.Uint64, false
	case float32:
		r.of = nccl.Float32
	case float64:
		r.of = nccl.Float64
	case gpu.Float16:
		r.of, short = nccl.Float16, true
	case gpu.BFloat16:
		r.of, short = nccl.BFloat16, true
	default:
		return r, false
	}
	switch {
	case !float:
		return r, true
	case op == Min || op == Max:
		return r, false
	case g.lib.anyOrder:
		return r, true
	}
	return r, len(g.streams) <= 2 && !(short && op == Prod)
}
