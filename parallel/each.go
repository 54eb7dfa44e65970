package parallel

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/order"
	"github.com/gridstride/gridstride/parallel/internal/kernels"
)

// Transform sets dst[i] to what m makes of src[i]. dst may be src. C++'s std::transform.
//
//gpu:needs kernels.Transform[T,U,M]
func Transform[T, U any, M Mapping[T, U]](w *Workspace, dst gridstride.Buffer[U], src gridstride.Buffer[T], m M) error {
	return w.queue("Transform", func() error {
		k, err := kernelOf[func(T, U, M)](w, "Transform", kernels.LoadTransform[T, U, M])
		if err == nil {
			err = atLeast("dst", dst, src.Len())
		}
		if err != nil {
			return err
		}
		return k.Launch(w.stream, gridstride.Grid(kernels.Blocks(src.Len())), dst, src, kernels.Of(m))
	})
}

// ForEach has do change each element of x. C++'s std::for_each.
//
//gpu:needs kernels.ForEach[T,A]
func ForEach[T any, A Action[T]](w *Workspace, x gridstride.Buffer[T], do A) error {
	return w.queue("ForEach", func() error {
		k, err := kernelOf[func(T, A)](w, "ForEach", kernels.LoadForEach[T, A])
		if err != nil {
			return err
		}
		return k.Launch(w.stream, gridstride.Grid(kernels.Blocks(x.Len())), x, kernels.Of(do))
	})
}

// Shuffle writes the elements of src to dst in an order that depends on their number and the seed
// alone. dst has as many elements, and is not src. Not every order can come of it: it is a Feistel
// network of 12 rounds, keyed by the seed. C++'s std::shuffle.
//
//gpu:needs kernels.Shuffle[T]
func Shuffle[T any](w *Workspace, dst, src gridstride.Buffer[T], seed uint64) error {
	return w.queue("Shuffle", func() error {
		k, err := kernelOf[func(T)](w, "Shuffle", kernels.LoadShuffle[T])
		if err == nil {
			err = atLeast("dst", dst, src.Len())
		}
		if err == nil {
			err = apart("dst and src", dst, src)
		}
		if err != nil {
			return err
		}
		return k.Launch(w.stream, gridstride.Grid(kernels.Blocks(src.Len())), dst, src, order.PermutationOf(src.Len(), seed))
	})
}

// Gather sets dst[i] to src[index[i]]. dst is not src. An index out of range makes the kernel fail.
//
//gpu:needs kernels.Gather[T,I]
func Gather[T any, I gpu.Integer](w *Workspace, dst, src gridstride.Buffer[T], index gridstride.Buffer[I]) error {
	return w.queue("Gather", func() error {
		k, err := kernelOf[func(T, I)](w, "Gather", kernels.LoadGather[T, I])
		if err == nil {
			err = atLeast("dst", dst, index.Len())
		}
		if err == nil {
			err = apart("dst and src", dst, src)
		}
		if err != nil {
			return err
		}
		return k.Launch(w.stream, gridstride.Grid(kernels.Blocks(index.Len())), dst, src, index)
	})
}

// Scatter sets dst[index[i]] to src[i], for indices that differ. dst is not src. An index out of
// range makes the kernel fail.
//
//gpu:needs kernels.Scatter[T,I]
func Scatter[T any, I gpu.Integer](w *Workspace, dst, src gridstride.Buffer[T], index gridstride.Buffer[I]) error {
	return w.queue("Scatter", func() error {
		k, err := kernelOf[func(T, I)](w, "Scatter", kernels.LoadScatter[T, I])
		if err == nil {
			err = atLeast("src", src, index.Len())
		}
		if err == nil {
			err = apart("dst and src", dst, src)
		}
		if err != nil {
			return err
		}
		return k.Launch(w.stream, gridstride.Grid(kernels.Blocks(index.Len())), dst, src, index)
	})
}

// Iota sets dst[i] to start+i. C++'s std::iota.
//
//gpu:needs kernels.Iota[T]
func Iota[T Number](w *Workspace, dst gridstride.Buffer[T], start T) error {
	return w.queue("Iota", func() error {
		k, err := kernelOf[func(T)](w, "Iota", kernels.LoadIota[T])
		if err != nil {
			return err
		}
		return k.Launch(w.stream, gridstride.Grid(kernels.Blocks(dst.Len())), dst, start)
	})
}

// LowerBound sets dst[i] to the number of elements of sorted that are before values[i]. sorted is
// sorted by the order. C++'s std::lower_bound.
//
//gpu:needs kernels.Search[T,O]
func LowerBound[T any, O Order[T]](w *Workspace, dst gridstride.Buffer[int], sorted, values gridstride.Buffer[T], by O) error {
	return search(w, "LowerBound", dst, sorted, values, false, by)
}

// UpperBound sets dst[i] to the number of elements of sorted that values[i] is not before. sorted is
// sorted by the order. C++'s std::upper_bound.
//
//gpu:needs kernels.Search[T,O]
func UpperBound[T any, O Order[T]](w *Workspace, dst gridstride.Buffer[int], sorted, values gridstride.Buffer[T], by O) error {
	return search(w, "UpperBound", dst, sorted, values, true, by)
}

func search[T any, O Order[T]](w *Workspace, name string, dst gridstride.Buffer[int], sorted, values gridstride.Buffer[T], upper bool, by O) error {
	return w.queue(name, func() error {
		k, err := kernelOf[func(T, O)](w, name, kernels.LoadSearch[T, O])
		if err == nil {
			err = atLeast("dst", dst, values.Len())
		}
		if err != nil {
			return err
		}
		return k.Launch(w.stream, gridstride.Grid(kernels.Blocks(values.Len())), dst, sorted, values, upper, kernels.Of(by))
	})
}

// histogramBlocks is the most blocks that count, and histogramItems the fewest elements that one
// counts: each adds its counts to all others'.
const (
	histogramBlocks = 2048
	histogramItems  = 4096
)

// Histogram sets bins[b] to the number of elements of src that bin maps to b. Elements that are
// mapped below 0 or to bins.Len() and above are not counted. CUB's DeviceHistogram, with any bins.
//
//gpu:needs kernels.Histogram[T,M]
func Histogram[T any, M Mapping[T, int]](w *Workspace, bins gridstride.Buffer[uint64], src gridstride.Buffer[T], bin M) error {
	return w.queue("Histogram", func() error {
		k, err := kernelOf[func(T, M)](w, "Histogram", kernels.LoadHistogram[T, M])
		if err != nil {
			return err
		}
		if err := bins.Zero(w.stream); err != nil || src.Len() == 0 {
			return err
		}
		return k.Launch(w.stream, gridstride.Grid(min((src.Len()-1)/histogramItems+1, histogramBlocks)), bins, src, kernels.Of(bin))
	})
}
