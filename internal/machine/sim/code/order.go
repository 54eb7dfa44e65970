package code

import "slices"

// OrderBlocks numbers the basic blocks so that lanes which part meet again as early as they can
// when the lowest number always runs first. Every block follows the blocks that lead to it (except
// backwards), a loop's blocks are consecutive, and blocks after a loop have higher numbers than the
// loop. That is a weak topological order (Bourdoncle: Efficient chaotic iteration strategies with
// widenings, 1993, figure 4). There are two such orders, which take the sides of a branch one way
// and the other.
func (f *Func) OrderBlocks() {
	if len(f.Blocks) == 0 {
		return
	}
	for way := range 2 {
		o := ordering{dfn: make([]int, len(f.Blocks)), backwards: way == 1}
		o.visit(f.Blocks[0])
		slices.Reverse(o.list)
		for i, b := range o.list {
			b.Order[way] = i
		}
	}
}

const done = int(^uint(0) >> 1)

type ordering struct {
	backwards bool // the successors of a block are visited from the last to the first
	num       int
	dfn       []int // depth-first number by block index; 0 not visited, done when numbered
	stack     []*Block
	list      []*Block // last first
}

func (o *ordering) visit(b *Block) int {
	o.stack = append(o.stack, b)
	o.num++
	o.dfn[b.Index] = o.num
	head, loop := o.num, false
	for _, s := range o.successors(b) {
		low := o.dfn[s.Index]
		if low == 0 {
			low = o.visit(s)
		}
		if low <= head {
			head, loop = low, true
		}
	}
	if head != o.dfn[b.Index] {
		return head
	}
	o.dfn[b.Index] = done
	top := o.pop()
	if loop {
		for ; top != b; top = o.pop() {
			o.dfn[top.Index] = 0
		}
		for _, s := range o.successors(b) { // the rest of the loop, without the edges to its head
			if o.dfn[s.Index] == 0 {
				o.visit(s)
			}
		}
	}
	o.list = append(o.list, b)
	return head
}

// successors are where a block leads, in the order in which they are visited.
func (o *ordering) successors(b *Block) []*Block {
	list := b.Successors()
	if o.backwards {
		list = slices.Clone(list)
		slices.Reverse(list)
	}
	return list
}

func (o *ordering) pop() *Block {
	last := len(o.stack) - 1
	b := o.stack[last]
	o.stack = o.stack[:last]
	return b
}
