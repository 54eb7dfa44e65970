package ptx

import (
	"maps"
	"slices"
)

// Operations are the operations of the instruction table, sorted: "abs", "activemask", …
func Operations() []string { return slices.Sorted(maps.Keys(forms())) }

// Opcodes are the modifiers of every opcode that the instruction table has of an operation, in the
// table's order: two of one form that differ in operands alone are there once each.
func Opcodes(op string) []Modifiers {
	var list []Modifiers
	for _, f := range forms()[op] {
		some := []Modifiers{nil}
		for _, g := range f.groups {
			var longer []Modifiers
			for _, m := range some {
				if g.optional {
					longer = append(longer, m)
				}
				for _, v := range g.values {
					longer = append(longer, append(m[:len(m):len(m)], Modifier{g.name, v}))
				}
			}
			some = longer
		}
		list = append(list, some...)
	}
	return list
}
