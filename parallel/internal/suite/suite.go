// Package suite tests package parallel with types and operators that it does not know.
package suite

import _ "github.com/gridstride/gridstride/parallel"

// Record is 12 bytes, to be sorted by Key alone.
type Record struct {
	Key   uint16
	Flag  bool
	Price float32
	ID    int32
}

// ByKey orders records by their key.
type ByKey struct{ Descending bool }

// Less compares keys.
func (o ByKey) Less(a, b Record) bool {
	if o.Descending {
		return a.Key > b.Key
	}
	return a.Key < b.Key
}

// SameKey says that records with one key are equal.
type SameKey struct{}

// Equal compares keys.
func (SameKey) Equal(a, b Record) bool { return a.Key == b.Key }

// Dear holds for records whose price is at least Least.
type Dear struct{ Least float32 }

// Holds compares the price.
func (d Dear) Holds(r Record) bool { return r.Price >= d.Least }

// Below holds for numbers below a limit.
type Below[T int32 | uint64 | float32] struct{ Limit T }

// Holds compares x with the limit.
func (b Below[T]) Holds(x T) bool { return x < b.Limit }

// Price is the price of a record, times a factor.
type Price struct{ Factor float64 }

// Apply computes it.
func (p Price) Apply(r Record) float64 { return p.Factor * float64(r.Price) }

// Line is the function A*x + B of integers modulo 2^32. Lines are combined by composition, which is
// associative and not commutative.
type Line struct{ A, B uint32 }

// Then is the operator: first a, then b.
type Then struct{}

// Identity is x.
func (Then) Identity() Line { return Line{1, 0} }

// Combine is b(a(x)).
func (Then) Combine(a, b Line) Line { return Line{a.A * b.A, a.B*b.A + b.B} }

// Xor is an operator on words.
type Xor[T uint8 | uint64] struct{}

// Identity is 0.
func (Xor[T]) Identity() T { return 0 }

// Combine is a ^ b.
func (Xor[T]) Combine(a, b T) T { return a ^ b }

// Bucket is a bin for every Width keys.
type Bucket struct{ Width int }

// Apply divides.
func (b Bucket) Apply(r Record) int { return int(r.Key)/b.Width - 1 }

// Joined joins records: the key of the first, the number of the last, and the sum of the prices. Its
// identity has no flag. It is not commutative.
type Joined struct{}

// Identity is no record.
func (Joined) Identity() (none Record) { return }

// Combine joins a and b.
func (Joined) Combine(a, b Record) Record {
	switch {
	case !a.Flag:
		return b
	case !b.Flag:
		return a
	}
	return Record{a.Key, true, a.Price + b.Price, b.ID}
}

// Raise adds an element's index, times a factor, to it.
type Raise[T int32 | float32 | float64] struct{ Factor int }

// Do adds.
func (r Raise[T]) Do(x *T, i int) { *x += T(r.Factor * i) }

// Renumber numbers records by their index.
type Renumber struct{ From int }

// Do numbers.
func (r Renumber) Do(x *Record, i int) { x.ID = int32(r.From + i) }

//gpu:instance T=int32,float32,float64 parallel.ReduceByKey[int32,T,parallel.Equals[int32],parallel.Plus[T]]
//gpu:instance T=int32,float32,float64 parallel.InclusiveScanByKey[int32,T,parallel.Equals[int32],parallel.Plus[T]]
//gpu:instance T=int32,float32,float64 parallel.InclusiveScanSegments[T,parallel.Plus[T]] parallel.ReduceSegments[T,parallel.Plus[T]]
//gpu:instance T=int32,float32,float64 parallel.SortSegments[T,parallel.Ascending[T]] parallel.TopK[T,parallel.Descending[T]]
//gpu:instance T=int32,float32,float64 parallel.ForEach[T,Raise[T]] parallel.Shuffle[T]
//gpu:instance parallel.ReduceByKey[int32,Record,parallel.Equals[int32],Joined] parallel.InclusiveScanByKey[int32,Record,parallel.Equals[int32],Joined]
//gpu:instance parallel.InclusiveScanSegments[Record,Joined] parallel.ReduceSegments[Record,Joined]
//gpu:instance parallel.SortSegments[Record,ByKey] parallel.TopK[Record,ByKey] parallel.ForEach[Record,Renumber] parallel.Shuffle[Record]
//gpu:instance parallel.SortBy[Record,ByKey] parallel.Merge[Record,ByKey] parallel.LowerBound[Record,ByKey]
//gpu:instance parallel.Select[Record,Dear] parallel.Unique[Record,SameKey] parallel.RunLengthEncode[Record,SameKey]
//gpu:instance T=int32,uint64,float32 parallel.Select[T,Below[T]]
//gpu:instance parallel.TransformReduce[Record,float64,Price,parallel.Plus[float64]] parallel.Transform[Record,float64,Price]
//gpu:instance parallel.InclusiveScan[Line,Then] parallel.Histogram[Record,Bucket]
//gpu:instance T=uint8,uint64 parallel.Reduce[T,Xor[T]] parallel.InclusiveScan[T,Xor[T]]
//gpu:instance K=int16,uint8 parallel.Sort[K]
//gpu:instance K=uint32,float64 parallel.SortPairs[K,Record]
//gpu:instance I=int,uint32 parallel.Gather[Record,I] parallel.Scatter[Record,I]
