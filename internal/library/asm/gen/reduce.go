package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// reduce writes what reads vectors and gives numbers.
func reduce(f *file) {
	f.defineMasks()
	for _, i := range []isa{avx2, avx512} {
		for _, r := range reductions {
			f.reduction(i, r)
		}
		f.extrema(i)
		f.dot2(i)
		f.deposits(i)
	}
}

// reducer is the state while a reduction is written.
type reducer struct {
	*file
	isa
	reduction
	parts  int // registers of a unit
	free   []reg.VecPhysical
	acc    [][][]reg.VecPhysical // of unit, part, sum
	x, y   reg.VecPhysical
	sign   reg.VecPhysical // all bits but the sign
	x0, y0 reg.VecPhysical
	mx, my operand.Mem // where x and y were loaded from
	px, py reg.GPVirtual
	left   reg.GPVirtual
	tail   []operand.Op // the masks of the parts of the last unit
	inTail bool
}

func (f *file) reduction(i isa, r reduction) {
	params, result := r.params(f.elem())
	f.text(r.doc, lower(r.name)+i.name, params, result)
	g := &reducer{file: f, isa: i, reduction: r, parts: 64 / i.bytes, free: i.regs}
	g.begin()
	g.blocks(func(unit, part int) {
		if g.shift {
			g.sub(g.x, g.x0)
			g.sub(g.y, g.y0)
		}
		y := register(g.y)
		if g.fused && !g.inTail {
			y = g.my
		}
		var acc []register
		for _, v := range g.acc[unit][part] {
			acc = append(acc, v)
		}
		g.step(g, g.x, y, acc)
	})
	out := reg.GPVirtual(nil)
	if r.sums > 1 {
		out = f.ptr("sums")
	}
	for s := range r.sums {
		op := "VADDP?"
		if s < r.maxima {
			op = "VMAXP?"
		}
		v := g.total(op, func(unit, part int) reg.VecPhysical { return g.acc[unit][part][s] })
		if r.sums > 1 {
			f.op("VMOVS?", v.AsX(), at(out, s*f.size()))
			continue
		}
		f.VZEROUPPER() // before the store, which is an instruction of SSE
		f.Store(v.AsX(), f.ReturnIndex(0))
	}
	if r.sums > 1 {
		f.VZEROUPPER()
	}
	f.RET()
}

func lower(name string) string { return strings.ToLower(name[:1]) + name[1:] }

func (g *reducer) fma(sum, x, y register)   { g.op("VFMADD231P?", y, x, sum) }
func (g *reducer) add(sum, x register)      { g.op("VADDP?", x, sum, sum) }
func (g *reducer) sub(x, y register)        { g.op("VSUBP?", y, x, x) }
func (g *reducer) greater(most, x register) { g.op("VMAXP?", most, x, most) }

func (g *reducer) abs(x register) {
	if g.bytes == 64 {
		g.op("VPANDQ", g.sign, x, x)
	} else {
		g.op("VPAND", g.sign, x, x)
	}
}

func (g *reducer) take() reg.VecPhysical {
	r := g.free[0]
	g.free = g.free[1:]
	return r
}

// begin loads the parameters and clears the accumulators.
func (g *reducer) begin() {
	for unit := range g.units {
		g.acc = append(g.acc, nil)
		for part := range g.parts {
			g.acc[unit] = append(g.acc[unit], nil)
			for range g.sums {
				r := g.take()
				g.zero(r)
				g.acc[unit][part] = append(g.acc[unit][part], r)
			}
		}
	}
	g.px, g.left = g.GP64(), g.GP64()
	g.Load(g.Param("x").Base(), g.px)
	g.Load(g.Param("x").Len(), g.left)
	g.x = g.take()
	if g.operands == 2 {
		g.py, g.y = g.GP64(), g.take()
		g.Load(g.Param("y").Base(), g.py)
	}
	if g.reduction.abs {
		g.sign = g.take()
		g.absMask(g.isa, g.sign)
	}
	if g.shift {
		g.x0, g.y0 = g.take(), g.take()
		g.op("VBROADCASTS?", at(g.px, 0), g.x0)
		g.op("VBROADCASTS?", at(g.py, 0), g.y0)
	}
}

// blocks emits the loops: over blocks of all accumulators, over the remaining units, and the last,
// incomplete unit.
func (g *reducer) blocks(step func(unit, part int)) {
	lanes := 64 / g.size()
	all := imm(g.units * lanes)
	g.SUBQ(all, g.left)
	g.JLT(operand.LabelRef("units"))
	g.Label("blocks")
	for unit := range g.units {
		g.unit(unit, unit*64, step)
	}
	g.advance(g.units * 64)
	g.SUBQ(all, g.left)
	g.JGE(operand.LabelRef("blocks"))
	g.Label("units")
	g.ADDQ(all, g.left)
	for unit := range g.units {
		g.CMPQ(g.left, imm(lanes))
		g.JLT(operand.LabelRef(fmt.Sprintf("tail%d", unit)))
		if unit == g.units-1 {
			break // a block would have taken it
		}
		g.unit(unit, 0, step)
		g.advance(64)
		g.SUBQ(imm(lanes), g.left)
	}
	for unit := range g.units {
		g.Label(fmt.Sprintf("tail%d", unit))
		g.TESTQ(g.left, g.left)
		g.JE(operand.LabelRef("done"))
		g.masks()
		g.inTail = true
		g.unit(unit, 0, step)
		g.inTail = false
		if unit < g.units-1 {
			g.JMP(operand.LabelRef("done"))
		}
	}
	g.Label("done")
}

func (g *reducer) advance(bytes int) {
	g.ADDQ(imm(bytes), g.px)
	if g.operands == 2 {
		g.ADDQ(imm(bytes), g.py)
	}
}

func (g *reducer) unit(unit, disp int, step func(unit, part int)) {
	for part := range g.parts {
		g.mx = at(g.px, disp+part*g.bytes)
		g.load(g.mx, g.x, part)
		if g.operands == 2 {
			g.my = at(g.py, disp+part*g.bytes)
			if !g.fused || g.inTail {
				g.load(g.my, g.y, part)
			}
		}
		if g.inTail && g.shift { // so that the elements that are not there count as the first one
			g.fill(g.x0, g.x, part)
			g.fill(g.y0, g.y, part)
		}
		step(unit, part)
	}
}

func (g *reducer) load(m operand.Mem, into reg.VecPhysical, part int) {
	switch {
	case !g.inTail:
		g.op("VMOVUP?", m, into)
	case g.bytes == 64:
		g.op("VMOVUP?_Z", m, g.tail[0], into)
	default:
		g.op("VMASKMOVP?", m, g.tail[part], into)
	}
}

func (g *reducer) store(v reg.VecPhysical, m operand.Mem, part int) {
	switch {
	case !g.inTail:
		g.op("VMOVUP?", v, m)
	case g.bytes == 64:
		g.op("VMOVUP?", v, g.tail[0], m)
	default:
		g.op("VMASKMOVP?", v, g.tail[part], m)
	}
}

// fill takes the lanes that are not there from another register.
func (g *reducer) fill(from, into reg.VecPhysical, part int) {
	if g.bytes == 64 {
		g.op("VBLENDMP?", into, from, g.tail[0], into)
	} else {
		g.op("VBLENDVP?", g.tail[part], into, from, into)
	}
}

// masks makes the masks of the last unit, which has left elements.
func (g *reducer) masks() {
	if g.bytes == 64 {
		bits := g.GP64()
		g.MOVQ(operand.I32(1), bits)
		g.SHLXQ(g.left, bits, bits)
		g.DECQ(bits)
		g.KMOVW(bits.As32(), reg.K1)
		g.tail = []operand.Op{reg.K1}
		return
	}
	if g.tail == nil {
		for range g.parts {
			g.tail = append(g.tail, g.take())
		}
	}
	lanes := 32 / g.size()
	bytes, zero := g.GP64(), g.GP64()
	full := g.GP64()
	g.MOVQ(operand.I32(lanes), full)
	g.MOVQ(g.left, bytes)
	g.CMPQ(bytes, full)
	g.CMOVQGT(full, bytes)
	g.SHLQ(operand.U8(shiftOf(g.size())), bytes)
	g.mask(bytes, g.tail[0].(reg.VecPhysical))
	g.XORQ(zero, zero)
	g.MOVQ(g.left, bytes)
	g.SUBQ(full, bytes)
	g.CMOVQLT(zero, bytes)
	g.SHLQ(operand.U8(shiftOf(g.size())), bytes)
	g.mask(bytes, g.tail[1].(reg.VecPhysical))
}

func shiftOf(size int) uint64 {
	if size == 8 {
		return 3
	}
	return 2
}

// total combines the accumulators to one element, in the lowest lane of the register it returns.
func (g *reducer) total(op string, acc func(unit, part int) reg.VecPhysical) reg.VecPhysical {
	for step := 1; step < g.units; step *= 2 {
		for unit := 0; unit+step < g.units; unit += 2 * step {
			for part := range g.parts {
				g.op(op, acc(unit+step, part), acc(unit, part), acc(unit, part))
			}
		}
	}
	v, t := acc(0, 0), g.x
	if g.bytes == 64 {
		g.VEXTRACTF64X4(operand.Imm(1), v, t.AsY())
		g.op(op, t.AsY(), v.AsY(), v.AsY())
	} else {
		g.op(op, acc(0, 1), v, v)
	}
	g.VEXTRACTF128(operand.Imm(1), v.AsY(), t.AsX())
	g.op(op, t.AsX(), v.AsX(), v.AsX())
	g.VPERMILPD(operand.Imm(1), v.AsX(), t.AsX())
	g.op(op, t.AsX(), v.AsX(), v.AsX())
	if !g.double {
		g.VMOVSHDUP(v.AsX(), t.AsX())
		g.op(op, t.AsX(), v.AsX(), v.AsX())
	}
	return v
}

// zero clears a register.
func (f *file) zero(v reg.VecPhysical) {
	if v.Size() == 64 {
		f.VPXORQ(v, v, v)
	} else {
		f.VXORPS(v, v, v)
	}
}

// absMask sets all bits but the sign of each element.
func (f *file) absMask(i isa, v reg.VecPhysical) {
	if i.bytes == 64 {
		f.VPTERNLOGD(operand.Imm(0xff), v, v, v)
	} else {
		f.VPCMPEQD(v, v, v)
	}
	if f.double {
		f.VPSRLQ(operand.Imm(1), v, v)
	} else {
		f.VPSRLD(operand.Imm(1), v, v)
	}
}
