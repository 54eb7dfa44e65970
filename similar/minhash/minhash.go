// Package minhash finds texts that may be nearly the same without comparing all with all.
//
//	h, err := minhash.New(minhash.Options{})
//	keys := h.Keys(nil, text)                     // 20: texts that share one are candidates
//	a, b := h.Shingles(text), h.Shingles(other)
//	alike := minhash.Jaccard(a, b)                // 0 to 1
//
// A text is the set of its shingles, which are the sequences of five words that it has (A. Z. Broder,
// On the resemblance and containment of documents, 1997). Package text finds the
// words and folds them, without a stop list or stems. Two texts are as much alike as Jaccard's coefficient of their sets
// says: how many shingles they share, of all that they have together.
//
// A signature has the least value of each of 120 hash functions over the shingles. Of two texts each
// is the same with a probability that is the coefficient (Broder). The signature is cut into 20 bands
// of 6 values, and each band becomes a key. Two texts share a key of at least one of b bands of r
// values with the probability 1-(1-s^r)^b, where s is the coefficient (J. Leskovec, A. Rajaraman and
// J. D. Ullman, Mining of Massive Datasets, section 3.4). [Options.Recall] computes it.
//
// All results are functions of the text and the options alone: the same on every machine, in every
// process and for every number of workers.
package minhash

import (
	"fmt"
	"math"
	"slices"

	"github.com/gridstride/gridstride/similar/text"
)

// Options say what shingles are, and how signatures are made of them. Zeros stand for defaults.
type Options struct {
	Words int    `json:"words"` // of a shingle, 5 where 0 and MaxWords at most
	Bands int    `json:"bands"` // 20 where 0
	Rows  int    `json:"rows"`  // values of a band, 6 where 0; Bands times Rows is MaxValues at most
	Seed  uint64 `json:"seed"`  // chooses the hash functions
}

// The limits of Options.
const (
	MaxWords  = 64
	MaxValues = 1 << 12
)

// Resolved returns the options with the defaults in the place of zeros.
func (o Options) Resolved() Options {
	for _, d := range []struct {
		value *int
		usual int
	}{{&o.Words, 5}, {&o.Bands, 20}, {&o.Rows, 6}} {
		if *d.value == 0 {
			*d.value = d.usual
		}
	}
	return o
}

// Recall returns the probability that two texts with a coefficient share a key, 1-(1-s^r)^b.
func (o Options) Recall(coefficient float64) float64 {
	o = o.Resolved()
	return 1 - math.Pow(1-math.Pow(coefficient, float64(o.Rows)), float64(o.Bands))
}

func (o Options) check() error {
	switch {
	case o.Words < 1 || o.Words > MaxWords:
		return fmt.Errorf("minhash: shingles of %d words; want 1 to %d", o.Words, MaxWords)
	case o.Bands < 1 || o.Bands > MaxValues:
		return fmt.Errorf("minhash: %d bands; want 1 to %d", o.Bands, MaxValues)
	case o.Rows < 1 || o.Rows > MaxValues/o.Bands:
		return fmt.Errorf("minhash: %d rows of each of %d bands; want 1 to %d", o.Rows, o.Bands, MaxValues/o.Bands)
	}
	return nil
}

// A Hasher makes signatures. Any number of goroutines may use it at once.
type Hasher struct {
	options   Options
	words     *text.Analyzer
	oldest    uint64     // the factor of the word that leaves a shingle
	functions []function // one a value of a signature
}

// A function maps the hash of a shingle to factor*hash+add, modulo 2^64. The factor is odd, so that
// it is a permutation of the numbers of 64 bits.
type function struct{ factor, add uint64 }

// base is the factor of one word of a shingle for the next: 2^64 over the golden ratio.
const base = 0x9e3779b97f4a7c15

// New returns the hasher of options. It is an error if they are out of their limits.
func New(o Options) (*Hasher, error) {
	o = o.Resolved()
	if err := o.check(); err != nil {
		return nil, err
	}
	words, err := text.NewAnalyzer(text.Config{Language: "none"})
	if err != nil {
		return nil, fmt.Errorf("minhash: %w", err)
	}
	h := &Hasher{options: o, words: words, oldest: 1, functions: make([]function, o.Bands*o.Rows)}
	for range o.Words {
		h.oldest *= base
	}
	state := o.Seed
	next := func() uint64 {
		state += base
		return mix(state)
	}
	for i := range h.functions {
		h.functions[i] = function{next() | 1, next()}
	}
	return h, nil
}

// Options returns what the hasher was made of, without zeros for defaults.
func (h *Hasher) Options() Options { return h.options }

// mix makes each bit of a number depend on all of another: the last steps of SplitMix64 (G. L.
// Steele, D. Lea and C. H. Flood, Fast Splittable Pseudorandom Number Generators, 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// hashWord is the FNV-1a hash of a word, of 64 bits, mixed.
func hashWord(word string) uint64 {
	x := uint64(0xcbf29ce484222325)
	for i := range len(word) {
		x = (x ^ uint64(word[i])) * 0x100000001b3
	}
	return mix(x)
}

// shingles calls yield with the hash of each shingle of a text. A shingle may come twice. A text of
// fewer words than a shingle's has one shingle, of all its words. A text without words has none.
// A hash is the polynomial of the words' hashes, mixed (R. M. Karp and M. O. Rabin, 1987).
func (h *Hasher) shingles(s string, yield func(uint64)) {
	var ring [MaxWords]uint64 // the hashes of the last words
	sum, n := uint64(0), 0
	for term := range h.words.Each(s) {
		slot := &ring[n%h.options.Words]
		word := hashWord(term)
		sum = sum*base + word - *slot*h.oldest
		*slot = word
		if n++; n >= h.options.Words {
			yield(mix(sum))
		}
	}
	if n > 0 && n < h.options.Words {
		yield(mix(sum))
	}
}

// compactFrom is how many shingles are collected before those that come twice go.
const compactFrom = 1 << 12

// Shingles returns the shingles of a text, a hash of 64 bits for each: each once, in ascending
// order, and none of a text without words. Two shingles of a collection have one hash with a
// probability of about n²/2^65, where n is how many it has.
func (h *Hasher) Shingles(s string) []uint64 {
	var list []uint64
	due := compactFrom
	h.shingles(s, func(x uint64) {
		if list = append(list, x); len(list) >= due {
			slices.Sort(list)
			list = slices.Compact(list)
			due = max(compactFrom, 2*len(list))
		}
	})
	slices.Sort(list)
	return slices.Compact(list)
}

// Jaccard returns how many elements two sets share, of all that they have: 1 for equal sets, and 0
// if one is empty. The sets are as Shingles returns them.
func Jaccard(a, b []uint64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	shared := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		x, y := a[i], b[j]
		if x == y {
			shared++
		}
		if x <= y {
			i++
		}
		if y <= x {
			j++
		}
	}
	return float64(shared) / float64(len(a)+len(b)-shared)
}

// Signature returns the least value of each hash function over the shingles of a text, Bands times
// Rows of them, and nil for a text without words.
func (h *Hasher) Signature(s string) []uint64 { return h.least(s, h.functions) }

// least returns the least values of some of the functions.
func (h *Hasher) least(s string, functions []function) []uint64 {
	var least []uint64
	var some [8]uint64 // shingles that wait
	n := 0
	lower := func() {
		for i, f := range functions {
			v := least[i]
			for _, x := range some {
				v = min(v, x*f.factor+f.add)
			}
			least[i] = v
		}
	}
	h.shingles(s, func(x uint64) {
		if least == nil {
			least = slices.Repeat([]uint64{math.MaxUint64}, len(functions))
		}
		if some[n%len(some)] = x; n%len(some) == len(some)-1 {
			lower()
		}
		n++
	})
	if rest := n % len(some); rest > 0 {
		for i := rest; i < len(some); i++ {
			some[i] = some[0]
		}
		lower()
	}
	return least
}

// Keys appends the keys of all bands of a text to dst, and none for a text without words. Keys of
// different bands are different, except with a probability of 2^-64 each.
func (h *Hasher) Keys(dst []uint64, s string) []uint64 {
	return h.KeysOf(dst, s, 0, h.options.Bands)
}

// KeysOf is Keys for the bands from up to to, without to. It computes no values of other bands.
// Bands count from 0, and KeysOf panics unless 0 <= from <= to <= Bands.
func (h *Hasher) KeysOf(dst []uint64, s string, from, to int) []uint64 {
	rows := h.options.Rows
	values := h.least(s, h.functions[from*rows:to*rows])
	for band := from; len(values) > 0; band++ {
		key := uint64(band)
		for _, v := range values[:rows] {
			key = mix(key*base + v)
		}
		dst, values = append(dst, key), values[rows:]
	}
	return dst
}
