// Package calls calls device functions of another package, of its own, and function literals.
package calls

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/internal/language/vet/testdata/helper"
)

//gpu:kernel
func Calls(x []int32, n int) {
	tid, size := helper.Index()
	helper.Wait()
	helper.WaitIf(n)
	helper.WaitIf(size)
	helper.WaitIf(helper.Both(n, size))
	helper.WaitIf(tid)                 // want "^this call, which comes to gpu.SyncThreads \\(helper.go:7\\), does so under a branch of the function called, which not all threads of the block take: pass arguments that are the same for all of them$"
	helper.WaitIf(helper.Both(n, tid)) // want "under a branch of the function called"
	if tid > 3 {
		helper.Wait() // want "^this call, which comes to gpu.SyncThreads \\(helper.go:7\\), is inside `if tid > 3` \\(line 19\\)"
		helper.Hangs()
		x[tid] = helper.Down(gpu.FullMask, x[tid]) // want "^this call, which comes to gpu.ShflDownSync for all lanes \\(helper.go:33\\), is inside `if tid > 3`"
		x[tid] = helper.Down(gpu.ActiveMask(), x[tid])
	}
	var filled int
	helper.Fill(&filled)
	if filled > 0 {
		gpu.SyncThreads() // want "is inside `if filled > 0`"
	}
}

//gpu:kernel
func Collectives(x []float32, ticket []uint32) {
	var sum float32
	for i := range gpu.GridStride(len(x)) {
		sum += x[i]
	}
	sum = collective.BlockSum(sum)
	if sum > 0 { // the same for all threads of the block
		sum = collective.BlockMax(sum)
	}
	if collective.WarpSum(sum+float32(gpu.LaneID())) > 0 {
		sum = collective.BlockMax(sum) // want "^this call, which comes to gpu.SyncThreads \\(block.go:\\d+\\), is inside `if collective.WarpSum"
	}
	if collective.LastBlock(&ticket[0]) {
		for i := gpu.ThreadIdx.X; i < len(x); i += gpu.BlockDim.X {
			sum += collective.BlockSum(x[i]) // want "is in the loop `for i < len\\(x\\)`"
		}
	}
	before, total := collective.BlockExclusiveSum(sum)
	if total > 1 {
		gpu.SyncThreads()
	}
	if before > 1 {
		gpu.SyncThreads() // want "is inside `if before > 1`"
	}
}

//gpu:kernel
func Literals(x []int32, n int) {
	wait := func() { gpu.SyncThreads() }
	wait()
	count := 0
	helper.Times(n, func(i int) {
		gpu.SyncThreads()
		count++
	})
	helper.Times(gpu.ThreadIdx.X, func(i int) { count++ })
	helper.Times(gpu.ThreadIdx.X, func(i int) { gpu.SyncThreads() }) // want "^this call, which comes to gpu.SyncThreads \\(calls.go:\\d+\\), does so under a branch of the function called"
	helper.Each(len(x), func(i int) {                                // want "^this call, which comes to gpu.SyncThreads \\(calls.go:\\d+\\), does so under a branch"
		x[i] = 0
		gpu.SyncThreads()
	})
	if gpu.LaneID() == 0 {
		wait() // want "this call, which comes to gpu.SyncThreads \\(calls.go:61\\), is inside `if gpu.LaneID\\(\\) == 0`"
	}
}

type point struct{ x, y int }

func (p point) wait() {
	if p.x > 0 {
		gpu.SyncThreads()
	}
}

//gpu:kernel T=int32,int64
func Methods[T gpu.Integer](x []T, n int) {
	point{n, 1}.wait()
	point{gpu.LaneID(), 1}.wait() // want "under a branch of the function called"
	generic(x, T(n))
	generic(x, T(gpu.LaneID())) // want "under a branch of the function called"
}

func generic[T gpu.Integer](x []T, n T) {
	for i := T(0); i < n; i++ {
		gpu.SyncThreads()
	}
}

type quad [32]float64

//gpu:kernel T=float64,quad
func Large[T any](x []T) { // want "^kernel Large declares 263168 bytes of shared memory for quad: no block has more"
	x[gpu.ThreadIdx.X] = helper.Buffer(x[gpu.ThreadIdx.X])
	_ = helper.Buffer(uint8(1)) // another variable
}

type span struct{ at, n int }

func same[T any](v T, f func(T)) T {
	f(v)
	return v
}

//gpu:kernel
func Generics(n int) {
	s := same(span{at: n, n: n}, func(s span) {
		if s.n > 0 {
			gpu.SyncThreads()
		}
	})
	if s.n > 0 {
		gpu.SyncThreads()
	}
	_ = same(span{at: gpu.LaneID(), n: n}, func(s span) { // want "under a branch of the function called"
		if s.at > 0 {
			gpu.SyncThreads()
		}
	})
}
