package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// folds is the bins of a reproducible sum (internal/math/binned).
const folds = 3

// deposits writes the deposit of a vector, and of the products of two, in the bins of a
// reproducible sum (internal/math/binned): it returns the addend of each accumulator as an integer,
// for each lane of a unit, and after the bins the largest magnitude of each lane.
func (f *file) deposits(i isa) {
	lanes := fmt.Sprintf("*[%d]int%d", 256/f.size(), 8*f.size())
	f.deposit(i, "deposit", "adds the slices of x*scale to the bins, and finds the largest magnitude of x.",
		"x []"+f.elem()+", scale "+f.elem()+", lanes "+lanes, 1)
	f.deposit(i, "depositProducts", "adds the slices of x*y*scale to the bins, and finds the largest magnitude of x*y.",
		"x, y []"+f.elem()+", scale "+f.elem()+", lanes "+lanes, 2)
}

// binner is the state while a deposit is written.
type binner struct {
	*reducer
	scale, one, rounded reg.VecPhysical
	integer             string // the letter of instructions on integers of an element's size
}

func (f *file) deposit(i isa, name, doc, params string, operands int) {
	f.text(doc, name+i.name, params, "")
	g := &binner{integer: "D", reducer: &reducer{
		file: f, isa: i, parts: 64 / i.bytes, free: i.regs,
		reduction: reduction{operands: operands, units: 1, sums: folds + 1, abs: true},
	}}
	if f.double {
		g.integer = "Q"
	}
	g.begin()
	if operands == 1 {
		g.y = g.take()
	}
	g.scale, g.one, g.rounded = g.take(), g.take(), g.take()
	scale, err := f.Param("scale").Resolve()
	if err != nil {
		panic(err)
	}
	f.op("VBROADCASTS?", scale.Addr, g.scale)
	g.broadcast(1, g.one)
	for k := range folds {
		for _, acc := range g.acc[0] {
			g.broadcast(binStart(k, g.double), acc[k])
		}
	}
	g.blocks(func(_, part int) {
		if operands == 2 {
			g.op("VMULP?", g.y, g.x, g.x)
		}
		g.step(g.acc[0][part])
	})
	g.result()
}

// binStart is the bits of an empty accumulator: binned.Start.
func binStart(fold int, double bool) uint64 {
	if double {
		return uint64(1023+52-32*fold)<<52 | 1<<51
	}
	return uint64(127+23-16*fold)<<23 | 1<<22
}

// broadcast sets all elements of a register to some bits.
func (g *binner) broadcast(bits uint64, v reg.VecPhysical) {
	r := g.GP64()
	g.MOVQ(operand.U64(bits), r)
	g.VMOVQ(r, g.rounded.AsX())
	g.op("VPBROADCAST"+g.integer, g.rounded.AsX(), v)
}

// step is binned.Deposit of g.x, in units of the top bin once it is multiplied by the scale. g.y is
// free.
func (g *binner) step(acc []reg.VecPhysical) {
	g.larger(acc[folds])
	g.op("VMULP?", g.scale, g.x, g.x)
	for k := range folds {
		g.or(g.one, g.x, g.y)
		if k == folds-1 {
			g.op("VADDP?", g.y, acc[k], acc[k])
			break
		}
		g.op("VMOVAP?", acc[k], g.rounded)
		g.op("VADDP?", g.y, acc[k], acc[k])
		g.op("VSUBP?", g.rounded, acc[k], g.rounded)
		g.op("VSUBP?", g.rounded, g.x, g.x)
	}
}

// larger keeps the larger magnitudes of g.x and most.
func (g *binner) larger(most reg.VecPhysical) {
	g.op("VMOVAP?", g.x, g.y)
	g.abs(g.y)
	switch {
	case !g.double:
		g.VPMAXSD(g.y, most, most)
	case g.bytes == 64:
		g.VPMAXSQ(g.y, most, most)
	default: // AVX2 has no maximum of such integers
		g.VPCMPGTQ(most, g.y, g.rounded)
		g.VBLENDVPD(g.rounded, g.y, most, most)
	}
}

func (g *binner) or(x, y, into reg.VecPhysical) {
	if g.bytes == 64 {
		g.VPORQ(x, y, into)
	} else {
		g.VPOR(x, y, into)
	}
}

// result writes the lanes: the bits of the accumulators less the bits of empty ones.
func (g *binner) result() {
	out := g.ptr("lanes")
	for k := range folds + 1 {
		if k < folds {
			g.broadcast(binStart(k, g.double), g.x)
		}
		for part, acc := range g.acc[0] {
			if k < folds {
				g.op("VPSUB"+g.integer, g.x, acc[k], acc[k])
			}
			g.op("VMOVUP?", acc[k], at(out, k*64+part*g.bytes))
		}
	}
	g.VZEROUPPER()
	g.RET()
}
