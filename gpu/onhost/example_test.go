package onhost_test

import (
	"context"
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/onhost"
)

// reverse turns each stretch of 64 elements round.
func reverse(a []int32) {
	stretch := gpu.Shared[[64]int32]()
	i := gpu.BlockIdx.X*64 + gpu.ThreadIdx.X
	stretch[gpu.ThreadIdx.X] = a[i]
	gpu.SyncThreads()
	a[i] = stretch[63-gpu.ThreadIdx.X]
}

// A kernel that is run as a Go function, with slices for its buffers.
func Example() {
	a := make([]int32, 128)
	for i := range a {
		a[i] = int32(i)
	}
	err := onhost.Launch(context.Background(), gridstride.Grid(2).Block(64), func() { reverse(a) })
	fmt.Println(a[0], a[63], a[64], a[127], err)
	// Output: 63 0 127 64 <nil>
}
