package tool

import (
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Threads that part at a branch meet again at its immediate post-dominator: the first instruction
// that they all reach, whichever way each went. The nodes of the graph are the instructions, the
// function's return (number n, for n instructions) and the thread's end (n+1). An edge leads from
// the return to the end. Ways that never reach the end, such as those to a trap, count for nothing.
// The algorithm is from Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on
// the reversed graph.

// Meet returns the number of the instruction at which the ways of a branch meet again. If they meet
// at the function's return, it is the number of instructions. If they meet only when the threads
// end, Meet returns false.
func (f *Flow) Meet(branch int) (at int, ok bool) {
	if f.meets == nil {
		f.meets = f.postDominators()
	}
	at = f.meets[branch]
	return at, at >= 0 && !f.ends(at)
}

// ends says whether a thread at an instruction does nothing any more but end.
func (f *Flow) ends(at int) bool {
	for range len(f.instrs) + 1 { // jumps in a circle never end
		if at >= len(f.instrs) {
			return f.kernel || at > len(f.instrs)
		}
		in, kind := f.instrs[at], f.does[at].Kind
		switch {
		case in.Guard != nil:
			return false
		case kind == ptx.Exits, kind == ptx.Returns && f.kernel:
			return true
		case kind != ptx.Jumps:
			return false
		}
		to, ok := f.Target(in)
		if !ok {
			return false
		}
		at = to
	}
	return false
}

// Around reports whether an instruction is between a branch and the place where the branch's ways
// meet again, so that threads can go past it. An instruction with a guard is a branch around
// itself.
func (f *Flow) Around(branch, at int) bool {
	if branch == at {
		return f.instrs[at].Guard != nil
	}
	meet, ok := f.Meet(branch)
	seen := make([]bool, len(f.instrs)+1)
	for todo := slices.Clone(f.next(branch)); len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i == len(f.instrs) || seen[i] || ok && i == meet {
			continue
		}
		if i == at {
			return true
		}
		seen[i] = true
		todo = append(todo, f.next(i)...)
	}
	return false
}

// after is next, with the function's return and the thread's end among the places to go to.
func (f *Flow) after(i int) []int {
	n := len(f.instrs)
	switch {
	case i == n:
		return []int{n + 1}
	case i > n:
		return nil
	}
	list := f.next(i)
	switch f.does[i].Kind {
	case ptx.Returns:
		list = append(list, n)
	case ptx.Exits:
		if !f.failing {
			list = append(list, n+1)
		}
	case ptx.Calls:
		if f.mayEnd(f.callee(i)) {
			list = append(list, n+1)
		}
	}
	return list
}

// postDominators returns the immediate post-dominators of the instructions, -1 for none.
func (f *Flow) postDominators() []int {
	n := len(f.instrs) + 2
	before := make([][]int, n)
	for i := range n {
		for _, to := range f.after(i) {
			before[to] = append(before[to], i)
		}
	}
	order, rank := postorder(n-1, before)
	up := slices.Repeat([]int{-1}, n)
	up[n-1] = n - 1
	for changed := true; changed; {
		changed = false
		for _, i := range slices.Backward(order[:len(order)-1]) {
			meet := -1
			for _, to := range f.after(i) {
				switch {
				case up[to] < 0:
				case meet < 0:
					meet = to
				default:
					meet = common(meet, to, up, rank)
				}
			}
			if up[i] != meet {
				up[i], changed = meet, true
			}
		}
	}
	return up
}

// common is where two paths up a tree meet.
func common(x, y int, up, rank []int) int {
	for x != y {
		for rank[x] < rank[y] {
			x = up[x]
		}
		for rank[y] < rank[x] {
			y = up[y]
		}
	}
	return x
}

// postorder lists the nodes that can be reached from root, each after the nodes that it leads to
// first. rank has each node's index in the list.
func postorder(root int, next [][]int) (order, rank []int) {
	rank = slices.Repeat([]int{-1}, len(next))
	seen := make([]bool, len(next))
	seen[root] = true
	type step struct{ at, done int }
	for path := []step{{root, 0}}; len(path) > 0; {
		top := &path[len(path)-1]
		if top.done == len(next[top.at]) {
			rank[top.at] = len(order)
			order = append(order, top.at)
			path = path[:len(path)-1]
			continue
		}
		to := next[top.at][top.done]
		top.done++
		if !seen[to] {
			seen[to] = true
			path = append(path, step{to, 0})
		}
	}
	return order, rank
}

// Failing reports whether the kernel records failed checks and then ends the thread with exit. No
// barrier misses such threads.
func (l *Launch) Failing() bool {
	return slices.ContainsFunc(l.Entry.Params, func(p event.Param) bool { return p.Name == abi.FaultParam })
}

// mayEnd says whether a thread can end in a function, or in one that it calls.
func (b *Book) mayEnd(name string) bool {
	if answer, known := b.ending[name]; known {
		return answer
	}
	b.ending[name] = false // of a function that calls itself, its other instructions decide
	f := b.Flow(name)
	for i, does := range f.does {
		if does.Kind == ptx.Exits && !f.failing || does.Kind == ptx.Calls && b.mayEnd(f.callee(i)) {
			b.ending[name] = true
			break
		}
	}
	return b.ending[name]
}

// Runs says whether the kernel, or what it may call, has an instruction with an effect.
func (b *Book) Runs(has func(does *ptx.Effects) bool) bool {
	found, calls := false, false
	var scan func(*ptx.Block)
	scan = func(block *ptx.Block) {
		for _, s := range block.Stmts {
			switch s := s.(type) {
			case *ptx.Instr:
				does := s.Effects()
				found = found || has(does)
				calls = calls || does.Kind == ptx.Calls
			case *ptx.Block:
				scan(s)
			}
		}
	}
	for _, kernels := range []bool{true, false} {
		for _, d := range b.Module.Decls {
			fn, ok := d.(*ptx.Func)
			if ok && fn.Body != nil && fn.Entry == kernels && (!kernels || fn.Name == b.Entry.Name) {
				scan(fn.Body)
			}
		}
		if found || !calls {
			break
		}
	}
	return found
}

// Encloses says whether threads can go past an instruction at a branch, in its function or, where
// the branch is in another, past the calls that lead to it.
func (b *Book) Encloses(branch, at *event.Site) bool {
	f := b.Flow(branch.Func)
	if branch.Func == at.Func {
		return f.Around(branch.Index, at.Index)
	}
	for i := range f.instrs {
		if callee := f.callee(i); callee != "" && b.leadsTo(callee, at.Func, map[string]bool{}) &&
			f.Around(branch.Index, i) {
			return true
		}
	}
	return false
}

// leadsTo says whether a function is another, or calls it directly or through others.
func (b *Book) leadsTo(from, to string, seen map[string]bool) bool {
	if from == to || seen[from] {
		return from == to
	}
	seen[from] = true
	f := b.Flow(from)
	for i := range f.instrs {
		if callee := f.callee(i); callee != "" && b.leadsTo(callee, to, seen) {
			return true
		}
	}
	return false
}

// callee is the function that an instruction calls by its name, "" for none.
func (f *Flow) callee(i int) string {
	if f.does[i].Kind != ptx.Calls {
		return ""
	}
	if c, err := f.instrs[i].Call(); err == nil {
		if name, ok := c.Target.(ptx.Name); ok {
			return string(name)
		}
	}
	return ""
}

// LineAt is the position of an instruction of a function, such as "dot.go:24", or "" for its
// return.
func (b *Book) LineAt(function string, i int) string {
	if i >= len(b.Flow(function).instrs) {
		return ""
	}
	return LineOf(b.SiteOf(function, i))
}
