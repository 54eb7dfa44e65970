package rand_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/gpu/rand"
)

// even fails the test if counts are further from the expected ones than chance explains, or closer.
// expected may be nil for equally likely counts. The numbers have fixed seeds, so a test that
// passes always does.
func even(t *testing.T, what string, counts []int, expected []float64) {
	t.Helper()
	total := 0
	for _, n := range counts {
		total += n
	}
	var chi2 float64
	for i, n := range counts {
		want := float64(total) / float64(len(counts))
		if expected != nil {
			want = expected[i]
		}
		chi2 += (float64(n) - want) * (float64(n) - want) / want
	}
	// E. B. Wilson and M. M. Hilferty, The distribution of chi-square, 1931: the cube root is
	// nearly normal.
	free := 2 / (9 * float64(len(counts)-1))
	if z := (math.Cbrt(chi2/float64(len(counts)-1)) - (1 - free)) / math.Sqrt(free); math.Abs(z) > 4 {
		t.Errorf("%s: chi-square is %.1f with %d bins, %.1f standard deviations off", what, chi2, len(counts), z)
	}
}

const draws = 1 << 17

// TestUniformWords looks at the bytes and at neighbours, along a stream, across streams and across
// seeds.
func TestUniformWords(t *testing.T) {
	t.Parallel()
	for what, at := range map[string]func(i uint64) rand.Rand{
		"along a stream": func(i uint64) rand.Rand {
			r := rand.New(1, 2)
			r.Skip(i)
			return r
		},
		"across streams":                     func(i uint64) rand.Rand { return rand.New(3, i) },
		"across the upper halves of streams": func(i uint64) rand.Rand { return rand.New(4, i<<32) },
		"across seeds":                       func(i uint64) rand.Rand { return rand.New(i, 5) },
		"of every 1000th word": func(i uint64) rand.Rand {
			r := rand.New(6, 7)
			r.Skip(1000 * i)
			return r
		},
	} {
		var bytes [4][256]int
		var pairs [256]int
		last := uint32(0)
		for i := range uint64(draws) {
			r := at(i)
			w := r.Uint32()
			for k := range bytes {
				bytes[k][w>>(8*k)&0xff]++
			}
			pairs[last>>28<<4|w>>28]++
			last = w
		}
		for k := range bytes {
			even(t, "byte "+string(rune('0'+k))+" "+what, bytes[k][:], nil)
		}
		even(t, "pairs "+what, pairs[:], nil)
	}
}

func TestUniformFloats(t *testing.T) {
	t.Parallel()
	for what, draw := range map[string]func(r *rand.Rand) float64{
		"Float32":          func(r *rand.Rand) float64 { return float64(r.Float32()) },
		"Float64":          (*rand.Rand).Float64,
		"Float[float32]":   func(r *rand.Rand) float64 { return float64(rand.Float[float32](r)) },
		"Float[float64]":   rand.Float[float64],
		"Float32x4's last": func(r *rand.Rand) float64 { return float64(r.Float32x4().W) },
	} {
		r := rand.New(8, 9)
		var bins, low [251]int
		for range draws {
			x := draw(&r)
			if !(x >= 0 && x < 1) {
				t.Fatalf("%s is %v", what, x)
			}
			bins[int(x*251)]++
			low[int(math.Mod(x*0x1p16, 1)*251)]++ // the bits below the upper 16
		}
		even(t, what, bins[:], nil)
		if what == "Float64" || what == "Float[float64]" { // float32 has too few bits for this
			even(t, "the low bits of "+what, low[:], nil)
		}
	}
	if x := rand.Unit32(math.MaxUint32); x != 1-0x1p-24 {
		t.Errorf("the largest Float32 is %v", x)
	}
	if x := rand.Unit32(0); x != 0 {
		t.Errorf("the smallest Float32 is %v", x)
	}
}

// TestBelow has numbers for which a product alone, without rejection, makes some results twice as
// likely as others: for 3 * 2^30, every third.
func TestBelow(t *testing.T) {
	t.Parallel()
	for what, draw := range map[string]func(r *rand.Rand) uint64{
		"Uint32N":            func(r *rand.Rand) uint64 { return uint64(r.Uint32N(3<<30)) % 3 },
		"Uint64N":            func(r *rand.Rand) uint64 { return r.Uint64N(3<<62) % 3 },
		"IntN of 32 bits":    func(r *rand.Rand) uint64 { return uint64(r.IntN(3<<30)) % 3 },
		"IntN of 63 bits":    func(r *rand.Rand) uint64 { return uint64(r.IntN(3<<61)) % 3 },
		"Int32N of 3":        func(r *rand.Rand) uint64 { return uint64(r.Int32N(3)) },
		"Uint64N of 3":       func(r *rand.Rand) uint64 { return r.Uint64N(3) },
		"the thirds of IntN": func(r *rand.Rand) uint64 { return uint64(r.IntN(3<<61)) >> 61 },
	} {
		r := rand.New(10, 11)
		var bins [3]int
		for range draws {
			bins[draw(&r)]++
		}
		even(t, what, bins[:], nil)
	}
	r := rand.New(10, 12)
	for n := 1; n < 1000; n += n/3 + 1 {
		bins := make([]int, n)
		for range 100 * n {
			bins[r.IntN(n)]++
		}
		if n > 1 {
			even(t, "IntN", bins, nil)
		}
	}
	if got := r.Uint32N(1); got != 0 {
		t.Errorf("Uint32N(1) is %d", got)
	}
}

func TestShuffle(t *testing.T) {
	t.Parallel()
	r := rand.New(12, 13)
	counts := map[[4]int]int{}
	for range 24 * 1000 {
		p := [4]int{0, 1, 2, 3}
		r.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
		counts[p]++
	}
	var bins []int
	for _, n := range counts {
		bins = append(bins, n)
	}
	slices.Sort(bins)
	if len(bins) != 24 {
		t.Fatalf("there are %d orders of 4 things", len(bins))
	}
	even(t, "Shuffle", bins, nil)
	r.Shuffle(0, nil)
	r.Shuffle(1, nil)
}

func TestPanics(t *testing.T) {
	t.Parallel()
	var r rand.Rand
	for what, call := range map[string]func(){
		"Uint32N": func() { r.Uint32N(0) },
		"Uint64N": func() { r.Uint64N(0) },
		"Int32N":  func() { r.Int32N(-1) },
		"IntN":    func() { r.IntN(0) },
		"Shuffle": func() { r.Shuffle(-1, nil) },
	} {
		func() {
			defer func() {
				if msg, _ := recover().(string); len(msg) < len(what) || msg[:len(what)] != what {
					t.Errorf("%s panics with %q", what, msg)
				}
			}()
			call()
		}()
	}
	if r.Offset() != 0 {
		t.Errorf("what panicked has drawn %d words", r.Offset())
	}
}
