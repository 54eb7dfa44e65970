package gen

import (
	"fmt"
	"strings"
)

// product is a function of tensor cores: a warp multiplies matrices. Each lane has fragments with a
// number of elements of A, of B and of C. Sums of 16-bit numbers and TF32 depend on the machine,
// unless each is exact: so these numbers have few bits.
type product struct {
	name    string
	a, b, c string // the types of the fragments
	lanes   [3]int // elements of them
	elem    *typ   // of A
	other   *typ   // of B
	sum     *typ   // of C
	target  string // the oldest that has it
}

var tTF32 = half(32, "gpu.TF32")

var products = []product{
	{"MMA16x8x16", "A16x16", "B16x8", "C16x8", [3]int{8, 4, 4}, tFloat16, tFloat16, tFloat32, "sm_80"},
	{"MMA16x8x16", "A16x16", "B16x8", "C16x8", [3]int{8, 4, 4}, tBFloat16, tBFloat16, tFloat32, "sm_80"},
	{"MMA16x8x16F16", "A16x16", "B16x8", "C16x8", [3]int{8, 4, 4}, tFloat16, tFloat16, tFloat16, "sm_80"},
	{"MMA16x8x8", "A16x8", "B8x8", "C16x8", [3]int{4, 2, 4}, tFloat16, tFloat16, tFloat32, "sm_80"},
	{"MMA16x8x8", "A16x8", "B8x8", "C16x8", [3]int{4, 2, 4}, tBFloat16, tBFloat16, tFloat32, "sm_80"},
	{"MMA16x8x8", "A16x8", "B8x8", "C16x8", [3]int{4, 2, 4}, tTF32, tTF32, tFloat32, "sm_80"},
	{"MMA16x8x4", "A16x4", "B4x8", "C16x8", [3]int{2, 1, 4}, tTF32, tTF32, tFloat32, "sm_80"},
	{"MMA16x8x32", "A16x32", "B32x8", "C16x8", [3]int{16, 8, 4}, tInt8, tInt8, tInt32, "sm_80"},
	{"MMA16x8x32", "A16x32", "B32x8", "C16x8", [3]int{16, 8, 4}, tUint8, tUint8, tInt32, "sm_80"},
	{"MMA16x8x16S32", "A16x16", "B16x8", "C16x8", [3]int{8, 4, 4}, tInt8, tInt8, tInt32, "sm_80"},
	{"MMA16x8x16S32", "A16x16", "B16x8", "C16x8", [3]int{8, 4, 4}, tUint8, tUint8, tInt32, "sm_80"},
	{"MMA8x8x4F64", "A8x4", "B4x8", "C8x8", [3]int{1, 1, 2}, tFloat64, tFloat64, tFloat64, "sm_80"},
	{"MMA16x8x4F64", "A16x4", "B4x8", "C16x8", [3]int{2, 1, 4}, tFloat64, tFloat64, tFloat64, "sm_90"},
	{"MMA16x8x8F64", "A16x8", "B8x8", "C16x8", [3]int{4, 2, 4}, tFloat64, tFloat64, tFloat64, "sm_90"},
	{"MMA16x8x16F64", "A16x16", "B16x8", "C16x8", [3]int{8, 4, 4}, tFloat64, tFloat64, tFloat64, "sm_90"},
	{"MMA16x8x32F32", "A16x32", "B32x8", "C16x8", [3]int{16, 8, 4}, tE4M3, tE4M3, tFloat32, "sm_90"},
	{"MMA16x8x32F32", "A16x32", "B32x8", "C16x8", [3]int{16, 8, 4}, tE5M2, tE4M3, tFloat32, "sm_90"},
}

// productStmt multiplies matrices. At times a product is C of the next: for integers and float64,
// whose sums need not be small.
func (g *gen) productStmt() {
	p := pick(g, products...)
	for p.target > g.target {
		p = pick(g, products...)
	}
	t := &typ{kind: kArray, name: fmt.Sprintf("gpu.%s[%s]", p.c, p.sum.name), elem: p.sum, n: p.lanes[2]}
	t.base = t
	c := g.fragment(t.name, t.n, func() string { return g.addend(p) })
	if p.elem.scalar() && g.chance(60) {
		if s, ok := g.read(t); ok {
			c = s
		}
	}
	a := g.fragment(fmt.Sprintf("gpu.%s[%s]", p.a, p.elem.name), p.lanes[0], func() string { return g.factor(p.elem, p.sum) })
	b := g.fragment(fmt.Sprintf("gpu.%s[%s]", p.b, p.other.name), p.lanes[1], func() string { return g.factor(p.other, p.sum) })
	name := g.name("v")
	g.emit("%s := gpu.%s(%s, %s, %s)", name, p.name, a, b, c)
	g.declare(name, t)
}

// fragment is a literal of a type, some of its elements left zero.
func (g *gen) fragment(name string, n int, element func() string) string {
	var list []string
	for i := range n {
		if !g.chance(15) {
			list = append(list, fmt.Sprintf("%d: %s", i, element()))
		}
	}
	return fmt.Sprintf("%s{%s}", name, strings.Join(list, ", "))
}

// factor is an element of type t of A or B. Of the numbers that are not exact in general it has the
// sign, two bits of the exponent, so that it is from 1/8 up to 2, and two of the fraction; for sums
// in Float16 no fraction, and of 8 bits one bit of the exponent.
func (g *gen) factor(t, sum *typ) string {
	switch t {
	case tBFloat16:
		return fmt.Sprintf("gpu.BFloat16FromBits(%s&0x81e0 ^ 0x3f80)", g.expr(tUint16, 1))
	case tTF32:
		return fmt.Sprintf("gpu.TF32Of(math.Float32frombits(%s&0x81e00000 ^ 0x3f800000))", g.expr(tUint32, 1))
	case tFloat16:
		mask := "0x8f00"
		if sum == tFloat16 {
			mask = "0x8c00"
		}
		return fmt.Sprintf("gpu.Float16FromBits(%s&%s ^ 0x3c00)", g.expr(tUint16, 1), mask)
	case tE4M3:
		return fmt.Sprintf("gpu.E4M3FromBits(%s&0x88 ^ 0x38)", g.expr(tUint8, 1))
	case tE5M2:
		return fmt.Sprintf("gpu.E5M2FromBits(%s&0x84 ^ 0x3c)", g.expr(tUint8, 1))
	}
	return g.operand(t, 1)
}

// addend is an element of C.
func (g *gen) addend(p product) string {
	switch {
	case p.sum == tFloat16:
		return fmt.Sprintf("gpu.Float16FromBits(%s&0x8c00 ^ 0x3c00)", g.expr(tUint16, 1))
	case !p.elem.scalar():
		return fmt.Sprintf("float32(%s)", g.expr(tInt8, 1))
	}
	return g.operand(p.sum, 1)
}
