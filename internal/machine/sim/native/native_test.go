package native

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/ptx"
)

// function is a function of one block under construction.
type function struct {
	code.Func
	block *code.Block
	regs  map[int][]code.Slot // the registers that instructions may use, by bits
}

func newFunction() *function {
	f := &function{block: &code.Block{N: 1, End: code.EndOp}, regs: map[int][]code.Slot{}}
	f.File = code.NewFile()
	f.Blocks = []*code.Block{f.block}
	return f
}

func (f *function) alloc(bits int) code.Slot {
	s := f.File.Alloc(bits)
	f.regs[bits] = append(f.regs[bits], s)
	return s
}

// keep makes something read a slot at the end.
func (f *function) keep(s code.Slot) { f.Results = append(f.Results, code.Param{Reg: s}) }

// machine is a compiled function with a register file.
type machine struct {
	*function
	kernel *Kernel
	file   []uint64
	c      *Context
}

func (f *function) compile(t *testing.T) *machine {
	t.Helper()
	if processor() == nil {
		t.Skip("this processor, or this system, has no compiled kernels")
	}
	return f.compileAs(t, false)
}

// compileAs compiles with the widest vectors that there are, or with narrow ones.
func (f *function) compileAs(t *testing.T, narrow bool) *machine {
	t.Helper()
	k := Compile(&code.Kernel{Funcs: []*code.Func{&f.Func}}, Options{Memos: 3, Narrow: narrow})
	if k == nil {
		t.Fatal("nothing is compiled")
	}
	return &machine{f, k, make([]uint64, (f.File.Size+7)/8), NewContext()}
}

// machines compiles with each width of vectors that the processor has.
func (f *function) machines(t *testing.T) []*machine {
	t.Helper()
	list := []*machine{f.compile(t)}
	if Wide() {
		list = append(list, f.compileAs(t, true))
	}
	return list
}

// run runs the block for some lanes, and returns the register file as it should be: as package lanes
// computes it.
func (m *machine) run(t *testing.T, mask uint32) (want []uint64) {
	t.Helper()
	want = append([]uint64(nil), m.file...)
	for i := range m.block.Insts {
		interpret(want, &m.block.Insts[i], m.File.Scratch.Off, mask)
	}
	m.c.File, m.c.Mask, m.c.Limit, m.c.Order = unsafe.Pointer(unsafe.SliceData(m.file)), mask, 1<<20, math.MaxInt32
	e := m.kernel.Blocks[m.block].Entries[0]
	if e == (Entry{}) {
		t.Fatal("the block has no entry")
	}
	exit := m.kernel.Exits[m.kernel.Run(e, mask == ^uint32(0), m.c)]
	if exit != (Exit{m.block, len(m.block.Insts)}) || m.c.Ran() != 0 || m.c.Stored() {
		t.Fatalf("left at %v after %d instructions", exit, m.c.Ran())
	}
	return want
}

// interpret runs an instruction as the machine does.
func interpret(file []uint64, in *code.Inst, scratch, mask uint32) {
	w := &lanes.Warp{Base: unsafe.Pointer(unsafe.SliceData(file)), Exec: mask}
	op, whole := lanes.Bind(in)
	if op == nil {
		panic("BUG: package lanes does not know " + describe(in))
	}
	slots := lanes.Slots(in)
	if !whole {
		op(w, &slots)
		return
	}
	masked := slots
	masked.D = scratch
	op(w, &masked)
	if in.Dst[0].Bits == 64 {
		lanes.Blend[uint64](w, slots.D, scratch)
	} else {
		lanes.Blend[uint32](w, slots.D, scratch)
	}
}

// differ lists the slots that differ.
func (m *machine) differ(want []uint64) (list []string) {
	for bits, regs := range m.regs {
		for _, s := range regs {
			if text := difference(m.file, want, s); text != "" {
				list = append(list, fmt.Sprintf("%v of %d bits: %s", s, bits, text))
			}
		}
	}
	return list
}

func difference(got, want []uint64, s code.Slot) string {
	g, w := unsafe.Add(unsafe.Pointer(unsafe.SliceData(got)), s.Off), unsafe.Add(unsafe.Pointer(unsafe.SliceData(want)), s.Off)
	if s.Bits == 1 {
		if *(*uint32)(g) != *(*uint32)(w) {
			return fmt.Sprintf("%#x, want %#x", *(*uint32)(g), *(*uint32)(w))
		}
		return ""
	}
	for i := range abi.WarpSize {
		if x, y := laneOf(g, s.Bits, i), laneOf(w, s.Bits, i); x != y {
			return fmt.Sprintf("lane %d is %#x, want %#x", i, x, y)
		}
	}
	return ""
}

func laneOf(p unsafe.Pointer, bits, i int) uint64 {
	if bits == 64 {
		return (*[abi.WarpSize]uint64)(p)[i]
	}
	return uint64((*[abi.WarpSize]uint32)(p)[i])
}

// special are the values at which operations have their corners.
var special64 = []uint64{
	0, 1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 1 << 31, 1<<31 - 1, 1 << 32, 1<<32 - 1, 1 << 63, 1<<63 - 1, ^uint64(0), ^uint64(1),
	math.Float64bits(1), math.Float64bits(-1), math.Float64bits(1.5), math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(-1)),
	0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000001, 0xfff4123456789abc, 0x7fffffffffffffff, 0x000fffffffffffff, 1 << 52,
	math.Float64bits(math.MaxFloat64), math.Float64bits(1e300), math.Float64bits(1e-300), math.Float64bits(1e-40),
	math.Float64bits(math.MaxFloat32),
}

var special32 = []uint32{
	0, 1, 2, 15, 16, 31, 32, 33, 255, 1 << 16, 1<<16 - 1, 1 << 24, 1<<24 + 1, 1 << 31, 1<<31 - 1, 1<<31 + 1, ^uint32(0), ^uint32(1),
	0x3f800000, 0xbf800000, 0x3fc00000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0xffa00000, 0x7fffffff, 0x007fffff,
	0x00800000, 0x7f7fffff, 0x4b000001, 0x33800000,
}

// fill fills all registers with random values, many of them special.
func (m *machine) fill(r *rand.Rand) {
	base := unsafe.Pointer(unsafe.SliceData(m.file))
	for bits, regs := range m.regs {
		for _, s := range regs {
			p := unsafe.Add(base, s.Off)
			for i := range abi.WarpSize {
				switch bits {
				case 1:
					*(*uint32)(p) = r.Uint32()
				case 32:
					(*[abi.WarpSize]uint32)(p)[i] = value32(r)
				case 64:
					(*[abi.WarpSize]uint64)(p)[i] = value64(r)
				}
			}
		}
	}
	for _, c := range m.File.Constants() {
		for i := range abi.WarpSize {
			if c.Bits == 32 {
				(*[abi.WarpSize]uint32)(unsafe.Add(base, c.Off))[i] = uint32(c.Value)
			}
		}
	}
}

func value32(r *rand.Rand) uint32 {
	switch r.IntN(4) {
	case 0:
		return r.Uint32()
	case 1:
		return math.Float32bits(float32(r.NormFloat64()))
	}
	return special32[r.IntN(len(special32))]
}

func value64(r *rand.Rand) uint64 {
	switch r.IntN(4) {
	case 0:
		return r.Uint64()
	case 1:
		return math.Float64bits(r.NormFloat64())
	}
	return special64[r.IntN(len(special64))]
}

// often is n, or less in short tests.
func often(n int) int {
	if testing.Short() {
		return n / 5
	}
	return n
}

// mask is a mask of lanes, often of all.
func mask(r *rand.Rand) uint32 {
	switch r.IntN(4) {
	case 0:
		return r.Uint32() | 1
	case 1:
		return 1 << r.IntN(32)
	}
	return ^uint32(0)
}

// instructions are one of each kind that the target knows.
func instructions() (list []code.Inst) {
	for key := range operations() {
		in := code.Inst{Op: key.op, Type: key.t, SrcType: key.t}
		if key.wide {
			in.Flags |= code.Wide
		}
		if key.high {
			in.Flags |= code.High
		}
		list = append(list, in)
	}
	for _, types := range slices.Concat(slices.Collect(maps.Keys(conversions)), slices.Collect(maps.Keys(shortConversions)), [][2]ptx.Type{
		{ptx.F32, ptx.F32}, {ptx.F64, ptx.F64}, {ptx.S32, ptx.F32}, {ptx.U32, ptx.F32}, {ptx.S32, ptx.F64},
	}) {
		list = append(list, code.Inst{Op: ptx.OpCvt, Type: types[0], SrcType: types[1], Width: types[0].Bits()})
	}
	for _, t := range []ptx.Type{ptx.F32, ptx.F64} {
		for how := range floatCompares {
			list = append(list, compareInst(t, how))
		}
	}
	for _, t := range []ptx.Type{ptx.U16, ptx.S16, ptx.B16, ptx.U32, ptx.S32, ptx.B32, ptx.U64, ptx.S64, ptx.B64} {
		for how := range intCompares {
			if t != ptx.B16 && t != ptx.B32 && t != ptx.B64 || how == code.EQ || how == code.NE {
				list = append(list, compareInst(t, how))
			}
		}
	}
	for _, op := range []code.Op{ptx.OpMov, ptx.OpNot, ptx.OpAnd, ptx.OpOr, ptx.OpXor} {
		list = append(list, code.Inst{Op: op, Type: ptx.Pred, SrcType: ptx.Pred})
	}
	for _, from := range []uint64{0, 32} {
		list = append(list, code.Inst{Op: code.OpExtract, Type: ptx.B32, SrcType: ptx.B64, Imm: from, Width: 32})
	}
	list = append(list, code.Inst{Op: code.OpJoin, Type: ptx.B64, SrcType: ptx.B64, Width: 32})
	for _, in := range list {
		list = append(list, modified(in)...)
	}
	list = append(list, approximated()...)
	list = slices.DeleteFunc(list, func(in code.Inst) bool { return !knownHere(in) })
	slices.SortStableFunc(list, func(a, b code.Inst) int { return cmp.Compare(describe(&a), describe(&b)) }) // maps have no order
	return list
}

// modified are an instruction with modifiers, in the forms that this process knows.
func modified(in code.Inst) (list []code.Inst) {
	if in.Type != ptx.F32 && in.Type != ptx.F64 && in.SrcType != ptx.F32 && in.SrcType != ptx.F64 {
		return nil
	}
	all := []code.Flags{0, code.FTZ, code.Saturate, code.FTZ | code.Saturate}
	if in.Op == ptx.OpCvt {
		for _, flags := range all {
			all = append(all, flags|code.Integral)
		}
	}
	for _, flags := range all {
		for _, r := range []softfloat.Rounding{softfloat.Nearest, softfloat.ToZero, softfloat.Down, softfloat.Up, softfloat.Away} {
			with := in
			with.Flags |= flags
			with.Rounding = r
			if (flags != 0 || r != softfloat.Nearest) && knownHere(with) {
				list = append(list, with)
			}
		}
	}
	return list
}

// approximated are the approximations.
func approximated() (list []code.Inst) {
	for op := range approximations {
		for _, flags := range []code.Flags{0, code.FTZ, code.FTZ | code.Saturate} {
			in := code.Inst{Op: op, Type: ptx.F32, SrcType: ptx.F32}
			in.Flags = code.Approx | flags
			list = append(list, in)
		}
	}
	for _, flags := range []code.Flags{code.Approx, code.Approx | code.FTZ, code.Full, code.Full | code.FTZ} {
		in := code.Inst{Op: ptx.OpDiv, Type: ptx.F32, SrcType: ptx.F32}
		in.Flags = flags
		list = append(list, in)
	}
	return list
}

// knownHere reports whether the target of this process knows an instruction, if there is a target.
func knownHere(in code.Inst) bool {
	to := processor()
	in = operands(in, "", func(bits int) code.Slot { return code.Slot{Bits: bits} })
	return to == nil || to.knows(&in, nil)
}

func compareInst(t ptx.Type, how code.Compare) code.Inst {
	in := code.Inst{Op: ptx.OpSetp, Type: t, SrcType: t}
	in.Compare = how
	return in
}

// operands gives an instruction registers, by a function that finds one of a number of bits.
func operands(in code.Inst, combine code.Combine, reg func(bits int) code.Slot) code.Inst {
	bits := in.Type.Bits()
	result := bits
	var args []int
	switch in.Op {
	case ptx.OpSetp:
		in.Combine = combine
		in.Dst, args = []code.Slot{reg(1)}, []int{bits, bits}
		if combine != "" {
			in.Dst, args = append(in.Dst, reg(1)), append(args, 1)
		}
	case ptx.OpCvt, code.OpExtract:
		args = []int{in.SrcType.Bits()}
	case code.OpJoin:
		args = []int{32, 32}
	case ptx.OpSelp:
		args = []int{bits, bits, 1}
	case ptx.OpShl, ptx.OpShr:
		args = []int{bits, 32}
	case ptx.OpPopc, ptx.OpClz:
		result, args = 32, []int{bits}
	case ptx.OpMov, ptx.OpBrev, ptx.OpNot, ptx.OpNeg, ptx.OpAbs, ptx.OpSqrt, ptx.OpRcp,
		ptx.OpRsqrt, ptx.OpEx2, ptx.OpLg2, ptx.OpSin, ptx.OpCos, ptx.OpTanh:
		args = []int{bits}
	case ptx.OpMad, ptx.OpFma:
		args = []int{bits, bits, bits}
		if in.Has(code.Wide) {
			args[2] = 2 * bits
		}
	default:
		args = []int{bits, bits}
	}
	if in.Has(code.Wide) {
		result = 2 * bits
	}
	if in.Dst == nil {
		in.Dst = []code.Slot{reg(max(result, 32*min(1, result/8)))}
	}
	for _, b := range args {
		in.Args = append(in.Args, reg(max(b, min(32, 32*(b-1))))) // 16 bits have a register of 32
	}
	return in
}

// TestOperations holds every instruction that is compiled to package lanes, bit for bit, for all lanes
// and for some.
func TestOperations(t *testing.T) {
	t.Parallel()
	for i, in := range instructions() {
		combine := []code.Combine{"", code.CombineAnd, code.CombineOr, code.CombineXor}[i%4]
		f := newFunction()
		for range 4 {
			for _, bits := range []int{1, 32, 64} {
				f.alloc(bits)
			}
		}
		next := map[int]int{}
		placed := operands(in, combine, func(bits int) code.Slot {
			next[bits]++
			return f.regs[bits][next[bits]-1]
		})
		f.keep(placed.Dst[0])
		if len(placed.Dst) > 1 {
			f.keep(placed.Dst[1])
		}
		f.block.Insts = []code.Inst{placed}
		for width, m := range f.machines(t) {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for range often(200) {
				m.fill(r)
				lanes := mask(r)
				before := append([]uint64(nil), m.file...)
				want := m.run(t, lanes)
				if diff := m.differ(want); diff != nil {
					t.Fatalf("%v of lanes %#x, width %d: %s; operands %s", describe(&placed), lanes, width, diff, listOperands(before, &placed))
				}
			}
		}
	}
	t.Logf("%d instructions", len(instructions()))
}

func describe(in *code.Inst) string {
	return fmt.Sprint(in.Op, ".", in.Compare, in.Combine, ".", in.Type, ".", in.SrcType, " flags ", in.Flags, " rounding ", in.Rounding)
}

func listOperands(file []uint64, in *code.Inst) (text string) {
	for _, a := range in.Args {
		if a.Bits > 1 {
			text += fmt.Sprintf("%#x ", laneOf(unsafe.Add(unsafe.Pointer(unsafe.SliceData(file)), a.Off), a.Bits, 0))
		}
	}
	return text
}

// TestSteps holds random instructions in a row to package lanes. All registers are read afterwards, or
// some.
func TestSteps(t *testing.T) {
	t.Parallel()
	all := instructions()
	for seed := range uint64(often(300)) {
		r := rand.New(rand.NewPCG(2, seed))
		f := newFunction()
		for range 1 + r.IntN(8) {
			for _, bits := range []int{1, 1, 32, 64} {
				f.alloc(bits)
			}
		}
		count := f.File.Constant(32, uint64(r.IntN(70)))
		kept := map[int][]code.Slot{}
		for bits, regs := range f.regs {
			for _, s := range regs {
				if seed%2 == 0 || r.IntN(3) > 0 {
					f.keep(s)
					kept[bits] = append(kept[bits], s)
				}
			}
		}
		for range 1 + r.IntN(150) {
			combine := []code.Combine{"", code.CombineAnd, code.CombineOr, code.CombineXor}[r.IntN(4)]
			in := operands(all[r.IntN(len(all))], combine, func(bits int) code.Slot { return f.regs[bits][r.IntN(len(f.regs[bits]))] })
			if (in.Op == ptx.OpShl || in.Op == ptx.OpShr) && r.IntN(2) == 0 {
				in.Args[1] = count
			}
			if len(in.Dst) == 2 && in.Dst[0] == in.Dst[1] {
				continue
			}
			f.block.Insts = append(f.block.Insts, in)
		}
		if len(f.block.Insts) == 0 {
			continue
		}
		for width, m := range f.machines(t) {
			m.holdSteps(t, r, kept, fmt.Sprintf("seed %d, width %d", seed, width))
		}
	}
}

// holdSteps runs a block often, and compares the registers that are kept.
func (m *machine) holdSteps(t *testing.T, r *rand.Rand, kept map[int][]code.Slot, what string) {
	all := m.regs
	for range 10 {
		m.fill(r)
		lanes := mask(r)
		want := m.run(t, lanes)
		m.regs = kept
		if diff := m.differ(want); diff != nil {
			t.Fatalf("%s, lanes %#x: %s", what, lanes, diff)
		}
		m.regs = all
	}
}

// TestUnknown has modifiers that the compiler does not know, on all instructions that it knows without
// them.
func TestUnknown(t *testing.T) {
	t.Parallel()
	for _, in := range instructions() {
		in := operands(in, "", func(bits int) code.Slot { return code.Slot{Bits: bits} })
		if in.Rounding != softfloat.Nearest || in.Flags&(code.FTZ|code.Saturate|code.Integral) != 0 {
			continue
		}
		for _, to := range []avx2{{}, {avx512: true}} {
			to.holdUnknown(t, in)
		}
	}
}

func (to avx2) holdUnknown(t *testing.T, in code.Inst) {
	if !to.knows(&in, nil) {
		t.Errorf("%s is not known", describe(&in))
	}
	if kindOf(&in) != compute {
		return
	}
	for flag := code.Flags(1); flag != 0; flag <<= 1 {
		with := in
		if with.Flags |= flag; flag != code.Wide && flag != code.High && integralOf(&with) == nil && !modifiable(&with) && approximationOf(&with) == nil && to.knows(&with, nil) {
			t.Errorf("%s is known with flag %#x", describe(&in), flag)
		}
	}
	for _, r := range []softfloat.Rounding{softfloat.ToZero, softfloat.Up, softfloat.Down} {
		with := in
		if with.Rounding = r; integralOf(&with) == nil && !modifiable(&with) && to.knows(&with, nil) {
			t.Errorf("%s is known with rounding %v", describe(&in), r)
		}
	}
}
