package ir

import "slices"

// Dom is the dominator tree of a function's reachable blocks.
//
// The algorithm is Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph"
// (1979), in lengauer.go.
type Dom struct {
	// Order is the reachable blocks in reverse postorder.
	Order []*Block

	idom     []*Block // by block ID; nil for the entry and for unreachable blocks
	children [][]*Block
	rpo      []int // by block ID, position in Order; -1 for unreachable blocks
	pre      []int // by block ID, preorder number in the tree
	last     []int // by block ID, the largest preorder number below it
}

// Dominators computes the dominator tree.
func (f *Func) Dominators() *Dom {
	return dominators(f.Entry(), f.nextBlock, func(b *Block) []*Block { return b.Succs },
		func(b *Block) []*Block { return b.Preds })
}

func dominators(entry *Block, n int, succs, preds func(*Block) []*Block) *Dom {
	d := &Dom{idom: make([]*Block, n), children: make([][]*Block, n), rpo: make([]int, n), pre: make([]int, n),
		last: make([]int, n)}
	for i := range d.rpo {
		d.rpo[i] = -1
	}
	d.Order = reversePostorder(entry, n, succs)
	for i, b := range d.Order {
		d.rpo[b.ID] = i
	}
	immediateDominators(entry, n, succs, preds, d.idom)
	for _, b := range d.Order[1:] {
		i := d.idom[b.ID].ID
		d.children[i] = append(d.children[i], b)
	}
	d.number(entry)
	return d
}

// number gives preorder numbers, without recursion: a tree can be as deep as the function has
// blocks.
func (d *Dom) number(entry *Block) {
	type frame struct {
		b    *Block
		next int
	}
	n := 0
	stack := []frame{{b: entry}}
	d.pre[entry.ID] = n
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if kids := d.children[top.b.ID]; top.next < len(kids) {
			kid := kids[top.next]
			top.next++
			n++
			d.pre[kid.ID] = n
			stack = append(stack, frame{b: kid})
			continue
		}
		d.last[top.b.ID] = n
		stack = stack[:len(stack)-1]
	}
}

// reversePostorder lists the blocks that entry reaches, each before its successors except along
// back edges.
func reversePostorder(entry *Block, n int, succs func(*Block) []*Block) []*Block {
	type frame struct {
		b    *Block
		next int
	}
	seen := make([]bool, n)
	seen[entry.ID] = true
	var order []*Block
	stack := []frame{{b: entry}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if ss := succs(top.b); top.next < len(ss) {
			// The last successor first, so that the first one ends up first in the order.
			s := ss[len(ss)-1-top.next]
			top.next++
			if !seen[s.ID] {
				seen[s.ID] = true
				stack = append(stack, frame{b: s})
			}
			continue
		}
		order = append(order, top.b)
		stack = stack[:len(stack)-1]
	}
	slices.Reverse(order)
	return order
}

// Reachable reports whether b can be reached from the entry.
func (d *Dom) Reachable(b *Block) bool { return d.rpo[b.ID] >= 0 }

// Idom is the immediate dominator of b, nil for the entry.
func (d *Dom) Idom(b *Block) *Block { return d.idom[b.ID] }

// Children are the blocks that b immediately dominates.
func (d *Dom) Children(b *Block) []*Block { return d.children[b.ID] }

// Dominates reports whether every path from the entry to b passes a. A block dominates itself.
func (d *Dom) Dominates(a, b *Block) bool {
	return d.Reachable(a) && d.Reachable(b) && d.pre[a.ID] <= d.pre[b.ID] && d.pre[b.ID] <= d.last[a.ID]
}

// PostDom is the tree of post-dominators. Its root is an exit that every Return leads to. Checks
// and Panics are no exits here, because the threads that go on are those that reconverge.
type PostDom struct {
	d    *Dom
	exit *Block
}

// PostDominators computes the post-dominator tree. A block that reaches no exit (an endless loop)
// has no post-dominator.
func (f *Func) PostDominators() *PostDom {
	exit := &Block{ID: f.nextBlock}
	for _, b := range f.Blocks {
		if t := b.Term(); t != nil && t.Op == Return {
			exit.Preds = append(exit.Preds, b)
		}
	}
	isExit := []*Block{exit}
	succs := func(b *Block) []*Block {
		if t := b.Term(); t != nil && t.Op == Return {
			return isExit
		}
		return b.Succs
	}
	return &PostDom{dominators(exit, f.nextBlock+1, func(b *Block) []*Block { return b.Preds }, succs), exit}
}

// Ipdom is the immediate post-dominator of b: nil where that is the end of the thread, or where b
// reaches no exit.
func (d *PostDom) Ipdom(b *Block) *Block {
	if i := d.d.idom[b.ID]; i != d.exit {
		return i
	}
	return nil
}
