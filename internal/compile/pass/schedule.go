package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/compile/ir"
)

// Schedule lets loads from global memory go before stores that they do not depend on: those to shared memory that follow a load and wait for it.
// The loads of a tile are then on their way together. (Loads grouped before the shared stores they feed were worth 1.6x to TornadoVM, as DESIGN says;
// ptxas keeps the order of memory instructions.)
//
// A store sinks below the global loads behind it in its block, up to a check, a barrier, an atomic, a convergent operation, or a load
// that may read what it writes. A store with no such load behind it stays where it is, so that its value is not kept for nothing.
func Schedule(f *ir.Func) {
	alias := newAliases(f)
	for _, b := range f.Blocks {
		for start := 0; start < len(b.Instrs); {
			end := start
			for end < len(b.Instrs) && movesFreely(b.Instrs[end]) {
				end++
			}
			sinkStores(b.Instrs[start:end], alias)
			start = end + 1
		}
	}
}

// movesFreely reports whether v is ordered only with accesses of the same memory.
func movesFreely(v *ir.Value) bool {
	return v.Op.Pure() && v.Op != ir.Phi || v.Op == ir.Load || v.Op == ir.Store || v.Op == ir.Alloca
}

// sinkStores reorders the instructions of a region in place.
func sinkStores(region []*ir.Value, alias *aliases) {
	lastLoad := -1
	for i, v := range region {
		if isGlobalLoad(v) {
			lastLoad = i
		}
	}
	if lastLoad < 0 {
		return
	}
	out := make([]*ir.Value, 0, len(region))
	var waiting []*ir.Value
	for i, v := range region {
		conflicts := func(w *ir.Value) bool {
			return alias.may(v.Args[0], size8(v), w.Args[0], size8(w))
		}
		switch {
		case v.Op == ir.Store && i < lastLoad:
			waiting = append(waiting, v)
			continue
		case (v.Op == ir.Load || v.Op == ir.Store) && slices.ContainsFunc(waiting, conflicts):
			out = append(out, waiting...)
			waiting = waiting[:0]
		}
		out = append(out, v)
		if i == lastLoad {
			out = append(out, waiting...)
			waiting = waiting[:0]
		}
	}
	copy(region, append(out, waiting...))
}

func isGlobalLoad(v *ir.Value) bool {
	return v.Op == ir.Load && (v.Space == ir.Global || v.Space == ir.Generic || v.Space == ir.Unknown)
}
