package zipf_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar/internal/zipf"
	"github.com/gridstride/gridstride/similar/text"
)

// TestSame pins what is generated: measurements of different days and machines are of one
// collection.
func TestSame(t *testing.T) {
	t.Parallel()
	c := zipf.Standard
	c.Documents = 1000
	g := zipf.New(c)
	h := fnv.New64a()
	i := 0
	for id, text := range g.Documents() {
		fmt.Fprintln(h, id, text)
		if again, same := g.Document(i); again != id || same != text {
			t.Fatalf("document %d is another the second time", i)
		}
		i++
	}
	for _, words := range []int{3, 10, 100} {
		for q := range g.Queries(50, words) {
			fmt.Fprintln(h, q)
		}
	}
	if got, want := h.Sum64(), uint64(0xf08bf6367feaf4ca); i != 1000 || got != want {
		t.Errorf("%d documents, hash %#x, want %#x", i, got, want)
	}
}

// TestLaw counts words: the r-th has its share, 1/r of the sum.
func TestLaw(t *testing.T) {
	t.Parallel()
	c := zipf.Corpus{Documents: 20_000, Length: 101, Words: 1000, Seed: 7}
	counts := map[string]float64{}
	total := 0.0
	for _, text := range zipf.New(c).Documents() {
		words := strings.Fields(text)
		if len(words) != c.Length {
			t.Fatalf("a document of %d words", len(words))
		}
		for _, w := range words {
			counts[w]++
			total++
		}
	}
	sum := 0.0
	for r := range c.Words {
		sum += 1 / float64(r+1)
	}
	for _, r := range []int{0, 1, 2, 9, 99, 499, 999} {
		want := total / float64(r+1) / sum
		if got := counts[zipf.Word(r)]; math.Abs(got-want) > 5*math.Sqrt(want) {
			t.Errorf("word %d stands %v times, expected %.0f", r, got, want)
		}
	}
	if len(counts) != c.Words {
		t.Errorf("%d words of %d", len(counts), c.Words)
	}
}

// TestQueries looks at the queries: different words, none of the most frequent.
func TestQueries(t *testing.T) {
	t.Parallel()
	g := zipf.New(zipf.Corpus{Words: 301, Seed: 3})
	stop := map[string]bool{}
	for r := range zipf.Stop {
		stop[zipf.Word(r)] = true
	}
	n := 0
	for q := range g.Queries(33, 100) {
		n++
		seen := map[string]bool{}
		for _, w := range strings.Fields(q) {
			if seen[w] || stop[w] {
				t.Errorf("query %q has %q", q, w)
			}
			seen[w] = true
		}
		if len(seen) != 100 {
			t.Errorf("a query of %d words", len(seen))
		}
	}
	if n != 33 {
		t.Errorf("%d queries", n)
	}
	for range g.Queries(3, 1) {
		break // a loop may be left
	}
}

// TestDistinct compares all words with each other.
func TestDistinct(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool, zipf.Standard.Words)
	for r := range zipf.Standard.Words {
		w := zipf.Word(r)
		if seen[w] || len(w) > 9 {
			t.Fatalf("word %d is %q", r, w)
		}
		seen[w] = true
	}
}

// TestWords takes words through the analyzer of the measurements: each is a term unchanged.
func TestWords(t *testing.T) {
	t.Parallel()
	a, err := text.NewAnalyzer(text.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for r := 0; r < zipf.Standard.Words; r += 1 + r/100 { // all that are frequent, and some of the others
		w := zipf.Word(r)
		for term := range a.Terms(w) {
			if term.Text != w {
				t.Fatalf("%q becomes %q", w, term.Text)
			}
			w = ""
		}
		if w != "" {
			t.Fatalf("%q is a stop word", w)
		}
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for _, c := range []zipf.Corpus{{}, {Documents: 3}, {Documents: 1, Length: 1, Words: 1}, {Documents: 31, Length: 33, Words: 2}} {
		n := 0
		for _, text := range zipf.New(c).Documents() {
			if got := len(strings.Fields(text)); got != c.Length {
				t.Errorf("%+v: a document of %d words", c, got)
			}
			n++
		}
		if n != c.Documents {
			t.Errorf("%+v: %d documents", c, n)
		}
	}
	for _, c := range []zipf.Corpus{{Documents: -1}, {Documents: 1, Length: 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v does not panic", c)
				}
			}()
			zipf.New(c)
		}()
	}
}

func BenchmarkDocument(b *testing.B) {
	g := zipf.New(zipf.Standard)
	for i := 0; b.Loop(); i++ {
		g.Document(i)
	}
}
