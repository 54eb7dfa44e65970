package pass

import (
	"fmt"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Local tells which arrays stay in local memory, which is as slow as global memory, and why. It
// comes when all that can become values has, and before addresses are computed in another way than
// they were written.
func Local(f *ir.Func) {
	s := newSlots(f)
	s.collect()
	s.settle()
	for _, a := range s.allocas {
		name := a.v.Name
		if name == "" {
			name = "a value"
		}
		n := ir.Note{Pos: a.v.Pos, Text: fmt.Sprintf("%s (%d bytes) stays in local memory", name, a.v.Size), Of: a.v}
		if a.why != "" {
			n.Text += ": " + a.why
		}
		if a.by != nil {
			n.At = a.by.Pos
		}
		f.Notes = append(f.Notes, n)
	}
}

// Notes tells what a person who asks for details wants to know of the finished kernel: arrays that
// stay in local memory, and checks that every iteration of a loop pays for.
func Notes(f *ir.Func) {
	f.Notes = slices.DeleteFunc(f.Notes, func(n ir.Note) bool { return n.Of != nil && !slices.Contains(f.Entry().Instrs, n.Of) })
	loops := f.Loops(f.Dominators())
	seen := map[ir.Note]bool{}
	for _, b := range f.Blocks {
		for _, v := range b.Instrs {
			if v.Op != ir.Check || loops.Of(b) == nil || v.Sub == ir.CheckAssert || v.Name == splitOff {
				continue
			}
			n := ir.Note{Pos: v.Pos, Text: checkNames[v.Sub] + " stays in a loop"}
			if !seen[n] {
				seen[n] = true
				f.Notes = append(f.Notes, n)
			}
		}
	}
	finishRemarks(f)
}

// checkNames are the checks as notes call them.
var checkNames = map[ir.Sub]string{
	ir.CheckIndex: "an index check", ir.CheckSliceHigh: "a slice check", ir.CheckSliceLen: "a slice check",
	ir.CheckSliceLow: "a slice check",
	ir.CheckSliceMax: "a slice check", ir.CheckSliceHigh3: "a slice check",
	ir.CheckSliceToArr: "a check of a slice's length",
	ir.CheckDivide:     "a check for division by zero", ir.CheckShift: "a check for a negative shift",
	ir.CheckOverflow: "a check of a quotient",
	ir.CheckNil:      "a nil check",
	ir.CheckMakeLen:  "a check of a length",
}
