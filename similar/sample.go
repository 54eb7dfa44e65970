package similar

import (
	"fmt"
	"strings"
)

// A Sample has the terms and the vector of a document. A search for documents like it, or with
// feedback of it, needs no more. Query.Elsewhere takes the samples of documents that an index does
// not have.
type Sample struct {
	ID     string
	Terms  map[string]int64 // how often the document has each of its terms
	Vector []float32        `json:",omitempty"` // nil if it has none
}

// Sample returns the sample of a document. Errors: ErrUnknown, ErrClosed, ErrDamaged.
func (x *Searcher) Sample(id string) (s Sample, err error) {
	v, err := x.state()
	if err != nil {
		return Sample{}, err
	}
	defer v.end(&err)
	part, ord, ok := v.place(id)
	if !ok {
		return Sample{}, fmt.Errorf("similar: %q: %w", id, ErrUnknown)
	}
	of, err := v.sampleAt(part, ord)
	if err != nil {
		return Sample{}, err
	}
	of.Vector = v.vectorAt(part, ord)
	return *of, nil
}

// sampleAt returns the sample of a document, without its vector.
func (v *view) sampleAt(part, ord int) (*Sample, error) {
	s := &Sample{ID: strings.Clone(v.parts[part].ID(ord)), Terms: map[string]int64{}}
	if err := v.countRow(s.Terms, part, ord); err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	return s, nil
}

// length is how long the document is.
func (s *Sample) length() (n int64) {
	for _, count := range s.Terms {
		n += count
	}
	return n
}

// maxSampleCount is the most times that a document may have a term.
const maxSampleCount = 1<<32 - 1

// checkElsewhere returns an error for a sample that no index gives.
func (q *Query) checkElsewhere(o VectorOptions) error {
	for i := range q.Elsewhere {
		s := &q.Elsewhere[i]
		for name, n := range s.Terms {
			if n < 1 || n > maxSampleCount {
				return fmt.Errorf("similar: the sample of %q has %q %d times; want 1 to %d", s.ID, name, n, maxSampleCount)
			}
		}
		if s.Vector == nil {
			continue
		}
		if err := o.checkVector(s.Vector); err != nil {
			return fmt.Errorf("similar: the sample of %q has %w", s.ID, err)
		}
	}
	return nil
}

// elsewhere returns the sample of a document that the index does not have.
func (q *Query) elsewhere(id string) (*Sample, error) {
	for i := range q.Elsewhere {
		if q.Elsewhere[i].ID == id {
			return &q.Elsewhere[i], nil
		}
	}
	return nil, fmt.Errorf("similar: %q: %w", id, ErrUnknown)
}
