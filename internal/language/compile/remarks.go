package compile

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Remark says what the compiler did to a loop of a kernel, or what stood in its way.
type Remark struct {
	Note           // at the loop's statement, or at the call of a function of another package that has it
	PTXName string // of the instance
	Target  abi.Target
	First   bool // Target is the kernel's first
}

// addRemarks takes over the remarks of the passes, on one line in the order in which they were
// made. What is said of several copies of a loop is said once.
func (r *Result) addRemarks(src *Source, f lowered) {
	if f.Remarks == nil {
		return
	}
	var out []Remark
	add := func(pos ir.Pos, text string) {
		if pos.Line == 0 { // of a loop that the compiler made
			pos = f.Pos
		}
		note := Note{Pos: position(src, f.Func, pos), Kernel: f.GoName, Text: text}
		m := Remark{Note: note, PTXName: f.Name, Target: f.target, First: !f.again}
		out = append(out, m)
	}
	for _, m := range f.Remarks.List {
		pos := m.Loop.Pos
		if pos.Call != (ir.Call{}) {
			pos = callPos(pos)
		}
		add(pos, remarkText(src, f.Func, m))
	}
	if f.Remarks.Cut {
		add(f.Pos, "there are more remarks, which are left out")
	}
	slices.SortStableFunc(out, func(a, b Remark) int { return comparePositions(a.Pos, b.Pos) })
	seen := map[Note]bool{}
	for _, m := range out {
		if !seen[m.Note] {
			seen[m.Note] = true
			r.Remarks = append(r.Remarks, m)
		}
	}
}

func comparePositions(a, b token.Position) int {
	return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// callPos is where the kernel's package calls into the package of p.
func callPos(p ir.Pos) ir.Pos { return ir.Pos{File: p.Call.File, Line: p.Call.Line, Col: p.Call.Col} }

// remarkText is a remark in words:
//
//	loop: unrolled by 4, with a remainder
//	loop: the load of line 14 is not moved before the loop: a store may write there, line 15
//	loop of gpu/collective/reduce.go:33: unrolled whole: 5 iterations
func remarkText(src *Source, f *ir.Func, m ir.Remark) string {
	text := "loop"
	inner := m.Loop.Pos
	if inner.Call != (ir.Call{}) {
		text += " of " + fileLine(src, f, inner)
	}
	text += ": "
	if m.Noun != "" {
		text += fmt.Sprintf("the %s of %s is ", m.Noun, where(src, f, m.Of, inner))
	}
	if m.Missed {
		text += "not "
	}
	text += m.Deed
	if m.Missed {
		text += ": "
	}
	text += m.Detail
	if m.At.Line > 0 {
		text += ", " + where(src, f, m.At, inner)
	}
	return text
}

// where names a position in a remark about a loop: the line, where the loop is in the same file.
func where(src *Source, f *ir.Func, p, loop ir.Pos) string {
	switch {
	case p.Line == 0:
		return "no line"
	case p.Call != loop.Call && p.Call != (ir.Call{}):
		return fmt.Sprintf("%s (%s)", where(src, f, callPos(p), loop), fileLine(src, f, p))
	case p.File == loop.File:
		return fmt.Sprintf("line %d", p.Line)
	}
	return fileLine(src, f, p)
}

func fileLine(src *Source, f *ir.Func, p ir.Pos) string {
	pos := position(src, f, p)
	return fmt.Sprintf("%s:%d", pos.Filename, pos.Line)
}
