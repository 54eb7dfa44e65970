package binned

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/math/binned"
)

// account is a thread's share of a sum: accumulators, into which terms are deposited, and the
// integers into which they are emptied.
type account[T gpu.Float, V gpu.FloatVector[T, V], U binned.Word, F binned.Format[T, U]] struct {
	acc      [binned.Folds]T
	deposits int
	words    binned.Words
	bin      int32 // the top bin
	limit    U     // of the magnitude of terms
	scale    T
	specials uint32
}

// begin makes it the share of no terms.
func (a *account[T, V, U, F]) begin() {
	a.clear()
	a.choose(0)
}

// clear makes the accumulators empty.
func (a *account[T, V, U, F]) clear() {
	var f F
	for k := range binned.Folds {
		a.acc[k] = f.Float(binned.Start[T, U, F](k))
	}
	a.deposits = 0
}

// choose makes bin the top bin.
func (a *account[T, V, U, F]) choose(bin int32) {
	a.bin = bin
	a.limit, a.scale = binned.Limit[T, U, F](bin), binned.Scale[T, U, F](bin)
}

// empty adds what is in the accumulators to the words.
func (a *account[T, V, U, F]) empty() {
	for k := range binned.Folds {
		a.words[k] += binned.Slices[T, U, F](a.acc[k], k)
	}
	a.clear()
}

// takeVectors adds the lanes of some vectors.
func (a *account[T, V, U, F]) takeVectors(v [perThread]V) {
	a.take(perThread*v[0].Lanes(), func(do func(T) T) {
		for k := range perThread {
			for l := range v[k].Lanes() {
				v[k] = v[k].With(l, do(v[k].Lane(l)))
			}
		}
	})
}

// takeOne adds one term.
func (a *account[T, V, U, F]) takeOne(x T) {
	a.take(1, func(do func(T) T) { x = do(x) })
}

// take adds n terms. It calls a function on each and replaces the term by the result. The largest
// is first, because the top bin must be right before a term is deposited.
func (a *account[T, V, U, F]) take(n int, each func(do func(T) T)) {
	var f F
	if a.deposits += n; a.deposits > binned.Deposits {
		a.empty()
		a.deposits = n
	}
	var most U // twice the magnitude
	each(func(x T) T {
		most = max(most, f.Bits(x)<<1)
		return x
	})
	if most>>1 >= a.limit {
		a.fit(each)
	}
	each(func(x T) T {
		binned.Deposit[T, U, F](x*a.scale, &a.acc)
		return x
	})
}

// fit takes out terms that are no numbers, and makes room for those that are too large for the top
// bin.
func (a *account[T, V, U, F]) fit(each func(do func(T) T)) {
	var largest U
	each(func(x T) T {
		if special := binned.Special(x); special != 0 {
			a.specials |= special
			x = 0
		}
		largest = max(largest, binned.Magnitude[T, U, F](x))
		return x
	})
	if largest >= a.limit {
		deposits := a.deposits
		a.empty()
		a.deposits = deposits
		bin := binned.Bin[T, U, F](largest)
		a.words = a.words.Below(bin - a.bin)
		a.choose(bin)
	}
}

// end adds up the shares of all threads to one result, and leaves their sum in partial[0].
func (a *account[T, V, U, F]) end(partial []binned.Sum, ticket []uint32, result []T) {
	a.empty()
	s := binned.Sum{Bin: a.bin, Specials: a.specials}
	s.Add(a.bin, a.words)
	merge := func(s, t binned.Sum) binned.Sum {
		s.Merge(t)
		return s
	}
	s, last := onepass.Finish(s, binned.Sum{}, reduce, merge, partial, ticket)
	if last && gpu.ThreadIdx.X == 0 {
		partial[0] = s
		result[0] = binned.Value[T, U, F](s)
	}
}

// reduce adds up the sums of the threads of a block.
func reduce(s binned.Sum) binned.Sum {
	s.Specials = collective.BlockReduce(s.Specials, func(x, y uint32) uint32 { return x | y })
	s.Raise(collective.BlockMax(s.Bin))
	s.Each(collective.BlockSum[int64])
	return s
}
