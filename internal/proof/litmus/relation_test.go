package litmus

import "math/bits"

// maxEvents bounds an execution: the initial writes and what the threads do.
const maxEvents = 32

// relation is a relation between events: bit b of row a says that it relates a to b.
type relation [maxEvents]uint32

func (r *relation) set(a, b int)      { r[a] |= 1 << b }
func (r *relation) has(a, b int) bool { return r[a]>>b&1 != 0 }

// close makes the relation transitive.
func (r *relation) close(n int) {
	for k := range n {
		for i := range n {
			if r.has(i, k) {
				r[i] |= r[k]
			}
		}
	}
}

// cyclic reports that some event reaches itself.
func (r relation) cyclic(n int) bool {
	r.close(n)
	for i := range n {
		if r.has(i, i) {
			return true
		}
	}
	return false
}

// or is the union.
func (r relation) or(s *relation) relation {
	for i := range r {
		r[i] |= s[i]
	}
	return r
}

// compose relates a to c where r relates a to some b and s relates b to c.
func (r *relation) compose(s *relation, n int) (c relation) {
	for i := range n {
		for m := r[i]; m != 0; m &= m - 1 {
			c[i] |= s[bits.TrailingZeros32(m)]
		}
	}
	return c
}
