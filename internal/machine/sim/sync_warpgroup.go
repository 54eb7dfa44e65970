package sim

import (
	"fmt"
	"slices"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// mostLeft is how many groups of products a wait leaves in flight at most.
const mostLeft = 7

// warpgroup is the warps of w's warpgroup.
func (w *warp) warpgroup() []*warp {
	first := w.index / event.Warpgroup * event.Warpgroup
	return w.cta.warps[first:min(first+event.Warpgroup, len(w.cta.warps))]
}

// reached reports whether all warps of w's warpgroup have come to the products that w waits for:
// all groups except the last leave ones. A warp that has ended never will, which is a fault by
// itself.
func (w *warp) reached(leave uint64) bool {
	commits := w.agent.group[event.MatrixEngine][0]
	if commits <= leave {
		return true
	}
	need := w.committed[(commits-1-leave)%(mostLeft+1)]
	return !slices.ContainsFunc(w.warpgroup(), func(o *warp) bool { return o.live != 0 && o.products < need })
}

// wakeForProducts lets the warps of w's warpgroup look again that wait for w to come to a product.
func (w *warp) wakeForProducts() {
	for _, o := range w.warpgroup() {
		for i := range o.groups {
			if o.groups[i].state == atProducts {
				o.groups[i].state = ready
			}
		}
	}
}

// productDetail says which warps a warp waits for that waits for products.
func (w *warp) productDetail() string {
	behind := w.index
	for _, o := range w.warpgroup() {
		if o.live != 0 && o.products < w.cta.warps[behind].products {
			behind = o.index
		}
	}
	return fmt.Sprintf("warp %d of its warpgroup has not come to the products that it waits for", behind)
}

// wholeGroup says whether the warpgroup of w comes to the instruction with all of its threads. It
// raises a fault where some are not in the block, or have ended before they came to as many
// products as w.
func (w *warp) wholeGroup(in *inst) bool {
	first := w.index / event.Warpgroup * event.Warpgroup
	w.products++
	w.wakeForProducts()
	for i := first; i < first+event.Warpgroup; i++ {
		what := "is not in the block"
		if i < len(w.cta.warps) {
			if o := w.cta.warps[i]; o.live == ^uint32(0) || o.products >= w.products {
				continue
			}
			what = "lacks threads, or some have ended"
		}
		w.wk.raise(w.fault(in, 0, event.PartOfWarp, fmt.Sprintf(
			"warp %d %s, and the four warps from %d on come to %s together", i, what, first, in.site.Instr.Op)))
		return false
	}
	return true
}

// missing raises a fault where a warp of w's warpgroup has come to more products than w, which
// ends, or to more of setmaxnreg.
func (w *warp) missing(in *inst) {
	first := w.index / event.Warpgroup * event.Warpgroup
	for i := first; i < min(first+event.Warpgroup, len(w.cta.warps)); i++ {
		var what string
		switch o := w.cta.warps[i]; {
		case o.products > w.products:
			what = "wgmma"
		case len(o.setmaxes) > len(w.setmaxes):
			what = "setmaxnreg"
		default:
			continue
		}
		w.wk.raise(w.fault(in, firstLane(w.Exec), event.PartOfWarp, fmt.Sprintf("warp %d ends, and warp %d of its warpgroup has "+
			"come to %s once more than it: all four warps come together", w.index, i, what)))
		return
	}
}
