package text

import (
	"math"
	"slices"
	"unsafe"

	"github.com/blevesearch/snowballstem"
)

// A Lexicon numbers terms in the order in which they come, for whoever counts them: a word that it
// has met costs a look into a table, and no string is made. It grows with the words that it meets.
// One goroutine may use it.
type Lexicon struct {
	analyzer *Analyzer
	base     *Lexicon                         // numbers the terms, if it is another one
	mapping  func(term string) (string, bool) // nil where a term stays as it is
	env      snowballstem.Env

	words table // words of texts, and the numbers of their terms
	terms table // terms that words did not have when they came, and their numbers
	names []byte
	ends  []uint32 // of a term: its end in names
	full  bool

	batch   []hashed
	numbers []uint32
}

// Omitted is the number of a word that has no term.
const Omitted = ^uint32(0)

const omitted = Omitted

// lexiconBatch is how many words are looked up in a row, so that the processor can wait for several
// slots of a table at once.
const lexiconBatch = 64

// maxLexicon bounds the bytes of a lexicon's strings, as they are found by 32 bits.
const maxLexicon = math.MaxInt32

// NewLexicon returns an empty lexicon of the analyzer's terms, or of what mapping makes of them:
// another term, or none. It makes the same of a term each time, and may be nil.
func (a *Analyzer) NewLexicon(mapping func(term string) (string, bool)) *Lexicon {
	return &Lexicon{analyzer: a, mapping: mapping, batch: make([]hashed, 0, lexiconBatch), numbers: make([]uint32, 0, lexiconBatch)}
}

// Beside returns a lexicon of another analyzer's terms with the numbers of this one: equal terms have
// one number. Both are for one goroutine together. Term, Number and Full are the first's.
func (l *Lexicon) Beside(a *Analyzer) *Lexicon {
	other := a.NewLexicon(nil)
	other.base = l
	return other
}

// Len returns how many different words and terms it has met.
func (l *Lexicon) Len() int { return l.words.len + l.terms.len }

// Full reports whether terms were left out, as their names would take more than two gigabytes.
func (l *Lexicon) Full() bool { return l.full }

// Term returns the term of a number. It is good for as long as the lexicon.
func (l *Lexicon) Term(number uint32) string {
	from := uint32(0)
	if number > 0 {
		from = l.ends[number-1]
	}
	return unsafe.String(unsafe.SliceData(l.names[from:]), l.ends[number]-from)
}

// Numbers yields the numbers of what Analyzer.Terms yields, in its order, some at a time. A slice
// is good until the next.
func (l *Lexicon) Numbers(s string, yield func(numbers []uint32)) {
	if l.analyzer.ngrams > 1 {
		for t := range l.analyzer.grams(s) {
			if n := l.number(t.Text); n != omitted {
				yield(append(l.numbers[:0], n))
			}
		}
		return
	}
	batch := l.batch[:0]
	for w := range l.analyzer.words.cut.of(s) {
		if batch = append(batch, hash(s[w.start:w.end])); len(batch) == cap(batch) {
			yield(l.lookUp(batch))
			batch = batch[:0]
		}
	}
	yield(l.lookUp(batch))
	clear(batch[:cap(batch)]) // it would keep s alive
}

// Words yields the number of each word's term, or Omitted: the places of words are those of
// Analyzer.Places. It takes no sequences of words for terms. A slice is good until the next.
func (l *Lexicon) Words(s string, yield func(numbers []uint32)) {
	batch := l.batch[:0]
	for w := range l.analyzer.words.cut.of(s) {
		if batch = append(batch, hash(s[w.start:w.end])); len(batch) == cap(batch) {
			yield(l.ofWords(batch))
			batch = batch[:0]
		}
	}
	yield(l.ofWords(batch))
	clear(batch[:cap(batch)])
}

// lookUp returns the numbers of the terms of words.
func (l *Lexicon) lookUp(words []hashed) []uint32 {
	numbers := l.ofWords(words)
	return slices.DeleteFunc(numbers, func(n uint32) bool { return n == omitted })
}

// ofWords returns the number of each word's term, or omitted.
func (l *Lexicon) ofWords(words []hashed) []uint32 {
	numbers := l.numbers[:0]
	for i := range words {
		n, ok := l.words.find(&words[i])
		if !ok {
			n = l.learn(&words[i])
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// learn finds the term of a word that words does not have.
func (l *Lexicon) learn(word *hashed) uint32 {
	if len(word.string) > MaxWord {
		return l.number(longTerm(word.string))
	}
	n := omitted
	term := l.analyzer.words.compute(word.string, &l.env)
	switch {
	case term == word.string && l.mapping == nil && l.base == nil:
		var ok bool
		if n, ok = l.terms.find(word); !ok {
			n = l.add(term)
		}
	case term != "":
		n = l.number(term)
	}
	l.words.add(word, n)
	return n
}

// Number returns the number of a term that need not be one of a word. It is Omitted where the mapping
// leaves the term out, or the lexicon is full.
func (l *Lexicon) Number(term string) uint32 { return l.number(term) }

// number returns the number of a term, and omitted where mapping leaves it out.
func (l *Lexicon) number(term string) uint32 {
	if l.base != nil {
		return l.base.number(term)
	}
	if l.mapping != nil {
		mapped, ok := l.mapping(term)
		if !ok {
			return omitted
		}
		term = mapped
	}
	h := hash(term)
	if n, ok := l.words.find(&h); ok && n != omitted && l.Term(n) == term {
		return n // a word that is its own term
	}
	n, ok := l.terms.find(&h)
	if !ok {
		n = l.add(term)
		l.terms.add(&h, n)
	}
	return n
}

// add gives a term a number.
func (l *Lexicon) add(term string) uint32 {
	if len(l.names)+len(l.words.long)+len(l.terms.long) > maxLexicon {
		l.full = true
		return omitted
	}
	l.names = append(l.names, term...)
	l.ends = append(l.ends, uint32(len(l.names)))
	return uint32(len(l.ends) - 1)
}
