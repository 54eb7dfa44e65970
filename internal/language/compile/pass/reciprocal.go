package pass

import "math/big"

// reciprocal returns the smallest factor m and shift k for which x/d is x*m >> (width+k), for each x
// of size bits, which are no more than width: T. Granlund and P. Montgomery, "Division by invariant
// integers using multiplication", 1994, and Warren, Hacker's Delight, 10-9. d is more than 1 and no
// power of two. If m needs more than width bits, k is -1.
//
// A width of one bit more than a type has gives m without its highest bit, which the caller adds.
func reciprocal(d uint64, size, width int) (m uint64, k int) {
	one, by := big.NewInt(1), new(big.Int).SetUint64(d)
	limit := new(big.Int).Lsh(one, uint(size))
	for k := 0; ; k++ {
		// m is 2^(width+k)/d, rounded up, by rest/d. It serves if x*rest < 2^(width+k) for each x.
		power := new(big.Int).Lsh(one, uint(width+k))
		m, rest := new(big.Int).DivMod(new(big.Int).Add(power, new(big.Int).Sub(by, one)), by, new(big.Int))
		rest.Sub(new(big.Int).Sub(by, one), rest)
		if m.BitLen() > width {
			return 0, -1
		}
		if rest.Mul(rest, limit).Cmp(power) <= 0 {
			return new(big.Int).And(m, new(big.Int).SetUint64(^uint64(0))).Uint64(), k
		}
	}
}
