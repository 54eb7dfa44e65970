package tiles

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/ptx"
)

// warpgroupText is a module for wgmma of n columns, a product for each block: with A in shared
// memory it writes d, and with A in registers e, by rows both. Other ways to the same product are
// compared on the spot, and counted by number: without C and with a C of zeros; with A, and with B,
// negated in memory and by the instruction; with A and B transposed in both. at, bt and ct are not
// read.
func (p *Product) warpgroupText(n int, mods ptx.Modifiers) string {
	w := &writer{Product: p}
	w.WriteString(header)
	w.begin("product", 128, pointers)
	w.line(".shared .align 128 .b8 tile[%d];", 32*(p.m+n))
	w.line("setp.ge.u32 %%p0, %%x2, %%x0;\n@%%p0 ret;")
	sum := bytesOf(p.m, n, p.d)
	w.advance(map[string]int{"a": bytesOf(p.m, p.k, p.a), "b": bytesOf(n, p.k, p.b), "c": sum, "d": sum, "e": sum})
	w.line("mov.u32 %%x5, tile;")
	// Blocks of eight lines of 16 bytes are 128 bytes apart along k, and 256 in the other
	// direction.
	w.line("shr.u32 %%x6, %%x5, 4;\ncvt.u64.u32 %%y1, %%x6;\nor.b64 %%y1, %%y1, %d;", 128>>4<<16|256>>4<<32)
	w.line("add.u64 %%y2, %%y1, %d;", 32*p.m>>4) // y1 is where A lies, y2 where B does
	w.line("shr.u32 %%x6, %%x1, 5;\nshr.u32 %%x3, %%x1, 2;\nand.b32 %%x3, %%x3, 7;\nmad.lo.u32 %%x3, %%x6, 16, %%x3;")
	w.line("and.b32 %%x4, %%x1, 3;\nsetp.eq.u32 %%p2, %%x1, %%x1;\nsetp.ne.u32 %%p3, %%x1, %%x1;")

	w.stageBoth(n, 0, 0)
	w.warpgroupProduct(n, mods, way{})
	w.rows("st", "d", n)
	w.warpgroupProduct(n, mods, way{zero: true})
	w.rows("st", "e", n)
	w.warpgroupProduct(n, mods, way{alone: true})
	w.differs(n, "e", 0)
	w.warpgroupProduct(n, mods, way{registers: true})
	w.rows("st", "e", n)
	if p.d != ptx.S32 {
		w.stageBoth(n, w.signs(), 0)
		w.warpgroupProduct(n, mods, way{negateA: true})
		w.differs(n, "d", 1)
		w.stageBoth(n, 0, w.signs())
		w.warpgroupProduct(n, mods, way{negateB: true})
		w.differs(n, "d", 2)
	}
	if p.a.Bits() == 16 {
		w.line("bar.sync 0;")
		w.stageTransposed("a", p.m, 0)
		w.stageTransposed("b", n, 32*p.m)
		w.line("fence.proxy.async;\nbar.sync 0;")
		w.warpgroupProduct(n, mods, way{transpose: true})
		w.differs(n, "d", 3)
	}
	w.line("ret;\n}")
	return w.String()
}

// way is the variant of a product: with A in registers, with a C of zeros, or without C, with
// factors negated, or both transposed.
type way struct{ registers, zero, alone, negateA, negateB, transpose bool }

// warpgroupProduct multiplies. The sum is in the registers of d.
func (w *writer) warpgroupProduct(n int, mods ptx.Modifiers, by way) {
	d := w.rows("ld", "c", n)
	if by.zero {
		for _, r := range d {
			w.line("mov.b32 %s, 0;", r)
		}
	}
	a, add, rest := "%y1", "%p2", ""
	if by.registers {
		a = vector(w.factor("a", w.a, 2, 128/w.a.Bits()))
	}
	if by.alone {
		add = "%p3"
	}
	if w.d != ptx.S32 {
		scale := map[bool]int{false: 1, true: -1}
		rest = fmt.Sprintf(", %d, %d", scale[by.negateA], scale[by.negateB])
	}
	if w.a.Bits() == 16 {
		transpose := map[bool]string{false: ", 0", true: ", 1"}[by.transpose]
		if rest += transpose; !by.registers {
			rest += transpose
		}
	}
	w.line("wgmma.fence.sync.aligned;\nwgmma%s %s, %s, %%y2, %s%s;", mods, vector(d), a, add, rest)
	w.line("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;")
}

// differs counts the registers of d that differ from those in memory.
func (w *writer) differs(n int, from string, way int) {
	for i, at := range w.places(from, n) {
		w.line("ld.global.b32 %%x8, [%s];\nsetp.ne.b32 %%p1, %%x8, %%rd%d;\n@%%p1 red.global.add.u32 [%%counts+%d], 1;", at, i, 4*way)
	}
}

// signs are the bits of a word that are signs of a factor's elements.
func (w *writer) signs() uint32 {
	return map[int]uint32{8: 0x80808080, 16: 0x80008000, 32: 0x80000000}[w.a.Bits()]
}

// stageBoth copies A and B to shared memory, with some of their bits turned.
func (w *writer) stageBoth(n int, turnA, turnB uint32) {
	w.line("bar.sync 0;")
	w.stage("a", w.m, 0, turnA)
	w.stage("b", n, 32*w.m, turnB)
	w.line("fence.proxy.async;\nbar.sync 0;")
}

// stage copies lines of 32 bytes to shared memory, in blocks of eight pieces of 16 bytes.
func (w *writer) stage(name string, lines, at int, turn uint32) {
	for first := 0; first < 2*lines; first += 128 {
		w.line("add.u32 %%x6, %%x1, %d;\nsetp.lt.u32 %%p1, %%x6, %d;", first, 2*lines)
		w.line("mad.wide.u32 %%y0, %%x6, 16, %%%s;", name)
		w.line("@%%p1 ld.global.v4.b32 {%%x8, %%x9, %%x10, %%x11}, [%%y0];")
		if turn != 0 {
			for x := 8; x < 12; x++ {
				w.line("@%%p1 xor.b32 %%x%d, %%x%d, %d;", x, x, turn)
			}
		}
		w.line("shr.u32 %%x7, %%x6, 4;\nmad.lo.u32 %%x7, %%x7, 256, %%x5;") // of eight lines
		w.line("and.b32 %%x12, %%x6, 1;\nmad.lo.u32 %%x7, %%x12, 128, %%x7;")
		w.line("shr.u32 %%x12, %%x6, 1;\nand.b32 %%x12, %%x12, 7;\nmad.lo.u32 %%x7, %%x12, 16, %%x7;")
		w.line("@%%p1 st.shared.v4.b32 [%%x7+%d], {%%x8, %%x9, %%x10, %%x11};", at)
	}
}

// stageTransposed copies lines of 16 elements of 16 bits. The elements of one k and of eight lines
// make a piece of 16 bytes.
func (w *writer) stageTransposed(name string, lines, at int) {
	w.line(".reg .b16 %%h%s;", name)
	for first := 0; first < 16*lines; first += 128 {
		w.line("add.u32 %%x6, %%x1, %d;\nmad.wide.u32 %%y0, %%x6, 2, %%%s;\nld.global.b16 %%h%s, [%%y0];", first, name, name)
		w.line("shr.u32 %%x8, %%x6, 4;\nand.b32 %%x9, %%x6, 15;") // the line, and k
		w.line("shr.u32 %%x7, %%x8, 3;\nmad.lo.u32 %%x7, %%x7, 256, %%x5;\nand.b32 %%x8, %%x8, 7;\nmad.lo.u32 %%x7, %%x8, 2, %%x7;")
		w.line("mad.lo.u32 %%x7, %%x9, 16, %%x7;") // and 128 bytes from eight to eight
		w.line("st.shared.b16 [%%x7+%d], %%h%s;", at, name)
	}
}

// rows loads or stores a thread's registers of C or D, which are the same.
func (w *writer) rows(op, name string, n int) []string {
	places := w.places(name, n)
	regs := registers("d", w.d, len(places))
	for i, r := range regs {
		w.move(op, "b32", r, places[i])
	}
	return regs
}

// places are their addresses in memory.
func (w *writer) places(name string, n int) []string {
	line := n * w.d.Bits() / 8
	w.line("mad.wide.u32 %%y0, %%x3, %d, %%%s;\nmad.wide.u32 %%y0, %%x4, %d, %%y0;", line, name, w.d.Bits()/4)
	per := w.d.Bits() / 16 // registers of two elements
	list := make([]string, n/2*w.d.Bits()/32)
	for i := range list {
		pair := i / per
		list[i] = fmt.Sprintf("%%y0+%d", pair%2*8*line+pair/2*w.d.Bits()+i%per*4)
	}
	return list
}
