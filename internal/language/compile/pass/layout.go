package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// Layout orders the blocks in reverse postorder, but keeps the blocks of a loop together and puts
// the code after a loop below it. So code in which divergent threads meet again is below all code
// on their ways to it. A machine that runs the threads at the lowest address first runs them
// together from there on: Volta's convergence optimiser does so in effect, and our simulator.
// Blocks that end in a failure come last.
func Layout(f *ir.Func) {
	dom := f.Dominators()
	loops := f.Loops(dom)
	placed := make([]bool, f.NumBlocks())
	var out []*ir.Block
	// place puts the given blocks in order. inside is the loop whose blocks they are, all of them.
	var place func(blocks []*ir.Block, inside *ir.Loop)
	place = func(blocks []*ir.Block, inside *ir.Loop) {
		for _, b := range blocks {
			if placed[b.ID] {
				continue
			}
			// The outermost loop that begins here, below the one being placed.
			l := loops.Of(b)
			for l != nil && l.Parent != inside {
				l = l.Parent
			}
			if l != nil && l != inside {
				place(l.Blocks, l)
				continue
			}
			placed[b.ID] = true
			out = append(out, b)
		}
	}
	place(dom.Order, nil)
	entry := f.Entry()
	fails := func(b *ir.Block) bool { return b.Term().Op == ir.Panic && b != entry }
	f.Blocks = f.Blocks[:0]
	for _, last := range []bool{false, true} {
		for _, b := range out {
			if fails(b) == last {
				f.Blocks = append(f.Blocks, b)
			}
		}
	}
}
