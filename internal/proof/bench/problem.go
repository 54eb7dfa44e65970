package bench

import (
	"context"
	"fmt"
	"math"

	"github.com/gridstride/gridstride"
)

// problem is the input of a benchmark at one size, and what runs on it. Its sizes are numbers of
// elements of the vectors, or of rows of A.
type problem struct {
	candidates []candidate
	// full is the whole size, and sized what a size means.
	full  int
	sized func(size int) Size
	// work is the bytes of input, or the operations, of a size.
	work func(size int) float64
	free func() error
}

// candidate is one row to be made.
type candidate struct {
	variant, about string
	// share is the part of the problem's work that this does. 0 is all of it.
	share float64
	// part is a smaller size, which says how long the whole will take.
	part int
	// launch queues a run at a size on input set i. host computes one on the processor. One of them
	// is nil.
	launch func(s *gridstride.Stream, i, size int) error
	host   func(size int)
	// result waits for the last run, of that size, and compares it.
	result func(ctx context.Context, s *gridstride.Stream, size int) (err float64, wrong string, failed error)
	// rival is set where the code is not ours: its errors skip the row. Skipped says that it cannot
	// run at all.
	rival   bool
	skipped string
}

// problem makes the input of a benchmark, and its candidates.
func (ss *bencher) problem(size Size) (*problem, error) {
	switch ss.o.What + " " + ss.o.DType {
	case "dot float32":
		return newDot[float32](ss, size)
	case "dot float64":
		return newDot[float64](ss, size)
	case "reduce float32":
		return newReduce[float32](ss, size)
	case "reduce float64":
		return newReduce[float64](ss, size)
	case "reduce int32":
		return newReduce[int32](ss, size)
	case "reduce int64":
		return newReduce[int64](ss, size)
	case "collective float32":
		return newTiles[float32](ss, size)
	case "collective float64":
		return newTiles[float64](ss, size)
	case "collective int32":
		return newTiles[int32](ss, size)
	case "collective int64":
		return newTiles[int64](ss, size)
	case "matmul float32":
		return newMatmul[float32](ss, size)
	case "matmul float64":
		return newMatmul[float64](ss, size)
	case "tensor bfloat16":
		return newTensor(ss, size)
	case "level2 float32", "level3 float32":
		return newMatrices[float32](ss, size)
	case "level2 float64", "level3 float64":
		return newMatrices[float64](ss, size)
	case "blas float32", "metric float32":
		return newVectors[float32](ss, size)
	case "blas float64", "metric float64":
		return newVectors[float64](ss, size)
	}
	panic("BUG: options that were not checked")
}

// Sizes of vectors that say how long more will take: a GPU's single thread takes half a second for
// a million elements.
const (
	partOnGPU       = 1 << 18
	partOnSimulator = 1 << 14
)

// vectorPart is the part of a vector.
func (ss *bencher) vectorPart() int {
	if ss.simulated() {
		return partOnSimulator
	}
	return partOnGPU
}

// relative is |got-want| as a share of magnitude, and what is wrong if it is above bound, an
// absolute one.
func relative(got, want, magnitude, bound float64) (float64, string) {
	off := math.Abs(got - want)
	wrong := ""
	if !(off <= bound) {
		wrong = fmt.Sprintf("%v, want %v: off by %g, and rounding explains %g", got, want, off, bound)
	}
	if magnitude == 0 {
		return off, wrong
	}
	return off / magnitude, wrong
}

// closedForm is how far a result may be from a closed form, as a share of it: the elements
// themselves are rounded.
const closedForm = 1e-5
