package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/gridstride/gridstride/similar/internal/zipf"
	"github.com/gridstride/gridstride/similar/source"
)

// writeDocuments writes a file of documents: a collection that Zipf's law draws, or what sources
// hold. Which document has which flag is drawn, too.
func writeDocuments(ctx context.Context, s sizes, sources []string, file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	rng := rand.New(rand.NewPCG(s.Seed, 1))
	write := func(id, text string) {
		fmt.Fprintf(w, "%s\t%s\t%s\n", id, drawFlags(rng), text)
	}
	if len(sources) == 0 {
		c := zipf.New(zipf.Corpus{Documents: s.Documents, Length: s.Words, Words: s.Vocabulary, Seed: s.Seed})
		for id, text := range c.Documents() {
			write(id, text)
		}
		return w.Flush()
	}
	for d, err := range source.Read(ctx, source.Options{}, sources...) {
		if err != nil {
			note("left out: %v", err)
		} else if text := strings.Join(strings.Fields(d.Title+" "+d.Text), " "); text != "" {
			write(strings.Join(strings.Fields(d.ID), " "), text)
		}
	}
	return w.Flush()
}

func drawFlags(rng *rand.Rand) string {
	var has []string
	for _, f := range flags {
		if rng.IntN(1000) < f.of {
			has = append(has, f.name)
		}
	}
	return strings.Join(has, " ")
}

// A task is queries of one kind.
type task struct {
	name, kind string
	queries    []string
}

// A drawer draws queries from a sample of the documents.
type drawer struct {
	rng  *rand.Rand
	docs [][]string // words
	stop map[string]bool
}

const (
	sampled  = 2000 // documents of a sample
	frequent = 50   // the sample's most frequent words, which no query has, like stop words
)

func newDrawer(file string, seed uint64) (*drawer, error) {
	d := &drawer{rng: rand.New(rand.NewPCG(seed, 2)), stop: map[string]bool{}}
	seen := 0
	err := readDocuments(file, func(docs []document) error {
		for _, doc := range docs {
			seen++ // a reservoir: all documents have the same chance to stay
			place := len(d.docs)
			if place == sampled {
				if place = d.rng.IntN(seen); place >= sampled {
					continue
				}
			} else {
				d.docs = append(d.docs, nil)
			}
			d.docs[place] = splitWords(doc.text)
		}
		return nil
	})
	d.docs = slices.DeleteFunc(d.docs, func(words []string) bool { return len(words) < 10 })
	if err == nil && len(d.docs) == 0 {
		err = fmt.Errorf("%s: no document has 10 words", file)
	}
	d.findStop()
	return d, err
}

// splitWords returns the words of letters, folded to lower case.
func splitWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
}

func (d *drawer) findStop() {
	count := map[string]int{}
	for _, words := range d.docs {
		for _, w := range words {
			count[w]++
		}
	}
	words := make([]string, 0, len(count))
	for w := range count {
		words = append(words, w)
	}
	slices.SortFunc(words, func(a, b string) int { return count[b] - count[a] })
	for _, w := range words[:min(frequent, len(words))] {
		d.stop[w] = true
	}
}

// tasks draws n queries of each kind.
func (d *drawer) tasks(n int) []task {
	list := []task{
		{"1 word", "words", draw(n, func() string { return d.words(1) })},
		{"2 or 3 words", "words", draw(n, func() string { return d.words(2 + d.rng.IntN(2)) })},
		{"10 words", "words", draw(n, func() string { return d.words(10) })},
		{"AND of 2", "and", draw(n, func() string { return d.pair() })},
		{"phrase of 2", "phrase", draw(n, func() string { return d.pair() })},
		{"prefix", "prefix", draw(n, d.prefix)},
	}
	for _, words := range []int{100, 1000, 20_000} {
		list = append(list, task{fmt.Sprintf("like %d words", words), "like", draw(max(n/4, 1), func() string { return d.text(words) })})
	}
	three := draw(n, func() string { return d.words(3) })
	list = append(list, task{"3 words", "words", three})
	for _, f := range flags {
		list = append(list, task{fmt.Sprintf("3 words where %g%% pass", float64(f.of)/10), f.name, three})
	}
	return list
}

func draw(n int, one func() string) (list []string) {
	for range n {
		list = append(list, one())
	}
	return list
}

func (d *drawer) document() []string { return d.docs[d.rng.IntN(len(d.docs))] }

// words draws different words, each from another document.
func (d *drawer) words(n int) string {
	var list []string
	for len(list) < n {
		words := d.document()
		if w := words[d.rng.IntN(len(words))]; d.counts(w) && !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	return strings.Join(list, " ")
}

// counts reports whether a word may be in a query.
func (d *drawer) counts(w string) bool { return !d.stop[w] && len(w) > 2 }

// pair draws two neighbours of a document.
func (d *drawer) pair() string {
	for {
		words := d.document()
		i := d.rng.IntN(len(words) - 1)
		if d.counts(words[i]) && d.counts(words[i+1]) && words[i] != words[i+1] {
			return words[i] + " " + words[i+1]
		}
	}
}

// prefix draws the first two thirds of a word, three letters at least.
func (d *drawer) prefix() string {
	w := []rune(d.words(1))
	return string(w[:max(min(3, len(w)), (2*len(w)+2)/3)])
}

// text draws documents until they have n words.
func (d *drawer) text(n int) string {
	var list []string
	for len(list) < n {
		list = append(list, d.document()...)
	}
	return strings.Join(list[:n], " ")
}
