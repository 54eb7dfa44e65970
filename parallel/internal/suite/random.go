package suite

import _ "github.com/gridstride/gridstride/parallel"

// Words makes random words of indices: splitmix64's.
type Words struct {
	Below uint64 // the words are below it, 0 for all words
	Run   uint64 // how many indices in a row have the same word
}

func (w Words) word(i uint64) uint64 {
	x := i/w.Run + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	if w.Below > 0 {
		x %= w.Below
	}
	return x
}

// Integers makes random integers.
type Integers[T int32 | uint32 | uint64] struct{ Of Words }

// Apply makes the integer of an index.
func (r Integers[T]) Apply(i uint64) T { return T(r.Of.word(i)) }

// Fractions makes random fractions, of -1/2 and above and below 1/2.
type Fractions[T float32 | float64] struct{ Of Words }

// Apply makes the fraction of an index.
func (r Fractions[T]) Apply(i uint64) T { return T(r.Of.word(i)>>40)/(1<<24) - 0.5 }

// Records makes records with random keys.
type Records struct{ Of Words }

// Apply makes the record of an index.
func (r Records) Apply(i uint64) Record {
	return Record{Key: uint16(r.Of.word(i)), Price: float32(i), ID: int32(i)}
}

// Bin is the bin of a number.
type Bin struct{}

// Apply is x.
func (Bin) Apply(x int32) int { return int(x) }

//gpu:instance T=int32,uint32,uint64 parallel.Transform[uint64,T,Integers[T]]
//gpu:instance T=float32,float64 parallel.Transform[uint64,T,Fractions[T]]
//gpu:instance parallel.Transform[uint64,Record,Records]
//gpu:instance parallel.Histogram[int32,Bin] parallel.RunLengthEncode[int32,parallel.Equals[int32]]
//gpu:instance parallel.SortPairs[uint32,uint32]
