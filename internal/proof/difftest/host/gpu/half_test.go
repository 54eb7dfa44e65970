package gpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride/gpu"
)

// real is a number of the real package.
type real[H any] interface {
	gpu.Half[H]
	String() string
}

// compareHalves compares the operations on numbers of a format with the real package's.
func compareHalves[F format, H real[H]](t *testing.T, of func(uint16) H, roundings func(float64, gpu.Rounding) H) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		a, b, c := number[F]{uint16(r.Uint32())}, number[F]{uint16(r.Uint32())}, number[F]{uint16(r.Uint32())}
		if r.IntN(2) == 0 { // of one size
			b.bits = a.bits + uint16(r.IntN(64)) - 32
			c.bits = a.Mul(b).Neg().bits + uint16(r.IntN(3)) - 1
		}
		x, y, z := of(a.bits), of(b.bits), of(c.bits)
		for i, pair := range []struct {
			got  number[F]
			want H
		}{
			{a.Add(b), x.Add(y)}, {a.Sub(b), x.Sub(y)}, {a.Mul(b), x.Mul(y)}, {a.Div(b), x.Div(y)}, {a.FMA(b, c), x.FMA(y, z)}, {a.Sqrt(), x.Sqrt()},
			{a.Min(b), x.Min(y)}, {a.Max(b), x.Max(y)}, {a.Neg(), x.Neg()}, {a.Abs(), x.Abs()},
		} {
			if pair.got.bits != pair.want.Bits() {
				t.Fatalf("operation %d of %#04x (%v), %#04x (%v), %#04x: %#04x, and the real package gives %#04x", i, a.bits, x, b.bits, y, c.bits, pair.got.bits, pair.want.Bits())
			}
		}
		d := math.Float64frombits(math.Float64bits(a.value()+b.value()*0x1p-12) + r.Uint64N(3) - 1)
		for mode := range 4 {
			if got, want := round[F](d, Rounding(mode)), roundings(d, gpu.Rounding(mode)); got.bits != want.Bits() {
				t.Fatalf("%x in mode %d: %#04x, and the real package gives %#04x", d, mode, got.bits, want.Bits())
			}
		}
		if v, w := a.value(), x.Float64(); v != w && !(v != v && w != w) || a.Compare(b) != x.Compare(y) {
			t.Fatalf("%#04x is %g, and in the real package %g", a.bits, v, w)
		}
	}
}

// TestHalves compares the numbers of 16 bits here, which are computed in another way, with the real
// ones.
func TestHalves(t *testing.T) {
	t.Parallel()
	compareHalves[binary16](t, gpu.Float16FromBits, gpu.RoundFloat16[float64])
	compareHalves[brain16](t, gpu.BFloat16FromBits, gpu.RoundBFloat16[float64])
	for _, n := range []int64{0, 1, -1, 2049, -65520, math.MaxInt64, math.MinInt64, 0x8080000000000001 - 1<<63, 1<<33 + 1<<25 + 1} {
		if got, want := BFloat16Of(n), gpu.BFloat16Of(n); got.bits != want.Bits() {
			t.Errorf("BFloat16Of(%d): %#04x, want %#04x", n, got.bits, want.Bits())
		}
		if got, want := RoundFloat16(uint64(n), ToZero), gpu.RoundFloat16(uint64(n), gpu.ToZero); got.bits != want.Bits() {
			t.Errorf("RoundFloat16(%d): %#04x, want %#04x", uint64(n), got.bits, want.Bits())
		}
	}
}
