package ir

// lengauer computes immediate dominators by the simple form of Lengauer and Tarjan's algorithm, in
// O(m log n) steps for n blocks and m edges. All slices are indexed by a block's number in preorder
// of a depth-first search, in which the entry is 0.
type lengauer struct {
	blocks   []*Block
	parent   []int // in the tree of the search
	semi     []int // the semidominator
	ancestor []int // in the forest of linked blocks, -1 for a root
	label    []int // the block with the least semidominator on the compressed path
	idom     []int
	path     []int // eval's scratch
}

// immediateDominators fills idom, by block ID, for the blocks that entry reaches.
func immediateDominators(entry *Block, n int, succs, preds func(*Block) []*Block, idom []*Block) {
	l, number := search(entry, n, succs)
	buckets := make([][]int, len(l.blocks)) // by semidominator
	for w := len(l.blocks) - 1; w > 0; w-- {
		for _, p := range preds(l.blocks[w]) {
			if v := number[p.ID]; v >= 0 {
				l.semi[w] = min(l.semi[w], l.semi[l.eval(v)])
			}
		}
		buckets[l.semi[w]] = append(buckets[l.semi[w]], w)
		p := l.parent[w]
		l.ancestor[w] = p
		for _, v := range buckets[p] {
			l.idom[v] = p
			if u := l.eval(v); l.semi[u] < l.semi[v] {
				l.idom[v] = u
			}
		}
		buckets[p] = nil
	}
	for w := 1; w < len(l.blocks); w++ {
		if l.idom[w] != l.semi[w] {
			l.idom[w] = l.idom[l.idom[w]]
		}
		idom[l.blocks[w].ID] = l.blocks[l.idom[w]]
	}
}

// search numbers the blocks that entry reaches, without recursion. The numbers are by block ID, -1
// for a block that is not reached.
func search(entry *Block, n int, succs func(*Block) []*Block) (l *lengauer, number []int) {
	l, number = &lengauer{}, make([]int, n)
	for i := range number {
		number[i] = -1
	}
	type frame struct {
		v     int
		succs []*Block
	}
	var stack []frame
	visit := func(b *Block, parent int) {
		v := len(l.blocks)
		number[b.ID] = v
		l.blocks = append(l.blocks, b)
		l.parent, l.ancestor = append(l.parent, parent), append(l.ancestor, -1)
		l.semi, l.label, l.idom = append(l.semi, v), append(l.label, v), append(l.idom, 0)
		stack = append(stack, frame{v, succs(b)})
	}
	visit(entry, -1)
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.succs) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		s := top.succs[0]
		top.succs = top.succs[1:]
		if number[s.ID] < 0 {
			visit(s, top.v)
		}
	}
	return l, number
}

// eval is the block with the least semidominator on the path from v to the root of its tree in the
// forest, the root excluded. It compresses the path.
func (l *lengauer) eval(v int) int {
	if l.ancestor[v] < 0 {
		return v
	}
	l.path = l.path[:0]
	for u := v; l.ancestor[l.ancestor[u]] >= 0; u = l.ancestor[u] {
		l.path = append(l.path, u)
	}
	for i := len(l.path) - 1; i >= 0; i-- {
		u := l.path[i]
		a := l.ancestor[u]
		if l.semi[l.label[a]] < l.semi[l.label[u]] {
			l.label[u] = l.label[a]
		}
		l.ancestor[u] = l.ancestor[a]
	}
	return l.label[v]
}
