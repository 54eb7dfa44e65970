package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A reduction reads one or two vectors once and keeps some sums or maxima of them. Its order is the
// same for every instruction set: a unit is 64 bytes, the accumulators of a sum are as many units
// as the reduction says, and unit i of the vectors goes to accumulator i modulo their number; the
// last unit is filled with zeros. At the end the accumulators are added in pairs, and then the
// upper half of a unit to the lower one until one element is left.
type reduction struct {
	name, doc string
	operands  int
	units     int // accumulators of each sum
	sums      int
	maxima    int  // so many of the sums are maxima, the first ones
	abs       bool // step uses g.abs, the mask of all bits but the sign
	fused     bool // step reads y in memory, but for the last unit
	shift     bool // step uses g.x0 and g.y0, the first elements
	step      func(g *reducer, x, y reg.VecPhysical, acc []reg.VecPhysical)
}

var reductions = []reduction{
	{name: "Dot", doc: "is the sum of x*y.", operands: 2, units: 4, sums: 1, fused: true,
		step: func(g *reducer, x, y reg.VecPhysical, acc []reg.VecPhysical) {
			if g.inTail {
				g.op("VFMADD231P?", y, x, acc[0])
			} else {
				g.op("VFMADD231P?", g.my, x, acc[0])
			}
		}},
	{name: "Sum", doc: "is the sum of x.", operands: 1, units: 4, sums: 1,
		step: func(g *reducer, x, _ reg.VecPhysical, acc []reg.VecPhysical) {
			g.op("VADDP?", x, acc[0], acc[0])
		}},
	{name: "Asum", doc: "is the sum of |x|.", operands: 1, units: 4, sums: 1, abs: true,
		step: func(g *reducer, x, _ reg.VecPhysical, acc []reg.VecPhysical) {
			g.and(g.abs, x)
			g.op("VADDP?", x, acc[0], acc[0])
		}},
	{name: "SquaredDistance", doc: "is the sum of (x-y)*(x-y).", operands: 2, units: 4, sums: 1,
		step: func(g *reducer, x, y reg.VecPhysical, acc []reg.VecPhysical) {
			g.op("VSUBP?", y, x, x)
			g.op("VFMADD231P?", x, x, acc[0])
		}},
	{name: "Differences", doc: "are the largest of |x-y|, but for NaN, and the sum of them.",
		operands: 2, units: 2, sums: 2, maxima: 1, abs: true,
		step: func(g *reducer, x, y reg.VecPhysical, acc []reg.VecPhysical) {
			g.op("VSUBP?", y, x, x)
			g.and(g.abs, x)
			g.op("VMAXP?", acc[0], x, acc[0])
			g.op("VADDP?", x, acc[1], acc[1])
		}},
	{name: "Cosine", doc: "are the sums of x*y, x*x and y*y.", operands: 2, units: 2, sums: 3,
		step: func(g *reducer, x, y reg.VecPhysical, acc []reg.VecPhysical) {
			g.op("VFMADD231P?", y, x, acc[0])
			g.op("VFMADD231P?", x, x, acc[1])
			g.op("VFMADD231P?", y, y, acc[2])
		}},
	{name: "Compare", doc: "are the sums of x*y, x*x, y*y, (x-y)*(x-y) and |x-y|.",
		operands: 2, units: 1, sums: 5, abs: true,
		step: func(g *reducer, x, y reg.VecPhysical, acc []reg.VecPhysical) {
			g.op("VFMADD231P?", y, x, acc[0])
			g.op("VFMADD231P?", x, x, acc[1])
			g.op("VFMADD231P?", y, y, acc[2])
			g.op("VSUBP?", y, x, x)
			g.op("VFMADD231P?", x, x, acc[3])
			g.and(g.abs, x)
			g.op("VADDP?", x, acc[4], acc[4])
		}},
	{name: "Moments", doc: "are the sums of u, v, u*u, v*v and u*v, with u = x-x[0] and v = y-y[0].",
		operands: 2, units: 1, sums: 5, shift: true,
		step: func(g *reducer, x, y reg.VecPhysical, acc []reg.VecPhysical) {
			g.op("VSUBP?", g.x0, x, x)
			g.op("VSUBP?", g.y0, y, y)
			g.op("VADDP?", x, acc[0], acc[0])
			g.op("VADDP?", y, acc[1], acc[1])
			g.op("VFMADD231P?", x, x, acc[2])
			g.op("VFMADD231P?", y, y, acc[3])
			g.op("VFMADD231P?", y, x, acc[4])
		}},
}

// params are the parameters and the result of the reduction in Go.
func (r *reduction) params(elem string) (params, result string) {
	params, result = "x []"+elem, elem
	if r.operands == 2 {
		params = "x, y []" + elem
	}
	if r.sums > 1 {
		params, result = params+fmt.Sprintf(", sums *[%d]%s", r.sums, elem), ""
	}
	return params, result
}

// args are the names of the parameters.
func (r *reduction) args() string {
	args := []string{"x", "y", "sums"}
	if r.operands == 1 {
		args = []string{"x", "sums"}
	}
	if r.sums == 1 {
		args = args[:len(args)-1]
	}
	return strings.Join(args, ", ")
}

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
	abs    reg.VecPhysical
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
		g.step(g, g.x, g.y, g.acc[unit][part])
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
		g.abs = g.take()
		g.absMask(g.isa, g.abs)
	}
	if g.shift {
		g.x0, g.y0 = g.take(), g.take()
		g.op("VBROADCASTS?", at(g.px, 0), g.x0)
		g.op("VBROADCASTS?", at(g.py, 0), g.y0)
	}
}

// blocks emits the loops: over blocks of all accumulators, over the units that are left, and the
// last, incomplete unit.
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

// masks makes the masks of the last unit, of which left elements are there.
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

// and computes v &= mask.
func (f *file) and(mask, v reg.VecPhysical) {
	if v.Size() == 64 {
		f.VPANDQ(mask, v, v)
	} else {
		f.VPAND(mask, v, v)
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
