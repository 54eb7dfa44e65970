package duplicates_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/duplicates"
	"github.com/gridstride/gridstride/similar/minhash"
)

// texts are documents without titles.
type texts []string

func (t texts) Len() int                                 { return len(t) }
func (t texts) Document(i int) (similar.Document, error) { return similar.Document{Text: t[i]}, nil }

// find finds groups.
func find(t *testing.T, documents duplicates.Documents, o duplicates.Options) ([][]int, *duplicates.Groups) {
	t.Helper()
	g, err := duplicates.Find(t.Context(), documents, o)
	if err != nil {
		t.Fatal(err)
	}
	return all(t, g), g
}

func all(t *testing.T, g *duplicates.Groups) (list [][]int) {
	t.Helper()
	for group, err := range g.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, group)
	}
	return list
}

// planted makes texts. About half are others with words left out, moved or added.
func planted(r *rand.Rand, n int) texts {
	var list texts
	word := func() string { return fmt.Sprint("w", r.IntN(300)) }
	for range n {
		var words []string
		if len(list) > 0 && r.IntN(2) == 0 {
			words = strings.Fields(list[r.IntN(len(list))])
			for range r.IntN(4) {
				at := r.IntN(len(words) + 1)
				switch r.IntN(3) {
				case 0:
					words = slices.Insert(words, at, word())
				case 1:
					words = words[:at]
				default:
					words = slices.Concat(words[at:], words[:at])
				}
			}
		} else {
			for range r.IntN(60) {
				words = append(words, word())
			}
		}
		list = append(list, strings.Join(words, " "))
	}
	return list
}

// components are the groups that connections make, by a plain search.
func components(n int, connected func(i, j int) bool) (list [][]int) {
	seen := make([]bool, n)
	for i := range n {
		group := []int{}
		for next := []int{i}; len(next) > 0; {
			d := next[0]
			if next = next[1:]; seen[d] {
				continue
			}
			seen[d], group = true, append(group, d)
			for j := range n {
				if j != d && !seen[j] && connected(min(d, j), max(d, j)) {
					next = append(next, j)
				}
			}
		}
		if len(group) > 1 {
			slices.Sort(group)
			list = append(list, group)
		}
	}
	return list
}

// plainSets are the shingles of texts as strings: of words that are lower case already.
func plainSets(list texts, size int) (sets []map[string]bool) {
	for _, s := range list {
		words, set := strings.Fields(s), map[string]bool{}
		if len(words) > 0 && len(words) < size {
			set[strings.Join(words, " ")] = true
		}
		for i := 0; i+size <= len(words); i++ {
			set[strings.Join(words[i:i+size], " ")] = true
		}
		sets = append(sets, set)
	}
	return sets
}

// plainJaccard is the coefficient of two sets.
func plainJaccard(a, b map[string]bool) float64 {
	shared := 0
	for s := range a {
		if b[s] {
			shared++
		}
	}
	if shared == 0 {
		return 0
	}
	return float64(shared) / float64(len(a)+len(b)-shared)
}

// TestFind holds groups to a plain search: of all pairs, where the bands leave out no pair in
// practice (60 of 3 rows miss one of 10^19 at 0.8), and of the pairs that share a key, for others.
func TestFind(t *testing.T) {
	t.Parallel()
	groups, larger := 0, 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 2))
		list := planted(r, r.IntN(80))
		o := duplicates.Options{Threshold: 0.8, MinHash: minhash.Options{Bands: 60, Rows: 3, Words: 1 + r.IntN(6), Seed: seed}}
		sets := plainSets(list, o.MinHash.Words)
		got, _ := find(t, list, o)
		want := components(len(list), func(i, j int) bool { return plainJaccard(sets[i], sets[j]) >= o.Threshold })
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: groups %v, want %v", seed, got, want)
		}
		groups += len(got)
		for _, g := range got {
			larger += min(max(len(g)-2, 0), 1)
		}
		o.Threshold, o.MinHash.Bands, o.MinHash.Rows = 1-r.Float64(), 1+r.IntN(30), 1+r.IntN(8)
		h, err := minhash.New(o.MinHash)
		if err != nil {
			t.Fatal(err)
		}
		got, g := find(t, list, o)
		if want := components(len(list), func(i, j int) bool {
			return plainJaccard(sets[i], sets[j]) >= o.Threshold && sharesKey(h, list[i], list[j])
		}); !reflect.DeepEqual(got, want) || g.Cut != 0 || g.Documents != len(list) {
			t.Fatalf("seed %d: groups %v, want %v", seed, got, want)
		}
	}
	if groups < 400 || larger < 150 {
		t.Errorf("there were %d groups, %d of three or more: too few to say something", groups, larger)
	}
}

func sharesKey(h *minhash.Hasher, a, b string) bool {
	x, y := h.Keys(nil, a), h.Keys(nil, b)
	return slices.ContainsFunc(x, func(key uint64) bool { return slices.Contains(y, key) })
}

// TestParts merges the groups of parts, also of more parts than there is work for.
func TestParts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		list := planted(r, r.IntN(80))
		o := duplicates.Options{Threshold: 0.6, MinHash: minhash.Options{Bands: 1 + r.IntN(30), Rows: 3}}
		want, _ := find(t, list, o)
		o.Parts = 1 + r.IntN(o.MinHash.Bands)
		var lists [][]int
		for o.Part = range o.Parts {
			part, _ := find(t, list, o)
			lists = append(lists, part...)
		}
		r.Shuffle(len(lists), func(i, j int) { lists[i], lists[j] = lists[j], lists[i] })
		g, err := duplicates.Merge(t.Context(), len(list), withoutErrors(lists), duplicates.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := all(t, g); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %d parts make %v, want %v", seed, o.Parts, got, want)
		}
	}
}

// TestMerge merges random groups in any order.
func TestMerge(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 8))
		n := 2 + r.IntN(30)
		pair := map[[2]int]bool{}
		var lists [][]int
		for range r.IntN(20) {
			list := r.Perm(n)[:1+r.IntN(min(n, 4))]
			lists = append(lists, list)
			for _, i := range list {
				pair[[2]int{min(list[0], i), max(list[0], i)}] = true
			}
		}
		g, err := duplicates.Merge(t.Context(), n, withoutErrors(lists), duplicates.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := all(t, g), components(n, func(i, j int) bool { return pair[[2]int{i, j}] }); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %v make %v, want %v", seed, lists, got, want)
		}
	}
}

func withoutErrors(lists [][]int) iter.Seq2[[]int, error] {
	return func(yield func([]int, error) bool) {
		for _, l := range lists {
			if !yield(l, nil) {
				return
			}
		}
	}
}

// TestShardsAndMemory finds the same groups in one index, in shards, and with a memory that the keys
// do not fit into.
func TestShardsAndMemory(t *testing.T) {
	t.Parallel()
	list := planted(rand.New(rand.NewPCG(1, 4)), 4000)
	var want [][]int
	var compared int64
	for _, n := range []int{1, 3, 7} {
		var indexes []*similar.Index
		for range n {
			x, err := similar.New(similar.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { x.Close() })
			indexes = append(indexes, x)
		}
		s, err := similar.NewShards(indexes...)
		if err != nil {
			t.Fatal(err)
		}
		for chunk := range slices.Chunk(slices.Collect(documentsOf(list)), 500) {
			if err := s.Add(t.Context(), chunk...); err != nil {
				t.Fatal(err)
			}
		}
		l, err := s.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, g := find(t, l, duplicates.Options{Memory: int64(n%3) << 20}) // 1 MiB, the usual, 1 MiB
		if n == 1 {
			want, compared = got, g.Compared
		}
		if !reflect.DeepEqual(got, want) || len(got) < 100 || g.Compared != compared {
			t.Errorf("%d shards: %d groups of %d comparisons, want %d of %d", n, len(got), g.Compared, len(want), compared)
		}
	}
}

func documentsOf(list texts) iter.Seq[similar.Document] {
	return func(yield func(similar.Document) bool) {
		for i, text := range list {
			if !yield(similar.Document{ID: fmt.Sprintf("%05d", i), Text: text}) {
				return
			}
		}
	}
}

// TestHostile has documents that are no documents: nothing is compared without need, and nothing
// of them is in a group that should not be.
func TestHostile(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes a minute under the race detector")
	}
	million := strings.Repeat("heap ", 1e6)
	got, _ := find(t, texts{
		0: "", 1: "heap", 2: "  .,;\n", 3: million, 4: "\xff\xfe\x00 \xff", 5: "HEAP", 6: "heap heap heap heap heap",
		7: "a\xffb c", 8: "A B\xff C", 9: "", 10: strings.Repeat("x", 1<<20), 11: strings.Repeat("X", 1<<20), 12: "\u200b",
		13: "\u0000", 14: strings.Repeat("é\u0301", 1e5), 15: "漢字漢字漢字", 16: "漢字 漢字 漢字",
	}, duplicates.Options{})
	if want := [][]int{{1, 5}, {3, 6}, {7, 8}, {15, 16}}; !reflect.DeepEqual(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
	copies := slices.Repeat(texts{"a text that everybody has", "and another one of these"}, 20_000)
	got, g := find(t, copies, duplicates.Options{Memory: 1})
	if len(got) != 2 || len(got[0]) != 20_000 || g.Compared > 40_000 || g.Cut != 2 {
		t.Errorf("%d groups of copies, %d comparisons, %d sets cut", len(got), g.Compared, g.Cut)
	}
	for _, none := range []texts{nil, {""}, {"one document alone"}} {
		if got, _ := find(t, none, duplicates.Options{}); len(got) > 0 {
			t.Errorf("%q: %v", none, got)
		}
	}
}

// TestCut has 6,000 documents that share a key. Each is like the one 1,000 or 1,001 before it alone:
// the work is bounded, and the groups are as the window says.
func TestCut(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes a minute under the race detector")
	}
	for distance, groups := range map[int]int{1000: 1000, 1001: 0} {
		list := make(texts, 6000)
		for i := range list {
			list[i] = fmt.Sprintf("same x%d", i%distance)
		}
		o := duplicates.Options{MinHash: minhash.Options{Words: 1, Bands: 1, Rows: 1}, Threshold: 1}
		for ; ; o.MinHash.Seed++ { // until "same" has the least hash of all words
			h, err := minhash.New(o.MinHash)
			if err != nil {
				t.Fatal(err)
			}
			key := h.Keys(nil, "same")
			if !slices.ContainsFunc(list, func(s string) bool { return !slices.Equal(h.Keys(nil, s), key) }) {
				break
			}
		}
		got, g := find(t, list, o)
		if len(got) != groups || g.Cut != 1 || g.Compared > 6000*1000 {
			t.Errorf("%d before: %d groups, want %d; %d comparisons, %d sets cut", distance, len(got), groups, g.Compared, g.Cut)
		}
	}
}

// broken are documents. One cannot be read, or not again.
type broken struct {
	texts
	mu    sync.Mutex
	reads map[int]int
	bad   int
	after int
}

var errBroken = errors.New("broken")

func (b *broken) Document(i int) (similar.Document, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reads[i]++; i == b.bad && b.reads[i] > b.after {
		return similar.Document{}, errBroken
	}
	return b.texts.Document(i)
}

func TestFindFails(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	copies := slices.Repeat(texts{"a text that everybody has"}, 3000)
	for after := range 2 { // when keys are made, and when documents are compared
		b := &broken{texts: copies, reads: map[int]int{}, bad: 2000, after: after}
		if _, err := duplicates.Find(ctx, b, duplicates.Options{}); !errors.Is(err, errBroken) {
			t.Errorf("a document that cannot be read: %v", err)
		}
	}
	if _, err := duplicates.Find(ctx, copies, duplicates.Options{Memory: 1, Dir: filepath.Join(t.TempDir(), "none")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := duplicates.Find(cancelled, copies, duplicates.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	g, err := duplicates.Find(ctx, copies, duplicates.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, err = range g.All(cancelled) {
	}
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for want, o := range map[string]duplicates.Options{
		"duplicates: the threshold is 1.5; want more than 0, and 1 at most":     {Threshold: 1.5},
		"duplicates: the threshold is -1; want more than 0, and 1 at most":      {Threshold: -1},
		"duplicates: the threshold is NaN; want more than 0, and 1 at most":     {Threshold: math.NaN()},
		"duplicates: -1 bytes of memory; want 0 or more":                        {Memory: -1},
		"duplicates: 21 parts of 20 bands; want as many parts as bands at most": {Parts: 21},
		"duplicates: part 2 of 2; parts count from 0":                           {Part: 2, Parts: 2},
		"duplicates: part 1 of 1; parts count from 0":                           {Part: 1},
		"minhash: 5000 bands; want 1 to 4096":                                   {MinHash: minhash.Options{Bands: 5000}},
		"minhash: -1 bands; want 1 to 4096":                                     {MinHash: minhash.Options{Bands: -1}},
		"minhash: 300 rows of each of 20 bands; want 1 to 204":                  {MinHash: minhash.Options{Rows: 300}},
		"minhash: shingles of 65 words; want 1 to 64":                           {MinHash: minhash.Options{Words: 65}},
	} {
		if _, err := duplicates.Find(ctx, copies, o); err == nil || err.Error() != want {
			t.Errorf("%v; want %s", err, want)
		}
	}
	for _, wrong := range [][]int{{0, 3}, {-1, 0}} {
		if _, err := duplicates.Merge(ctx, 3, withoutErrors([][]int{wrong}), duplicates.Options{}); err == nil {
			t.Errorf("group %v of 3 documents: no error", wrong)
		}
	}
}
