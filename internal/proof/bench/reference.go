package bench

import (
	"sync"

	"github.com/gridstride/gridstride/internal/proof/accuracy"
)

// sum is a reference: a sum, and the sum of the absolute values of its terms.
type sum struct{ value, magnitude float64 }

// references computes references once a size: a long vector's takes a second.
type references struct {
	mu    sync.Mutex
	known map[int]sum
	sum   func(from, to int) sum // of a chunk of the terms
}

func newReferences(f func(from, to int) sum) *references {
	return &references{known: map[int]sum{}, sum: f}
}

// dotReferences returns the references of a dot product.
func dotReferences[T float](a, b []T) *references {
	return newReferences(func(from, to int) sum {
		value, magnitude := accuracy.Dot(a[from:to], b[from:to])
		return sum{value, magnitude}
	})
}

// of is the reference of the first n terms.
func (r *references) of(n int) sum {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.known[n]; ok {
		return s
	}
	parts := make([]sum, (n+chunk-1)/chunk)
	inChunks(n, func(from, to int) { parts[from/chunk] = r.sum(from, to) })
	var value accuracy.Sum
	var s sum
	for _, p := range parts {
		value.Add(p.value)
		s.magnitude += p.magnitude
	}
	s.value = value.Value()
	r.known[n] = s
	return s
}
