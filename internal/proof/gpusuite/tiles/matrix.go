package tiles

import "github.com/gridstride/gridstride/internal/machine/sim/tensor"

// Kind is the kind of a matrix's elements.
type Kind uint8

// The kinds.
const (
	Float Kind = iota
	Integer
	Double
)

// Matrix is one matrix of each of many tiles, in memory: lines of adjacent elements, rows of A and
// C and columns of B. A transposed matrix has lines of the other direction.
type Matrix struct {
	Seed         tensor.Random
	Number       int // tensor.MatrixA and so on
	Kind         Kind
	Format       tensor.Format // of floats
	Lines        int
	Length, Lead int // elements of a line, and from one line to the next
	Bits         int // of an element
	Transposed   bool
}

// words is how many words of 32 bits it has of each tile.
func (m *Matrix) words() int { return m.Lines * m.Lead * m.Bits / 32 }

// element is an element of a tile.
func (m *Matrix) element(tile uint64, line, at int) uint64 {
	idx, k := line*m.Length+at, at
	if m.Transposed {
		idx, k = at*m.Lines+line, line
	}
	if m.Number == tensor.MatrixC {
		k = 0
	}
	switch m.Kind {
	case Float:
		return uint64(m.Seed.Element(tile, m.Number, idx, k, m.Format))
	case Integer:
		return integer(m.Seed, tile, m.Number, idx)
	}
	return double(m.Seed, tile, m.Number, idx, k)
}

// word is word i of the tiles from first on.
func (m *Matrix) word(first uint64, i int) uint32 {
	tile, at := first+uint64(i/m.words()), i%m.words()*32/m.Bits
	var x uint64
	for j := range max(1, 32/m.Bits) {
		if line, col := (at+j)/m.Lead, (at+j)%m.Lead; col < m.Length {
			x |= m.element(tile, line, col) << (j * m.Bits)
		}
	}
	if m.Bits == 64 {
		x >>= i % 2 * 32
	}
	return uint32(x)
}

// integer is an element of 8 bits of a product of integers, or one of 32 of its sum. The kinds of
// tiles are: any bits, with a sum of any bits, or of one near a limit; factors at their limits, of
// any signs and of such signs that the sum passes a limit.
func integer(seed tensor.Random, tile uint64, matrix, idx int) uint64 {
	h := seed.Hash(tile, matrix, idx)
	kind := tile % tensor.Kinds
	if matrix == tensor.MatrixC {
		off := uint32(h>>32) & (1<<(8+h&15) - 1)
		switch {
		case kind < 2:
			return h >> 32
		case kind < 5 && h>>4&1 != 0 || kind == 5:
			return uint64(0x7fffffff - off)
		}
		return uint64(0x80000000 + off)
	}
	switch {
	case kind < 3 || h&7 == 0:
		return h >> 8 & 0xff
	case kind < 5: // -128, 127, 0 and -1, or 128, 127, 0 and 255
		return 0xff007f80 >> (h >> 8 & 3 * 8) & 0xff
	case kind == 5 || matrix == tensor.MatrixA:
		return 0x80
	}
	return 0x7f
}

// double is an element of a product of float64, of the kinds that tensor.Random.Element has.
func double(seed tensor.Random, tile uint64, matrix, idx, k int) uint64 {
	const bias, top = 1023, 2047
	kind, isC := tile%tensor.Kinds, matrix == tensor.MatrixC
	odd := kind == 5 && !isC && k&1 == 1
	if odd {
		idx--
	}
	h := seed.Hash(tile, matrix, idx)
	r := int(seed.Hash(tile, matrix+1, ^idx) >> 33)
	sign, man, e := h>>63, h&(1<<52-1), 0
	switch kind {
	case 0:
		e = r % (top + 1)
		if r>>20%16 == 0 {
			e = top
			man &= -(h >> 60 & 1) // half of them infinities
		}
	case 2, 3:
		e = r % top
		if kind == 3 && r>>16&1 != 0 {
			e, man = 0, 0
		}
	case 4: // subnormal, by numbers near 1
		if e = r % 2; matrix == tensor.MatrixB {
			e = bias - r%3
		}
	case 6:
		e = bias - 40 + r%81
	default:
		if e = bias - 2 + r%5; kind == 7 && isC {
			e = bias - 100 + r%201
		}
	}
	if odd && matrix == tensor.MatrixB {
		sign ^= 1
	}
	return sign<<63 | uint64(e)<<52 | man
}
