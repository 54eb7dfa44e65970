package lanes

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/sim/code"
	"github.com/gridstride/gridstride/internal/sim/tensor"
)

// mma is a product of matrices whose elements lie in the registers of a warp.
type mma struct {
	tensor.Shape
	a, b, c, d  []code.Slot
	factor, sum int // bits of an element
	dot         func(a, b []uint64, c uint64) uint64
}

// product makes mma, as the tensor cores of a compute capability have it.
func product(in *code.Inst, sm int) Op {
	p := &mma{factor: in.SrcType.Bits(), sum: in.Type.Bits(), d: in.Dst}
	if _, err := fmt.Sscanf(in.Mod("shape"), "m%dn%dk%d", &p.M, &p.N, &p.K); err != nil {
		panic("BUG: mma has shape " + in.Mod("shape"))
	}
	perFactor := 32 / min(p.factor, 32)
	a, b := p.M*p.K/code.WarpSize/perFactor, p.K*p.N/code.WarpSize/perFactor
	p.a, p.b, p.c = in.Args[:a], in.Args[a:a+b], in.Args[a+b:]
	p.dot = dotOf(in, tensor.MMA, p.K, sm)
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
	first, second := tensorFormats[in.SrcType], tensorFormats[cmp.Or(ptx.Type(in.Mod("btype")), in.SrcType)]
	unit := tensor.UnitFor(by, sm, first, second, tensorFormats[in.Type], k)
	return func(a, b []uint64, c uint64) uint64 {
		var x, y [32]uint32 // as many as these products have
		for i := range a {
			x[i], y[i] = uint32(a[i]), uint32(b[i])
		}
		return uint64(unit.Dot(x[:len(a)], y[:len(b)], uint32(c)))
	}
}

// dotF64 adds the products one after the other, each fused with the sum so far.
func dotF64(a, b []uint64, c uint64) uint64 {
	sum := math.Float64frombits(c)
	for i := range a {
		sum = math.FMA(math.Float64frombits(a[i]), math.Float64frombits(b[i]), sum)
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

// run computes the product. Lanes that do not run the instruction keep their registers.
func (p *mma) run(w *Warp, _ *Inst) {
	var a, b, c [16][32]uint64 // rows of A, columns of B, rows of C
	for lane := range code.WarpSize {
		for i := range p.M * p.K / code.WarpSize {
			row, col := p.A(lane, i, 32/min(p.factor, 32))
			a[row][col] = element(w, p.a, lane, i, p.factor)
		}
		for i := range p.K * p.N / code.WarpSize {
			row, col := p.B(lane, i, 32/min(p.factor, 32))
			b[col][row] = element(w, p.b, lane, i, p.factor)
		}
		for i := range p.M * p.N / code.WarpSize {
			row, col := p.C(lane, i)
			c[row][col] = element(w, p.c, lane, i, p.sum)
		}
	}
	for m := w.Exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		for i := range p.M * p.N / code.WarpSize {
			row, col := p.C(lane, i)
			setElement(w, p.d, lane, i, p.sum, p.dot(a[row][:p.K], b[col][:p.K], c[row][col]))
		}
	}
}

// element is element i of those that lie in a lane's registers one after the other, of so many
// bits.
func element(w *Warp, regs []code.Slot, lane, i, size int) uint64 {
	if size == 64 {
		return Reg[uint64](w, regs[i].Off)[lane]
	}
	per := 32 / size
	word := Reg[uint32](w, regs[i/per].Off)[lane]
	return uint64(word >> (i % per * size) & (1<<size - 1))
}

// setElement writes such an element.
func setElement(w *Warp, regs []code.Slot, lane, i, size int, x uint64) {
	if size == 64 {
		Reg[uint64](w, regs[i].Off)[lane] = x
		return
	}
	per := 32 / size
	word, shift := &Reg[uint32](w, regs[i/per].Off)[lane], i%per*size
	*word = *word&^((1<<size-1)<<shift) | uint32(x)<<shift
}
