package tool

import (
	"slices"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Flow is the control flow of a PTX function. Instructions go by their numbers, as in event.Site.
type Flow struct {
	instrs  []*ptx.Instr
	does    []*ptx.Effects      // of each instruction
	locs    []*ptx.Loc          // the source position of each instruction, nil if unknown
	labels  map[string]int      // for each label, the number of the instruction that follows it
	targets map[string][]string // tables of labels
	forward [][]int             // where each instruction can go on, without going back to a loop's start
	meets   []int               // see meet.go; nil until asked for

	kernel  bool                   // a return ends the thread
	failing bool                   // exit is how a failed check of the kernel's own ends the thread
	mayEnd  func(name string) bool // whether a thread can end in a function
}

// Flow is the control flow of a function, worked out once.
func (b *Book) Flow(name string) *Flow {
	if f, ok := b.flows[name]; ok {
		return f
	}
	f := &Flow{
		labels: map[string]int{}, targets: map[string][]string{}, failing: b.Failing(), mayEnd: b.mayEnd,
	}
	for _, d := range b.Module.Decls {
		if fn, ok := d.(*ptx.Func); ok && fn.Name == name && fn.Body != nil {
			f.kernel = fn.Entry
			f.collect(fn.Body, nil)
		}
	}
	f.goForward()
	b.flows[name] = f
	return f
}

// collect takes the instructions of a block and returns the position that is in force at its end.
func (f *Flow) collect(b *ptx.Block, loc *ptx.Loc) *ptx.Loc {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *ptx.Loc:
			loc = s
		case *ptx.Label:
			if _, ok := f.labels[s.Name]; !ok {
				f.labels[s.Name] = len(f.instrs)
			}
		case *ptx.BranchTargets:
			f.targets[s.Name] = s.Labels
		case *ptx.Instr:
			f.instrs = append(f.instrs, s)
			f.does = append(f.does, s.Effects())
			f.locs = append(f.locs, loc)
		case *ptx.Block:
			loc = f.collect(s, loc)
		}
	}
	return loc
}

// Target is the number of the instruction that a branch goes to, if it is known.
func (f *Flow) Target(branch *ptx.Instr) (int, bool) {
	if n := len(branch.Args); n > 0 {
		if name, ok := branch.Args[n-1].(ptx.Name); ok {
			at, ok := f.labels[string(name)]
			return at, ok
		}
	}
	return 0, false
}

// next lists the instructions that can run directly after the i-th.
func (f *Flow) next(i int) []int {
	in := f.instrs[i]
	var list []int
	on := in.Guard != nil || !f.does[i].Leaves()
	switch f.does[i].Kind {
	case ptx.Jumps:
		if to, ok := f.Target(in); ok {
			list = append(list, to)
		}
	case ptx.Switches:
		if name, ok := in.Args[len(in.Args)-1].(ptx.Name); ok {
			for _, label := range f.targets[string(name)] {
				if to, ok := f.labels[label]; ok {
					list = append(list, to)
				}
			}
		}
	}
	if on {
		list = append(list, i+1)
	}
	return list
}

// AccessBetween reports whether an instruction on a way from one instruction to another, both
// excluded, loads or stores shared or global memory. The way does not go back to a loop's start.
func (f *Flow) AccessBetween(from, to int) bool {
	seen := make([]bool, len(f.instrs)+1)
	for todo := slices.Clone(f.forward[from]); len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i == to || i == len(f.instrs) || seen[i] {
			continue
		}
		seen[i] = true
		switch in := f.instrs[i]; in.Op {
		case "ld", "st", "atom", "red":
			if !slices.Contains(in.Mods, "param") && !slices.Contains(in.Mods, "local") {
				return true
			}
		}
		todo = append(todo, f.forward[i]...)
	}
	return false
}

// goForward finds the edges that do not go back: all edges except those with which a depth-first
// walk closes a circle. If each loop of the function has one entry, as in the output of compilers,
// the result does not depend on the order of the walk.
func (f *Flow) goForward() {
	f.forward = make([][]int, len(f.instrs)+1) // the function's end is a place to go to
	const (
		under = iota + 1
		done
	)
	state := make([]uint8, len(f.instrs)+1)
	type step struct {
		at   int
		rest []int
	}
	visit := func(i int) step {
		state[i] = under
		if i == len(f.instrs) {
			return step{at: i}
		}
		return step{i, f.next(i)}
	}
	for path := []step{visit(0)}; len(path) > 0; {
		top := &path[len(path)-1]
		if len(top.rest) == 0 {
			state[top.at] = done
			path = path[:len(path)-1]
			continue
		}
		to := top.rest[0]
		top.rest = top.rest[1:]
		if state[to] == under {
			continue
		}
		f.forward[top.at] = append(f.forward[top.at], to)
		if state[to] != done {
			path = append(path, visit(to))
		}
	}
}

// Leads says whether a thread can go from one instruction to another without going back to a loop's
// start.
func (f *Flow) Leads(from, to int) bool {
	seen := make([]bool, len(f.forward))
	for todo := []int{from}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if at == to {
			return true
		}
		if seen[at] {
			continue
		}
		seen[at] = true
		todo = append(todo, f.forward[at]...)
	}
	return false
}

// Scope knows the names of a function.
func (b *Book) Scope(name string) *ptx.Scope {
	if len(b.scopes) == 0 {
		module := ptx.NewScope(b.Entry.Module)
		for _, d := range b.Module.Decls {
			if fn, ok := d.(*ptx.Func); ok && fn.Body != nil {
				b.scopes[fn.Name] = module.Func(fn)
			}
		}
	}
	return b.scopes[name]
}
