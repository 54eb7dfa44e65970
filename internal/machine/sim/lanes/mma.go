package lanes

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/machine/sim/tensor"
	"github.com/gridstride/gridstride/internal/ptx"
)

// product is a product of matrices in the registers of a warp: mma and wmma.
type product struct {
	sums
	a, b, c, d matrix
}

// sums computes the elements of a product, each a sum of k products: by a unit of the tensor cores,
// or by dot if there is no unit.
type sums struct {
	k    int
	unit *tensor.Unit
	dot  func(a, b []uint64, c uint64) uint64
}

// sumsOf returns the sums of an instruction on the tensor cores of a compute capability.
func sumsOf(in *code.Inst, by tensor.Instruction, k, sm int) sums {
	s := sums{k: k, unit: unitOf(in, by, k, sm)}
	if s.unit == nil {
		s.dot = dotOf(in)
	}
	return s
}

// factors are rows of A and columns of B, taken apart for a unit. It decodes the numbers once, and
// not for each element that uses them.
type factors struct{ rows, columns []tensor.Factors }

// apart takes rows of A and columns of B apart, if there is a unit.
func (s *sums) apart(a, b [][widest]uint64, f *factors) {
	if s.unit != nil {
		f.rows = apart(s.unit.Row, a, s.k, f.rows)
		f.columns = apart(s.unit.Column, b, s.k, f.columns)
	}
}

// apart takes lines of k elements apart. It uses the memory of a list, if that is enough.
func apart(of func([]uint32, *tensor.Factors), lines [][widest]uint64, k int, list []tensor.Factors) []tensor.Factors {
	list = slices.Grow(list[:0], len(lines))[:len(lines)]
	var x [widest]uint32
	for i := range lines {
		for at, element := range lines[i][:k] {
			x[at] = uint32(element)
		}
		of(x[:k], &list[i])
	}
	return list
}

// element is an element of the product of rows of A and columns of B, which f has apart, plus c.
func (s *sums) element(a, b [][widest]uint64, f *factors, row, col int, c uint64) uint64 {
	if s.unit == nil {
		return s.dot(a[row][:s.k], b[col][:s.k], c)
	}
	return uint64(s.unit.Sum(&f.rows[row], &f.columns[col], uint32(c)))
}

// matrix is a matrix of the product, in registers.
type matrix struct {
	Matrix
	regs   []code.Slot
	places []place // of element 0 of all lanes, and then of element 1, …
}

// place is a row of A, C or D, or a column of B, and the number of an element in it.
type place struct{ line, at uint8 }

// findPlaces computes the places of all elements once, and not in each product.
func (m *matrix) findPlaces(columns bool) {
	for i := range m.Elements {
		for lane := range abi.WarpSize {
			row, col := m.Place(lane, i)
			if columns {
				row, col = col, row
			}
			m.places = append(m.places, place{uint8(row), uint8(col)})
		}
	}
}

// Matrix is how the lanes of a warp hold one of the matrices of a product.
type Matrix struct {
	tensor.Fragment
	Bits int // of an element
}

// Registers is how many registers of a lane hold it.
func (m *Matrix) Registers() int { return m.Copies * m.Elements * m.Bits / max(32, m.Bits) }

// Matrices are A, B, C and D of mma and wmma.mma, by its types and attributes.
func Matrices(op code.Op, t, from ptx.Type, attributes *code.Attributes) (a, b, c, d Matrix) {
	shape, sum := attributes.Shape, t
	fragment := func(name byte, t ptx.Type) Matrix { return Matrix{shape.MMA(name, t.Bits()), t.Bits()} }
	if op == ptx.OpWmma {
		if other := attributes.CType; other != "" { // the factors have no type in the opcode
			from, sum = ptx.F16, other
		}
		fragment = func(name byte, t ptx.Type) Matrix { return Matrix{wmmaFragment(shape, name, t), t.Bits()} }
	}
	return fragment('a', from), fragment('b', from), fragment('c', sum), fragment('c', t)
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
	return wmmaFragment(in.Shape, in.Matrix, in.Type)
}

// productOf makes a product, as the tensor cores of a compute capability have it.
func productOf(in *code.Inst, sm int) Op {
	p := &product{}
	p.a.Matrix, p.b.Matrix, p.c.Matrix, p.d.Matrix = Matrices(in.Op, in.Type, in.SrcType, &in.Attributes)
	rest := in.Args
	for _, m := range []*matrix{&p.a, &p.b, &p.c} {
		n := m.Registers()
		m.regs, rest = rest[:n], rest[n:]
	}
	p.d.regs = in.Dst
	for _, m := range []*matrix{&p.a, &p.b, &p.c, &p.d} {
		m.findPlaces(m == &p.b)
	}
	by := tensor.MMA
	if in.Op == ptx.OpWmma {
		by = tensor.WMMA
	}
	p.sums = sumsOf(in, by, p.a.Cols, sm)
	return p.run
}

// Product is the arithmetic of a product of a warpgroup, wgmma.
type Product struct {
	tensor.Shape // of the rows of a warp, and eight columns
	factor, sum  int
	sums         sums
	minus        uint64 // is exclusive-ored with the elements of A: to negate A or B is to negate each of their products
}

// ProductOf makes it, as the tensor cores of a compute capability have it.
func ProductOf(in *code.Inst, sm int) Product {
	p := Product{factor: in.SrcType.Bits(), sum: in.Type.Bits()}
	p.Shape = tensor.Shape{M: 16, N: 8, K: 256 / p.factor}
	p.sums = sumsOf(in, tensor.WGMMA, p.K, sm)
	if signs := in.Imm&1 ^ in.Imm>>1&1; signs != 0 && in.Type != ptx.S32 {
		p.minus = 1 << (p.factor - 1)
	}
	return p
}

// Of gives an element of the product of rows of A, which it may change, and columns of B, and what
// is added to it.
func (p *Product) Of(a, b [][widest]uint64) func(row, col int, c uint64) uint64 {
	for i := range a {
		for k := range p.K {
			a[i][k] ^= p.minus
		}
	}
	f := &factors{}
	p.sums.apart(a, b, f)
	return func(row, col int, c uint64) uint64 { return p.sums.element(a, b, f, row, col, c) }
}

// FactorBits and SumBits are how many bits an element has.
func (p *Product) FactorBits() int { return p.factor }
func (p *Product) SumBits() int    { return p.sum }

// EachA calls f for each element of A that a lane holds, with its row and column.
func (p *Product) EachA(lane int, f func(i, row, col int)) {
	for i := range p.M * p.K / abi.WarpSize {
		row, col := p.A(lane, i, 32/p.factor)
		f(i, row, col)
	}
}

// dotOf is how an element of the sum is made that no unit makes.
func dotOf(in *code.Inst) func(a, b []uint64, c uint64) uint64 {
	switch in.Type {
	case ptx.F64:
		mode := in.Rounding
		return func(a, b []uint64, c uint64) uint64 { return dotF64(a, b, c, mode) }
	case ptx.S32:
		sums := tensor.Integers{
			SignedA: in.SrcType.Signed(), SignedB: in.BType.Signed(), Saturates: in.Has(code.SatFinite),
		}
		return narrowed(sums.Dot)
	}
	panic("BUG: no sums of type " + in.Type)
}

// narrowed is a sum of elements of at most 32 bits.
func narrowed(dot func(a, b []uint32, c uint32) uint32) func(a, b []uint64, c uint64) uint64 {
	return func(a, b []uint64, c uint64) uint64 {
		var x, y [tensor.MostTerms]uint32
		for i := range a {
			x[i], y[i] = uint32(a[i]), uint32(b[i])
		}
		return uint64(dot(x[:len(a)], y[:len(b)], uint32(c)))
	}
}

// unitOf is the unit that adds up in float32 or float16; nil for other sums.
func unitOf(in *code.Inst, by tensor.Instruction, k, sm int) *tensor.Unit {
	if in.Type == ptx.F64 || in.Type == ptx.S32 {
		return nil
	}
	factors, before := in.SrcType, in.Type
	if t := in.CType; t != "" {
		factors, before = ptx.F16, t
	}
	format := func(t ptx.Type) tensor.Format { return tensor.FormatOf(string(t)) }
	second := cmp.Or(in.BType, factors)
	return tensor.UnitBetween(by, sm, format(factors), format(second), format(before), format(in.Type), k)
}

// dotF64 adds the products one after the other, each fused with the sum so far.
func dotF64(a, b []uint64, c uint64, mode softfloat.Rounding) uint64 {
	sum := math.Float64frombits(c)
	for i := range a {
		x, y := math.Float64frombits(a[i]), math.Float64frombits(b[i])
		next := softfloat.FMA64(x, y, sum, mode)
		if next != next {
			next = softfloat.NaNOf(x, sum, y) // as fma does
		}
		sum = next
	}
	return math.Float64bits(sum)
}

// widest is the most rows or columns that a matrix has.
const widest = 32

// lines are the matrices of a product.
type lines struct {
	a, b, c [widest][widest]uint64 // rows of A, columns of B, rows of C
	factors factors
}

// pool has lines that no product uses.
var pool = sync.Pool{New: func() any { return new(lines) }}

// run computes the product. Lanes that do not run the instruction keep their registers.
func (p *product) run(w *Warp, _ *Inst) {
	l := pool.Get().(*lines)
	p.a.read(w, &l.a)
	p.b.read(w, &l.b)
	p.c.read(w, &l.c)
	a, b := l.a[:p.a.Rows], l.b[:p.b.Cols]
	p.apart(a, b, &l.factors)
	for i := range p.d.Elements {
		places := p.d.places[i*abi.WarpSize:][:abi.WarpSize]
		for m := w.Exec; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			row, col := int(places[lane].line), int(places[lane].at)
			SetElement(w, p.d.regs, lane, i, p.d.Bits, p.element(a, b, &l.factors, row, col, l.c[row][col]))
		}
	}
	pool.Put(l)
}

// read writes the elements that the lanes hold to the lines of a matrix.
func (m *matrix) read(w *Warp, to *[widest][widest]uint64) {
	for i := range m.Elements {
		places := m.places[i*abi.WarpSize:][:abi.WarpSize]
		if m.Bits == 64 {
			for lane, x := range Reg[uint64](w, m.regs[i].Off) {
				to[places[lane].line][places[lane].at] = x
			}
			continue
		}
		per := 32 / m.Bits
		shift, mask := i%per*m.Bits, uint64(1)<<m.Bits-1
		for lane, word := range Reg[uint32](w, m.regs[i/per].Off) {
			to[places[lane].line][places[lane].at] = uint64(word>>shift) & mask
		}
	}
}

// Element is element i of a lane, size bits wide. The elements of a lane follow each other in its
// registers.
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

// MatricesOf are A, B, C and D of an instruction mma or wmma.mma.
func MatricesOf(in *ptx.Instr) (a, b, c, d Matrix) {
	form, err := ptx.Decode(in, nil)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	attributes := code.AttributesOf(form.Modifiers)
	return Matrices(code.Op(in.Op), form.Type, form.SrcType, &attributes)
}
