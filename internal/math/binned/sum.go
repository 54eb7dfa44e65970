package binned

import "math/bits"

// Words are sums of slices, of the top bin first.
type Words [Folds]int64

// Below is the words of a top bin that is higher by bins. The words of the lowest bins are dropped.
func (w Words) Below(bins int32) Words {
	switch bins {
	case 0:
		return w
	case 1:
		return Words{0, w[0], w[1]}
	case 2:
		return Words{0, 0, w[0]}
	}
	return Words{}
}

// The special terms, which are no numbers and have no slices. A sum remembers which it has met.
const (
	PlusInfinity uint32 = 1 << iota
	MinusInfinity
	NaN
)

// Special is which special term x is, or 0.
func Special[T Float](x T) uint32 {
	switch {
	case x != x:
		return NaN
	case x-x == 0:
		return 0
	case x > 0:
		return PlusInfinity
	}
	return MinusInfinity
}

// Sum is the sum of any number of terms. The zero Sum has none.
type Sum struct {
	Bin      int32  // the top bin
	Specials uint32 // which special terms there were

	// low and high are the lower 32 bits and the rest of many words, added up: 2^31 at least.
	low, high Words
}

// Raise makes bin the top bin, if it is higher.
func (s *Sum) Raise(bin int32) {
	if bin > s.Bin {
		s.low, s.high = s.low.Below(bin-s.Bin), s.high.Below(bin-s.Bin)
		s.Bin = bin
	}
}

// Add adds words whose top bin is the sum's, or below it.
func (s *Sum) Add(bin int32, words Words) {
	words = words.Below(s.Bin - bin)
	for k, w := range words {
		s.low[k] += w & (1<<32 - 1)
		s.high[k] += w >> 32
	}
}

// Merge adds another sum.
func (s *Sum) Merge(t Sum) {
	s.Raise(t.Bin)
	t.Raise(s.Bin)
	s.Specials |= t.Specials
	for k := range Folds {
		s.low[k] += t.low[k]
		s.high[k] += t.high[k]
	}
}

// Each replaces the parts of the sum by what do makes of them: threads add theirs up with it.
func (s *Sum) Each(do func(int64) int64) {
	for k := range Folds {
		s.low[k], s.high[k] = do(s.low[k]), do(s.high[k])
	}
}

// digits is the number of 32 bits each that hold any sum.
const digits = 6

// Value is the sum, rounded to the nearest T: infinite if it is too large for one, and 0, never -0,
// if it is zero. With a special term it is the result of additions in any order: NaN where one is
// NaN or two are opposite infinities.
func Value[T Float, U Word, F Format[T, U]](s Sum) T {
	var f F
	if s.Specials != 0 {
		return special[T, U, F](s.Specials)
	}
	d, negative := s.integer(f.Width())
	exponent := 1 - f.Bias() + (int(s.Bin)-Folds+1)*f.Width() + 32*(digits-2) // of the two highest digits
	for range digits - 1 {
		if d[digits-1] != 0 {
			break
		}
		for i := digits - 1; i > 0; i-- {
			d[i] = d[i-1]
		}
		d[0] = 0
		exponent -= 32
	}
	// The first 64 binary digits. The last says whether there are more.
	high := d[digits-1]<<32 | d[digits-2]
	if high == 0 {
		return 0
	}
	zeros := bits.LeadingZeros64(high)
	next := d[digits-3] << zeros
	high = high<<zeros | next>>32
	if next<<32|d[digits-4]|d[digits-5]|d[digits-6] != 0 {
		high |= 1
	}
	v := T(high)
	if negative {
		v = -v
	}
	exponent -= zeros
	half := exponent / 2
	return v * power[T, U, F](half) * power[T, U, F](exponent-half)
}

// power is 2^n, a normal number.
func power[T Float, U Word, F Format[T, U]](n int) T {
	var f F
	return f.Float(U(f.Bias()+n) << f.Fraction())
}

// special is the sum of terms, some of them infinite or NaN.
func special[T Float, U Word, F Format[T, U]](specials uint32) T {
	var f F
	inf := Infinity[T, U, F]()
	switch specials {
	case PlusInfinity:
		return f.Float(inf)
	case MinusInfinity:
		return -f.Float(inf)
	}
	return f.Float(inf | 1<<(f.Fraction()-1)) // one NaN, where the bits of inf-inf differ between processors
}

// integer is the absolute value of the sum, in units of its lowest bin, in digits of 32 bits, the
// lowest first.
func (s *Sum) integer(width int) (d [digits]uint64, negative bool) {
	var at [digits]int64 // digits with a sign, larger than 32 bits
	for k := range Folds {
		shift := (Folds - 1 - k) * width
		digit, rest := shift/32, shift%32
		low, high := s.low[k], s.high[k]
		// Each is divided into 32 bits and the rest before it is moved by less than 32 places.
		at[digit] += low & (1<<32 - 1) << rest
		at[digit+1] += low>>32<<rest + high&(1<<32-1)<<rest
		at[digit+2] += high >> 32 << rest
	}
	var carry int64
	for i := range digits {
		v := at[i] + carry
		d[i], carry = uint64(v&(1<<32-1)), v>>32
	}
	if carry >= 0 {
		return d, false
	}
	up := uint64(1)
	for i := range digits {
		v := d[i] ^ (1<<32 - 1) + up
		d[i], up = v&(1<<32-1), v>>32
	}
	return d, true
}
