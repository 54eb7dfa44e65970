package segment

import (
	"math"
	"testing"
)

// TestHalf reads and writes every number of binary16, and those halfway between two.
func TestHalf(t *testing.T) {
	t.Parallel()
	for h := range uint16(0x7c00) {
		for _, sign := range []uint16{0, 0x8000} {
			f := fromHalf(h | sign)
			if toHalf(f) != h|sign {
				t.Fatalf("%#x is %v, and that is written as %#x", h|sign, f, toHalf(f))
			}
			if h+1 == 0x7c00 {
				continue
			}
			next := fromHalf(h + 1 | sign)
			middle := (f + next) / 2
			if even := (h + h&1) | sign; toHalf(middle) != even || toHalf(math.Nextafter32(middle, f)) != h|sign || toHalf(math.Nextafter32(middle, next)) != (h+1)|sign {
				t.Fatalf("%v, between %#x and the next, is written as %#x", middle, h|sign, toHalf(middle))
			}
		}
	}
	if fromHalf(0x3c00) != 1 || fromHalf(0x7bff) != MaxHalf || fromHalf(1) != 0x1p-24 {
		t.Error("1, the largest and the least number are others")
	}
}
