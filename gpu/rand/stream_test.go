package rand_test

import (
	mathrand "math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/rand"
)

var _ mathrand.Source = (*rand.Rand)(nil)

// seed and stream have bits in both halves.
const seed, stream = 0x9e3779b97f4a7c15, 0x0123456789abcdef

// words are the first n words of the stream, each block of four from [rand.Philox4x32].
func words(seed, stream uint64, n int) []uint32 {
	var all []uint32
	for i := uint64(0); len(all) < n; i++ {
		counter := gpu.Uint32x4{X: uint32(i), Y: uint32(i >> 32), Z: uint32(stream), W: uint32(stream >> 32)}
		b := rand.Philox4x32(counter, gpu.Uint32x2{X: uint32(seed), Y: uint32(seed >> 32)})
		all = append(all, b.X, b.Y, b.Z, b.W)
	}
	return all[:n]
}

func TestWords(t *testing.T) {
	t.Parallel()
	want := words(seed, stream, 33)
	r := rand.New(seed, stream)
	for i, w := range want {
		if got := r.Uint32(); got != w {
			t.Errorf("word %d is %#x, want %#x", i, got, w)
		}
	}
	if r.Offset() != 33 {
		t.Errorf("the offset behind 33 words is %d", r.Offset())
	}
	var zero rand.Rand
	if got, want := zero.Uint32(), words(0, 0, 1)[0]; got != want {
		t.Errorf("the zero Rand draws %#x, want %#x", got, want)
	}
}

// TestMixed draws numbers of several words from every offset, before and after single words.
func TestMixed(t *testing.T) {
	t.Parallel()
	want := words(seed, stream, 100)
	for first := range 9 {
		for between := range 5 {
			r := rand.New(seed, stream)
			var got []uint32
			one := func(n int) {
				for range n {
					got = append(got, r.Uint32())
				}
			}
			one(first)
			long := r.Uint64()
			got = append(got, uint32(long), uint32(long>>32))
			one(between)
			b := r.Uint32x4()
			got = append(got, b.X, b.Y, b.Z, b.W)
			one(between)
			long = r.Uint64()
			got = append(got, uint32(long), uint32(long>>32))
			one(3)
			if !slices.Equal(got, want[:len(got)]) {
				t.Errorf("%d words, a Uint64, %d, a Uint32x4, %d, a Uint64: %#x, want %#x", first, between, between, got, want)
			}
		}
	}
}

func TestSkip(t *testing.T) {
	t.Parallel()
	want := words(seed, stream, 64)
	for first := range 9 {
		for skipped := range 20 {
			r := rand.New(seed, stream)
			for range first {
				r.Uint32()
			}
			r.Skip(uint64(skipped))
			copied := r
			for i := first + skipped; i < len(want); i++ {
				if got := r.Uint32(); got != want[i] {
					t.Fatalf("%d words drawn and %d skipped: word %d is %#x, want %#x", first, skipped, i, got, want[i])
				}
			}
			if got, want := copied.Uint32(), want[first+skipped]; got != want {
				t.Errorf("a copy goes on with %#x, want %#x", got, want)
			}
		}
	}
}

// TestFar goes far into a stream, and beyond its end. There it begins again.
func TestFar(t *testing.T) {
	t.Parallel()
	r := rand.New(seed, stream)
	r.Skip(1<<63 - 1)
	far := rand.Philox4x32(gpu.Uint32x4{Y: 1 << 29, Z: stream & 0xffffffff, W: stream >> 32},
		gpu.Uint32x2{X: seed & 0xffffffff, Y: seed >> 32})
	r.Uint32()
	if got := r.Uint32(); got != far.X {
		t.Errorf("word 2^63 is %#x, want %#x", got, far.X)
	}
	r.Skip(1<<63 - 2)
	got := []uint32{r.Uint32(), r.Uint32(), r.Uint32()}
	if want := words(seed, stream, 2); !slices.Equal(got[1:], want) {
		t.Errorf("behind the last word come %#x, want the first ones, %#x", got[1:], want)
	}
}

// TestSource draws through math/rand/v2.
func TestSource(t *testing.T) {
	t.Parallel()
	r := rand.New(seed, stream)
	p := mathrand.New(&r).Perm(100)
	slices.Sort(p)
	for i, v := range p {
		if i != v {
			t.Fatalf("a permutation has %d in place %d", v, i)
		}
	}
	if r.Offset() == 0 {
		t.Error("the permutation has drawn no words")
	}
}
