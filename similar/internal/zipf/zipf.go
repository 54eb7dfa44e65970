// Package zipf makes collections of documents for measurements: words drawn by Zipf's law, the same
// on every machine.
package zipf

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
)

// Corpus describes a collection: Documents documents, each of Length words, which are drawn
// independently from a vocabulary of Words words. The r-th word, from 1, has a probability in
// proportion to 1/r (G. K. Zipf, Human Behavior and the Principle of Least Effort, 1949).
type Corpus struct {
	Documents, Length, Words int
	Seed                     uint64
}

// Standard is the collection of the measurements: a million documents of 100 words, 500,000 words.
var Standard = Corpus{Documents: 1_000_000, Length: 100, Words: 500_000, Seed: 1}

// Stop is the number of the most frequent words that no query has, like a language's stop words. In
// Standard every third word of a document is one of them.
const Stop = 50

// Generator makes the documents and queries of a corpus. Any number of goroutines may use it at
// once: it holds only the table that words are drawn with, 12 bytes a word.
type Generator struct {
	corpus Corpus
	accept []float64
	alias  []uint32
}

// New returns the generator of a corpus. It panics where a corpus has no words and documents of
// some, or more than 2^32 words.
func New(c Corpus) *Generator {
	if c.Documents < 0 || c.Length < 0 || c.Words < 0 || c.Words == 0 && c.Length > 0 || uint64(c.Words) > 1<<32 {
		panic(fmt.Sprintf("zipf: bad corpus %+v", c))
	}
	g := &Generator{corpus: c, accept: make([]float64, c.Words), alias: make([]uint32, c.Words)}
	g.fill()
	return g
}

// fill makes the table of Vose's alias method (A Linear Algorithm for Generating Random Numbers
// with a Given Distribution, 1991): a draw takes a column, and in it the column's own word or its
// alias. Each product is rounded by itself, so that the table is the same on every processor.
func (g *Generator) fill() {
	n := g.corpus.Words
	sum := 0.0
	for r := n; r > 0; r-- {
		sum += 1 / float64(r)
	}
	var small, large []uint32
	for r := range n {
		g.accept[r] = float64(n) / float64(float64(r+1)*sum)
		if g.accept[r] < 1 {
			small = append(small, uint32(r))
		} else {
			large = append(large, uint32(r))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		g.alias[s] = l
		if g.accept[l] -= 1 - g.accept[s]; g.accept[l] < 1 {
			large, small = large[:len(large)-1], append(small, l)
		}
	}
	for _, rest := range [][]uint32{small, large} { // these are 1 except for rounding
		for _, r := range rest {
			g.accept[r] = 1
		}
	}
}

// draw returns the rank of a word, from 0.
func (g *Generator) draw(rng *rand.Rand) int {
	r := rng.IntN(g.corpus.Words)
	if rng.Float64() < g.accept[r] {
		return r
	}
	return int(g.alias[r])
}

// Document returns the i-th document. Ids are in the order of i.
func (g *Generator) Document(i int) (id, text string) {
	rng := rand.New(rand.NewPCG(g.corpus.Seed, uint64(i)))
	var b strings.Builder
	b.Grow(8 * g.corpus.Length)
	for k := range g.corpus.Length {
		if k > 0 {
			b.WriteByte(' ')
		}
		writeWord(&b, g.draw(rng))
	}
	return ID(i), b.String()
}

// ID is the id of the i-th document of any corpus.
func ID(i int) string { return fmt.Sprintf("d%09d", i) }

// Documents yields the ids and texts of all documents, in order.
func (g *Generator) Documents() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i := range g.corpus.Documents {
			if !yield(g.Document(i)) {
				return
			}
		}
	}
}

// Queries yields n queries of words different words, drawn like the documents' words but without
// the Stop most frequent. It panics if the corpus has fewer words than twice these.
func (g *Generator) Queries(n, words int) iter.Seq[string] {
	if n > 0 && g.corpus.Words < 2*(words+Stop) {
		panic(fmt.Sprintf("zipf: queries of %d words from %d", words, g.corpus.Words))
	}
	return func(yield func(string) bool) {
		for q := range n {
			rng := rand.New(rand.NewPCG(^g.corpus.Seed, uint64(words)<<32|uint64(q)))
			seen := make(map[int]bool, words)
			var b strings.Builder
			for len(seen) < words {
				r := g.draw(rng)
				if r < Stop || seen[r] {
					continue
				}
				if seen[r] = true; len(seen) > 1 {
					b.WriteByte(' ')
				}
				writeWord(&b, r)
			}
			if !yield(b.String()) {
				return
			}
		}
	}
}

// Word returns the word of a rank, from 0: syllables of a consonant and a vowel, and a k at the
// end, the frequent words short. No two are equal, also when they are stemmed, as no English ending
// ends in k, and none is a stop word.
func Word(rank int) string {
	var b strings.Builder
	writeWord(&b, rank)
	return b.String()
}

func writeWord(b *strings.Builder, rank int) {
	const consonants, vowels = "bdfghjmnprstvz", "aeiou"
	const syllables = len(consonants) * len(vowels)
	for rank++; rank > 0; rank /= syllables {
		rank-- // as the columns of a spreadsheet are named
		b.WriteByte(consonants[rank%len(consonants)])
		b.WriteByte(vowels[rank/len(consonants)%len(vowels)])
	}
	b.WriteByte('k')
}
