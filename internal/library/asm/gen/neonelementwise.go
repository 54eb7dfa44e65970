package main

import (
	"fmt"
	"strings"
)

// change is a function that changes vectors, element by element.
type change struct {
	name, doc string
	params    string // of the function on slices, without their types
	operands  int
	scalars   []string
	writes    string // which of the vectors x and y
	// step changes registers of x and y. The scalars are adjacent from c on, and two registers from t
	// on are free.
	step func(n *neon, x, y, c, t vreg)
}

var changes = []change{
	{name: "axpy", doc: "computes y += alpha*x", params: "alpha E, x, y []E", operands: 2,
		scalars: []string{"alpha"}, writes: "y",
		step: func(n *neon, x, y, c, _ vreg) { n.fmla(y, x, c) }},
	{name: "scal", doc: "computes x *= alpha", params: "alpha E, x []E", operands: 1,
		scalars: []string{"alpha"}, writes: "x",
		step: func(n *neon, x, _, c, _ vreg) { n.encoded("FMUL", x, x, c) }},
	{name: "rot", doc: "computes x, y = c*x + s*y, c*y - s*x", params: "x, y []E, c, s E", operands: 2,
		scalars: []string{"c", "s"}, writes: "xy",
		step: func(n *neon, x, y, c, t vreg) {
			s, u := c+1, t+1
			n.encoded("FMUL", t, y, s)
			n.encoded("FMUL", u, x, s)
			n.encoded("FNEG", u, u)
			n.fmla(t, x, c)
			n.fmla(u, y, c)
			n.move(t, x)
			n.move(u, y)
		}},
}

// elementwise writes the changes, of whole units. The rest of a vector is package portable's.
func (n *neon) elementwise() {
	for _, c := range changes {
		n.change(c)
	}
}

func (n *neon) change(f change) {
	scalars := strings.Join(f.scalars, ", ")
	pointers, rest := "unsafe.SliceData(x)", "x[whole:]"
	if f.operands == 2 {
		pointers, rest = pointers+", unsafe.SliceData(y)", rest+", y[whole:]"
	}
	arguments := scalars + ", " + rest
	if strings.HasPrefix(f.params, "x") {
		arguments = rest + ", " + scalars
	}
	fmt.Fprintf(&n.code, `
func %[1]sNEON(%[2]s) {
	whole := len(x) &^ %[3]d
	%[1]sUnits(%[4]s, whole/%[5]d, %[6]s)
	portable.%[7]s(%[8]s)
}
`, f.name, strings.ReplaceAll(f.params, "E", n.elem()), n.unit()-1, pointers, n.unit(), scalars,
		strings.ToUpper(f.name[:1])+f.name[1:], arguments)

	at := 8 * (f.operands + 1)
	n.declare(f.name+"Units", f.doc+" for whole units.",
		fmt.Sprintf("%s *%s, units int, %s %[2]s", operands(f.operands), n.elem(), scalars), "", at+n.size()*len(f.scalars))
	const x, y, c, t = vreg(0), vreg(4), vreg(8), vreg(10)
	n.line("MOVD x+0(FP), R0")
	if f.operands == 2 {
		n.line("MOVD y+8(FP), R1")
	}
	n.line("MOVD units+%d(FP), R2", at-8)
	for i, s := range f.scalars {
		n.scalar(fmt.Sprintf("%s+%d", s, at+i*n.size()), c+vreg(i))
	}
	n.line("CBZ R2, done")
	n.label("loop")
	n.line("VLD1 (R0), %s", n.list(x, 4))
	if f.operands == 2 {
		n.line("VLD1 (R1), %s", n.list(y, 4))
	}
	for part := range vreg(4) {
		f.step(n, x+part, y+part, c, t+2*part)
	}
	n.advance("R0", x, strings.Contains(f.writes, "x"))
	if f.operands == 2 {
		n.advance("R1", y, strings.Contains(f.writes, "y"))
	}
	n.line("SUBS $1, R2")
	n.line("BNE loop")
	n.label("done")
	n.line("RET")
}

// advance goes to the next unit of a vector, and writes this one if it has changed.
func (n *neon) advance(pointer string, v vreg, changed bool) {
	if changed {
		n.line("VST1.P %s, 64(%s)", n.list(v, 4), pointer)
	} else {
		n.line("ADD $64, %s", pointer)
	}
}
