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

//gpu:instance parallel.SortBy[Record,ByKey] parallel.Merge[Record,ByKey] parallel.LowerBound[Record,ByKey]
//gpu:instance parallel.Select[Record,Dear] parallel.Unique[Record,SameKey] parallel.RunLengthEncode[Record,SameKey]
//gpu:instance T=int32,uint64,float32 parallel.Select[T,Below[T]]
//gpu:instance parallel.TransformReduce[Record,float64,Price,parallel.Plus[float64]] parallel.Transform[Record,float64,Price]
//gpu:instance parallel.InclusiveScan[Line,Then] parallel.Histogram[Record,Bucket]
//gpu:instance T=uint8,uint64 parallel.Reduce[T,Xor[T]] parallel.InclusiveScan[T,Xor[T]]
//gpu:instance K=int16,uint8 parallel.Sort[K]
//gpu:instance K=uint32,float64 parallel.SortPairs[K,Record]
//gpu:instance I=int,uint32 parallel.Gather[Record,I] parallel.Scatter[Record,I]
