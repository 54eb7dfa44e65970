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
)

// gemm writes the micro kernels: a tile of C of up to rows x 2 vectors, held in registers, of which
// the loop over k adds one outer product after another. An element is loaded from A and broadcast;
// a row of B is loaded as vectors.
func gemm(f *file) {
	f.defineMasks()
	for _, set := range []struct {
		isa
		rows int
	}{{avx2, rowsAVX2}, {avx512, rowsAVX512}} {
		for vecs := 1; vecs <= 2; vecs++ {
			for rows := 1; rows <= set.rows; rows++ {
				f.tile(set.isa, rows, vecs, true)
			}
			if set.bytes == 32 {
				for rows := 1; rows <= set.rows; rows++ {
					f.tile(set.isa, rows, vecs, false)
				}
			}
		}
		f.runTile(set.isa, set.rows)
	}
}

// runTile writes the Go function that chooses a micro kernel.
func (f *file) runTile(i isa, rows int) {
	w := &f.decls
	fmt.Fprintf(w, "\n// run%s runs the micro kernel for so many rows and vectors.\n", i.name)
	if i.bytes == 32 {
		fmt.Fprintf(w, "func run%s(t *Tile, rows, vecs int, masked bool) {\n\tkind := 4 * rows + 2 * vecs\n\tif masked {\n\t\tkind++\n\t}\n\tswitch kind {\n", i.name)
	} else {
		fmt.Fprintf(w, "func run%s(t *Tile, rows, vecs int) {\n\tswitch 4 * rows + 2 * vecs {\n", i.name)
	}
	for r := 1; r <= rows; r++ {
		for v := 1; v <= 2; v++ {
			fmt.Fprintf(w, "\tcase %d:\n\t\t%s(t)\n", 4*r+2*v, tileName(i, r, v, i.bytes == 64))
			if i.bytes == 32 {
				fmt.Fprintf(w, "\tcase %d:\n\t\t%s(t)\n", 4*r+2*v+1, tileName(i, r, v, true))
			}
		}
	}
	fmt.Fprintf(w, "\t}\n}\n")
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

	t, a0, a7, ars, ars3, ars5, aks, bp, bks, k reg.GPVirtual
}

func tileName(i isa, rows, vecs int, masked bool) string {
	name := fmt.Sprintf("tile%s_%dx%d", i.name, rows, vecs)
	if i.bytes == 32 && masked {
		name += "m"
	}
	return name
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
		if g.bytes == 64 {
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
	g.a0, g.bp, g.k = field(tileA), field(tileB), field(tileK)
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
	if g.rows > 7 {
		g.a7 = g.GP64()
		g.LEAQ(indexed(g.a0, g.ars3, 2), g.a7)
		g.ADDQ(g.ars, g.a7)
	}
	if g.masked {
		if g.bytes == 64 {
			g.KMOVW(at(t, tileLast), g.mask)
		} else {
			g.file.mask(field(tileLast), g.mask.(reg.VecPhysical))
		}
	}
	g.prefetchC(t)
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
			if g.bytes == 64 {
				g.VPXORQ(acc, acc, acc)
			} else {
				g.VXORPS(acc, acc, acc)
			}
		}
	}
}

func (g *tileGen) loop() {
	unroll := 1
	if 2*g.rows >= len(g.regs)-4 {
		unroll = unrollK
	}
	if unroll > 1 {
		g.SUBQ(imm(unroll), g.k)
		g.JLT(operand.LabelRef("rest"))
		next := g.GP64()
		g.MOVQ(at(g.t, tileNext), next)
		g.Label("block")
		g.PREFETCHT1(at(next, 0))
		g.ADDQ(operand.Imm(64), next)
		for range unroll {
			g.step()
		}
		g.SUBQ(imm(unroll), g.k)
		g.JGE(operand.LabelRef("block"))
		g.Label("rest")
		g.ADDQ(imm(unroll), g.k)
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
	if g.rows*g.vecs*2 >= len(g.regs) {
		for v := 0; v < g.vecs*g.bytes; v += 64 {
			g.PREFETCHT0(at(g.bp, prefetchB+v))
		}
	}
	g.ADDQ(g.bks, g.bp)
	for r, row := range g.acc {
		bcast := g.bcast[r%len(g.bcast)]
		g.op("VBROADCASTS?", g.aRow(r), bcast)
		for v, acc := range row {
			g.op("VFMADD231P?", g.b[v], bcast, acc)
		}
	}
	g.ADDQ(g.aks, g.a0)
	if g.rows > 7 {
		g.ADDQ(g.aks, g.a7)
	}
}

// aRow is row r's element of A: one of two pointers plus 0, 1, 2, 3, 4, 5 or 6 times the stride.
func (g *tileGen) aRow(r int) operand.Mem {
	base := g.a0
	if r >= 7 {
		base, r = g.a7, r-7
	}
	switch r {
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
	case g.bytes == 64:
		g.op("VMOVUP?_Z", m, g.mask, v)
	default:
		g.op("VMASKMOVP?", m, g.mask, v)
	}
}

func (g *tileGen) storeVec(v reg.VecPhysical, m operand.Mem, last bool) {
	switch {
	case !g.masked || !last:
		g.op("VMOVUP?", v, m)
	case g.bytes == 64:
		g.op("VMOVUP?", v, g.mask, m)
	default:
		g.op("VMASKMOVP?", v, g.mask, m)
	}
}

// store writes alpha*acc + beta*C. With a beta of 0 it does not read C.
func (g *tileGen) store(t reg.GPVirtual) {
	c, row, beta := g.GP64(), g.GP64(), g.GP64()
	g.MOVQ(at(t, tileC), c)
	g.MOVQ(at(t, tileCRow), row)
	alpha := g.bcast[0]
	g.op("VBROADCASTS?", at(t, tileAlpha), alpha)
	for _, accs := range g.acc {
		for _, acc := range accs {
			g.op("VMULP?", alpha, acc, acc)
		}
	}
	tileBeta := tileAlpha + g.size()
	if g.double {
		g.MOVQ(at(t, tileBeta), beta)
		g.SHLQ(operand.Imm(1), beta)
	} else {
		g.MOVL(at(t, tileBeta), beta.As32())
		g.SHLL(operand.Imm(1), beta.As32())
	}
	g.JE(operand.LabelRef("zero"))
	g.op("VBROADCASTS?", at(t, tileBeta), alpha)
	for _, accs := range g.acc {
		for v, acc := range accs {
			m := at(c, v*g.bytes)
			g.loadVec(m, g.b[0], v == g.vecs-1)
			g.op("VFMADD231P?", g.b[0], alpha, acc)
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
