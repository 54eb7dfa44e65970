package native

import (
	"cmp"
	"math"
	"slices"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
)

// placing numbers the blocks of all functions of a kernel.
type placing struct {
	placed []*code.Block         // all blocks, by their places
	places map[*code.Block]int32 // their places
}

// number numbers the blocks: the blocks of one function in the order in which they run.
func (p *placing) number(plans []*plan) {
	p.places = map[*code.Block]int32{}
	for _, plan := range plans {
		list := slices.Clone(plan.fn.Blocks)
		slices.SortStableFunc(list, func(x, y *code.Block) int { return cmp.Compare(x.Order[0], y.Order[0]) })
		for _, blk := range list {
			p.places[blk] = int32(len(p.placed))
			p.placed = append(p.placed, blk)
		}
	}
}

// The code has a table of places, with an entry of 16 bytes for each block: where its code for all
// lanes and for some begins, and its order.
const (
	placeAll, placeSome, placeOrder = 0, 4, 8
	placeShift                      = 4
)

// placeOf is the place of a block in the order of blocks, as Context.Order has it.
func placeOf(to *code.Block) int32 { return int32(min(to.Order[0], math.MaxInt32)) }
