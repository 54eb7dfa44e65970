package main

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
)

// The NEON kernels are written as text, since avo knows amd64 only. Go's assembler has no
// arithmetic on vectors of floating-point numbers but FMLA, and little on integers. The rest is
// encoded here.

// neon is a file of assembly for arm64, and of the Go code that calls it.
type neon struct {
	double    bool
	asm, code bytes.Buffer
}

// vreg is a vector register.
type vreg int

// Asm is the register without an arrangement.
func (r vreg) Asm() string { return fmt.Sprintf("V%d", int(r)) }

// bits is the register as bytes.
func (r vreg) bits() string { return r.Asm() + ".B16" }

// writeNEON writes the files of an element type.
func writeNEON(double bool) error {
	n := &neon{double: double}
	pkg := folder(double)
	fmt.Fprintf(&n.asm, "%s\n\n//go:build !noasm\n\n#include \"textflag.h\"\n", header)
	fmt.Fprintf(&n.code, "%s\n\n//go:build !noasm\n\npackage %s\n\nimport (\n\"unsafe\"\n\n\"github.com/gridstride/gridstride/internal/library/asm/portable\"\n)\n", header, pkg)
	for _, r := range reductions {
		n.reduction(r)
	}
	n.extrema()
	n.dotExact()
	n.deposits()
	n.elementwise()
	n.transpose()
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

// unit is how many elements 64 bytes are, and lanes how many a vector has.
func (n *neon) unit() int  { return 64 / n.size() }
func (n *neon) lanes() int { return 16 / n.size() }

// letter is the element type in the names of scalar instructions and of lanes.
func (n *neon) letter() string {
	if n.double {
		return "D"
	}
	return "S"
}

// arrangement is the assembler's name for a vector of elements.
func (n *neon) arrangement() string { return fmt.Sprintf("%s%d", n.letter(), n.lanes()) }

// declare writes the declaration of a function in assembly, and begins the function. Bytes are of
// its arguments and its result.
func (n *neon) declare(name, doc, params, result string, bytes int) {
	fmt.Fprintf(&n.code, "\n// %s %s\n//\n//go:noescape\nfunc %s(%s) %s\n", name, doc, name, params, result)
	fmt.Fprintf(&n.asm, "\n// func %s(%s)", name, params)
	if result != "" {
		fmt.Fprintf(&n.asm, " %s", result)
	}
	fmt.Fprintf(&n.asm, "\nTEXT ·%s(SB), NOSPLIT|NOFRAME, $0-%d\n", name, bytes)
}

func (n *neon) line(format string, args ...any) { fmt.Fprintf(&n.asm, "\t"+format+"\n", args...) }

func (n *neon) label(format string, args ...any) { fmt.Fprintf(&n.asm, format+":\n", args...) }

// vec is a register with its arrangement.
func (n *neon) vec(v vreg) string { return v.Asm() + "." + n.arrangement() }

// list is count registers from v on.
func (n *neon) list(v vreg, count int) string {
	var all []string
	for i := range count {
		all = append(all, n.vec(v+vreg(i)))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// codes are the instructions that Go's assembler does not know, for float32 and int32.
var codes = map[string]uint32{
	"FADD": 0x4e20d400, "FSUB": 0x4ea0d400, "FMUL": 0x6e20dc00, "FABS": 0x4ea0f800, "FNEG": 0x6ea0f800,
	"FMAX": 0x4e20f400, "FMIN": 0x4ea0f400, "FMAXNM": 0x4e20c400, "SMAX": 0x4ea06400,
}

// encoded emits one of them: d = op(x, y), or op(x).
func (n *neon) encoded(op string, d vreg, operands ...vreg) {
	code, text := codes[op]|uint32(d), n.vec(d)
	if n.double {
		code |= 1 << 22
	}
	for i, v := range operands {
		code |= uint32(v) << []int{5, 16}[i]
		text += ", " + n.vec(v)
	}
	n.line("WORD $0x%08x // %s %s", code, op, text)
}

// The arithmetic of reductions.
func (n *neon) fma(sum, x, y register)   { n.fmla(sum.(vreg), x.(vreg), y.(vreg)) }
func (n *neon) add(sum, x register)      { n.encoded("FADD", sum.(vreg), x.(vreg), sum.(vreg)) }
func (n *neon) sub(x, y register)        { n.encoded("FSUB", x.(vreg), x.(vreg), y.(vreg)) }
func (n *neon) abs(x register)           { n.encoded("FABS", x.(vreg), x.(vreg)) }
func (n *neon) greater(most, x register) { n.encoded("FMAXNM", most.(vreg), x.(vreg), most.(vreg)) }

// fmla adds x*y to d, with one rounding.
func (n *neon) fmla(d, x, y vreg) { n.line("VFMLA %s, %s, %s", n.vec(x), n.vec(y), n.vec(d)) }

// zero clears count registers.
func (n *neon) zero(count int) {
	for v := range vreg(count) {
		n.line("VEOR %s, %s, %s", v.bits(), v.bits(), v.bits())
	}
}

// move copies a register.
func (n *neon) move(from, to vreg) {
	n.line("VORR %s, %s, %s", from.bits(), from.bits(), to.bits())
}

// scalar loads an argument and writes it to all lanes.
func (n *neon) scalar(argument string, v vreg) {
	n.line("FMOV%s %s(FP), F%d", n.letter(), argument, v)
	n.line("VDUP %s.%s[0], %s", v.Asm(), n.letter(), n.vec(v))
}
