package minhash_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride/similar/internal/zipf"
	"github.com/gridstride/gridstride/similar/minhash"
)

func hasher(t testing.TB, o minhash.Options) *minhash.Hasher {
	t.Helper()
	h, err := minhash.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestKeysStay holds keys to what they were: jobs on different machines, and of different versions,
// have the same ones.
func TestKeysStay(t *testing.T) {
	t.Parallel()
	const words = "A heap is a tree whose root is the least of all, and so is each of its subtrees."
	keys := hasher(t, minhash.Options{}).Keys(nil, words)
	if len(keys) != 20 || keys[0] != 0xb42f894cc2081a47 || keys[19] != 0x8605a253125e0980 {
		t.Errorf("%d keys from %#x to %#x", len(keys), keys[0], keys[19])
	}
	small := hasher(t, minhash.Options{Words: 2, Bands: 1, Rows: 2, Seed: 7}).Signature("漢字")
	if !slices.Equal(small, []uint64{0xc57e71353d94da92, 0xa49fe0cd4eacbb39}) {
		t.Errorf("signature %#x", small)
	}
}

// TestShingles holds shingles to plain sets: how many there are, and which texts share which.
func TestShingles(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		o := minhash.Options{Words: 1 + r.IntN(7), Bands: 1 + r.IntN(9), Rows: 1 + r.IntN(9), Seed: r.Uint64()}
		h := hasher(t, o)
		var list [][]uint64
		var sets []map[string]bool
		var last []uint64
		for range 4 {
			var words []string
			for range r.IntN([]int{1, 9, 60, 9000}[r.IntN(4)]) {
				words = append(words, string(rune('a'+r.IntN(4))))
			}
			set := map[string]bool{}
			if len(words) > 0 && len(words) < o.Words {
				set[strings.Join(words, " ")] = true
			}
			for i := 0; i+o.Words <= len(words); i++ {
				set[strings.Join(words[i:i+o.Words], " ")] = true
			}
			text := strings.Join(words, "?! \n")
			list, sets = append(list, h.Shingles(text)), append(sets, set)
			keys := h.Keys(slices.Clone(last), strings.ToUpper(text))
			cut := r.IntN(o.Bands + 1)
			if parts := h.KeysOf(h.KeysOf(last, text, 0, cut), text, cut, o.Bands); !slices.Equal(keys, parts) {
				t.Fatalf("seed %d: %d keys, and in parts %d", seed, len(keys), len(parts))
			}
			if n := len(keys) - len(last); n != 0 && n != o.Bands || (n == 0) != (len(words) == 0) || len(h.Signature(text)) != n*o.Rows {
				t.Fatalf("seed %d: %d keys of %d words", seed, n, len(words))
			}
			last = keys
		}
		for i, a := range list {
			if len(a) != len(sets[i]) || !slices.IsSorted(a) {
				t.Fatalf("seed %d: %d shingles, want %d", seed, len(a), len(sets[i]))
			}
			for j, b := range list {
				shared := 0
				for s := range sets[i] {
					if sets[j][s] {
						shared++
					}
				}
				want := 0.0
				if shared > 0 {
					want = float64(shared) / float64(len(a)+len(b)-shared)
				}
				if got := minhash.Jaccard(a, b); got != want {
					t.Fatalf("seed %d: coefficient %v, want %v", seed, got, want)
				}
			}
		}
	}
}

// pairOf makes two texts of words of their own, of which a part is in both: shared of all.
func pairOf(r *rand.Rand, shared, all int) (a, b string) {
	var x, y []string
	for i := range all {
		word := fmt.Sprint("w", r.Uint64())
		if i < shared || i%2 == 0 {
			x = append(x, word)
		}
		if i < shared || i%2 == 1 {
			y = append(y, word)
		}
	}
	return strings.Join(x, " "), strings.Join(y, " ")
}

// TestRecall measures how many of pairs with a coefficient share a key, and holds it to the bound: it
// is no more than four standard deviations away.
func TestRecall(t *testing.T) {
	t.Parallel()
	for _, o := range []minhash.Options{{Words: 1}, {Words: 1, Bands: 5, Rows: 4, Seed: 1}} {
		h := hasher(t, o)
		for _, percent := range []int{20, 50, 70, 80, 90} {
			r, found, same := rand.New(rand.NewPCG(uint64(percent), 5)), 0, 0
			const pairs = 600
			for range pairs {
				a, b := pairOf(r, percent, 100)
				if got := minhash.Jaccard(h.Shingles(a), h.Shingles(b)); got != float64(percent)/100 {
					t.Fatalf("coefficient %v, want %d %%", got, percent)
				}
				x, y := h.Keys(nil, a), h.Keys(nil, b)
				if slices.ContainsFunc(x, func(key uint64) bool { return slices.Contains(y, key) }) {
					found++
				}
				if h.Signature(a)[0] == h.Signature(b)[0] {
					same++
				}
			}
			want := h.Options().Recall(float64(percent) / 100)
			if got, off := float64(found)/pairs, 4*math.Sqrt(want*(1-want)/pairs)+1e-9; math.Abs(got-want) > off {
				t.Errorf("%+v: of pairs at %d %%, %.4f share a key, want %.4f", o, percent, got, want)
			}
			s := float64(percent) / 100
			if got := float64(same) / pairs; math.Abs(got-s) > 4*math.Sqrt(s*(1-s)/pairs) {
				t.Errorf("of pairs at %d %%, %.4f have the same first value", percent, got)
			}
		}
	}
}

// TestConcurrent has many goroutines use one hasher.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	h := hasher(t, minhash.Options{})
	g := zipf.New(zipf.Corpus{Documents: 50, Length: 50, Words: 500, Seed: 1})
	var want [][]uint64
	for _, text := range g.Documents() {
		want = append(want, h.Keys(nil, text))
	}
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			var got [][]uint64
			for _, text := range g.Documents() {
				got = append(got, h.Keys(nil, text))
			}
			if !reflect.DeepEqual(got, want) {
				t.Error("other keys")
			}
		})
	}
	workers.Wait()
}

func benchmark(b *testing.B, work func(h *minhash.Hasher, text string)) {
	h := hasher(b, minhash.Options{})
	var texts []string
	for _, t := range zipf.New(zipf.Corpus{Documents: 1000, Length: 100, Words: 50_000, Seed: 1}).Documents() {
		texts = append(texts, t)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		work(h, texts[i%len(texts)])
	}
}

func BenchmarkKeys(b *testing.B) {
	var keys []uint64
	benchmark(b, func(h *minhash.Hasher, text string) { keys = h.Keys(keys[:0], text) })
}

func BenchmarkShingles(b *testing.B) {
	benchmark(b, func(h *minhash.Hasher, text string) { h.Shingles(text) })
}
