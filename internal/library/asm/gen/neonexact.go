package main

import "fmt"

// dotExact writes the compensated dot product, as dot2 does for amd64.
func (n *neon) dotExact() {
	if n.double {
		n.dotExactDouble()
	} else {
		n.dotExactSingle()
	}
}

func (n *neon) dotExactDouble() {
	n.wrapper("dotExact", "x, y []float64, sums *[32]float64", "", 2, "", "sums")
	n.declare("dotExactUnits", "writes 16 sums of x*y and the errors of each.",
		n.units(2)+", sums *[32]float64", "", 40)
	n.begin(2)
	const x, y, h, s = vreg(16), vreg(20), vreg(24), vreg(25) // the sums are first, then their errors
	n.zero(16)
	n.walk(2, 2, true, func(unit int) {
		n.load(2, x, y)
		for part := range vreg(4) {
			x, y, sum := x+part, y+part, vreg(4*unit)+part
			carry := sum + 8
			n.encoded("FMUL", h, x, y)
			n.encoded("FNEG", s, h)
			n.fmla(s, x, y) // the error of the product
			n.encoded("FADD", carry, carry, s)
			n.encoded("FADD", s, sum, h)
			n.encoded("FSUB", y, s, sum)
			n.encoded("FSUB", h, h, y)
			n.encoded("FSUB", y, s, y)
			n.encoded("FSUB", y, sum, y)
			n.encoded("FADD", h, y, h) // the error of the sum
			n.encoded("FADD", carry, carry, h)
			n.move(s, sum)
		}
	})
	n.line("MOVD sums+32(FP), R4")
	for v := vreg(0); v < 16; v += 4 {
		n.line("VST1.P %s, 64(R4)", n.list(v, 4))
	}
	n.line("RET")
}

func (n *neon) dotExactSingle() {
	fmt.Fprint(&n.code, `
func dotExactNEON(x, y []float32) float64 {
	return dotExactUnits(unsafe.SliceData(x), unsafe.SliceData(y), len(x)/8)
}
`)
	n.declare("dotExactUnits", "is the sum of x*y in float64, of whole units of 8 elements.",
		"x, y *float32, units int", "float64", 32)
	n.line("MOVD x+0(FP), R0")
	n.line("MOVD y+8(FP), R1")
	n.line("MOVD units+16(FP), R2")
	const x, y, u, v = vreg(16), vreg(18), vreg(20), vreg(24)
	n.zero(16)
	n.walk(2, 4, false, func(unit int) {
		n.line("VLD1.P 32(R0), %s", n.list(x, 2))
		n.line("VLD1.P 32(R1), %s", n.list(y, 2))
		for part := range vreg(4) {
			n.widen(u+part, x+part/2, part%2)
			n.widen(v+part, y+part/2, part%2)
		}
		n.double = true
		for part := range vreg(4) {
			n.fmla(vreg(4*unit)+part, u+part, v+part)
		}
		n.double = false
	})
	n.double = true
	n.total("FADD", 0, 4, x)
	n.double = false
	n.line("FMOVD F0, ret+24(FP)")
	n.line("RET")
}

// widen turns a half of a register of float32 into float64.
func (n *neon) widen(d, x vreg, half vreg) {
	n.line("WORD $0x%08x // FCVTL%s V%d.D2, V%d", 0x0e617800|uint32(half)<<30|uint32(x)<<5|uint32(d), []string{"", "2"}[half], d, x)
}

// deposits writes the deposits in the bins of a reproducible sum, as binned.go does for amd64.
func (n *neon) deposits() {
	lanes := fmt.Sprintf("*[%d]int%d", 256/n.size(), 8*n.size())
	for operands, name := range []string{1: "deposit", 2: "depositProducts"} {
		if name == "" {
			continue
		}
		n.deposit(name, operands, lanes)
	}
}

// deposit writes one. The accumulators of the bins and the magnitudes come first, four registers
// each.
func (n *neon) deposit(name string, operands int, lanes string) {
	doc, params := "adds the slices of x*scale to the bins, and finds the largest magnitude of x.", "x []"
	if operands == 2 {
		doc, params = "adds the slices of x*y*scale to the bins, and finds the largest magnitude of x*y.", "x, y []"
	}
	n.wrapper(name, params+n.elem()+", scale "+n.elem()+", lanes "+lanes, "", operands, "", "scale", "lanes")
	bytes := 8*(operands+2) + 8 + 8
	n.declare(name+"Units", doc, n.units(operands)+", scale "+n.elem()+", lanes "+lanes, "", bytes)
	at := n.begin(operands)
	const x, y, scale, one, start = vreg(16), vreg(20), vreg(24), vreg(25), vreg(26)
	n.scalar(fmt.Sprintf("scale+%d", at), scale)
	n.line("MOVD lanes+%d(FP), R4", at+8)
	n.zero(16)
	n.line("MOVD $1, R5")
	n.line("VDUP R5, %s", n.vec(one))
	for fold := range folds {
		n.starts(fold, vreg(4*fold), 4)
	}
	n.walk(operands, 1, true, func(int) {
		n.load(operands, x, y)
		for part := range vreg(4) {
			if operands == 2 {
				n.encoded("FMUL", x+part, x+part, y+part)
			}
			n.slices(x+part, y+part, part, scale, one, start)
		}
	})
	for fold := range folds {
		n.starts(fold, start, 1)
		for part := range vreg(4) {
			v := vreg(4*fold) + part
			n.line("VSUB %s, %s, %s", n.vec(start), n.vec(v), n.vec(v))
		}
	}
	for v := vreg(0); v < 16; v += 4 {
		n.line("VST1.P %s, 64(R4)", n.list(v, 4))
	}
	n.line("RET")
}

// starts sets registers to an empty accumulator.
func (n *neon) starts(fold int, v vreg, count int) {
	n.line("MOVD $0x%x, R5", binStart(fold, n.double))
	for i := range vreg(count) {
		n.line("VDUP R5, %s", n.vec(v+i))
	}
}

// slices is binned.Deposit of x in the accumulators of a part. y and temp are free.
func (n *neon) slices(x, y, part, scale, one, temp vreg) {
	n.encoded("FABS", y, x)
	if largest := 4*folds + part; n.double {
		n.line("WORD $0x%08x // CMGT %s, %s, %s", 0x4ee03400|uint32(largest)<<16|uint32(y)<<5|uint32(temp),
			n.vec(temp), n.vec(y), n.vec(largest))
		n.line("VBIT %s, %s, %s", temp.bits(), y.bits(), largest.bits())
	} else {
		n.encoded("SMAX", largest, largest, y)
	}
	n.encoded("FMUL", x, x, scale)
	for fold := range vreg(folds) {
		acc := 4*fold + part
		n.line("VORR %s, %s, %s", one.bits(), x.bits(), y.bits())
		if fold == folds-1 {
			n.encoded("FADD", acc, acc, y)
			break
		}
		n.encoded("FADD", temp, acc, y)
		n.encoded("FSUB", y, temp, acc)
		n.move(temp, acc)
		n.encoded("FSUB", x, x, y)
	}
}
