package mufu_test

import (
	"flag"
	"math"
	"testing"

	"github.com/gridstride/gridstride/internal/math/mufu"
)

var allDivisions = flag.Bool("divisions", false, "compare 2^26 divisions with an H200's")

// TestDivisions compares quotients with an H200's: a sum of hashes over 2^26 pairs, of any bits,
// near 1, with a small divisor and with a large one.
func TestDivisions(t *testing.T) {
	if !*allDivisions {
		t.Skip("takes a minute: give -divisions")
	}
	flush := func(x float32) float32 {
		if math.Abs(float64(x)) < 0x1p-126 {
			return x * 0
		}
		return x
	}
	for _, d := range []struct {
		name string
		of   func(x, y float32) float32
		want uint64
	}{
		{"div.full", func(x, y float32) float32 { return mufu.DivFull(x, y, false) }, 0x3954447a5fc7492a},
		{"div.approx", func(x, y float32) float32 { return mufu.Div(x, y, false) }, 0x99f4436c534f1f03},
		{"div.full.ftz", func(x, y float32) float32 { return flush(mufu.DivFull(flush(x), flush(y), true)) }, 0x9388bb4abdb677f2},
		{"div.approx.ftz", func(x, y float32) float32 { return flush(mufu.Div(flush(x), flush(y), true)) }, 0xbf7cf6a802933351},
	} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			sum := uint64(0)
			for i := range uint64(1 << 26) {
				h := mix(i)
				x, y := uint32(h), uint32(h>>32)
				switch i % 4 {
				case 1:
					x, y = x&0x80ffffff|0x3f000000, y&0x80ffffff|0x3f000000
				case 2:
					y &= 0x80ffffff
				case 3:
					y |= 0x7e000000
				}
				q := d.of(math.Float32frombits(x), math.Float32frombits(y))
				bits := math.Float32bits(q)
				if q != q {
					bits = 0x7fffffff
				}
				sum += mix(i<<32 | uint64(bits))
			}
			if sum != d.want {
				t.Errorf("the hash is %#x, an H200's %#x", sum, d.want)
			}
		})
	}
}
