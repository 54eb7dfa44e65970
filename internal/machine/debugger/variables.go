package debugger

import (
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Variables are, for each function, the Go variables by the register that holds them. A variable may have
// several registers, each for a part of the code.
type Variables map[string]map[string]string

// registersOf are the registers of a variable.
func (v Variables) registersOf(fn, variable string) (list []string) {
	for reg, name := range v[fn] {
		if name == variable {
			list = append(list, reg)
		}
	}
	return list
}

// names are the variables of a function, sorted.
func (v Variables) names(fn string) (list []string) {
	for _, name := range v[fn] {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// register is the register that holds a variable before an instruction: the one that was written last
// on every way to there. It is "" if there are several, or none on some way: then nothing after the
// instruction needs the variable, and nothing keeps it.
func (s *Session) register(at *event.Site, variable string) string {
	holders := s.set.Variables.registersOf(at.Func, variable)
	list := s.code.funcs[at.Func]
	if at.Index >= len(list) || len(holders) == 0 {
		return ""
	}
	before := make([][]int, len(list))
	for i := range list {
		for _, n := range list[i].next {
			before[n] = append(before[n], i)
		}
	}
	found, seen, todo := "", make([]bool, len(list)), []int{at.Index}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i == 0 && (at.Index > 0 || len(before[0]) == 0) {
			return "" // a way on which nothing writes it
		}
		for _, p := range before[i] {
			reg := writes(list[p].Instr, holders)
			switch {
			case reg != "" && found != "" && reg != found:
				return ""
			case reg != "":
				found = reg
			}
			if (reg == "" || list[p].Guard != nil) && !seen[p] {
				seen[p] = true
				todo = append(todo, p)
			}
		}
	}
	return found
}

// writes is which of some registers an instruction writes, "" for none.
func writes(in *ptx.Instr, registers []string) string {
	switch in.Effects().Kind {
	case ptx.Stores, ptx.Jumps, ptx.Switches, ptx.Fences, ptx.Copies, ptx.Commits, ptx.Signals:
		return ""
	}
	if len(in.Args) == 0 {
		return ""
	}
	for _, name := range destinations(in.Args[0]) {
		if slices.Contains(registers, name) {
			return name
		}
	}
	return ""
}

func destinations(o ptx.Operand) (names []string) {
	switch o := o.(type) {
	case ptx.Name:
		names = append(names, string(o))
	case ptx.Vec:
		for _, x := range o {
			names = append(names, destinations(x)...)
		}
	case ptx.Pair:
		names = append(destinations(o.First), destinations(o.Second)...)
	}
	return slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, "%") })
}
