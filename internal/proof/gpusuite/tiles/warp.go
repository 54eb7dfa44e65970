package tiles

import (
	"cmp"
	"fmt"

	"github.com/gridstride/gridstride/internal/ptx"
)

// text is a module for mma or wmma, a product for each warp.
func (p *Product) text(opcodes []ptx.Modifiers) string {
	w := &writer{Product: p}
	w.WriteString(header)
	w.begin("product", 128, pointers)
	w.line("shr.u32 %%x3, %%x1, 5;\nmad.lo.u32 %%x2, %%x2, 4, %%x3;") // x2 is the product
	w.line("setp.ge.u32 %%p0, %%x2, %%x0;\n@%%p0 ret;")
	w.line("shr.u32 %%x3, %%x1, 2;\nand.b32 %%x3, %%x3, 7;\nand.b32 %%x4, %%x1, 3;") // a lane's group, and its place there
	w.advance(map[string]int{
		"a": bytesOf(p.m, p.k, p.a), "at": bytesOf(p.k, p.m, p.a), "b": bytesOf(p.n, p.k, p.b), "bt": bytesOf(p.k, p.n, p.b),
		"c": bytesOf(p.m, p.n, p.c), "ct": bytesOf(p.n, p.m, p.c), "d": bytesOf(p.m, p.n, p.d), "e": bytesOf(p.n, p.m, p.d),
	})
	if p.op == "mma" {
		w.warpProduct(opcodes[0])
	} else {
		for i, mods := range opcodes {
			w.fragmentProduct(i, mods, i == len(opcodes)-1)
		}
	}
	w.line("ret;\n}")
	if p.d == ptx.F64 {
		w.chain()
	}
	return w.String()
}

// warpProduct multiplies by mma. The fragments follow the PTX ISA, "Matrix Fragments".
func (w *writer) warpProduct(mods ptx.Modifiers) {
	a := w.factor("a", w.a, w.m/8, w.m*w.k/32)
	b := w.factor("b", w.b, 1, w.k*w.n/32)
	c := w.sum("ld", "c", w.c)
	d := registers("d", w.d, w.m*w.n/32*w.d.Bits()/max(32, w.d.Bits()))
	w.line("mma%s %s, %s, %s, %s;", mods, vector(d), vector(a), vector(b), vector(c))
	w.sum("st", "d", w.d)
}

// factor loads a lane's registers of A or B. Eight rows follow each other in registers, rows/8
// times, and then columns.
func (w *writer) factor(name string, t ptx.Type, rows, elements int) []string {
	regs := registers(name, t, elements*t.Bits()/max(32, t.Bits()))
	size := max(32, t.Bits()) / 8
	line := lead(w.k, t.Bits()) * t.Bits() / 8
	w.line("mad.wide.u32 %%y0, %%x3, %d, %%%s;\nmad.wide.u32 %%y0, %%x4, %d, %%y0;", line, name, size)
	for i, r := range regs {
		w.line("ld.global.%s %s, [%%y0+%d];", word(t), r, i%rows*8*line+i/rows*4*size)
	}
	return regs
}

// sum loads or stores a lane's registers of C or D.
func (w *writer) sum(op, name string, t ptx.Type) []string {
	regs := registers(name, t, w.m*w.n/32*t.Bits()/max(32, t.Bits()))
	line := lead(w.n, t.Bits()) * t.Bits() / 8
	w.line("mad.wide.u32 %%y0, %%x3, %d, %%%s;\nmad.wide.u32 %%y0, %%x4, %d, %%y0;", line, name, t.Bits()/4)
	per := 2 * t.Bits() / max(32, t.Bits()) // registers of two elements
	for i, r := range regs {
		at := i/per*8*line + i%per*max(32, t.Bits())/8
		w.move(op, word(t), r, fmt.Sprintf("%%y0+%d", at))
	}
	return regs
}

// move loads or stores a register.
func (w *writer) move(op, size, reg, at string) {
	if op == "ld" {
		w.line("ld.global.%s %s, [%s];", size, reg, at)
	} else {
		w.line("st.global.%s [%s], %s;", size, at, reg)
	}
}

// fragmentProduct multiplies by wmma with the i-th layout. C, and D in e, are by columns for the
// last layout, and by rows else. It compares D with the first layout's D.
func (w *writer) fragmentProduct(i int, mods ptx.Modifiers, last bool) {
	layoutOfC := "row"
	if last {
		layoutOfC = "col"
	}
	shape := mods.Mod("shape")
	a := w.fragment("a", shape, mods.Mod("alayout"), "row", w.k, w.m, w.a)
	b := w.fragment("b", shape, mods.Mod("blayout"), "col", w.k, w.n, w.b)
	c := w.fragment("c", shape, layoutOfC, "row", w.n, w.m, w.c)
	n := w.registersOf("d", w.d)
	d, first := registers("d", w.d, n), registers("first", w.d, n)
	w.line("wmma%s %s, %s, %s, %s;", mods, vector(d), vector(a), vector(b), vector(c))
	for j := range d {
		if i == 0 {
			w.line("mov.%s %s, %s;", word(w.d), first[j], d[j])
			continue
		}
		w.line("setp.ne.%s %%p1, %s, %s;\n@%%p1 red.global.add.u32 [%%counts+%d], 1;", word(w.d), d[j], first[j], 4*i)
	}
	store := func(layout, to string, length int) {
		w.line("wmma.store.d.sync.aligned.%s.%s.global.%s [%%%s], %s, %d;",
			layout, shape, w.d, to, vector(d), lead(length, w.d.Bits()))
	}
	switch {
	case i == 0:
		store("row", "d", w.n)
	case last:
		store("col", "e", w.m)
	}
}

// fragment loads a fragment of a matrix by rows or by columns. If its lines of length elements have
// the other direction, it loads from the transposed matrix, whose lines have other elements.
func (w *writer) fragment(matrix, shape, layout, natural string, length, other int, t ptx.Type) []string {
	regs := registers(matrix, t, w.registersOf(matrix, t))
	from := matrix
	if layout != natural {
		from, length = matrix+"t", other
	}
	w.line("wmma.load.%s.sync.aligned.%s.%s.global.%s %s, [%%%s], %d;",
		matrix, layout, shape, t, vector(regs), from, lead(length, t.Bits()))
	return regs
}

// registersOf is how many registers wmma has for a matrix: eight for factors of float16, which they
// hold several times.
func (w *writer) registersOf(matrix string, t ptx.Type) int {
	elements := map[string]int{"a": w.m * w.k, "b": w.k * w.n, "c": w.m * w.n, "d": w.m * w.n}[matrix]
	if t == ptx.F16 && (matrix == "a" || matrix == "b") {
		return 8
	}
	return elements / 32 * t.Bits() / max(32, t.Bits())
}

// chain writes the kernel "chain", in which each thread makes an element of D by fma.
func (w *writer) chain() {
	w.begin("chain", 128, []string{"a", "b", "c", "d"})
	w.line("mad.lo.u32 %%x1, %%x2, 128, %%x1;\nsetp.ge.u32 %%p0, %%x1, %%x0;\n@%%p0 ret;")
	w.line("div.u32 %%x2, %%x1, %d;\nrem.u32 %%x3, %%x1, %d;\ndiv.u32 %%x4, %%x3, %d;\nrem.u32 %%x5, %%x3, %d;",
		w.m*w.n, w.m*w.n, w.n, w.n)
	w.line("mad.lo.u32 %%x4, %%x2, %d, %%x4;\nmad.lo.u32 %%x5, %%x2, %d, %%x5;", w.m, w.n) // the row, and the column, of all
	w.line("mad.wide.u32 %%a, %%x4, %d, %%a;\nmad.wide.u32 %%b, %%x5, %d, %%b;", 8*w.k, 8*w.k)
	w.line("mad.wide.u32 %%c, %%x1, 8, %%c;\nmad.wide.u32 %%d, %%x1, 8, %%d;\nld.global.f64 %%y0, [%%c];")
	for k := range w.k {
		w.line("ld.global.f64 %%y1, [%%a+%d];\nld.global.f64 %%y2, [%%b+%d];", 8*k, 8*k)
		w.line("fma.%s.f64 %%y0, %%y1, %%y2, %%y0;", cmp.Or(w.rnd, "rn"))
	}
	w.line("st.global.f64 [%%d], %%y0;\nret;\n}")
}
