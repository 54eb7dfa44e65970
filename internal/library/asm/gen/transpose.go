package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transpose writes the packing of rows into columns: blocks of as many rows as a vector has lanes
// are read as vectors along the rows, transposed in registers, and written across.
func transpose(f *file) {
	lanes := 32 / f.size()
	f.text(fmt.Sprintf("writes columns of rows of src, at most %d, as rows of dst. Strides\n// are in bytes. "+
		"Only whole multiples of %d columns are written.\n// Each row of dst is written %d elements long.", lanes, lanes, lanes),
		"transposeAVX2", fmt.Sprintf("dst *%s, dstStride int, src *%s, srcStride, rows, cols int", f.elem(), f.elem()), "")
	dst, ldd, lds, left, cols := f.ptr("dst"), f.ptr("dstStride"), f.ptr("srcStride"), f.ptr("rows"), f.ptr("cols")
	rows := []reg.GPVirtual{f.ptr("src")}
	for r := 1; r < lanes; r++ { // rows that are not there are the last one again
		p := f.GP64()
		f.LEAQ(indexed(rows[r-1], lds, 1), p)
		f.CMPQ(left, operand.Imm(uint64(r)))
		f.CMOVQLE(rows[r-1], p)
		rows = append(rows, p)
	}
	f.SUBQ(operand.Imm(uint64(lanes)), cols)
	f.JLT(operand.LabelRef("end"))
	f.Label("loop")
	y := avx2.regs[:lanes]
	for r, p := range rows {
		f.op("VMOVUP?", at(p, 0), y[r])
		f.ADDQ(operand.Imm(32), p)
	}
	for _, v := range f.transposed(y, avx2.regs[lanes:2*lanes]) {
		f.op("VMOVUP?", v, at(dst, 0))
		f.ADDQ(ldd, dst)
	}
	f.SUBQ(operand.Imm(uint64(lanes)), cols)
	f.JGE(operand.LabelRef("loop"))
	f.Label("end")
	f.VZEROUPPER()
	f.RET()
}

// transposed emits the transposition of a square block held in registers.
func (f *file) transposed(y, t []reg.VecPhysical) []reg.VecPhysical {
	if f.double {
		for i := 0; i < 4; i += 2 {
			f.VUNPCKLPD(y[i+1], y[i], t[i])
			f.VUNPCKHPD(y[i+1], y[i], t[i+1])
		}
		for i := range 2 {
			f.VPERM2F128(operand.Imm(0x20), t[i+2], t[i], y[i])
			f.VPERM2F128(operand.Imm(0x31), t[i+2], t[i], y[i+2])
		}
		return y
	}
	for i := 0; i < 8; i += 2 {
		f.VUNPCKLPS(y[i+1], y[i], t[i])
		f.VUNPCKHPS(y[i+1], y[i], t[i+1])
	}
	for i := 0; i < 8; i += 4 {
		for j := range 2 {
			f.VUNPCKLPD(t[i+j+2], t[i+j], y[i+2*j])
			f.VUNPCKHPD(t[i+j+2], t[i+j], y[i+2*j+1])
		}
	}
	for i := range 4 {
		f.VPERM2F128(operand.Imm(0x20), y[i+4], y[i], t[i])
		f.VPERM2F128(operand.Imm(0x31), y[i+4], y[i], t[i+4])
	}
	return t
}
