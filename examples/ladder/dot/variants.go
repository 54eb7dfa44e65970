package dot

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/examples/ladder/dot/fast"
)

// Variant is a rung of the ladder: a way to compute the dot product on the device.
type Variant[T Float] struct {
	// Name is its name in commands and tables.
	Name string
	// About says in a few words what it is.
	About string
	// MinBlock and MaxBlock are the fewest and the most threads of a block that it runs with;
	// PowerOfTwo, that it takes powers of two only.
	MinBlock, MaxBlock int
	PowerOfTwo         bool
	// OnDevice is set where the kernel leaves the result itself, not numbers for the host to add
	// up.
	OnDevice bool

	grid    func(n, block, most int) int // blocks for n elements, most at most
	leaves  func(n, blocks int) int      // numbers for n elements and that grid
	prepare prepare[T]
}

// CheckBlock is an error unless the variant runs with blocks of that many threads.
func (v Variant[T]) CheckBlock(threads int) error {
	switch {
	case threads >= v.MinBlock && threads <= v.MaxBlock && !(v.PowerOfTwo && threads&(threads-1) != 0):
		return nil
	case v.MinBlock == v.MaxBlock:
		return fmt.Errorf("dot: blocks of %d threads: the variant %s has blocks of %d", threads, v.Name, v.MinBlock)
	case v.PowerOfTwo:
		return fmt.Errorf("dot: blocks of %d threads: the variant %s takes a power of two, %d to %d", threads, v.Name, v.MinBlock, v.MaxBlock)
	}
	return fmt.Errorf("dot: blocks of %d threads: the variant %s takes %d to %d", threads, v.Name, v.MinBlock, v.MaxBlock)
}

// Variants is the ladder, from the bottom up.
func Variants[T Float]() []Variant[T] {
	return []Variant[T]{
		{Name: "products", About: "products on the device, sum on the host", MinBlock: 1, MaxBlock: maxBlock,
			grid: oneElementAThread, leaves: oneAnElement, prepare: alone[T](LoadProducts[T])},
		{Name: "single", About: "one thread", MinBlock: 1, MaxBlock: 1,
			grid: oneThread, leaves: one, prepare: alone[T](LoadSingle[T])},
		{Name: "shared", About: "sums in shared memory, inside the loop", MinBlock: 1, MaxBlock: maxBlock, PowerOfTwo: true,
			grid: oneElementAThread, leaves: oneABlock, prepare: alone[T](LoadSharedSum[T])},
		{Name: "divergent", About: "sums in registers; tree in shared memory, every second thread", MinBlock: 1, MaxBlock: maxBlock, PowerOfTwo: true,
			grid: oneElementAThread, leaves: oneABlock, prepare: alone[T](LoadDivergent[T])},
		{Name: "conflicting", About: "tree by the first threads, every second word", MinBlock: 1, MaxBlock: maxBlock, PowerOfTwo: true,
			grid: oneElementAThread, leaves: oneABlock, prepare: alone[T](LoadConflicting[T])},
		{Name: "sequential", About: "tree of halves, words side by side", MinBlock: 1, MaxBlock: maxBlock, PowerOfTwo: true,
			grid: oneElementAThread, leaves: oneABlock, prepare: alone[T](LoadSequential[T])},
		{Name: "lastwarp", About: "last warp written out, without barriers", MinBlock: 64, MaxBlock: maxBlock, PowerOfTwo: true,
			grid: oneElementAThread, leaves: oneABlock, prepare: alone[T](LoadLastWarp[T])},
		{Name: "shuffle", About: "warp shuffles", MinBlock: 1, MaxBlock: maxBlock,
			grid: oneElementAThread, leaves: oneABlock, prepare: alone[T](LoadShuffle[T])},
		{Name: "vector", About: "loads of 16 bytes, several sums", MinBlock: fast.Block, MaxBlock: fast.Block,
			grid: oneTileABlock[T], leaves: oneABlock, prepare: newVector[T]},
		{Name: "twokernels", About: "vector, then a second kernel for the blocks' sums", MinBlock: fast.Block, MaxBlock: fast.Block, OnDevice: true,
			grid: oneTileABlock[T], leaves: one, prepare: newTwoKernels[T]},
		{Name: "onepass", About: "vector, and the last block adds the blocks' sums", MinBlock: fast.Block, MaxBlock: fast.Block, OnDevice: true,
			grid: func(n, _, most int) int { return fast.Blocks[T](n, most) }, leaves: one, prepare: newOnePass[T]},
		{Name: "atomic", About: "shuffles, and an atomic add a block", MinBlock: 1, MaxBlock: maxBlock, OnDevice: true,
			grid: oneElementAThread, leaves: one, prepare: newAtomic[T]},
	}
}

// Best is the variant that suits every length: in one launch, and at the speed of the memory.
func Best[T Float]() Variant[T] {
	v, err := VariantNamed[T]("onepass")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return v
}

// VariantNamed is the variant of that name, or an error that lists the names.
func VariantNamed[T Float](name string) (Variant[T], error) {
	var names []string
	for _, v := range Variants[T]() {
		if v.Name == name {
			return v, nil
		}
		names = append(names, v.Name)
	}
	return Variant[T]{}, fmt.Errorf("dot: no variant %q: there are %s", name, strings.Join(names, ", "))
}

func oneThread(n, block, most int) int         { return 1 }
func oneElementAThread(n, block, most int) int { return min(max(n-1, 0)/block+1, most) }

// oneTileABlock is for the kernels that use fast.Share.
func oneTileABlock[T Float](n, _, most int) int { return oneElementAThread(n, fast.Tile[T](), most) }

func one(n, blocks int) int          { return 1 }
func oneABlock(n, blocks int) int    { return blocks }
func oneAnElement(n, blocks int) int { return n }
