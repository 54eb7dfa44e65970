package check

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim"
)

// BenchmarkGemm runs a product of bfloat16 matrices by warpgroups under all checks, in two orders,
// and once without checks.
func BenchmarkGemm(b *testing.B) {
	bench, l := gemm(b, 256)
	b.Run("checks", func(b *testing.B) {
		for b.Loop() {
			if r := bench.checkLaunch("Gemm", l, Options{}); len(r.Findings) > 0 {
				b.Fatal(r)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if _, err := bench.m.Launch(b.Context(), bench.entry("Gemm"), l); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// TestGemm holds the kernel that is measured to the checks, and to the same in plain Go.
func TestGemm(t *testing.T) {
	t.Parallel()
	const n = 128
	b, l := gemm(t, n)
	verdict(t, b.checkLaunch("Gemm", l, Options{}), silent)
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(l.Params[b.entry("Gemm").Params[i].Offset:]) }
	numbers := func(param, size int) []byte {
		mem, err := b.m.Bytes(word(param), int64(size*n*n))
		if err != nil {
			t.Fatal(err)
		}
		return mem
	}
	x, y, z := numbers(0, 2), numbers(2, 2), numbers(4, 4)
	half := func(list []byte, i int) float64 {
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(list[2*i:])) << 16))
	}
	for i := range n * n {
		want, got := 0.0, float64(math.Float32frombits(binary.LittleEndian.Uint32(z[4*i:])))
		for k := range n {
			want += half(x, i/n*n+k) * half(y, i%n*n+k)
		}
		if math.Abs(got-want) > 1e-4*n { // tensor cores truncate
			t.Fatalf("element %d is %v, and about %v in float64", i, got, want)
		}
	}
}

// gemm is a product of random matrices of n by n, a multiple of 128.
func gemm(tb testing.TB, n int) (*bench, sim.Launch) {
	b := compilePackage(tb, "warpgroups")
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	random := func() []uint16 {
		list := make([]uint16, n*n)
		for i := range list {
			list[i] = uint16(rnd.Uint32()&0x80ff | 0x3f00) // of either sign, from 0.5 to 2
		}
		return list
	}
	return b, sim.Launch{Grid: [3]int{n / 128, n / 64, 1}, Block: x(128), Shared: b.entry("Gemm").Module.DeclaredShared("Gemm"),
		Params: b.params(b.entry("Gemm"), random(), random(), make([]float32, n*n), n, n)}
}
