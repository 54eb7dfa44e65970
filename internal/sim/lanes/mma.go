package lanes

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/sim/code"
	"github.com/gridstride/gridstride/internal/sim/softfloat"
	"github.com/gridstride/gridstride/internal/sim/tensor"
)

// product is a product of matrices whose elements lie in the registers of a warp: mma and wmma.
type product struct {
	k          int
	a, b, c, d matrix
	// unit makes an element of the sum, or dot where there is none.
	unit *tensor.Unit
	dot  func(a, b []uint64, c uint64) uint64
}

// matrix is one of them, in registers.
type matrix struct {
	Matrix
	regs []code.Slot
}

// Matrix is how the lanes of a warp hold one of the matrices of a product.
type Matrix struct {
	tensor.Fragment
	Bits int // of an element
}

// Registers is how many registers of a lane hold it.
func (m *Matrix) Registers() int { return m.Copies * m.Elements * m.Bits / max(32, m.Bits) }

// Matrices are A, B, C and D of mma and wmma.mma, by its types and modifiers.
func Matrices(op string, t, from ptx.Type, mods ptx.Modifiers) (a, b, c, d Matrix) {
	shape, sum := shapeOf(mods), t
	fragment := func(name byte, t ptx.Type) Matrix { return Matrix{shape.MMA(name, t.Bits()), t.Bits()} }
	if op == "wmma" {
		if other := ptx.Type(mods.Mod("ctype")); other != "" { // the factors have no type in the opcode
			from, sum = ptx.F16, other
		}
		fragment = func(name byte, t ptx.Type) Matrix { return Matrix{wmmaFragment(shape, name, t), t.Bits()} }
	}
	return fragment('a', from), fragment('b', from), fragment('c', sum), fragment('c', t)
}

// shapeOf is the shape of a product that an instruction is of.
func shapeOf(mods ptx.Modifiers) (s tensor.Shape) {
	if _, err := fmt.Sscanf(mods.Mod("shape"), "m%dn%dk%d", &s.M, &s.N, &s.K); err != nil {
		panic("BUG: a product has shape " + mods.Mod("shape"))
	}
	return s
}

// wmmaFragment is the fragment of a matrix of wmma: A and B of float16 have eight registers.
func wmmaFragment(s tensor.Shape, matrix byte, t ptx.Type) tensor.Fragment {
	f := s.WMMA(matrix, t.Bits())
	if t == ptx.F16 && matrix != 'c' {
		f.Copies = 16 / f.Elements
	}
	return f
}

// FragmentOf is the fragment that wmma.load or wmma.store is of.
func FragmentOf(in *code.Inst) tensor.Fragment {
	name := byte('c')
	for _, x := range "ab" {
		if in.Has(string(x)) {
			name = byte(x)
		}
	}
	return wmmaFragment(shapeOf(in.Modifiers), name, in.Type)
}

// productOf makes a product, as the tensor cores of a compute capability have it.
func productOf(in *code.Inst, sm int) Op {
	p := &product{}
	p.a.Matrix, p.b.Matrix, p.c.Matrix, p.d.Matrix = Matrices(in.Op, in.Type, in.SrcType, in.Modifiers)
	rest := in.Args
	for _, m := range []*matrix{&p.a, &p.b, &p.c} {
		n := m.Registers()
		m.regs, rest = rest[:n], rest[n:]
	}
	p.d.regs, p.k = in.Dst, p.a.Cols
	by := tensor.MMA
	if in.Op == "wmma" {
		by = tensor.WMMA
	}
	if p.unit = unitOf(in, by, p.k, sm); p.unit == nil {
		p.dot = dotOf(in, by, p.k, sm)
	}
	return p.run
}

// Product is the arithmetic of a product of a warpgroup, wgmma.
type Product struct {
	tensor.Shape // of the rows of a warp, and eight columns
	factor, sum  int
	// Dot is an element of the sum, of a row, a column and what it was.
	Dot func(a, b []uint64, c uint64) uint64
}

// ProductOf makes it, as the tensor cores of a compute capability have it.
func ProductOf(in *code.Inst, sm int) Product {
	p := Product{factor: in.SrcType.Bits(), sum: in.Type.Bits()}
	p.Shape = tensor.Shape{M: 16, N: 8, K: 256 / p.factor}
	dot := dotOf(in, tensor.WGMMA, p.K, sm)
	p.Dot = dot
	if signs := in.Imm&1 ^ in.Imm>>1&1; signs != 0 && in.Type != ptx.S32 {
		p.Dot = func(a, b []uint64, c uint64) uint64 { // to negate A or B is to negate each of their products
			var minus [32]uint64
			for i := range a {
				minus[i] = a[i] ^ 1<<(p.factor-1)
			}
			return dot(minus[:len(a)], b, c)
		}
	}
	return p
}

// FactorBits and SumBits are how many bits an element has.
func (p *Product) FactorBits() int { return p.factor }
func (p *Product) SumBits() int    { return p.sum }

// EachA calls f for each element of A that a lane holds, with its row and column.
func (p *Product) EachA(lane int, f func(i, row, col int)) {
	for i := range p.M * p.K / code.WarpSize {
		row, col := p.A(lane, i, 32/p.factor)
		f(i, row, col)
	}
}

// dotOf is how an element of the sum is made.
func dotOf(in *code.Inst, by tensor.Instruction, k, sm int) func(a, b []uint64, c uint64) uint64 {
	switch in.Type {
	case ptx.F64:
		return dotF64
	case ptx.S32:
		first, second := extension(in.SrcType), extension(ptx.Type(in.Mod("btype")))
		saturates := in.Has("satfinite")
		return func(a, b []uint64, c uint64) uint64 {
			sum := int64(int32(c))
			for i := range a {
				sum += int64(first(a[i]) * second(b[i]))
			}
			if saturates {
				sum = min(max(sum, math.MinInt32), math.MaxInt32)
			}
			return uint64(uint32(sum))
		}
	}
	unit := unitOf(in, by, k, sm)
	return func(a, b []uint64, c uint64) uint64 {
		var x, y [32]uint32 // as many as these products have
		for i := range a {
			x[i], y[i] = uint32(a[i]), uint32(b[i])
		}
		return uint64(unit.Dot(x[:len(a)], y[:len(b)], uint32(c)))
	}
}

// unitOf is the unit that adds up in float32 or float16; nil for other sums.
func unitOf(in *code.Inst, by tensor.Instruction, k, sm int) *tensor.Unit {
	if in.Type == ptx.F64 || in.Type == ptx.S32 {
		return nil
	}
	factors, before := in.SrcType, in.Type
	if t := ptx.Type(in.Mod("ctype")); t != "" {
		factors, before = ptx.F16, t
	}
	first, second := tensorFormats[factors], tensorFormats[cmp.Or(ptx.Type(in.Mod("btype")), factors)]
	return tensor.UnitBetween(by, sm, first, second, tensorFormats[before], tensorFormats[in.Type], k)
}

// dotF64 adds the products one after the other, each fused with the sum so far.
func dotF64(a, b []uint64, c uint64) uint64 {
	sum := math.Float64frombits(c)
	for i := range a {
		x, y := math.Float64frombits(a[i]), math.Float64frombits(b[i])
		next := math.FMA(x, y, sum)
		if next != next {
			next = softfloat.NaNOf(x, sum, y) // as fma does
		}
		sum = next
	}
	return math.Float64bits(sum)
}

// tensorFormats are the formats of types.
var tensorFormats = map[ptx.Type]*tensor.Format{
	ptx.F16: tensor.F16, ptx.BF16: tensor.BF16, ptx.TF32: tensor.TF32, ptx.F32: tensor.F32,
	ptx.E4M3: tensor.E4M3, ptx.E5M2: tensor.E5M2,
}

// extension widens a number of 8 bits.
func extension(t ptx.Type) func(uint64) int32 {
	if t.Signed() {
		return func(x uint64) int32 { return int32(int8(x)) }
	}
	return func(x uint64) int32 { return int32(uint8(x)) }
}

// widest is the most rows or columns that a matrix has.
const widest = 32

// run computes the product. Lanes that do not run the instruction keep their registers.
func (p *product) run(w *Warp, _ *Inst) {
	var a, b, c [widest][widest]uint64 // rows of A, columns of B, rows of C
	p.a.each(w, func(row, col int, x uint64) { a[row][col] = x })
	p.b.each(w, func(row, col int, x uint64) { b[col][row] = x })
	p.c.each(w, func(row, col int, x uint64) { c[row][col] = x })
	dot := func(row, col int) uint64 { return p.dot(a[row][:p.k], b[col][:p.k], c[row][col]) }
	if p.unit != nil {
		rows, columns := apart(p.unit.Row, a[:p.a.Rows], p.k), apart(p.unit.Column, b[:p.b.Cols], p.k)
		dot = func(row, col int) uint64 { return uint64(p.unit.Sum(&rows[row], &columns[col], uint32(c[row][col]))) }
	}
	for m := w.Exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		for i := range p.d.Elements {
			row, col := p.d.Place(lane, i)
			SetElement(w, p.d.regs, lane, i, p.d.Bits, dot(row, col))
		}
	}
}

// apart takes rows or columns of k elements apart.
func apart(of func([]uint32) tensor.Factors, lines [][widest]uint64, k int) []tensor.Factors {
	list := make([]tensor.Factors, len(lines))
	for i := range lines {
		var x [widest]uint32
		for at := range k {
			x[at] = uint32(lines[i][at])
		}
		list[i] = of(x[:k])
	}
	return list
}

// each calls f for every element that a lane holds.
func (m *matrix) each(w *Warp, f func(row, col int, x uint64)) {
	for lane := range code.WarpSize {
		for i := range m.Elements {
			row, col := m.Place(lane, i)
			f(row, col, Element(w, m.regs, lane, i, m.Bits))
		}
	}
}

// Element is element i of those that lie in a lane's registers one after the other, of so many
// bits.
func Element(w *Warp, regs []code.Slot, lane, i, size int) uint64 {
	if size == 64 {
		return Reg[uint64](w, regs[i].Off)[lane]
	}
	per := 32 / size
	word := Reg[uint32](w, regs[i/per].Off)[lane]
	return uint64(word >> (i % per * size) & (1<<size - 1))
}

// SetElement writes such an element.
func SetElement(w *Warp, regs []code.Slot, lane, i, size int, x uint64) {
	if size == 64 {
		Reg[uint64](w, regs[i].Off)[lane] = x
		return
	}
	per := 32 / size
	word, shift := &Reg[uint32](w, regs[i/per].Off)[lane], i%per*size
	*word = *word&^((1<<size-1)<<shift) | uint32(x)<<shift
}
