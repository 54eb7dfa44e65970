package similar

import (
	"fmt"
	"hash/fnv"
)

// Vocabulary says which terms an index knows. The zero value is a learnt one: all that come.
type Vocabulary struct {
	Fixed []string // only these terms count, as the analyzer writes them
	Bits  int      // above 0, terms are hashed to 2^Bits buckets, 1..31, and a bucket is a term
}

// mapping returns what the vocabulary makes of a term, nil where that is the term itself.
func (v Vocabulary) mapping() (func(term string) (string, bool), error) {
	switch {
	case v.Fixed != nil && v.Bits != 0:
		return nil, fmt.Errorf("similar: a vocabulary of %d terms that is hashed to %d bits, too; give one of both", len(v.Fixed), v.Bits)
	case v.Bits < 0 || v.Bits > 31:
		return nil, fmt.Errorf("similar: a vocabulary hashed to %d bits; 1 to 31 are possible", v.Bits)
	case v.Bits > 0:
		return v.bucket, nil
	case v.Fixed != nil:
		known := map[string]bool{}
		for _, t := range v.Fixed {
			known[t] = true
		}
		return func(t string) (string, bool) { return t, known[t] }, nil
	}
	return nil, nil
}

// bucket names the bucket of a term: FNV-1a's 64 bits, folded to fewer.
func (v Vocabulary) bucket(term string) (string, bool) {
	h := fnv.New64a()
	h.Write([]byte(term))
	n := h.Sum64()
	return fmt.Sprintf("#%08x", uint32(n^n>>32)&(1<<v.Bits-1)), true
}
