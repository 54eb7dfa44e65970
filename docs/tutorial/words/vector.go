package main

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/text"
)

// vector is a document: a number for each of its terms. All other terms have 0.
type vector map[string]float64

// count makes a vector of a text: the number of times each term occurs in it.
func count(a *text.Analyzer, s string) vector {
	v := vector{}
	for term := range a.Terms(s) {
		v[term.Text]++
	}
	return v
}

// dot multiplies two vectors. A term that only one of them has adds 0.
func dot(x, y vector) float64 {
	sum := 0.0
	for _, term := range slices.Sorted(maps.Keys(x)) { // in one order, so that the sum has the same bits each time
		sum += x[term] * y[term]
	}
	return sum
}

// cosine is the dot product of two vectors of length 1: 1 for the same direction, 0 where the two
// have no term in common.
func cosine(x, y vector) float64 {
	length := math.Sqrt(dot(x, x)) * math.Sqrt(dot(y, y))
	if length == 0 {
		return 0
	}
	return dot(x, y) / length
}

// rarity gives each term ln(n/df), where df of the n documents have it. A term that all have gets
// 0.
func rarity(documents []vector) vector {
	df := vector{}
	for _, d := range documents {
		for term := range d {
			df[term]++
		}
	}
	idf := vector{}
	for term, n := range df {
		idf[term] = math.Log(float64(len(documents)) / n)
	}
	return idf
}

// weigh multiplies each count by the rarity of the term: tf-idf.
func weigh(d, idf vector) vector {
	w := vector{}
	for term, n := range d {
		w[term] = n * idf[term]
	}
	return w
}

// collection is documents with their vectors.
type collection struct {
	documents []similar.Document
	vectors   []vector
}

// hit is a document and its score.
type hit struct {
	id    string
	score float64
}

// best sorts hits, the best first and of equal ones the lower id, and returns the first k.
func best(hits []hit, k int) []hit {
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id)) })
	return hits[:min(k, len(hits))]
}

// like returns the k documents whose vectors have the largest cosine with document self's, in a
// loop over all.
func (c *collection) like(self, k int) []hit {
	var hits []hit
	for i, v := range c.vectors {
		if i != self {
			hits = append(hits, hit{c.documents[i].ID, cosine(c.vectors[self], v)})
		}
	}
	return best(hits, k)
}
