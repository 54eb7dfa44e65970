package rand

import "math/bits"

// The integers below n follow D. Lemire, "Fast Random Integer Generation in an Interval", ACM
// Transactions on Modeling and Computer Simulation 29 (2019): the high half of a product of n and a
// random word. A few words are rejected, so that no result is likelier than another. With n of 32
// bits a second word is drawn once in 2^32/n draws, or less often.

// Uint32N is a number from 0 to n-1, all as likely. n must not be 0.
func (r *Rand) Uint32N(n uint32) uint32 {
	if n == 0 {
		panic("Uint32N of 0: there is no number below 0")
	}
	for {
		high, low := bits.Mul32(r.Uint32(), n)
		if low >= n || low >= -n%n { // the division is rarely needed
			return high
		}
	}
}

// Uint64N is a number from 0 to n-1, all as likely. n must not be 0.
func (r *Rand) Uint64N(n uint64) uint64 {
	if n == 0 {
		panic("Uint64N of 0: there is no number below 0")
	}
	for {
		high, low := bits.Mul64(r.Uint64(), n)
		if low >= n || low >= -n%n { // the division is rarely needed
			return high
		}
	}
}

// Int32N is a number from 0 to n-1, all as likely. n must be positive.
func (r *Rand) Int32N(n int32) int32 {
	if n <= 0 {
		panic("Int32N of a number that is not positive")
	}
	return int32(r.Uint32N(uint32(n)))
}

// IntN is a number from 0 to n-1, all as likely. n must be positive. It draws words as
// [Rand.Uint32N] does where n has 32 bits, and else as [Rand.Uint64N].
func (r *Rand) IntN(n int) int {
	if n <= 0 {
		panic("IntN of a number that is not positive")
	}
	if n == int(uint32(n)) {
		return int(r.Uint32N(uint32(n)))
	}
	return int(r.Uint64N(uint64(n)))
}

// Shuffle puts n things into a random order, all as likely. swap exchanges numbers i and j. It is
// the algorithm of R. Durstenfeld, "Algorithm 235: Random permutation", Communications of the ACM 7
// (1964). n must not be negative.
func (r *Rand) Shuffle(n int, swap func(i, j int)) {
	if n < 0 {
		panic("Shuffle of a negative number of things")
	}
	for i := n - 1; i > 0; i-- {
		swap(i, r.IntN(i+1))
	}
}
