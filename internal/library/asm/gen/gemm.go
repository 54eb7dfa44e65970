package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of Tile in tile.go.
const (
	tileA, tileB, tileC      = 0, 8, 16
	tileK                    = 24
	tileARow, tileAK, tileBK = 32, 40, 48
	tileCRow                 = 56
	tileNext                 = 64
	tileLast                 = 72
	tileAlpha                = 80 // and beta after it
	unrollK, prefetchB       = 4, 1024
	rowsAVX2, rowsAVX512     = 6, 14
	rowsTall                 = 24 // of AVX-512's tiles of one vector
)

// gemm writes the micro kernels: a tile of C of up to rows x 2 vectors in registers. The loop over
// k adds one outer product after another to it. An element is loaded from A and broadcast. A row of
// B is loaded as vectors. AVX-512 has taller tiles of one vector, and of half a vector, for
// products that have no more columns.
func gemm(f *file) {
	f.defineMasks()
	for rows := 1; rows <= rowsTall; rows++ {
		f.tile(half(), rows, 1, true)
		f.tile(avx512, rows, 1, true)
		if rows <= rowsAVX512 {
			f.tile(avx512, rows, 2, true)
			f.tile(avx512, rows, 2, false)
		}
	}
	for rows := 1; rows <= rowsAVX2; rows++ {
		for vecs := 1; vecs <= 2; vecs++ {
			f.tile(avx2, rows, vecs, false)
			f.tile(avx2, rows, vecs, true)
		}
	}
	f.runTile(avx2.name, 4*(rowsAVX2+1), func(i int) string {
		return tileName(avx2, i/4, i/2%2+1, i%2 == 1)
	})
	f.runTile(avx512.name, 4*(rowsTall+1), func(i int) string {
		switch rows := i / 4; i % 4 {
		case 0:
			return tileName(half(), rows, 1, true)
		case 1:
			return tileName(avx512, rows, 1, true)
		default:
			return tileName(avx512, min(rows, rowsAVX512), 2, i%4 == 2)
		}
	})
}

// runTile writes the function that goes on in a micro kernel, and the table of them. Nothing is
// in its rows for 0 rows but what is in those for 1.
func (f *file) runTile(set string, kinds int, name func(kind int) string) {
	fmt.Fprintf(&f.decls, "\n// run%[1]s runs a micro kernel of the table of %[2]d.\n//\n//go:noescape\nfunc run%[1]s(t *Tile, kind int)\n", set, kinds)
	w := &f.plain
	for i := range kinds {
		fmt.Fprintf(w, "DATA tiles%s<>+%d(SB)/8, $·%s(SB)\n", set, 8*i, name(max(i, i%4+4)))
	}
	fmt.Fprintf(w, "GLOBL tiles%s<>(SB), RODATA, $%d\n", set, 8*kinds)
	fmt.Fprintf(w, "\n// func run%[1]s(t *Tile, kind int)\nTEXT ·run%[1]s(SB), NOSPLIT|NOFRAME, $0-16\n\tMOVQ kind+8(FP), AX\n\tLEAQ tiles%[1]s<>(SB), CX\n\tJMP  (CX)(AX*8)\n\n", set)
}

// tileGen is the state while a micro kernel is written.
type tileGen struct {
	*file
	isa
	rows, vecs int
	masked     bool

	acc   [][]reg.VecPhysical
	b     []reg.VecPhysical
	bcast []reg.VecPhysical
	mask  operand.Op // of the last vector

	t, ars, ars3, ars5, aks, bp, bks, k reg.GPVirtual
	a                                   []reg.GPVirtual // every seventh row of A
}

func tileName(i isa, rows, vecs int, masked bool) string {
	switch name := fmt.Sprintf("tile%s_%dx%d", i.name, rows, vecs); {
	case i.opmasks && i.bytes == 32:
		return name + "half"
	case masked:
		return name + "m"
	default:
		return name
	}
}

func (f *file) tile(i isa, rows, vecs int, masked bool) {
	full := "full"
	if masked {
		full = "masked"
	}
	f.text(fmt.Sprintf("computes a tile of %d rows and %d vectors, the last of them %s.", rows, vecs, full),
		tileName(i, rows, vecs, masked), "t *Tile", "")
	g := &tileGen{file: f, isa: i, rows: rows, vecs: vecs, masked: masked, t: f.ptr("t")}
	g.assign()
	g.load(g.t)
	g.clear()
	g.loop()
	g.scale(g.t)
	g.store(g.t)
	f.RET()
}

func (g *tileGen) assign() {
	next := 0
	take := func() reg.VecPhysical { next++; return g.regs[next-1] }
	for r := 0; r < g.rows; r++ {
		row := []reg.VecPhysical{}
		for v := 0; v < g.vecs; v++ {
			row = append(row, take())
		}
		g.acc = append(g.acc, row)
	}
	for v := 0; v < g.vecs; v++ {
		g.b = append(g.b, take())
	}
	if g.masked {
		if g.opmasks {
			g.mask = reg.K1
		} else {
			g.mask = take()
		}
	}
	for len(g.bcast) < 2 && next < len(g.regs) {
		g.bcast = append(g.bcast, take())
	}
}

func (g *tileGen) load(t reg.GPVirtual) {
	field := func(off int) reg.GPVirtual {
		r := g.GP64()
		g.MOVQ(at(t, off), r)
		return r
	}
	g.a = []reg.GPVirtual{field(tileA)}
	g.bp, g.k = field(tileB), field(tileK)
	g.aks, g.bks = field(tileAK), field(tileBK)
	if g.rows > 1 {
		g.ars = field(tileARow)
	}
	if g.rows > 3 {
		g.ars3 = g.GP64()
		g.LEAQ(indexed(g.ars, g.ars, 2), g.ars3)
	}
	if g.rows > 5 {
		g.ars5 = g.GP64()
		g.LEAQ(indexed(g.ars, g.ars, 4), g.ars5)
	}
	for r := 7; r < g.rows; r += 7 {
		next := g.GP64()
		g.LEAQ(indexed(g.a[len(g.a)-1], g.ars3, 2), next)
		g.ADDQ(g.ars, next)
		g.a = append(g.a, next)
	}
	if g.masked {
		if g.opmasks {
			g.KMOVW(at(t, tileLast), g.mask)
		} else {
			g.file.mask(field(tileLast), g.mask.(reg.VecPhysical))
		}
	}
	if g.vecs == 2 {
		next := field(tileNext)
		g.CMPQ(next, g.a[0])
		g.JE(operand.LabelRef("near"))
		g.prefetchC(t)
		g.Label("near")
	}
}

// prefetchC asks for the tile of C early, as it is used only after the loop.
func (g *tileGen) prefetchC(t reg.GPVirtual) {
	c, row := g.GP64(), g.GP64()
	g.MOVQ(at(t, tileC), c)
	g.MOVQ(at(t, tileCRow), row)
	for r := 0; r < g.rows; r++ {
		g.PREFETCHT0(at(c, 0))
		if last := g.vecs*g.bytes - 4; last >= 60 {
			g.PREFETCHT0(at(c, last))
		}
		if r+1 < g.rows {
			g.ADDQ(row, c)
		}
	}
}

func (g *tileGen) clear() {
	for _, row := range g.acc {
		for _, acc := range row {
			if g.opmasks {
				g.VPXORQ(acc, acc, acc)
			} else {
				g.VXORPS(acc, acc, acc)
			}
		}
	}
}

// largest reports whether the tile is for packed operands, which are read ahead.
func (g *tileGen) largest() bool { return g.vecs == 2 && g.rows*g.vecs >= len(g.regs)-4 }

// loop goes through k, several steps at a time if they are many: fewer turns are predicted
// better.
func (g *tileGen) loop() {
	if g.vecs == 2 && g.rows >= 8 || g.largest() {
		g.SUBQ(imm(unrollK), g.k)
		g.JLT(operand.LabelRef("rest"))
		next := g.GP64()
		if g.largest() {
			g.MOVQ(at(g.t, tileNext), next)
		}
		g.Label("block")
		if g.largest() {
			g.PREFETCHT1(at(next, 0))
			g.ADDQ(operand.Imm(64), next)
		}
		for range unrollK {
			g.step()
		}
		g.SUBQ(imm(unrollK), g.k)
		g.JGE(operand.LabelRef("block"))
		g.Label("rest")
		g.ADDQ(imm(unrollK), g.k)
	}
	g.TESTQ(g.k, g.k)
	g.JLE(operand.LabelRef("done"))
	g.Label("one")
	g.step()
	g.DECQ(g.k)
	g.JNE(operand.LabelRef("one"))
	g.Label("done")
}

// step adds the product of a column of A and a row of B.
func (g *tileGen) step() {
	for v, b := range g.b {
		g.loadVec(at(g.bp, v*g.bytes), b, v == g.vecs-1)
	}
	if g.largest() {
		for v := 0; v < g.vecs*g.bytes; v += 64 {
			g.PREFETCHT0(at(g.bp, prefetchB+v))
		}
	}
	g.ADDQ(g.bks, g.bp)
	for r, row := range g.acc {
		if g.opmasks && g.vecs == 1 {
			g.op("VFMADD231P?_BCST", g.aRow(r), g.b[0], row[0])
			continue
		}
		bcast := g.bcast[r%len(g.bcast)]
		g.op("VBROADCASTS?", g.aRow(r), bcast)
		for v, acc := range row {
			g.op("VFMADD231P?", g.b[v], bcast, acc)
		}
	}
	for _, a := range g.a {
		g.ADDQ(g.aks, a)
	}
}

// aRow is row r's element of A: one of the pointers plus 0, 1, 2, 3, 4, 5 or 6 times the stride.
func (g *tileGen) aRow(r int) operand.Mem {
	base := g.a[r/7]
	switch r %= 7; r {
	case 0:
		return at(base, 0)
	case 3:
		return indexed(base, g.ars3, 1)
	case 5:
		return indexed(base, g.ars5, 1)
	case 6:
		return indexed(base, g.ars3, 2)
	default:
		return indexed(base, g.ars, uint8(r))
	}
}

func (g *tileGen) loadVec(m operand.Mem, v reg.VecPhysical, last bool) {
	switch {
	case !g.masked || !last:
		g.op("VMOVUP?", m, v)
	case g.opmasks:
		g.op("VMOVUP?_Z", m, g.mask, v)
	default:
		g.op("VMASKMOVP?", m, g.mask, v)
	}
}

func (g *tileGen) storeVec(v reg.VecPhysical, m operand.Mem, last bool) {
	switch {
	case !g.masked || !last:
		g.op("VMOVUP?", v, m)
	case g.opmasks:
		g.op("VMOVUP?", v, g.mask, m)
	default:
		g.op("VMASKMOVP?", v, g.mask, m)
	}
}

// scale multiplies the sums by alpha, if that is not 1.
func (g *tileGen) scale(t reg.GPVirtual) {
	alpha := g.bcast[0]
	one := operand.U32(0x3f800000)
	if g.double {
		r := g.GP64()
		g.MOVQ(operand.U64(0x3ff0000000000000), r)
		g.CMPQ(r, at(t, tileAlpha))
	} else {
		g.CMPL(at(t, tileAlpha), one)
	}
	g.JE(operand.LabelRef("scaled"))
	g.op("VBROADCASTS?", at(t, tileAlpha), alpha)
	for _, accs := range g.acc {
		for _, acc := range accs {
			g.op("VMULP?", alpha, acc, acc)
		}
	}
	g.Label("scaled")
}

// store writes the sums + beta*C. With a beta of 0 it does not read C.
func (g *tileGen) store(t reg.GPVirtual) {
	c, row, beta := g.GP64(), g.GP64(), g.GP64()
	g.MOVQ(at(t, tileC), c)
	g.MOVQ(at(t, tileCRow), row)
	factor := g.bcast[0]
	tileBeta := tileAlpha + g.size()
	if g.double {
		g.MOVQ(at(t, tileBeta), beta)
		g.SHLQ(operand.Imm(1), beta)
	} else {
		g.MOVL(at(t, tileBeta), beta.As32())
		g.SHLL(operand.Imm(1), beta.As32())
	}
	g.JE(operand.LabelRef("zero"))
	g.op("VBROADCASTS?", at(t, tileBeta), factor)
	for _, accs := range g.acc {
		for v, acc := range accs {
			m := at(c, v*g.bytes)
			g.loadVec(m, g.b[0], v == g.vecs-1)
			g.op("VFMADD231P?", g.b[0], factor, acc)
			g.storeVec(acc, m, v == g.vecs-1)
		}
		g.ADDQ(row, c)
	}
	g.JMP(operand.LabelRef("end"))
	g.Label("zero")
	for _, accs := range g.acc {
		for v, acc := range accs {
			g.storeVec(acc, at(c, v*g.bytes), v == g.vecs-1)
		}
		g.ADDQ(row, c)
	}
	g.Label("end")
	g.VZEROUPPER()
}
