package main

import "fmt"

const (
	rowsNEON = 6
	vecsNEON = 4 // of a row of a tile
)

// tiles writes the micro kernels, as those for amd64: an element of A is loaded to all lanes, a row
// of B as vectors. Columns that fill no vector are package portable's.
func (n *neon) tiles() {
	fmt.Fprintf(&n.code, `
// runNEON computes a tile of rows by cols elements.
func runNEON(t *Tile, rows, cols int) {
	vecs := cols / %[1]d
	switch 8*rows + vecs {
`, n.lanes())
	for rows := 1; rows <= rowsNEON; rows++ {
		for vecs := 1; vecs <= vecsNEON; vecs++ {
			fmt.Fprintf(&n.code, "\tcase %d:\n\t\ttile%dx%d(t)\n", 8*rows+vecs, rows, vecs)
		}
	}
	fmt.Fprintf(&n.code, `	}
	if rest := cols - vecs*%[1]d; rest > 0 {
		last := *t
		last.B = (*%[2]s)(unsafe.Add(unsafe.Pointer(t.B), vecs*16))
		last.C = (*%[2]s)(unsafe.Add(unsafe.Pointer(t.C), vecs*16))
		portable.Tile(&last, rows, rest)
	}
}
`, n.lanes(), n.elem())
	for rows := 1; rows <= rowsNEON; rows++ {
		for vecs := 1; vecs <= vecsNEON; vecs++ {
			n.tile(vreg(rows), vreg(vecs))
		}
	}
}

// tile writes a micro kernel. C is in V0 to V23, B in V24 to V27, elements of A in V28 and V29.
func (n *neon) tile(rows, vecs vreg) {
	const b, a = vreg(24), vreg(28)
	n.declare(fmt.Sprintf("tile%dx%d", rows, vecs), fmt.Sprintf("computes a tile of %d rows and %d vectors.", rows, vecs),
		"t *Tile", "", 8)
	n.line("MOVD t+0(FP), R0")
	n.line("MOVD %d(R0), R1 // K", tileK)
	n.line("MOVD %d(R0), R2 // B", tileB)
	n.line("MOVD %d(R0), R3 // from a row of B to the next", tileBK)
	n.line("MOVD %d(R0), R4 // from a column of A to the next", tileAK)
	n.line("MOVD %d(R0), R6 // A", tileA)
	n.line("MOVD %d(R0), R5 // from a row of A to the next", tileARow)
	for r := vreg(1); r < rows; r++ {
		n.line("ADD R5, R%d, R%d", 5+r, 6+r)
	}
	n.zero(int(rows * vecs))
	n.line("CBZ R1, done")
	n.label("loop")
	n.line("VLD1 (R2), %s", n.list(b, int(vecs)))
	n.line("ADD R3, R2")
	for r := range rows {
		n.line("VLD1R (R%d), [%s]", 6+r, n.vec(a+r%2))
		n.line("ADD R4, R%d", 6+r)
		for v := range vecs {
			n.fmla(r*vecs+v, b+v, a+r%2)
		}
	}
	n.line("SUBS $1, R1")
	n.line("BNE loop")
	n.label("done")
	n.storeTile(rows, vecs, b, a)
}

// storeTile writes alpha*acc + beta*C. With a beta of 0 it does not read C. b and a are free.
func (n *neon) storeTile(rows, vecs, b, a vreg) {
	n.line("MOVD %d(R0), R1 // C", tileC)
	n.line("MOVD %d(R0), R2 // from a row of C to the next", tileCRow)
	n.line("ADD $%d, R0, R3", tileAlpha)
	n.line("VLD1R (R3), [%s]", n.vec(a))
	for v := range rows * vecs {
		n.encoded("FMUL", v, v, a)
	}
	n.line("ADD $%d, R0, R3", tileAlpha+n.size())
	n.line("VLD1R (R3), [%s]", n.vec(a))
	if n.double {
		n.line("MOVD (R3), R4")
		n.line("LSL $1, R4")
	} else {
		n.line("MOVWU (R3), R4")
		n.line("LSLW $1, R4")
	}
	n.line("CBZ R4, zero")
	for r := range rows {
		n.line("VLD1 (R1), %s", n.list(b, int(vecs)))
		for v := range vecs {
			n.fmla(r*vecs+v, b+v, a)
		}
		n.line("VST1 %s, (R1)", n.list(r*vecs, int(vecs)))
		n.line("ADD R2, R1")
	}
	n.line("RET")
	n.label("zero")
	for r := range rows {
		n.line("VST1 %s, (R1)", n.list(r*vecs, int(vecs)))
		n.line("ADD R2, R1")
	}
	n.line("RET")
}

// transpose writes the packing of rows into columns, as for amd64: of as many rows as a vector has
// lanes, vectors along the rows are transposed in registers and written across.
func (n *neon) transpose() {
	lanes := n.lanes()
	n.declare("transposeNEON", fmt.Sprintf("writes columns of rows of src, at most %d, as rows of dst. Strides\n// are in bytes. "+
		"Only whole multiples of %d columns are written.\n// Each row of dst is written %d elements long.", lanes, lanes, lanes),
		fmt.Sprintf("dst *%s, dstStride int, src *%[1]s, srcStride, rows, cols int", n.elem()), "", 48)
	const first = 8 // the register of the first row
	n.line("MOVD dst+0(FP), R0")
	n.line("MOVD dstStride+8(FP), R1")
	n.line("MOVD src+16(FP), R%d", first)
	n.line("MOVD srcStride+24(FP), R2")
	n.line("MOVD rows+32(FP), R3")
	n.line("MOVD cols+40(FP), R4")
	for r := 1; r < lanes; r++ { // rows that are not there are the last one again
		n.line("ADD R2, R%d, R5", first+r-1)
		n.line("CMP $%d, R3", r)
		n.line("CSEL GT, R5, R%d, R%d", first+r-1, first+r)
	}
	n.line("SUBS $%d, R4", lanes)
	n.line("BLT end")
	n.label("loop")
	for r := range lanes {
		n.line("VLD1.P 16(R%d), %s", first+r, n.list(vreg(r), 1))
	}
	from, to := vreg(0), vreg(8)
	for step := lanes / 2; step > 0; step /= 2 { // rows that are half of all apart side by side, then half of these
		n.zip(from, to, vreg(lanes))
		from, to = to, from
	}
	for r := range vreg(lanes) {
		n.line("VST1 %s, (R0)", n.list(from+r, 1))
		n.line("ADD R1, R0")
	}
	n.line("SUBS $%d, R4", lanes)
	n.line("BGE loop")
	n.label("end")
	n.line("RET")
}

// zip takes elements in turn from each register of the first half and its counterpart of the
// second.
func (n *neon) zip(from, to, count vreg) {
	for i := range count / 2 {
		n.line("VZIP1 %s, %s, %s", n.vec(from+count/2+i), n.vec(from+i), n.vec(to+2*i))
		n.line("VZIP2 %s, %s, %s", n.vec(from+count/2+i), n.vec(from+i), n.vec(to+2*i+1))
	}
}
