package ir

// InCycles says, by block ID, which blocks a path leads back to: the blocks of strongly connected
// components with an edge inside (Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972).
// It does not recurse.
func (f *Func) InCycles() []bool {
	type frame struct {
		b    *Block
		next int
	}
	in := make([]bool, f.nextBlock)
	number, low := make([]int, f.nextBlock), make([]int, f.nextBlock) // from 1 on, 0 before the visit
	open := make([]bool, f.nextBlock)                                 // on path
	var path []*Block
	n := 0
	for _, root := range f.Blocks {
		if number[root.ID] != 0 {
			continue
		}
		var stack []frame
		enter := func(b *Block) {
			n++
			number[b.ID], low[b.ID], open[b.ID] = n, n, true
			path = append(path, b)
			stack = append(stack, frame{b: b})
		}
		enter(root)
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			b := top.b
			if top.next < len(b.Succs) {
				s := b.Succs[top.next]
				top.next++
				switch {
				case s == b:
					in[b.ID] = true
				case number[s.ID] == 0:
					enter(s)
				case open[s.ID]:
					low[b.ID] = min(low[b.ID], number[s.ID])
				}
				continue
			}
			stack = stack[:len(stack)-1]
			if len(stack) > 0 {
				p := stack[len(stack)-1].b
				low[p.ID] = min(low[p.ID], low[b.ID])
			}
			if low[b.ID] == number[b.ID] {
				path = closeComponent(path, b, open, in)
			}
		}
	}
	return in
}

// closeComponent takes the component of b off the end of the path.
func closeComponent(path []*Block, b *Block, open, in []bool) []*Block {
	for alone := true; ; alone = false {
		last := path[len(path)-1]
		path = path[:len(path)-1]
		open[last.ID] = false
		if last != b || !alone {
			in[last.ID] = true
		}
		if last == b {
			return path
		}
	}
}
