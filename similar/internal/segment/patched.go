package segment

import "math/bits"

// Values with a few large ones among them are packed with a width that is too small for these, and
// the higher bits of these follow (patched frames of reference: Zukowski and others, Super-scalar
// RAM-CPU cache compression, ICDE 2006; Lemire and Boytsov choose the width as here, by the size).
// Such an array is a byte with the width, plus hasExceptions if it has exceptions. Then follow the
// number of exceptions and the width of their higher bits, a byte each, the values, the places of
// the exceptions, a byte each, and their higher bits.

const hasExceptions = 0x80

// appendPatched appends the values, 256 at most.
func appendPatched(dst []byte, values []uint32) []byte {
	low, high, exceptions := patchedWidths(values)
	if exceptions == 0 {
		return pack(append(dst, byte(low)), values, low)
	}
	var places [256]byte
	var lows, highs [256]uint32
	n := 0
	for i, v := range values {
		lows[i] = v & (1<<low - 1)
		if v>>low != 0 {
			places[n], highs[n] = byte(i), v>>low
			n++
		}
	}
	dst = append(dst, byte(low)|hasExceptions, byte(n), byte(high))
	dst = pack(dst, lows[:len(values)], low)
	dst = append(dst, places[:n]...)
	return pack(dst, highs[:n], high)
}

// patchedWidths returns the width that makes the array the smallest, and of what is above it the
// width and how often there is something.
func patchedWidths(values []uint32) (low, high uint, exceptions int) {
	var have [33]int // of a width: how many values need it
	for _, v := range values {
		have[bits.Len32(v)]++
	}
	widest := uint(32)
	for widest > 0 && have[widest] == 0 {
		widest--
	}
	low = widest
	least, above := packed(len(values), widest), 0
	for w := widest; w > 0; w-- {
		above += have[w]
		if size := 2 + packed(len(values), w-1) + above + packed(above, widest-w+1); size < least {
			least, low, high, exceptions = size, w-1, widest-w+1, above
		}
	}
	return low, high, exceptions
}

// readPatched reads len(dst) values, and returns how many bytes they take. It reads up to padding
// bytes beyond, and returns false where the values are broken, or b does not have these.
func readPatched(dst []uint32, b []byte) (size int, ok bool) {
	size, ok = checkPatched(b, len(dst))
	if !ok || size+padding > len(b) {
		return 0, false
	}
	low := uint(b[0] &^ hasExceptions)
	if b[0]&hasExceptions == 0 {
		unpack(dst, b[1:], low)
		return size, true
	}
	n, high := int(b[1]), uint(b[2])
	unpack(dst, b[3:], low)
	at := 3 + packed(len(dst), low)
	places, highs := b[at:at+n], b[at+n:]
	bit := uint(0)
	for _, i := range places {
		if int(i) >= len(dst) {
			return 0, false
		}
		dst[i] |= uint32(window(highs, bit)&(1<<high-1)) << low
		bit += high
	}
	return size, true
}

// checkPatched is patchedBytes for bytes that may be any. It returns false where the widths are none,
// or b is shorter.
func checkPatched(b []byte, n int) (size int, ok bool) {
	if len(b) == 0 {
		return 0, false
	}
	low := uint(b[0] &^ hasExceptions)
	if size = 1 + packed(n, low); b[0]&hasExceptions != 0 {
		if len(b) < 3 || b[2] > 32 {
			return 0, false
		}
		size += 2 + int(b[1]) + packed(int(b[1]), uint(b[2]))
	}
	return size, low <= 32 && size <= len(b)
}

// patchedBytes returns how many bytes n values take that begin at b.
func patchedBytes(b []byte, n int) int {
	low := uint(b[0] &^ hasExceptions)
	if b[0]&hasExceptions == 0 {
		return 1 + packed(n, low)
	}
	return 3 + packed(n, low) + int(b[1]) + packed(int(b[1]), uint(b[2]))
}
