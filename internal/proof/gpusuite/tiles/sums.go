package tiles

import "github.com/gridstride/gridstride/internal/machine/sim/tensor"

// Sums is how elements of a product are computed: in Unit, or in Integers.
type Sums struct {
	M, N, K                    int
	BitsA, BitsB, BitsC, BitsD int
	LeadA, LeadB, LeadC, LeadD int // elements from one line to the next
	// LeadE is the lead of E, which is D by columns, or 0 if E is by rows.
	LeadE    int
	Floats   bool
	Unit     tensor.Unit
	Integers tensor.Integers
}

// element is element i of a list in memory, bits wide.
func element(list []uint32, i, bits int) uint32 {
	per := 32 / bits
	return list[i/per] >> (i % per * bits) & (1<<(bits-1)<<1 - 1)
}

// want is element i of the tiles' elements of D, by rows.
func (s *Sums) want(a, b, c []uint32, i int) uint32 {
	tile, row, col := s.place(i)
	var x, y [tensor.MostTerms]uint32
	for k := range s.K {
		x[k] = element(a, (tile*s.M+row)*s.LeadA+k, s.BitsA)
		y[k] = element(b, (tile*s.N+col)*s.LeadB+k, s.BitsB)
	}
	start := element(c, (tile*s.M+row)*s.LeadC+col, s.BitsC)
	if s.Floats {
		return s.Unit.Dot(x[:s.K], y[:s.K], start)
	}
	return s.Integers.Dot(x[:s.K], y[:s.K], start)
}

// place is the tile, the row and the column of an element.
func (s *Sums) place(i int) (tile, row, col int) {
	return i / (s.M * s.N), i % (s.M * s.N) / s.N, i % s.N
}

// inD is the element in D, and inE where D lies once more.
func (s *Sums) inD(d []uint32, i int) uint32 {
	tile, row, col := s.place(i)
	return element(d, (tile*s.M+row)*s.LeadD+col, s.BitsD)
}

func (s *Sums) inE(e []uint32, i int) uint32 {
	if s.LeadE == 0 {
		return s.inD(e, i)
	}
	tile, row, col := s.place(i)
	return element(e, (tile*s.N+col)*s.LeadE+row, s.BitsD)
}
