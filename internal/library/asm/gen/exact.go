package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// extrema writes the searches for the smallest, the largest and the largest absolute value of whole
// units of a vector, and whether one of them is NaN, which the value does not tell.
func (f *file) extrema(i isa) {
	for _, e := range []struct {
		name, doc, op string
		abs           bool
	}{
		{"min", "is the smallest of x, whose length is a multiple of a unit, and whether one is NaN.", "VMINP?", false},
		{"max", "is the largest of x, whose length is a multiple of a unit, and whether one is NaN.", "VMAXP?", false},
		{"maxAbs", "is the largest of |x|, whose length is a multiple of a unit, and whether one is NaN.", "VMAXP?", true},
	} {
		f.text(e.doc, e.name+i.name, "x []"+f.elem(), "(m "+f.elem()+", nan uint32)")
		g := &reducer{file: f, isa: i, reduction: reduction{operands: 1, units: 2, abs: e.abs}, parts: 64 / i.bytes, free: i.regs}
		g.extremum(e.op)
	}
}

func (g *reducer) extremum(op string) {
	g.sums = 1
	g.begin()
	nan := g.take()
	g.zero(nan)
	for _, unit := range g.acc { // begin with the first unit: it counts twice, which changes nothing
		for part, acc := range unit {
			g.op("VMOVUP?", at(g.px, part*g.bytes), acc[0])
			if g.reduction.abs {
				g.abs(acc[0])
			}
		}
	}
	step := func(unit, part int) {
		if g.reduction.abs {
			g.abs(g.x)
		}
		acc := g.acc[unit][part][0]
		g.op(op, acc, g.x, acc)
		g.unordered(g.x, nan)
	}
	lanes := (64 / g.size())
	g.Label("loop")
	g.SUBQ(imm(2*lanes), g.left)
	g.JLT(operand.LabelRef("rest"))
	g.unit(0, 0, step)
	g.unit(1, 64, step)
	g.advance(128)
	g.JMP(operand.LabelRef("loop"))
	g.Label("rest")
	g.ADDQ(imm(2*lanes), g.left)
	g.JE(operand.LabelRef("done"))
	g.unit(0, 0, step)
	g.Label("done")
	v := g.total(op, func(unit, part int) reg.VecPhysical { return g.acc[unit][part][0] })
	g.Store(v.AsX(), g.Return("m"))
	bits := g.GP64()
	if g.bytes == 64 {
		g.VPTESTMD(nan, nan, reg.K1)
		g.KMOVW(reg.K1, bits.As32())
	} else {
		g.VMOVMSKPS(nan, bits.As32())
	}
	g.Store(bits.As32(), g.Return("nan"))
	g.VZEROUPPER()
	g.RET()
}

// unordered sets bits of nan where x is NaN.
func (g *reducer) unordered(x, nan reg.VecPhysical) {
	if g.bytes == 64 {
		g.op("VCMPP?", 3, x, x, reg.K1)
		if g.double {
			g.VPTERNLOGQ(operand.Imm(0xff), nan, nan, reg.K1, nan)
		} else {
			g.VPTERNLOGD(operand.Imm(0xff), nan, nan, reg.K1, nan)
		}
		return
	}
	g.op("VCMPP?", 3, x, x, x)
	g.VORPS(x, nan, nan)
}

// dot2 writes the compensated dot product. For float64 it is Dot2 of Ogita, Rump and Oishi,
// "Accurate Sum and Dot Product" (SIAM J. Sci. Comput. 2005), with 16 sums side by side that the
// caller adds up. For float32 the products are exact in float64, and are added there.
func (f *file) dot2(i isa) {
	if f.double {
		f.dot2Double(i)
	} else {
		f.dot2Single(i)
	}
}

func (f *file) dot2Double(i isa) {
	f.text("writes 16 sums of x*y and the errors of each.", "dotExact"+i.name, "x, y []float64, sums *[32]float64", "")
	g := &reducer{file: f, isa: i, reduction: reduction{operands: 2, units: 2, sums: 2}, parts: 64 / i.bytes, free: i.regs}
	g.begin()
	h, s := g.take(), g.take()
	g.blocks(func(unit, part int) {
		sum, carry := g.acc[unit][part][0], g.acc[unit][part][1]
		g.VMULPD(g.y, g.x, h)
		g.VFMSUB213PD(h, g.y, g.x) // x = x*y - h, the error of the product
		g.VADDPD(h, sum, s)        // s = sum + h
		g.VSUBPD(sum, s, g.y)      // y = s - sum
		g.VADDPD(g.x, carry, carry)
		g.VSUBPD(g.y, h, h)     // h - y
		g.VSUBPD(g.y, s, g.y)   // s - y
		g.VSUBPD(g.y, sum, g.y) // sum - (s - y)
		g.VADDPD(h, g.y, h)     // the error of the sum
		g.VADDPD(h, carry, carry)
		g.VMOVAPD(s, sum)
	})
	out := f.ptr("sums")
	for s := range 2 {
		for unit := range g.units {
			for part := range g.parts {
				f.VMOVUPD(g.acc[unit][part][s], at(out, s*128+unit*64+part*g.bytes))
			}
		}
	}
	f.VZEROUPPER()
	f.RET()
}

func (f *file) dot2Single(i isa) {
	f.text("is the sum of x*y in float64, of whole units of 8 elements.", "dotExact"+i.name, "x, y []float32", "float64")
	g := &reducer{file: f, isa: i, reduction: reduction{operands: 2, units: 4, sums: 1}, parts: 64 / i.bytes, free: i.regs}
	g.begin()
	unit := func(unit, disp int) {
		for part := range g.parts {
			g.VCVTPS2PD(at(g.px, disp+part*g.bytes/2), g.x)
			g.VCVTPS2PD(at(g.py, disp+part*g.bytes/2), g.y)
			g.VFMADD231PD(g.y, g.x, g.acc[unit][part][0])
		}
	}
	g.SUBQ(operand.Imm(32), g.left)
	g.JLT(operand.LabelRef("units"))
	g.Label("blocks")
	for u := range g.units {
		unit(u, 32*u)
	}
	g.advance(128)
	g.SUBQ(operand.Imm(32), g.left)
	g.JGE(operand.LabelRef("blocks"))
	g.Label("units")
	g.ADDQ(operand.Imm(32), g.left)
	for u := range g.units - 1 {
		g.SUBQ(operand.Imm(8), g.left)
		g.JLT(operand.LabelRef("done"))
		unit(u, 0)
		g.advance(32)
	}
	g.Label("done")
	g.double = true
	v := g.total("VADDP?", func(unit, part int) reg.VecPhysical { return g.acc[unit][part][0] })
	g.double = false
	f.Store(v.AsX(), f.ReturnIndex(0))
	f.VZEROUPPER()
	f.RET()
}
