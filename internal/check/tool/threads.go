package tool

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/report"
	"github.com/gridstride/gridstride/internal/sim"
)

// Threads is threads of a block: lanes of each warp.
type Threads []uint32

// ranges lists the threads' linear indices, both ends included.
func (t Threads) ranges() (list [][2]int, n int) {
	for i, m := range t {
		n += bits.OnesCount32(m)
		for ; m != 0; m &= m - 1 {
			x := i*sim.WarpSize + LaneOf(m)
			if k := len(list) - 1; k >= 0 && list[k][1] == x-1 {
				list[k][1] = x
			} else {
				list = append(list, [2]int{x, x})
			}
		}
	}
	return list, n
}

// IsBox says whether the set is all threads below a bound in each dimension.
func (t Threads) IsBox(dim [3]int) bool {
	var most [3]int
	n := 0
	for i, lanes := range t {
		for m := lanes; m != 0; m &= m - 1 {
			x := i*sim.WarpSize + LaneOf(m)
			at := [3]int{x % dim[0], x / dim[0] % dim[1], x / (dim[0] * dim[1])}
			for k := range most {
				most[k] = max(most[k], at[k]+1)
			}
			n++
		}
	}
	return n == most[0]*most[1]*most[2]
}

// Crowd is a witness of many threads of a block.
func (b *Book) Crowd(role string, at *sim.Site, st *Block, set Threads) report.Witness {
	p := b.Witness(role, at)
	p.Ranges, p.Threads = set.ranges()
	p.Block = new(st.Index)
	return p
}
