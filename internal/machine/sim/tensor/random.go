package tensor

// Random is the seed of random tiles, with which this model and tensor cores are compared: kernels
// and hosts make the same elements of it.
type Random uint64

// The matrices of a tile.
const (
	MatrixA = iota
	MatrixB
	MatrixC
)

// Kinds is how many kinds of tiles there are. A tile's number modulo Kinds says which it is of.
const Kinds = 8

// Hash is 64 random bits for element idx of a matrix of a tile.
func (r Random) Hash(tile uint64, matrix, idx int) uint64 {
	return mix(mix(uint64(r)+tile*4+uint64(matrix)) + uint64(idx))
}

// mix is the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

// Element is element idx of a matrix of a tile, in column or row k of a factor. The kinds of tiles
// are: any bits; near 1; any but infinities and NaN; half of them zeros; subnormal; products that
// cancel in pairs; of wide exponents; C far from the products.
func (r Random) Element(tile uint64, matrix, idx, k int, f Format) uint32 {
	kind := tile % Kinds
	src, odd := idx, false
	if kind == 5 && matrix != MatrixC {
		if odd = k&1 == 1; odd {
			src = idx - 1
		}
	}
	h := r.Hash(tile, matrix, src)
	sign, man := uint32(h)&1, uint32(h>>1)&(1<<f.mantissa()-1)
	e, zero := f.randomExponent(int(kind), matrix == MatrixC, uint32(h>>32))
	if zero {
		man = 0
	}
	if !f.infinity() && kind != 0 && e == 1<<f.exponent()-1 && man == 1<<f.mantissa()-1 {
		man = 0 // which would be NaN
	}
	v := sign<<(f.exponent()+f.mantissa()) | uint32(e)<<f.mantissa() | man
	if odd && matrix == MatrixB {
		v ^= 1 << (f.exponent() + f.mantissa())
	}
	if f.unused() > 0 {
		v = v<<f.unused() | uint32(h>>40)&(1<<f.unused()-1)
	}
	return v
}

// randomExponent is the exponent of an element of a kind of tiles, as it is stored, and whether the
// element is zero.
func (f Format) randomExponent(kind int, isC bool, r uint32) (e int, zero bool) {
	bias, top := f.bias(), 1<<f.exponent()-1
	most := top
	if f.infinity() {
		most--
	}
	switch kind {
	case 0:
		e = int(r) & top
		if !isC && r>>20&7 != 0 && e == top && f.infinity() {
			e = bias
		}
		return e, false
	case 1:
		e = bias - 2 + int(r%5)
	case 2, 3:
		e = int(r % uint32(most+1))
		if kind == 3 && r>>16&1 != 0 {
			return 0, true
		}
	case 4:
		e = int(r & 1)
		if isC {
			e = int(r % 30)
		}
	case 5:
		e = bias - 1 + int(r%3)
		if isC {
			e = bias - int(r%24)
		}
	case 6:
		e = bias - 6 + int(r%13)
	default:
		e = bias - 2 + int(r%5)
		if isC {
			e = bias - 30 + int(r%61)
		}
	}
	return min(most, max(0, e)), false
}
