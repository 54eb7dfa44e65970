package fold

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/math/binned"
)

// terms are the vectors that a reproducible sum adds: count of a device's own in mine, stride
// elements apart, and the other devices' vectors in others, one after the other.
type terms[T any] struct {
	mine, others  []T
	count, stride int
	n             int // elements of each vector
}

// each calls do with element i of every vector.
func (t terms[T]) each(i int, do func(x T)) {
	for k := range t.count {
		do(t.mine[k*t.stride+i])
	}
	for at := i; at < len(t.others); at += t.n {
		do(t.others[at])
	}
}

// sum is the sum of element i of all vectors: package internal/math/binned's. Their largest
// magnitude comes first, because a sum's bins must be right before a term is added.
func sum[T any, S gpu.Float, U binned.Word, F binned.Format[S, U]](t terms[T], i int, wide func(x T) S) S {
	var f F
	var s binned.Sum
	var largest U
	t.each(i, func(x T) {
		v := wide(x)
		if special := binned.Special(v); special != 0 {
			s.Specials |= special
			v = 0
		}
		largest = max(largest, binned.Magnitude[S, U, F](v))
	})
	s.Raise(binned.Bin[S, U, F](largest))
	scale := binned.Scale[S, U, F](s.Bin)
	var acc [binned.Folds]S
	deposits, count := 0, 0
	t.each(i, func(x T) {
		if deposits == 0 {
			for k := range binned.Folds {
				acc[k] = f.Float(binned.Start[S, U, F](k))
			}
		}
		binned.Deposit[S, U, F](wide(x)*scale, &acc) // after a special term nothing reads acc
		count++
		if deposits++; deposits == binned.Deposits {
			s.Add(s.Bin, words[S, U, F](acc))
			deposits = 0
		}
	})
	if deposits > 0 {
		w := words[S, U, F](acc)
		if f.Fraction() == 23 && count == deposits && s.Specials == 0 {
			return short[S, U, F](s.Bin, w)
		}
		s.Add(s.Bin, w)
	}
	return binned.Value[S, U, F](s)
}

// words are the sums of slices in accumulators.
func words[S gpu.Float, U binned.Word, F binned.Format[S, U]](acc [binned.Folds]S) (w binned.Words) {
	for k := range binned.Folds {
		w[k] = binned.Slices[S, U, F](acc[k], k)
	}
	return w
}

// short is the value of a sum of float32 whose words fit one integer of 64 bits: it is rounded once,
// as binned.Value rounds, and then scaled by two powers of two, since one may be out of range.
func short[S gpu.Float, U binned.Word, F binned.Format[S, U]](bin int32, w binned.Words) S {
	var f F
	total := w[0]<<(2*f.Width()) + w[1]<<f.Width() + w[2]
	exponent := 1 - f.Bias() + (int(bin)-binned.Folds+1)*f.Width()
	half := exponent / 2
	return S(total) * power[S, U, F](half) * power[S, U, F](exponent-half)
}

// power is 2^n, a normal number.
func power[S gpu.Float, U binned.Word, F binned.Format[S, U]](n int) S {
	var f F
	return f.Float(U(f.Bias()+n) << f.Fraction())
}

// floats adds vectors of several devices, element by element, with bits that depend neither on their
// order nor on how they are shared out: own of the device's own, which begin every stride elements of
// mine, and all that lie one after the other in others. dst and each of these have the same length.
// dst may be the first of mine.
//
// Launch with any grid of one dimension.
//
//gpu:kernel block=256 T:U:F=float32:uint32:binned.Single,float64:uint64:binned.Double
func floats[T gpu.Float, U binned.Word, F binned.Format[T, U]](dst, mine, others []T, own, stride int) {
	for i := range gpu.GridStride(len(dst)) {
		dst[i] = sum[T, T, U, F](terms[T]{mine, others, own, stride, len(dst)}, i, func(x T) T { return x })
	}
}

// shortFloats is floats for elements of 16 bits: it adds them as float32, and rounds that sum.
//
//gpu:kernel block=256 T=gpu.Float16,gpu.BFloat16
func shortFloats[T gpu.Real](dst, mine, others []T, own, stride int) {
	for i := range gpu.GridStride(len(dst)) {
		s := sum[T, float32, uint32, binned.Single](terms[T]{mine, others, own, stride, len(dst)}, i, gpu.ToFloat32[T])
		dst[i] = gpu.FromFloat32[T](s)
	}
}
