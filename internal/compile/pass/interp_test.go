package pass

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/internal/compile/ir"
)

// The interpreter runs one thread of a function, written apart from eval so that the two check each other. It is what "a pass keeps
// the meaning" is measured with: memory at the end, the failure if any, and the convergent operations on the way.

// input is what a run starts from.
type input struct {
	args []uint64          // by parameter; a pointer parameter is an address in memory
	sreg map[ir.Sub]uint32 // special registers
	mem  []byte            // global memory, at address memBase
}

const (
	memBase  = 0x10000
	maxSteps = 20_000
)

// outcome is what can be seen of a run.
type outcome struct {
	Mem    []byte
	Shared map[string][]byte
	Fault  string
	Trace  []string // convergent operations
	Err    string   // an access outside of memory, or too many steps: a fault of the test or of a pass
}

type interp struct {
	f      *ir.Func
	in     input
	vals   []uint64
	vec    map[*ir.Value][]uint64
	segs   []segment
	next   uint64
	out    outcome
	steps  int
	failed bool
}

type segment struct {
	base uint64
	data []byte
}

// interpret runs f.
func interpret(f *ir.Func, in input) outcome {
	m := &interp{f: f, in: in, vals: make([]uint64, f.NumValues()), vec: map[*ir.Value][]uint64{}, next: 0x10000000}
	m.out.Mem = append([]byte(nil), in.mem...)
	m.segs = []segment{{memBase, m.out.Mem}}
	m.out.Shared = map[string][]byte{}
	vars := map[*ir.Var]uint64{}
	for _, v := range f.Vars {
		data := make([]byte, v.Size)
		copy(data, v.Init)
		vars[v] = m.alloc(data)
		m.out.Shared[v.Name] = data
	}
	b := f.Entry()
	var from *ir.Block
	for b != nil && !m.failed {
		b, from = m.block(b, from, vars), b
	}
	return m.out
}

func (m *interp) alloc(data []byte) uint64 {
	base := m.next
	m.segs = append(m.segs, segment{base, data})
	m.next += uint64(len(data)+0x1000) &^ 15
	return base
}

func (m *interp) fail(format string, args ...any) {
	m.failed = true
	if m.out.Err == "" {
		m.out.Err = fmt.Sprintf(format, args...)
	}
}

// at is the memory of size bytes at addr.
func (m *interp) at(addr uint64, size int64, v *ir.Value) []byte {
	for _, s := range m.segs {
		if addr >= s.base && addr+uint64(size) <= s.base+uint64(len(s.data)) && addr+uint64(size) >= addr {
			return s.data[addr-s.base : addr-s.base+uint64(size)]
		}
	}
	m.fail("access outside of memory: %s at %#x", v, addr)
	return make([]byte, size)
}

func (m *interp) block(b, from *ir.Block, vars map[*ir.Var]uint64) *ir.Block {
	if from != nil {
		i := 0
		for k, p := range b.Preds {
			if p == from {
				i = k
			}
		}
		if from.Term().Op == ir.Branch && from.Succs[0] == from.Succs[1] {
			i = from.PredIndex(1 - int(m.vals[from.Term().Args[0].ID]&1))
		}
		phis := b.Phis()
		next := make([]uint64, len(phis))
		for k, phi := range phis {
			next[k] = m.vals[phi.Args[i].ID]
		}
		for k, phi := range phis {
			m.vals[phi.ID] = next[k]
		}
	}
	for _, v := range b.Instrs[len(b.Phis()):] {
		if m.steps++; m.steps > maxSteps {
			m.fail("too many steps")
		}
		if m.failed {
			return nil
		}
		switch v.Op {
		case ir.Jump:
			return b.Succs[0]
		case ir.Branch:
			if m.arg(v, 0) != 0 {
				return b.Succs[0]
			}
			return b.Succs[1]
		case ir.Return:
			return nil
		case ir.VarAddr:
			m.vals[v.ID] = vars[v.Var]
		default:
			m.instr(v)
		}
	}
	return nil
}

func (m *interp) arg(v *ir.Value, i int) uint64 { return m.vals[v.Args[i].ID] }

func (m *interp) instr(v *ir.Value) {
	set := func(x uint64) { m.vals[v.ID] = x }
	switch v.Op {
	case ir.Const:
		set(canonical(v.Type, v.Int))
	case ir.NilPtr:
		set(0)
	case ir.ParamVal:
		set(m.in.args[v.Int])
	case ir.SReg:
		set(uint64(m.in.sreg[v.Sub]))
	case ir.DynSize:
		set(0)
	case ir.Alloca:
		data := make([]byte, v.Size)
		for i := range data {
			data[i] = 0xcd
		}
		set(m.alloc(data))
	case ir.PtrAdd:
		set(m.arg(v, 0) + m.arg(v, 1))
	case ir.Load:
		m.load(v)
	case ir.Extract:
		set(m.vec[v.Args[0]][v.Int])
	case ir.Store:
		for i := range v.Args[1:] {
			mem := m.at(m.arg(v, 0)+uint64(i*v.Mem.Size()), int64(v.Mem.Size()), v)
			putMem(mem, v.Mem, m.arg(v, 1+i))
		}
	case ir.MemZero:
		clear(m.at(m.arg(v, 0), v.Size, v))
	case ir.MemCopy:
		copy(m.at(m.arg(v, 0), v.Size, v), m.at(m.arg(v, 1), v.Size, v))
	case ir.Atomic:
		m.atomic(v)
	case ir.Fence:
	case ir.Barrier, ir.WarpSync, ir.Shfl, ir.Vote, ir.ActiveMask:
		m.convergent(v)
	case ir.Check, ir.Panic:
		m.check(v)
	default:
		set(m.pure(v))
	}
}

func getMem(b []byte, mt ir.Mem) uint64 {
	switch mt {
	case ir.U8:
		return uint64(b[0])
	case ir.S8:
		return uint64(uint32(int8(b[0])))
	case ir.U16:
		return uint64(binary.LittleEndian.Uint16(b))
	case ir.S16:
		return uint64(uint32(int16(binary.LittleEndian.Uint16(b))))
	case ir.B32, ir.MF32:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func putMem(b []byte, mt ir.Mem, x uint64) {
	switch mt.Size() {
	case 1:
		b[0] = byte(x)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(x))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(x))
	default:
		binary.LittleEndian.PutUint64(b, x)
	}
}

func (m *interp) load(v *ir.Value) {
	addr, size := m.arg(v, 0), v.Mem.Size()
	if v.Align > 0 && addr%uint64(v.Align) != 0 {
		m.fail("misaligned: %s at %#x", v, addr)
	}
	for i := range max(v.Lanes, 1) {
		x := canonical(v.Type, getMem(m.at(addr+uint64(i*size), int64(size), v), v.Mem))
		if v.Lanes == 0 {
			m.vals[v.ID] = x
			return
		}
		if i == 0 {
			m.vec[v] = nil
		}
		m.vec[v] = append(m.vec[v], x)
	}
}

func (m *interp) atomic(v *ir.Value) {
	mem := m.at(m.arg(v, 0), int64(v.Mem.Size()), v)
	old := getMem(mem, v.Mem)
	x := m.arg(v, 1)
	r := x
	switch v.Sub {
	case ir.AtomAdd:
		if v.Type.IsFloat() {
			r = floatOp(ir.FAdd, v.Type, old, x, 0)
		} else {
			r = old + x
		}
	case ir.AtomCAS:
		r = old
		if old == x {
			r = m.arg(v, 2)
		}
	case ir.AtomAnd:
		r = old & x
	case ir.AtomOr:
		r = old | x
	case ir.AtomXor:
		r = old ^ x
	}
	putMem(mem, v.Mem, r)
	m.vals[v.ID] = old
}

// convergent runs as in a warp of one lane; all that matters is that it happens, and with what.
func (m *interp) convergent(v *ir.Value) {
	s := v.Op.String() + "." + v.Sub.String()
	for _, a := range v.Args {
		s += fmt.Sprintf(" %#x", m.vals[a.ID])
	}
	m.out.Trace = append(m.out.Trace, s)
	switch v.Op {
	case ir.Shfl:
		m.vals[v.ID] = m.arg(v, 1)
	case ir.Vote:
		m.vals[v.ID] = m.arg(v, 1)
	case ir.ActiveMask:
		m.vals[v.ID] = 1
	}
}

func (m *interp) check(v *ir.Value) {
	var x, y int64
	x = signed(v.Args[0].Type, m.arg(v, 0))
	if len(v.Args) > 1 {
		y = signed(v.Args[1].Type, m.arg(v, 1))
	}
	ok := false
	switch v.Sub {
	case ir.CheckIndex:
		ok = 0 <= x && x < y
	case ir.CheckSliceToArr:
		ok = x >= y
	case ir.CheckDivide, ir.CheckAssert, ir.CheckNil:
		ok = x != 0
	case ir.CheckShift, ir.CheckMakeLen:
		ok = x >= 0
	case ir.CheckPanic:
	default:
		ok = 0 <= x && x <= y
	}
	if !ok || v.Op == ir.Panic {
		m.failed = true
		m.out.Fault = fmt.Sprintf("%s %d %d at line %d", v.Sub, x, y, v.Pos.Line)
	}
}

func signed(t ir.Type, x uint64) int64 {
	if t == ir.I32 {
		return int64(int32(x))
	}
	return int64(x)
}

// canonical makes every NaN the same, so that payloads do not count.
func canonical(t ir.Type, x uint64) uint64 {
	switch {
	case t == ir.F32 && math.IsNaN(float64(math.Float32frombits(uint32(x)))):
		return 0x7fffffff
	case t == ir.F64 && math.IsNaN(math.Float64frombits(x)):
		return 0x7fffffffffffffff
	}
	return x
}

func (m *interp) pure(v *ir.Value) uint64 {
	var a [3]uint64
	for i := range v.Args {
		a[i] = m.arg(v, i)
	}
	t := v.Type
	from := t
	if len(v.Args) > 0 {
		from = v.Args[0].Type
	}
	switch v.Op {
	case ir.Select:
		if a[0] != 0 {
			return a[1]
		}
		return a[2]
	case ir.Cmp:
		return boolBit(compare(v.Sub, from, a[0], a[1]))
	case ir.Bitcast:
		return canonical(t, a[0])
	case ir.SToF:
		return fromFloat(t, float64(signed(from, a[0])), float32(signed(from, a[0])))
	case ir.UToF:
		return fromFloat(t, float64(a[0]), float32(a[0]))
	case ir.FToS, ir.FToU:
		return toInt(v.Op == ir.FToS, t, toFloat(from, a[0]))
	case ir.FToF:
		return fromFloat(t, toFloat(from, a[0]), float32(toFloat(from, a[0])))
	}
	if t.IsFloat() {
		return floatOp(v.Op, t, a[0], a[1], a[2])
	}
	return intOp(v.Op, t, from, a[0], a[1])
}

func boolBit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func toFloat(t ir.Type, x uint64) float64 {
	if t == ir.F32 {
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}

func fromFloat(t ir.Type, d float64, f float32) uint64 {
	if t == ir.F32 {
		return canonical(t, uint64(math.Float32bits(f)))
	}
	return canonical(t, math.Float64bits(d))
}

func toInt(isSigned bool, t ir.Type, x float64) uint64 {
	if math.IsNaN(x) {
		return 0
	}
	bitsOf := t.Bits()
	lo, hi := 0.0, math.Ldexp(1, bitsOf)
	if isSigned {
		lo, hi = -math.Ldexp(1, bitsOf-1), math.Ldexp(1, bitsOf-1)
	}
	x = math.Trunc(x)
	mask := uint64(math.MaxUint64) >> (64 - bitsOf)
	switch {
	case x <= lo:
		if isSigned {
			return 1 << (bitsOf - 1)
		}
		return 0
	case x >= hi:
		if isSigned {
			return mask >> 1
		}
		return mask
	case x < 0:
		return uint64(int64(x)) & mask
	}
	return uint64(x) & mask
}

func compare(sub ir.Sub, t ir.Type, x, y uint64) bool {
	var c int
	switch {
	case t.IsFloat():
		a, b := toFloat(t, x), toFloat(t, y)
		if math.IsNaN(a) || math.IsNaN(b) {
			return sub == ir.Ne
		}
		c = int(boolBit(a > b)) - int(boolBit(a < b))
	case sub >= ir.LtU:
		c = int(boolBit(x > y)) - int(boolBit(x < y))
	default:
		c = int(boolBit(signed(t, x) > signed(t, y))) - int(boolBit(signed(t, x) < signed(t, y)))
	}
	switch sub {
	case ir.Eq:
		return c == 0
	case ir.Ne:
		return c != 0
	case ir.Lt, ir.LtU:
		return c < 0
	case ir.Le, ir.LeU:
		return c <= 0
	case ir.Gt, ir.GtU:
		return c > 0
	}
	return c >= 0
}

func floatOp(op ir.Op, t ir.Type, x, y, z uint64) uint64 {
	a, b, c := toFloat(t, x), toFloat(t, y), toFloat(t, z)
	f, g := float32(a), float32(b)
	switch op {
	case ir.FAdd:
		return fromFloat(t, a+b, f+g)
	case ir.FSub:
		return fromFloat(t, a-b, f-g)
	case ir.FMul:
		return fromFloat(t, a*b, f*g)
	case ir.FDiv:
		return fromFloat(t, a/b, f/g)
	case ir.FNeg:
		return fromFloat(t, -a, -f)
	case ir.FAbs:
		return fromFloat(t, math.Abs(a), float32(math.Abs(a)))
	case ir.FSqrt:
		return fromFloat(t, math.Sqrt(a), float32(math.Sqrt(a)))
	case ir.FMin:
		return fromFloat(t, min(a, b), min(f, g))
	case ir.FMax:
		return fromFloat(t, max(a, b), max(f, g))
	case ir.FFma:
		return fromFloat(t, math.FMA(a, b, c), float32(math.FMA(a, b, c)))
	case ir.FFloor:
		return fromFloat(t, math.Floor(a), float32(math.Floor(a)))
	case ir.FCeil:
		return fromFloat(t, math.Ceil(a), float32(math.Ceil(a)))
	case ir.FTrunc:
		return fromFloat(t, math.Trunc(a), float32(math.Trunc(a)))
	case ir.FCopysign:
		return fromFloat(t, math.Copysign(a, b), float32(math.Copysign(a, b)))
	}
	panic("BUG: interpreter: " + op.String())
}

func intOp(op ir.Op, t, from ir.Type, x, y uint64) uint64 {
	n := uint64(from.Bits())
	sx, sy := signed(from, x), signed(from, y)
	cut := func(r uint64) uint64 {
		switch t {
		case ir.I32:
			return uint64(uint32(r))
		case ir.Bool:
			return r & 1
		}
		return r
	}
	switch op {
	case ir.Add:
		return cut(x + y)
	case ir.Subtract:
		return cut(x - y)
	case ir.Mul:
		return cut(x * y)
	case ir.Neg:
		return cut(-x)
	case ir.And:
		return x & y
	case ir.Or:
		return x | y
	case ir.Xor:
		return x ^ y
	case ir.Not:
		return cut(^x)
	case ir.DivS, ir.DivU, ir.RemS, ir.RemU:
		return cut(division(op, x, y, sx, sy))
	case ir.MulHiS:
		if from == ir.I32 {
			return cut(uint64(sx * sy >> 32))
		}
		hi, _ := bits.Mul64(x, y)
		if sx < 0 {
			hi -= y
		}
		if sy < 0 {
			hi -= x
		}
		return hi
	case ir.MulHiU:
		hi, lo := bits.Mul64(x, y)
		if from == ir.I32 {
			return lo >> 32
		}
		return hi
	case ir.MinS:
		return cut(uint64(min(sx, sy)))
	case ir.MaxS:
		return cut(uint64(max(sx, sy)))
	case ir.MinU:
		return min(x, y)
	case ir.MaxU:
		return max(x, y)
	case ir.Shl:
		if y >= n {
			return 0
		}
		return cut(x << y)
	case ir.ShrS:
		return cut(uint64(sx >> min(y, n-1)))
	case ir.ShrU:
		if y >= n {
			return 0
		}
		return x >> y
	case ir.RotL:
		k := y % n
		if k == 0 {
			return x
		}
		return cut(x<<k | x>>(n-k))
	case ir.Popc:
		return uint64(bits.OnesCount64(x))
	case ir.Clz:
		return uint64(bits.LeadingZeros64(x)) - (64 - n)
	case ir.Brev:
		return bits.Reverse64(x) >> (64 - n)
	case ir.Sext8:
		return cut(uint64(int64(int8(x))))
	case ir.Zext8:
		return x & 0xff
	case ir.Sext16:
		return cut(uint64(int64(int16(x))))
	case ir.Zext16:
		return x & 0xffff
	case ir.Sext32:
		return uint64(sx)
	case ir.Zext32:
		return x
	case ir.Trunc:
		return cut(x)
	}
	panic("BUG: interpreter: " + op.String())
}

// division is by zero only where a pass moved a division above its check, which is harmless; any answer will do there.
func division(op ir.Op, x, y uint64, sx, sy int64) uint64 {
	if y == 0 {
		return 0xdeadbeef
	}
	switch op {
	case ir.DivS:
		return uint64(sx / sy)
	case ir.RemS:
		return uint64(sx % sy)
	case ir.DivU:
		return x / y
	}
	return x % y
}
