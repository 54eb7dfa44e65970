package segment

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Values are packed with a fixed number of bits each, the first in the lowest bits of the first
// byte (binary packing: Lemire and Boytsov, Decoding billions of integers per second through
// vectorization, 2015). Whoever reads may read up to padding bytes beyond the last.

const padding = 8

// width returns how many bits the largest of the values needs.
func width(values []uint32) uint {
	all := uint32(0)
	for _, v := range values {
		all |= v
	}
	return uint(bits.Len32(all))
}

// packed returns how many bytes n values of a width take.
func packed(n int, width uint) int { return (n*int(width) + 7) / 8 }

// pack appends the values with the given width.
func pack(dst []byte, values []uint32, width uint) []byte {
	w := bitWriter{bytes: dst}
	for _, v := range values {
		w.put(v, width)
	}
	return w.end()
}

// A bitWriter appends values of some bits each.
type bitWriter struct {
	bytes []byte
	word  uint64
	have  uint // bits of word, fewer than 32 between two values
}

// put appends the lowest bits of a value that has no others, 32 at most.
func (w *bitWriter) put(v uint32, bits uint) {
	w.word |= uint64(v) << (w.have & 63)
	if w.have += bits; w.have >= 32 {
		w.bytes = binary.LittleEndian.AppendUint32(w.bytes, uint32(w.word))
		w.word >>= 32
		w.have -= 32
	}
}

// put64 appends the lowest bits of a value that has no others, 64 at most.
func (w *bitWriter) put64(v uint64, bits uint) {
	low := min(bits, 32)
	w.put(uint32(v&(1<<low-1)), low)
	w.put(uint32(v>>low), bits-low)
}

// end fills the last byte with zeros and returns all.
func (w *bitWriter) end() []byte {
	for ; w.have > 0; w.have -= min(w.have, 8) {
		w.bytes = append(w.bytes, byte(w.word))
		w.word >>= 8
	}
	return w.bytes
}

// window returns 57 bits or more from a bit on.
func window(b []byte, bit uint) uint64 {
	return binary.LittleEndian.Uint64(b[bit>>3:]) >> (bit & 7)
}

// unpack reads len(dst) values of a width from the beginning of src. It reads 64 bits at a time,
// and as many values of them as they hold wherever they begin.
func unpack(dst []uint32, src []byte, width uint) {
	mask := uint64(1)<<width - 1
	switch {
	case width == 0:
		clear(dst)
	case width <= 8:
		at := 0
		for ; len(dst) >= 8; dst = dst[8:] {
			w := binary.LittleEndian.Uint64(src[at:])
			at += int(width)
			d := dst[:8:8]
			d[0] = uint32(w & mask)
			d[1] = uint32(w >> width & mask)
			d[2] = uint32(w >> (2 * width & 63) & mask)
			d[3] = uint32(w >> (3 * width & 63) & mask)
			d[4] = uint32(w >> (4 * width & 63) & mask)
			d[5] = uint32(w >> (5 * width & 63) & mask)
			d[6] = uint32(w >> (6 * width & 63) & mask)
			d[7] = uint32(w >> (7 * width & 63) & mask)
		}
		unpackOne(dst, src, uint(at)*8, width)
	case width <= 15:
		bit := uint(0)
		for ; len(dst) >= 4; dst = dst[4:] {
			w := window(src, bit)
			bit += 4 * width
			d := dst[:4:4]
			d[0] = uint32(w & mask)
			d[1] = uint32(w >> width & mask)
			d[2] = uint32(w >> (2 * width & 63) & mask)
			d[3] = uint32(w >> (3 * width & 63) & mask)
		}
		unpackOne(dst, src, bit, width)
	default:
		unpackOne(dst, src, 0, width)
	}
}

func unpackOne(dst []uint32, src []byte, bit, width uint) {
	mask := uint64(1)<<width - 1
	for i := range dst {
		dst[i] = uint32(window(src, bit) & mask)
		bit += width
	}
}

// A permutation is the numbers below n in some order, packed. Its memory is a file's.
type permutation struct {
	bytes []byte
	width uint
}

func permutationWidth(n int) uint { return uint(bits.Len(uint(max(n-1, 0)))) }

func newPermutation(numbers []uint32) permutation {
	w := permutationWidth(len(numbers))
	b := pack(make([]byte, 0, packed(len(numbers), w)+padding), numbers, w)
	return permutation{slices.Grow(b, padding)[:len(b)+padding], w}
}

// span returns the bytes of some of the numbers.
func (p permutation) span(from, to int) []byte {
	return p.bytes[from*int(p.width)/8 : (to*int(p.width)+7)/8]
}

func (p permutation) at(i int) uint32 {
	return uint32(window(p.bytes, uint(i)*p.width) & (1<<p.width - 1))
}
