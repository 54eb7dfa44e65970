package main

import (
	"fmt"
	"strings"
)

// The functions for NEON that read vectors take whole units, of 64 bytes, and the last, incomplete
// one in a copy that is filled up. x is read with R0, y with R1. R2 counts units, and R3 is the
// copy.

// operands are the names of the vectors that a function reads.
func operands(count int) string { return []string{"x", "x, y"}[count-1] }

// units are the parameters for whole units of count vectors, and a copy of the rest.
func (n *neon) units(count int) (params string) {
	return fmt.Sprintf("%s *%s, units int, tail *[2][%d]%s", operands(count), n.elem(), n.unit(), n.elem())
}

// wrapper writes the Go function that calls the one for units. Fill is how the copy of the last
// unit is filled, with zeros if it is empty, and more are further arguments.
func (n *neon) wrapper(name, params, result string, count int, fill string, more ...string) {
	pointers, copies := "unsafe.SliceData(x)", "copy(tail[0][:], x[whole:])"
	if count == 2 {
		pointers += ", unsafe.SliceData(y)"
		copies += "\ncopy(tail[1][:], y[whole:])"
	}
	returns, leave := "return ", ""
	if result == "" {
		returns, leave = "", "\nreturn"
	}
	call := func(tail string) string {
		args := append([]string{pointers, fmt.Sprintf("whole/%d", n.unit()), tail}, more...)
		return fmt.Sprintf("%s%sUnits(%s)", returns, name, strings.Join(args, ", "))
	}
	fmt.Fprintf(&n.code, `
func %[1]sNEON(%[2]s) %[3]s {
	whole := len(x) &^ %[4]d
	if whole == len(x) {
		%[5]s%[6]s
	}
	var tail [2][%[7]d]%[8]s
	%[9]s%[10]s
	%[11]s
}
`, name, params, result, n.unit()-1, call("nil"), leave, n.unit(), n.elem(), fill, copies, call("&tail"))
}

// begin loads the arguments that units lists, and returns how many bytes they are.
func (n *neon) begin(operands int) (bytes int) {
	n.line("MOVD x+0(FP), R0")
	if operands == 2 {
		n.line("MOVD y+8(FP), R1")
	}
	n.line("MOVD units+%d(FP), R2", 8*operands)
	n.line("MOVD tail+%d(FP), R3", 8*operands+8)
	return 8 * (operands + 2)
}

// walk emits the loop over blocks of units, the remaining units, and the last one, in the
// order of package portable: unit i of a vector goes to unit i modulo their number.
func (n *neon) walk(operands, units int, tail bool, one func(unit int)) {
	n.line("SUBS $%d, R2", units)
	n.line("BLT units")
	n.label("blocks")
	for u := range units {
		one(u)
	}
	n.line("SUBS $%d, R2", units)
	n.line("BGE blocks")
	n.label("units")
	n.line("ADD $%d, R2", units)
	for u := range units - 1 {
		n.line("CBZ R2, tail%d", u)
		one(u)
		n.line("SUB $1, R2")
	}
	for i := range units {
		u := (i + units - 1) % units // the last one follows
		n.label("tail%d", u)
		if !tail {
			continue
		}
		n.line("CBZ R3, done")
		n.line("MOVD R3, R0")
		if operands == 2 {
			n.line("ADD $64, R3, R1")
		}
		one(u)
		n.line("B done")
	}
	n.label("done")
}

// load reads a unit of each vector, from x and from y on.
func (n *neon) load(operands int, x, y vreg) {
	n.line("VLD1.P 64(R0), %s", n.list(x, 4))
	if operands == 2 {
		n.line("VLD1.P 64(R1), %s", n.list(y, 4))
	}
}

// reduction writes a reduction. Its accumulators are the first registers, sum by sum.
func (n *neon) reduction(r reduction) {
	name := lower(r.name)
	params, result := r.params(n.elem())
	fill, more, sums := "", []string{}, ""
	if r.shift {
		fill = "for i := range tail[0] {\ntail[0][i], tail[1][i] = x[0], y[0]\n}\n"
	}
	bytes := 8*(r.operands+2) + n.size()
	if r.sums > 1 {
		more, sums = []string{"sums"}, fmt.Sprintf(", sums *[%d]%s", r.sums, n.elem())
		bytes = 8 * (r.operands + 3)
	}
	n.wrapper(name, params, result, r.operands, fill, more...)
	n.declare(name+"Units", "is "+name+"NEON of whole units, and of one more in tail, if it is not nil.",
		n.units(r.operands)+sums, result, bytes)
	at := n.begin(r.operands)
	x := vreg(4 * r.units * r.sums)
	y, x0, y0 := x+4, x+8, x+9
	n.zero(int(x))
	if r.shift {
		n.line("VLD1R (R0), [%s]", n.vec(x0))
		n.line("VLD1R (R1), [%s]", n.vec(y0))
	}
	n.walk(r.operands, r.units, true, func(unit int) {
		n.load(r.operands, x, y)
		for part := range vreg(4) {
			if r.shift {
				n.sub(x+part, x0)
				n.sub(y+part, y0)
			}
			var acc []register
			for s := range r.sums {
				acc = append(acc, vreg(4*(r.units*s+unit))+part)
			}
			r.step(n, x+part, y+part, acc)
		}
	})
	n.totals(r, x, at)
	n.line("RET")
}

// totals writes the sums and maxima, to sums or as the result after the arguments. Temp is free.
func (n *neon) totals(r reduction, temp vreg, at int) {
	if r.sums > 1 {
		n.line("MOVD sums+%d(FP), R4", at)
	}
	for s := range r.sums {
		op := "FADD"
		if s < r.maxima {
			op = "FMAXNM"
		}
		v := vreg(4 * r.units * s)
		n.total(op, v, r.units, temp)
		if r.sums > 1 {
			n.line("FMOV%s F%d, %d(R4)", n.letter(), v, s*n.size())
		} else {
			n.line("FMOV%s F%d, ret+%d(FP)", n.letter(), v, at)
		}
	}
}

// total combines accumulators of units to one element: the units in pairs, and then the upper
// half of a unit with the lower half, until one is left, in the first register.
func (n *neon) total(op string, acc vreg, units int, temp vreg) {
	for step := 1; step < units; step *= 2 {
		for u := 0; u+step < units; u += 2 * step {
			for part := range vreg(4) {
				v := acc + vreg(4*u) + part
				n.encoded(op, v, v, v+vreg(4*step))
			}
		}
	}
	n.encoded(op, acc, acc, acc+2)
	n.encoded(op, acc+1, acc+1, acc+3)
	n.encoded(op, acc, acc, acc+1)
	for half := 8; half >= n.size(); half /= 2 {
		n.line("VEXT $%d, %s, %s, %s", half, acc.bits(), acc.bits(), temp.bits())
		n.encoded(op, acc, acc, temp)
	}
}

// extrema writes the searches in whole units. A NaN makes the result NaN.
func (n *neon) extrema() {
	for _, e := range []struct {
		name, doc, op string
		abs           bool
	}{
		{"min", "is the smallest of whole units of x, at least one, or NaN if there is one.", "FMIN", false},
		{"max", "is the largest of whole units of x, at least one, or NaN if there is one.", "FMAX", false},
		{"maxAbs", "is the largest of |x| of whole units of x, at least one, or NaN if there is one.", "FMAX", true},
	} {
		fmt.Fprintf(&n.code, `
func %[1]sNEON(x []%[2]s) (m %[2]s, nan uint32) {
	if m = %[1]sUnits(unsafe.SliceData(x), len(x)/%[3]d); m != m {
		nan = 1
	}
	return m, nan
}
`, e.name, n.elem(), n.unit())
		n.declare(e.name+"Units", e.doc, "x *"+n.elem()+", units int", n.elem(), 16+n.size())
		n.line("MOVD x+0(FP), R0")
		n.line("MOVD units+8(FP), R2")
		const acc, x = vreg(0), vreg(4)
		n.line("VLD1 (R0), %s", n.list(acc, 4)) // the first unit counts twice, which changes nothing
		n.label("loop")
		n.load(1, x, 0)
		for part := range vreg(4) {
			if e.abs {
				n.abs(x + part)
			}
			n.encoded(e.op, acc+part, acc+part, x+part)
		}
		n.line("SUBS $1, R2")
		n.line("BNE loop")
		n.total(e.op, acc, 1, x)
		n.line("FMOV%s F%d, ret+16(FP)", n.letter(), acc)
		n.line("RET")
	}
}
