package segment

import (
	"encoding/binary"
	"math/bits"
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
	var word uint64
	var have uint
	for _, v := range values {
		word |= uint64(v) << have
		for have += width; have >= 8; have -= 8 {
			dst = append(dst, byte(word))
			word >>= 8
		}
	}
	if have > 0 {
		dst = append(dst, byte(word))
	}
	return dst
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
			w := binary.LittleEndian.Uint64(src[bit>>3:]) >> (bit & 7)
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
		dst[i] = uint32(binary.LittleEndian.Uint64(src[bit>>3:]) >> (bit & 7) & mask)
		bit += width
	}
}
