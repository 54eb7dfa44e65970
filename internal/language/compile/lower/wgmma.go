package lower

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// A sum64 is a local variable that products of a warpgroup add to. It changes while the threads run
// on, so a wait or a fence gives all sums new values (holdSums).
type sum64 struct {
	local *ir.Value // the Alloca
	off   int64
	n     int // registers
	typ   ir.Type
	mem   ir.Mem
}

// wgmma lowers gpu.WGMMA and its like.
func (f *frame) wgmma(in *ssa.Call, how intrinsic) value {
	l, args := f.l, in.Call.Args
	sumType := args[0].Type().Underlying().(*types.Pointer).Elem()
	sub, why := wgProductOf(sumType, args[1].Type(), args[2].Type())
	if why != "" {
		l.errorf(f.messagePos(in), "gpu.%s: %s", how.name, why)
		return value{}
	}
	p := ir.WGProductOf(sub)
	sum, ok := l.sumAt(f.value(args[0]).one(), p)
	if !ok {
		l.errorf(f.messagePos(in), "gpu.%s: the sum must be a local variable, which stays in registers", how.name)
		return value{}
	}
	options, ok := f.wgOptions(in, p)
	if !ok {
		return value{}
	}
	if n := l.f.BlockDim[0] * l.f.BlockDim[1] * l.f.BlockDim[2]; n > 0 && n < abi.WarpgroupSize {
		l.errorf(f.messagePos(in), "gpu.%s: the %d threads of a warpgroup make the call, and the block has %d", how.name, abi.WarpgroupSize, n)
	}
	operands := append([]*ir.Value{f.value(args[3]).one()}, options...)
	a := l.words(args[1].Type(), f.value(args[1]))
	if p.Registers { // code that packs its elements would follow the fence of the source
		a = l.b.Hold(a...)
		l.b.Machine(ir.MachineSub("WGMMAFence"))
	}
	operands = append(append(operands, a...), l.words(args[2].Type(), f.value(args[2]))...)
	if !slices.Contains(l.sums, sum) {
		l.sums = append(l.sums, sum)
	}
	l.storeSum(sum, l.b.WGMMA(sub, append(operands, l.loadSum(sum)...)...))
	return value{}
}

// wgProductOf is the form for a sum, A and B, or why there is none.
func wgProductOf(sum, a, b types.Type) (form ir.Sub, why string) {
	n, sumElem := fragment(sum)
	var registers bool
	_, registers = a.Underlying().(*types.Array)
	typeArg := func(t types.Type) string { return elemName(types.Unalias(t).(*types.Named).TypeArgs().At(0)) }
	want := ir.WGProduct{N: 2 * n, A: typeArg(a), B: typeArg(b), Sum: sumElem, Registers: registers}
	i := slices.Index(ir.WGProducts, want)
	switch {
	case i < 0:
		return 0, "integers have 8, 16, 24 or 32 columns, or a multiple of 16"
	case registers && int(a.Underlying().(*types.Array).Len()) != 64*want.K()/128:
		return 0, "the fragments of A are not 32 bytes wide: give gpu.A64x8, A64x16 or A64x32 of elements of 4, 2 or 1 bytes"
	}
	return ir.FirstWGMMA + ir.Sub(i), ""
}

// wgOptions are the options as arguments: whether to negate and transpose.
func (f *frame) wgOptions(in *ssa.Call, p *ir.WGProduct) (list []*ir.Value, ok bool) {
	options := [4]int64{1, 1, 0, 0}
	if args := in.Call.Args; len(args) > 4 {
		given, known := f.qualifiers(args[4])
		if !known {
			f.l.errorf(f.messagePos(in), "the options of a product must be constants, such as gpu.TransposeB")
			return nil, false
		}
		for _, o := range given {
			switch abi.WGMMAOption(o) {
			case abi.NegateA, abi.NegateB:
				options[o-1] = -1
			case abi.TransposeA, abi.TransposeB:
				if !p.Transposes() || abi.WGMMAOption(o) == abi.TransposeA && p.Registers {
					f.l.errorf(f.messagePos(in), "a product transposes matrices of Float16 and BFloat16 in shared memory only")
					return nil, false
				}
				options[o-1] = 1
			}
		}
	}
	for _, o := range options {
		list = append(list, f.l.b.Int(ir.I32, o))
	}
	return list, true
}

// sumAt is the sum at address p, which must be in a local variable.
func (l *lowerer) sumAt(p *ir.Value, form *ir.WGProduct) (s sum64, ok bool) {
	s.n, s.typ = form.SumRegisters()
	s.mem = ir.B32
	if s.typ == ir.F32 {
		s.mem = ir.MF32
	}
	for p.Op == ir.PtrAdd {
		off, known := p.Args[1].IntConst()
		if !known {
			return s, false
		}
		s.off += off
		p = p.Args[0]
	}
	s.local = p
	return s, p.Op == ir.Alloca
}

func (l *lowerer) loadSum(s sum64) []*ir.Value {
	list := make([]*ir.Value, s.n)
	for i := range list {
		list[i] = l.b.Load(s.typ, s.mem, l.at(s.local, s.off+4*int64(i)))
	}
	return list
}

func (l *lowerer) storeSum(s sum64, list []*ir.Value) {
	for i, x := range list {
		l.b.Store(s.mem, l.at(s.local, s.off+4*int64(i)), x)
	}
}

// holdSums gives all sums new values before each fence and after each wait, so that no computation
// with them moves there. It includes sums that no product has reached yet: in a loop, the next
// round may follow a product.
func (l *lowerer) holdSums() {
	fence, wait := ir.MachineSub("WGMMAFence"), ir.MachineSub("WGMMAWait")
	if len(l.sums) == 0 {
		return
	}
	for _, b := range l.f.Blocks {
		if !slices.ContainsFunc(b.Instrs, func(v *ir.Value) bool { return v.Sub == fence || v.Sub == wait }) {
			continue
		}
		old := b.Instrs
		b.Instrs = nil
		l.b.Block = b
		for _, v := range old {
			l.b.Pos = v.Pos
			if v.Op == ir.Machine && v.Sub == fence {
				l.hold()
			}
			b.Instrs = append(b.Instrs, v)
			if v.Op == ir.Machine && v.Sub == wait {
				l.hold()
			}
		}
	}
}

func (l *lowerer) hold() {
	for _, s := range l.sums {
		l.storeSum(s, l.b.Hold(l.loadSum(s)...))
	}
}

// elemName is PTX's name of a type of elements.
func elemName(t types.Type) string {
	_, name := fragment(types.NewArray(t, 1))
	return name
}

// sharedAddress lowers device.SharedAddress. The shared array that the address is in is aligned as
// a swizzle wants it.
func (f *frame) sharedAddress(in *ssa.Call) value {
	p := f.value(in.Call.Args[0]).leaves[0]
	f.l.checkNil(p)
	f.l.alignMatrix(p.v, map[*ir.Value]bool{})
	return scalarValue(f.l.b.Emit(ir.SharedAddr, ir.I64, p.v))
}

// matrixPart lowers device.MatrixOffset and device.MatrixSwizzle.
func (f *frame) matrixPart(in *ssa.Call, name string) value {
	x := f.value(in.Call.Args[0])
	n, known := x.one().IntConst()
	switch {
	case !known:
	case name == "MatrixSwizzle" && (n < 0 || n > 3):
		f.l.errorf(f.l.here(), "gpu.MatrixOf: there is no swizzle %d: there are gpu.NoSwizzle, gpu.Swizzle32, gpu.Swizzle64 and "+
			"gpu.Swizzle128", n)
	case name == "MatrixOffset" && (n%16 != 0 || n < 0 || n >= 1<<18):
		f.l.errorf(f.l.here(), "gpu.MatrixOf: an offset of %d bytes: it is a multiple of 16 from 0 to %d", n, 1<<18-16)
	}
	return x
}

// matrixAlign is the period of a swizzle in bytes.
const matrixAlign = 1024

func (l *lowerer) alignMatrix(p *ir.Value, seen map[*ir.Value]bool) {
	if seen[p] {
		return
	}
	seen[p] = true
	if p.Op == ir.VarAddr && p.Var.Space == ir.Shared {
		p.Var.Align = max(p.Var.Align, matrixAlign)
		p.Align = p.Var.Align
	}
	for _, a := range p.Args {
		if a != nil && a.Type == ir.Ptr {
			l.alignMatrix(a, seen)
		}
	}
}
