package fold

import "github.com/gridstride/gridstride/gpu"

// The operations of the kernels.
const (
	Sum = iota
	Prod
	Min
	Max
)

// combine is x op y.
func combine[T gpu.Number](x, y T, op int) T {
	switch op {
	case Sum:
		return x + y
	case Prod:
		return x * y
	case Min:
		return min(x, y)
	}
	return max(x, y)
}

// other is the first element of rank's vector in the vectors of all ranks but own, which lie one
// after the other.
func other(rank, own, n int) int {
	if rank > own {
		rank--
	}
	return rank * n
}

// numbers combines the vectors of ranks devices from rank 0 on: the vector mine of rank own, and
// the vectors of the others one after the other. dst, mine and each of the others have the same
// length. dst may be mine.
//
// Launch with any grid of one dimension.
//
//gpu:kernel block=256 T=int,int8,int16,int32,int64,uint,uint8,uint16,uint32,uint64,float32,float64
func numbers[T gpu.Number](dst, mine, others []T, own, ranks, op int) {
	for i := range gpu.GridStride(len(dst)) {
		var x T
		for rank := range ranks {
			y := mine[i]
			if rank != own {
				y = others[other(rank, own, len(dst))+i]
			}
			if rank == 0 {
				x = y
			} else {
				x = combine(x, y, op)
			}
		}
		dst[i] = x
	}
}

// halves is numbers for elements of 16 bits: it combines them in float32, and rounds once.
//
//gpu:kernel block=256 T=gpu.Float16,gpu.BFloat16
func halves[T gpu.Real](dst, mine, others []T, own, ranks, op int) {
	for i := range gpu.GridStride(len(dst)) {
		var x float32
		for rank := range ranks {
			y := gpu.ToFloat32(mine[i])
			if rank != own {
				y = gpu.ToFloat32(others[other(rank, own, len(dst))+i])
			}
			if rank == 0 {
				x = y
			} else {
				x = combine(x, y, op)
			}
		}
		dst[i] = gpu.FromFloat32[T](x)
	}
}
