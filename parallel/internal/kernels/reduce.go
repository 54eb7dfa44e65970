package kernels

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/order"
)

// Reduce combines what the elements of src are mapped to, in an order that depends on their number
// alone, into dst[0]. partial has an element a block. ticket[0] is 0 before and after.
//
//gpu:kernel open block=256
//gpu:nobounds
func Reduce[T, U any, M Mapping[T, U], O Operator[U]](dst []U, src []T, partial []U, ticket []uint32, m With[M], o With[O]) {
	v := o.Op.Identity()
	const tile = Block * order.ReduceItems
	for first := gpu.BlockIdx.X * tile; first < len(src); first += gpu.GridDim.X * tile {
		i := first + gpu.ThreadIdx.X
		if first+tile <= len(src) {
			var in [order.ReduceItems]T
			for k := range order.ReduceItems {
				in[k] = src[i+k*Block]
			}
			var made [order.ReduceItems]U
			for k := range order.ReduceItems {
				made[k] = m.Op.Apply(in[k])
			}
			for k := range 8 { // a tree is a short chain
				made[k] = o.Op.Combine(made[2*k], made[2*k+1])
			}
			for k := range 4 {
				made[k] = o.Op.Combine(made[2*k], made[2*k+1])
			}
			a, b := o.Op.Combine(made[0], made[1]), o.Op.Combine(made[2], made[3])
			v = o.Op.Combine(v, o.Op.Combine(a, b))
			continue
		}
		for ; i < len(src); i += Block {
			v = o.Op.Combine(v, m.Op.Apply(src[i]))
		}
	}
	combine := func(a, b U) U { return o.Op.Combine(a, b) }
	reduce := func(a U) U { return collective.BlockReduce(a, combine) }
	whole, last := onepass.Finish(v, o.Op.Identity(), reduce, combine, partial, ticket)
	if last && gpu.ThreadIdx.X == 0 {
		dst[0] = whole
	}
}
