package p

import "math"

// crc is computed while the kernel is compiled.
var crc = func() (t [256]uint32) {
	for i := range t {
		c := uint32(i)
		for range 8 {
			c = c>>1 ^ 0xedb88320*(c&1)
		}
		t[i] = c
	}
	return t
}()

var weights = [...]float32{0.25, 0.5, 0.25}

var steps = []struct {
	dx, dy int8
	length float64
}{{1, 0, 1}, {0, 1, 1}, {1, 1, math.Sqrt2}, {-1, 1, math.Sqrt2}}

// Checksum reads its table with ld.const. An index from a byte needs no check.
//
//gpu:kernel block=32
func Checksum(data []byte, sums []uint32) {
	sum := uint32(math.MaxUint32)
	for _, b := range data {
		sum = crc[byte(sum)^b] ^ sum>>8
	}
	sums[0] = ^sum
}

// Smooth has its weights in the instructions: nothing is left of the table.
//
//gpu:kernel block=256
func Smooth(dst, src []float32, i int) {
	var sum float32
	for k, w := range weights {
		sum += w * src[i+k]
	}
	dst[i] = sum
}

// Walk reads structs from constant memory, of a slice whose length is known.
//
//gpu:kernel
func Walk(directions []uint8, out []float64) {
	for i, d := range directions {
		s := steps[int(d)%len(steps)]
		out[i] = s.length + float64(s.dx)*float64(s.dy)
	}
}

// Rotate has a local array that is only read: it is a table too, and no copy in each thread.
//
//gpu:kernel block=128
func Rotate(a []int32, out []int32) {
	turns := [...]struct{ x, y int32 }{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}
	for i := range a {
		turn := turns[a[i]&3]
		out[i] = turn.x*3 + turn.y
	}
}
