package vet

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// flow is the control flow graph's facts about a function's branches: the blocks that each decides,
// and the blocks in which its ways meet again.
type flow struct {
	// controls are, for each block, the blocks that end in a branch which decides whether, or how
	// often, it runs: its control dependences (J. Ferrante, K. Ottenstein and J. Warren, "The
	// Program Dependence Graph and Its Use in Optimization", TOPLAS 9, 1987).
	controls [][]*ssa.BasicBlock
	// joins are, for each block, the branches whose ways meet there, so that a value merged there
	// may tell which way a thread came, or how many rounds it stayed in a loop.
	joins [][]join
}

// join is where ways out of a branch meet.
type join struct {
	block, branch *ssa.BasicBlock
	edges         []int // by which the ways come, by number among the block's predecessors
	rounds        bool  // the branch decides the number of rounds of a loop that has the block, or precedes it
}

// newFlow looks at a function. In a kernel, a branch that only makes threads return ("if i >= n {
// return }") decides nothing, because no barrier waits for threads that have returned.
func newFlow(fn *ssa.Function, isKernel bool) *flow {
	n := len(fn.Blocks)
	g := &graph{make([][]*ssa.BasicBlock, n)}
	for _, b := range fn.Blocks {
		for _, s := range b.Succs {
			if !isKernel || len(b.Succs) == 1 || !sendsHome(s) {
				g.succs[b.Index] = append(g.succs[b.Index], s)
			}
		}
	}
	after := g.postDominators(fn.Blocks)
	f := &flow{make([][]*ssa.BasicBlock, n), make([][]join, n)}
	for _, b := range fn.Blocks {
		// Ways that end in a panic or never end part no threads that go on.
		ways := slices.DeleteFunc(slices.Clone(g.succs[b.Index]),
			func(s *ssa.BasicBlock) bool { return after[s.Index] == nil })
		if len(ways) < 2 || after[b.Index] == nil {
			continue
		}
		for i := range fn.Blocks {
			decided := slices.ContainsFunc(ways, func(s *ssa.BasicBlock) bool { return after[s.Index][i] })
			if decided && (i == b.Index || !after[b.Index][i]) {
				f.controls[i] = append(f.controls[i], b)
			}
		}
		for _, j := range g.meet(b, ways, after[b.Index]) {
			f.joins[j.block.Index] = append(f.joins[j.block.Index], j)
		}
	}
	return f
}

// sendsHome reports whether a block does nothing but return, by a return in the source. The end of
// a function is no such block: threads that skip the body of "if i < n {…}" come there too.
func sendsHome(b *ssa.BasicBlock) bool {
	for _, in := range b.Instrs {
		switch in := in.(type) {
		case *ssa.DebugRef:
		case *ssa.Return:
			return in.Pos().IsValid()
		default:
			return false
		}
	}
	return false
}

// graph is a control flow graph without the branches that decide nothing.
type graph struct {
	succs [][]*ssa.BasicBlock
}

// postDominators says, for each block, which blocks lie on every way from it to a return, itself
// included. It is nil for a block from which no way leads to a return.
func (g *graph) postDominators(blocks []*ssa.BasicBlock) [][]bool {
	after := make([][]bool, len(blocks))
	for changed := true; changed; {
		changed = false
		for _, b := range slices.Backward(blocks) {
			set := g.commonAfter(b, after)
			if set != nil && !slices.Equal(set, after[b.Index]) {
				after[b.Index] = set
				changed = true
			}
		}
	}
	return after
}

// commonAfter is the blocks that all ways out of a block share, and the block.
func (g *graph) commonAfter(b *ssa.BasicBlock, after [][]bool) []bool {
	var set []bool
	if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
		set = make([]bool, len(after))
	}
	for _, s := range g.succs[b.Index] {
		switch {
		case after[s.Index] == nil: // no way to a return, or none found yet
		case set == nil:
			set = slices.Clone(after[s.Index])
		default:
			for i := range set {
				set[i] = set[i] && after[s.Index][i]
			}
		}
	}
	if set != nil {
		set[b.Index] = true
	}
	return set
}

// meet lists the blocks at which ways out of a branch come together, up to the first one that all
// ways go through. If the branch is in a loop that one of the ways leaves, they include every block
// of the loop at which ways come together.
func (g *graph) meet(branch *ssa.BasicBlock, ways []*ssa.BasicBlock, after []bool) []join {
	ends := func(b *ssa.BasicBlock) bool { return after[b.Index] && b != branch }
	count := map[*ssa.BasicBlock]int{} // of ways that come by
	rounds := false
	for _, way := range ways {
		region := map[*ssa.BasicBlock]bool{}
		g.walk(way, ends, region)
		for b := range region {
			count[b]++
		}
		rounds = rounds || region[branch]
	}
	var joins []join
	for b, n := range count {
		if len(b.Preds) < 2 || n < 2 && !rounds {
			continue
		}
		j := join{block: b, branch: branch, rounds: rounds}
		for i, p := range b.Preds {
			if p == branch || count[p] > 0 && !ends(p) {
				j.edges = append(j.edges, i)
			}
		}
		joins = append(joins, j)
	}
	return joins
}

// walk visits the blocks that can be reached from one, up to those that end the walk, which are
// visited too.
func (g *graph) walk(b *ssa.BasicBlock, ends func(*ssa.BasicBlock) bool, seen map[*ssa.BasicBlock]bool) {
	if seen[b] {
		return
	}
	seen[b] = true
	if ends(b) {
		return
	}
	for _, s := range g.succs[b.Index] {
		g.walk(s, ends, seen)
	}
}
