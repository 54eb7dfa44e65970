// Package shared has shared memory that is used, unused, and too much.
package shared

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

//gpu:kernel
func Uses(x []int32, out []float32) {
	gpu.Shared[[4]int32]()         // want "^this shared memory is not used: remove it$"
	_ = gpu.Shared[[4]int32]()     // want "is not used"
	size := gpu.Shared[[4]int32]() // want "is not used"
	x[0] = int32(len(size))
	written := gpu.Shared[[64]int32]() // want "^this shared memory is written and never read: remove it, or read what the threads left there$"
	written[gpu.ThreadIdx.X] = x[0]
	counted := gpu.Shared[[64]int32]() // want "is written and never read"
	gpu.AtomicAdd(&counted[x[1]], 1)
	empty := gpu.Shared[[64]int32]() // want "^this shared memory is read and never written: it holds nothing before a thread of the block writes to it$"
	x[2] = empty[gpu.ThreadIdx.X]

	drawn := gpu.Shared[int32]()
	x[3] = gpu.AtomicAdd(drawn, 1)
	passed := gpu.Shared[[64]int32]()
	fill(passed[:])
	copied := gpu.Shared[[64]int32]()
	copy(copied[:], x)
	copy(x, copied[:32])
	tile := gpu.Shared[[16][17]float32]()
	for row := range tile {
		tile[row][gpu.ThreadIdx.X] = 1
	}
	gpu.SyncThreads()
	out[0] = tile[gpu.ThreadIdx.X][0]
	parts := gpu.Shared[struct {
		sums [8]float32
		n    int
	}]()
	parts.n = 1
	out[1] = parts.sums[0]
}

func fill(x []int32) { x[gpu.ThreadIdx.X] = 1 }

//gpu:kernel
func TooMuch(x []float64) { // want "^kernel TooMuch declares 262144 bytes of shared memory: no block has more than 232448$"
	a, b := gpu.Shared[[16384]float64](), gpu.Shared[[16384]float64]()
	a[0], b[0] = x[0], a[1]+b[1]
}

//gpu:kernel T=float32,float64
func TooMuchForOne[T gpu.Float](x []T) { // want "^kernel TooMuchForOne declares 262144 bytes of shared memory for float64: no block has more than"
	a := buffer[T]()
	a[0] = x[0] + a[1]
	b := buffer[T]() // the same variable
	b[1] = a[0]
}

func buffer[T any]() *[32768]T { return gpu.Shared[[32768]T]() }

// JustEnough has all that there is.
//
//gpu:kernel
func JustEnough(x []float32) {
	a := gpu.Shared[[58112]float32]()
	a[0] = x[0] + a[1]
}

//gpu:kernel
func TooMuchTogether(x []float32) { // want "^kernel TooMuchTogether declares 262144 bytes of shared memory: no block has more"
	a, b := buffer[float32](), buffer[int32]()
	a[0], b[0] = a[1], b[1]
}

func launches() {
	_ = gridstride.Grid(1).Shared(200 << 10)
	_ = gridstride.Grid(1).Shared(228 << 10) // want "^a launch with 233472 bytes of shared memory: no block has more than 232448$"
}
