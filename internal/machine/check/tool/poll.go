package tool

import (
	"slices"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Polls reports whether a thread waits by a load: the load is in a loop, and a branch of the loop
// depends on the value that it read.
func (b *Book) Polls(site int32) bool {
	answer, known := b.polling[site]
	if !known {
		s := b.siteAt[site]
		answer = b.Flow(s.Func).polls(s.Index)
		b.polling[site] = answer
	}
	return answer
}

func (f *Flow) polls(load int) bool {
	loop := f.loop(load)
	depends := map[ptx.Name]bool{}
	for grown := true; grown; {
		grown = false
		for _, i := range loop {
			in := f.instrs[i]
			if f.does[i].Kind == ptx.Jumps {
				if in.Guard != nil && depends[ptx.Name(in.Guard.Reg)] {
					return true
				}
				continue
			}
			if len(in.Args) == 0 || i != load &&
				!slices.ContainsFunc(names(in.Args[1:]...), func(n ptx.Name) bool { return depends[n] }) {
				continue
			}
			for _, n := range names(in.Args[0]) {
				if !depends[n] {
					depends[n], grown = true, true
				}
			}
		}
	}
	return false
}

// loop are the instructions that can run between an instruction and its next run, itself among
// them.
func (f *Flow) loop(at int) []int {
	ahead := f.reach(at, f.next)
	before := make([][]int, len(f.instrs)+1)
	for i := range f.instrs {
		for _, to := range f.next(i) {
			before[to] = append(before[to], i)
		}
	}
	behind := f.reach(at, func(i int) []int { return before[i] })
	var list []int
	for i := range f.instrs {
		if ahead[i] && behind[i] {
			list = append(list, i)
		}
	}
	return list
}

// reach marks what can be reached from an instruction in one step or more.
func (f *Flow) reach(from int, next func(int) []int) []bool {
	seen := make([]bool, len(f.instrs)+1)
	for todo := next(from); len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[i] || i == len(f.instrs) {
			continue
		}
		seen[i] = true
		todo = append(todo, next(i)...)
	}
	return seen
}

// names are the names in operands.
func names(operands ...ptx.Operand) (list []ptx.Name) {
	for _, o := range operands {
		switch o := o.(type) {
		case ptx.Name:
			list = append(list, o)
		case ptx.Addr:
			list = append(list, names(o.Base)...)
		case ptx.Texel:
			list = append(list, names(o...)...)
		case ptx.Vec:
			list = append(list, names(o...)...)
		case ptx.Pair:
			list = append(list, names(o.First, o.Second)...)
		case ptx.Not:
			list = append(list, ptx.Name(o.Reg))
		}
	}
	return list
}
