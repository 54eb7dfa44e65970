package main

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
)

// The NEON kernels are written as text, since avo knows amd64 only. Go's assembler has no vector
// addition, subtraction, multiplication or absolute value of floating-point numbers; these are
// encoded here.

const (
	rowsNEON = 6
	vecsNEON = 4 // of a row of a tile
)

// neon is a file of assembly for arm64, and of the Go code that calls it.
type neon struct {
	double    bool
	asm, code bytes.Buffer
}

func (n *neon) elem() string {
	if n.double {
		return "float64"
	}
	return "float32"
}

func (n *neon) size() int {
	if n.double {
		return 8
	}
	return 4
}

// lanes is how many elements a vector has, and arrangement what the assembler calls that.
func (n *neon) lanes() int { return 16 / n.size() }

func (n *neon) arrangement() string {
	if n.double {
		return "D2"
	}
	return "S4"
}

func (n *neon) line(format string, args ...any) { fmt.Fprintf(&n.asm, "\t"+format+"\n", args...) }

func (n *neon) label(name string) { fmt.Fprintf(&n.asm, "%s:\n", name) }

// begin begins a function with arguments of so many bytes.
func (n *neon) begin(name, signature string, bytes int) {
	fmt.Fprintf(&n.asm, "\n// func %s%s\nTEXT ·%s(SB), NOSPLIT|NOFRAME, $0-%d\n", name, signature, name, bytes)
}

// vec is a register with its arrangement.
func (n *neon) vec(v int) string { return fmt.Sprintf("V%d.%s", v, n.arrangement()) }

// list is so many registers from v on.
func (n *neon) list(v, count int) string {
	var all []string
	for i := range count {
		all = append(all, n.vec(v+i))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// encoded emits an instruction that Go's assembler does not know: d = op(x, y), or op(x).
func (n *neon) encoded(op string, d, x, y int) {
	code := map[string]uint32{"FADD": 0x4e20d400, "FSUB": 0x4ea0d400, "FMUL": 0x6e20dc00, "FABS": 0x4ea0f800}[op]
	operands := fmt.Sprintf("%s, %s, %s", n.vec(d), n.vec(x), n.vec(y))
	if op == "FABS" {
		operands, y = fmt.Sprintf("%s, %s", n.vec(d), n.vec(x)), 0
	}
	if n.double {
		code |= 1 << 22
	}
	n.line("WORD $0x%08x // %s %s", code|uint32(y)<<16|uint32(x)<<5|uint32(d), op, operands)
}

// fma adds x*y to d, with one rounding.
func (n *neon) fma(d, x, y int) { n.line("VFMLA %s, %s, %s", n.vec(x), n.vec(y), n.vec(d)) }

// writeNEON writes the files of an element type.
func writeNEON(double bool) error {
	n := &neon{double: double}
	pkg := folder(double)
	fmt.Fprintf(&n.asm, "%s\n\n//go:build !noasm\n\n#include \"textflag.h\"\n", header)
	fmt.Fprintf(&n.code, "%s\n\n//go:build !noasm\n\npackage %s\n\nimport (\n\"unsafe\"\n\n\"github.com/gridstride/gridstride/internal/asm/portable\"\n)\n", header, pkg)
	n.reductions()
	n.elementwise()
	n.tiles()
	text, err := format.Source(n.code.Bytes())
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join("..", pkg, "neon_arm64.go"), text, 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join("..", pkg, "neon_arm64.s"), n.asm.Bytes(), 0o666)
}

// neonReductions are the reductions of four accumulators that have a form for NEON: step adds the
// registers x and y to acc, and may change x.
var neonReductions = []struct {
	name     string
	operands int
	step     func(n *neon, acc, x, y int)
}{
	{"dot", 2, func(n *neon, acc, x, y int) { n.fma(acc, x, y) }},
	{"sum", 1, func(n *neon, acc, x, _ int) { n.encoded("FADD", acc, x, acc) }},
	{"asum", 1, func(n *neon, acc, x, _ int) {
		n.encoded("FABS", x, x, 0)
		n.encoded("FADD", acc, x, acc)
	}},
	{"squaredDistance", 2, func(n *neon, acc, x, y int) {
		n.encoded("FSUB", x, x, y)
		n.fma(acc, x, x)
	}},
}

// reductions writes the reductions in the order of package portable: four accumulators of 64 bytes,
// V0 to V15, to which units of the vectors go in turn. The last, incomplete unit comes in a copy
// filled with zeros.
func (n *neon) reductions() {
	unit := 64 / n.size()
	for _, r := range neonReductions {
		params, args, copies := "x []"+n.elem(), "unsafe.SliceData(x)", "copy(tail[0][:], x[whole:])"
		pointers := "x"
		if r.operands == 2 {
			params, args = "x, y []"+n.elem(), "unsafe.SliceData(x), unsafe.SliceData(y)"
			copies += "\ncopy(tail[1][:], y[whole:])"
			pointers = "x, y"
		}
		fmt.Fprintf(&n.code, `
// %[1]sUnits is %[1]s of whole units, and of one more in tail, if it is not nil.
//
//go:noescape
func %[1]sUnits(%[2]s *%[3]s, units int, tail *[2][%[4]d]%[3]s) %[3]s

func %[1]sNEON(%[5]s) %[3]s {
	whole := len(x) &^ %[6]d
	if whole == len(x) {
		return %[1]sUnits(%[7]s, whole/%[4]d, nil)
	}
	var tail [2][%[4]d]%[3]s
	%[8]s
	return %[1]sUnits(%[7]s, whole/%[4]d, &tail)
}
`, r.name, pointers, n.elem(), unit, params, unit-1, args, copies)
		bytes := 8 * (r.operands + 2)
		n.begin(r.name+"Units", fmt.Sprintf("(%s *%s, units int, tail *[2][%d]%s) %s", pointers, n.elem(), unit, n.elem(), n.elem()), bytes+n.size())
		n.line("MOVD x+0(FP), R0")
		if r.operands == 2 {
			n.line("MOVD y+8(FP), R1")
		}
		n.line("MOVD units+%d(FP), R2", bytes-16)
		n.line("MOVD tail+%d(FP), R3", bytes-8)
		for v := range 16 {
			n.line("VEOR V%d.B16, V%d.B16, V%d.B16", v, v, v)
		}
		one := func(u int) {
			n.line("VLD1.P 64(R0), %s", n.list(16, 4))
			if r.operands == 2 {
				n.line("VLD1.P 64(R1), %s", n.list(20, 4))
			}
			for part := range 4 {
				r.step(n, 4*u+part, 16+part, 20+part)
			}
		}
		n.line("SUBS $4, R2")
		n.line("BLT units")
		n.label("blocks")
		for u := range 4 {
			one(u)
		}
		n.line("SUBS $4, R2")
		n.line("BGE blocks")
		n.label("units")
		n.line("ADD $4, R2")
		for u := range 3 {
			n.line("CBZ R2, tail%d", u)
			one(u)
			n.line("SUB $1, R2")
		}
		for _, u := range []int{3, 0, 1, 2} {
			n.label(fmt.Sprintf("tail%d", u))
			n.line("CBZ R3, done")
			n.line("MOVD R3, R0")
			n.line("ADD $64, R3, R1")
			one(u)
			n.line("B done")
		}
		n.label("done")
		n.total()
		n.line("FMOV%s F0, ret+%d(FP)", map[bool]string{true: "D", false: "S"}[n.double], bytes)
		n.line("RET")
	}
}

// total adds the accumulators in pairs, and then the upper half of a unit to the lower half until
// one element is left, in V0.
func (n *neon) total() {
	for _, step := range []int{4, 8} {
		for v := 0; v < 16; v += 2 * step {
			for part := range 4 {
				n.encoded("FADD", v+part, v+part, v+part+step)
			}
		}
	}
	n.encoded("FADD", 0, 0, 2)
	n.encoded("FADD", 1, 1, 3)
	n.encoded("FADD", 0, 0, 1)
	for half := 8; half >= n.size(); half /= 2 {
		n.line("VEXT $%d, V0.B16, V0.B16, V1.B16", half)
		n.encoded("FADD", 0, 0, 1)
	}
}

// elementwise writes axpy and scal of whole units. The rest is package portable's.
func (n *neon) elementwise() {
	unit := 64 / n.size()
	mov, element := "FMOVS", "S"
	if n.double {
		mov, element = "FMOVD", "D"
	}
	fmt.Fprintf(&n.code, `
// axpyUnits computes y += alpha*x for whole units.
//
//go:noescape
func axpyUnits(alpha %[1]s, x, y *%[1]s, units int)

func axpyNEON(alpha %[1]s, x, y []%[1]s) {
	whole := len(x) &^ %[2]d
	axpyUnits(alpha, unsafe.SliceData(x), unsafe.SliceData(y), whole/%[3]d)
	portable.Axpy(alpha, x[whole:], y[whole:])
}

// scalUnits computes x *= alpha for whole units.
//
//go:noescape
func scalUnits(alpha %[1]s, x *%[1]s, units int)

func scalNEON(alpha %[1]s, x []%[1]s) {
	whole := len(x) &^ %[2]d
	scalUnits(alpha, unsafe.SliceData(x), whole/%[3]d)
	portable.Scal(alpha, x[whole:])
}
`, n.elem(), unit-1, unit)
	for _, f := range []struct {
		name, params string
		operands     int
	}{{"axpyUnits", "x, y", 2}, {"scalUnits", "x", 1}} {
		bytes := 8 * (f.operands + 2)
		n.begin(f.name, fmt.Sprintf("(alpha %s, %s *%s, units int)", n.elem(), f.params, n.elem()), bytes)
		n.line("%s alpha+0(FP), F16", mov)
		n.line("VDUP V16.%s[0], %s", element, n.vec(16))
		n.line("MOVD x+8(FP), R0")
		if f.operands == 2 {
			n.line("MOVD y+16(FP), R1")
		}
		n.line("MOVD units+%d(FP), R2", bytes-8)
		n.line("CBZ R2, done")
		n.label("loop")
		if f.operands == 2 {
			n.line("VLD1.P 64(R0), %s", n.list(0, 4))
			n.line("VLD1 (R1), %s", n.list(4, 4))
			for part := range 4 {
				n.fma(4+part, part, 16)
			}
			n.line("VST1.P %s, 64(R1)", n.list(4, 4))
		} else {
			n.line("VLD1 (R0), %s", n.list(0, 4))
			for part := range 4 {
				n.encoded("FMUL", part, part, 16)
			}
			n.line("VST1.P %s, 64(R0)", n.list(0, 4))
		}
		n.line("SUBS $1, R2")
		n.line("BNE loop")
		n.label("done")
		n.line("RET")
	}
}

// tiles writes the micro kernels, as those for amd64: an element of A is loaded to all lanes, a row
// of B as vectors. Columns that fill no vector are package portable's.
func (n *neon) tiles() {
	fmt.Fprintf(&n.code, `
// runNEON computes a tile of so many rows and columns.
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
			fmt.Fprintf(&n.code, "\n// tile%dx%d computes a tile of %d rows and %d vectors.\n//\n//go:noescape\nfunc tile%[1]dx%[2]d(t *Tile)\n", rows, vecs, rows, vecs)
			n.tile(rows, vecs)
		}
	}
}

// tile writes a micro kernel. C is in V0 to V23, B in V24 to V27, elements of A in V28 and V29.
func (n *neon) tile(rows, vecs int) {
	const b, a = 24, 28
	n.begin(fmt.Sprintf("tile%dx%d", rows, vecs), "(t *Tile)", 8)
	n.line("MOVD t+0(FP), R0")
	n.line("MOVD %d(R0), R1 // K", tileK)
	n.line("MOVD %d(R0), R2 // B", tileB)
	n.line("MOVD %d(R0), R3 // from a row of B to the next", tileBK)
	n.line("MOVD %d(R0), R4 // from a column of A to the next", tileAK)
	n.line("MOVD %d(R0), R6 // A", tileA)
	n.line("MOVD %d(R0), R5 // from a row of A to the next", tileARow)
	for r := 1; r < rows; r++ {
		n.line("ADD R5, R%d, R%d", 5+r, 6+r)
	}
	for v := range rows * vecs {
		n.line("VEOR V%d.B16, V%d.B16, V%d.B16", v, v, v)
	}
	n.line("CBZ R1, done")
	n.label("loop")
	n.line("VLD1 (R2), %s", n.list(b, vecs))
	n.line("ADD R3, R2")
	for r := range rows {
		n.line("VLD1R (R%d), [%s]", 6+r, n.vec(a+r%2))
		n.line("ADD R4, R%d", 6+r)
		for v := range vecs {
			n.fma(r*vecs+v, b+v, a+r%2)
		}
	}
	n.line("SUBS $1, R1")
	n.line("BNE loop")
	n.label("done")
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
		n.line("VLD1 (R1), %s", n.list(b, vecs))
		for v := range vecs {
			n.fma(r*vecs+v, b+v, a)
		}
		n.line("VST1 %s, (R1)", n.list(r*vecs, vecs))
		n.line("ADD R2, R1")
	}
	n.line("RET")
	n.label("zero")
	for r := range rows {
		n.line("VST1 %s, (R1)", n.list(r*vecs, vecs))
		n.line("ADD R2, R1")
	}
	n.line("RET")
}
