package main

import "github.com/mmcloughlin/avo/reg"

// elementwise writes the functions that change vectors element by element.
func elementwise(f *file) {
	f.defineMasks()
	for _, i := range []isa{avx2, avx512} {
		f.each(i, "axpy", "computes y += alpha*x.", "alpha "+f.elem()+", x, y []"+f.elem(), "alpha",
			func(g *reducer, part int, c []reg.VecPhysical) {
				g.op("VFMADD231P?", g.x, c[0], g.y)
				g.store(g.y, g.my, part)
			})
		f.each(i, "scal", "computes x *= alpha.", "alpha "+f.elem()+", x []"+f.elem(), "alpha",
			func(g *reducer, part int, c []reg.VecPhysical) {
				g.op("VMULP?", c[0], g.x, g.x)
				g.store(g.x, g.mx, part)
			})
		f.each(i, "rot", "computes x, y = c*x + s*y, c*y - s*x.", "x, y []"+f.elem()+", c, s "+f.elem(), "cs",
			func(g *reducer, part int, c []reg.VecPhysical) {
				sx, sy := c[2], c[3]
				g.op("VMULP?", g.y, c[1], sy)
				g.op("VMULP?", g.x, c[1], sx)
				g.op("VFMADD231P?", g.x, c[0], sy)
				g.op("VFMSUB213P?", sx, c[0], g.y) // y = c*y - s*x
				g.store(sy, g.mx, part)
				g.store(g.y, g.my, part)
			})
	}
}

// each writes one of them. Scalars is "alpha", or "cs" for two and two registers to work with.
func (f *file) each(i isa, name, doc, params, scalars string, step func(g *reducer, part int, c []reg.VecPhysical)) {
	f.text(doc, name+i.name, params, "")
	operands := 2
	if name == "scal" {
		operands = 1
	}
	g := &reducer{file: f, isa: i, reduction: reduction{operands: operands, units: 4}, parts: 64 / i.bytes, free: i.regs}
	g.begin()
	var c []reg.VecPhysical
	names := []string{"alpha"}
	if scalars == "cs" {
		names = []string{"c", "s"}
	}
	for _, n := range names {
		c = append(c, g.take())
		addr, err := f.Param(n).Resolve()
		if err != nil {
			panic(err)
		}
		f.op("VBROADCASTS?", addr.Addr, c[len(c)-1])
	}
	if scalars == "cs" {
		c = append(c, g.take(), g.take())
	}
	g.blocks(func(_, part int) { step(g, part, c) })
	f.VZEROUPPER()
	f.RET()
}
