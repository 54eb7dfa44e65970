package lab

import (
	"fmt"
	"testing"

	"github.com/gridstride/gridstride/internal/tour/picture"
)

// The kernels of TestTree add up the elements of x. Each thread has one.
const (
	halving = `	for s := 32; s > 0; s /= 2 {
		if tid < s {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		sums[gpu.BlockIdx.X] = cache[0]
	}
`
	doubling = `	for s := 1; s < 64; s *= 2 {
		if tid%(2*s) == 0 {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		sums[gpu.BlockIdx.X] = cache[0]
	}
`
	oneAdds = `	if tid == 0 {
		var sum int32
		for i := range 64 {
			sum += cache[i]
		}
		sums[gpu.BlockIdx.X] = sum
	}
`
	shuffled = `	sum := cache[tid]
	for s := 16; s > 0; s /= 2 {
		sum += gpu.ShflDownSync(gpu.FullMask, sum, s)
	}
	if tid%32 == 0 {
		gpu.AtomicAdd(&sums[gpu.BlockIdx.X], sum)
	}
`
	atomics = `	gpu.AtomicAdd(&sums[gpu.BlockIdx.X], cache[tid])
`
)

// TestTree draws the trees of reductions. Each adds every thread's value once to the block's sum, and
// their depths differ.
func TestTree(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body  string
		depth int
	}{
		"halving": {halving, 6}, "doubling": {doubling, 6}, "one adds": {oneAdds, 64}, "shuffles": {shuffled, 6}, "atomics": {atomics, 63},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := head + "//gpu:kernel block=64\nfunc Sum(x, sums []int32) {\n\tcache := gpu.Shared[[64]int32]()\n\ttid := gpu.ThreadIdx.X\n" +
				"\tcache[tid] = x[gpu.BlockIdx.X*64+tid]\n\tgpu.SyncThreads()\n" + c.body + "}\n"
			r := newLab().Compile(text).Run(t.Context(), Launch{Grid: []int{2}, Args: []string{"s32[128]=ramp", "s32[2]=zeros"}}, nil)
			if r.Error != "" {
				t.Fatal(r.Error)
			}
			if fmt.Sprint(r.Buffers[1].After) != "[2016 6112]" || r.Pictures.Tree == nil {
				t.Fatalf("%v, %v", r.Buffers, r.Pictures.Tree)
			}
			for block := range 2 {
				holdTree(t, r.Pictures.Tree, block, c.depth)
			}
		})
	}
}

// holdTree finds each of 64 threads' values once in the last value of a block.
func holdTree(t *testing.T, tree *picture.Tree, block, depth int) {
	t.Helper()
	root := -1
	for i, n := range tree.Nodes {
		if n.Block == block && len(n.From) > 0 {
			root = i
			if n.Line == 0 {
				t.Errorf("node %d has no line", i)
			}
		}
	}
	if root < 0 {
		t.Fatalf("block %d has no sum", block)
	}
	threads := map[int]int{}
	var visit func(i int)
	visit = func(i int) {
		n := tree.Nodes[i]
		if len(n.From) == 0 {
			threads[n.Thread]++
		}
		for _, x := range n.From {
			visit(int(x))
		}
	}
	visit(root)
	for thread := range 64 {
		if depth < 64 && threads[thread] != 1 || threads[thread] == 0 {
			t.Errorf("block %d: thread %d's value is %d times in the sum", block, thread, threads[thread])
		}
	}
	if got := tree.Nodes[root].Depth; got > depth+1 || got < depth-1 {
		t.Errorf("block %d: the sum is %d additions deep, want %d", block, got, depth)
	}
}

// TestNoTree draws no tree of a kernel that combines no threads' values, and a bounded one of a launch
// with many.
func TestNoTree(t *testing.T) {
	t.Parallel()
	l := newLab()
	r := l.Compile(head+"//gpu:kernel block=64\nfunc K(x []int32) {\n\tfor i := range gpu.GridStride(len(x)) {\n\t\tx[i] += 2 * x[i]\n\t}\n}\n").
		Run(t.Context(), Launch{Grid: []int{2}, Args: []string{"s32[200]=ramp"}}, nil)
	if r.Error != "" || r.Pictures.Tree != nil || r.Pictures.Pipeline != nil {
		t.Errorf("%s, %+v, %+v", r.Error, r.Pictures.Tree, r.Pictures.Pipeline)
	}
	text := head + "//gpu:kernel block=256\nfunc Sum(x, sums []int32) {\n\tfor i := range gpu.GridStride(len(x)) {\n\t\tgpu.AtomicAdd(&sums[0], x[i])\n\t}\n}\n"
	r = l.Compile(text).Run(t.Context(), Launch{Grid: []int{8}, Args: []string{"s32[50001]=ramp", "s32[1]=zeros"}}, nil)
	if tree := r.Pictures.Tree; r.Error != "" || tree == nil || len(tree.Nodes) > picture.MaxNodes || tree.Dropped == 0 {
		t.Errorf("%s, %+v", r.Error, tree)
	}
}
