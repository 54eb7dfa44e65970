package pass

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// The interpreter runs one thread of a function, written apart from eval so that the two check each
// other. It defines "a pass keeps the meaning": the same memory at the end, the same failure if
// any, and the same convergent operations on the way.

// randomThread is one of the first threads of one of the first blocks of a grid, which has up to two
// blocks more.
func randomThread(rng *rand.Rand, threads, blocks int) map[ir.Sub]uint32 {
	thread, block := uint32(rng.IntN(threads)), uint32(rng.IntN(blocks))
	return map[ir.Sub]uint32{ir.TidX: thread, ir.NTidX: 256, ir.CTAIdX: block, ir.NCTAIdX: block + 1 + uint32(rng.IntN(3))}
}

// input is the start of a run.
type input struct {
	args []uint64          // by parameter; a pointer parameter is an address in memory
	sreg map[ir.Sub]uint32 // special registers
	mem  []byte            // global memory, at address memBase
}

const (
	memBase  = 0x10000
	maxSteps = 20_000
)

// outcome is the visible result of a run.
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
		if v.Init == nil {
			m.out.Shared[v.Name] = data
		}
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
	case ir.AtomicLoad:
		set(getMem(m.at(m.arg(v, 0), int64(v.Mem.Size()), v), v.Mem))
	case ir.AtomicStore:
		putMem(m.at(m.arg(v, 0), int64(v.Mem.Size()), v), v.Mem, m.arg(v, 1))
	case ir.Fence:
	case ir.Check, ir.Panic:
		m.check(v)
	default:
		if v.Op.Convergent() {
			m.convergent(v)
			return
		}
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

// convergent runs as in a warp of one lane. All that matters is that it happens, and its operands.
// The result is the lane's operand, after the mask.
func (m *interp) convergent(v *ir.Value) {
	s := v.Op.String() + "." + v.Sub.String()
	for _, a := range v.Args {
		s += fmt.Sprintf(" %#x", m.vals[a.ID])
	}
	m.out.Trace = append(m.out.Trace, s)
	result := uint64(1)
	if len(v.Args) > 1 {
		result = m.arg(v, 1)
	}
	if v.Type == ir.I32 {
		result = uint64(uint32(result))
	}
	m.vals[v.ID] = result
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
	case ir.CheckDivide, ir.CheckAssert, ir.CheckOverflow, ir.CheckNil:
		ok = x != 0
	case ir.CheckShift, ir.CheckMakeLen:
		ok = x >= 0
	case ir.CheckPanic:
	default:
		ok = 0 <= x && x <= y
	}
	if !ok || v.Op == ir.Panic {
		m.failed = true
		m.out.Fault = fmt.Sprintf("%s %d %d (unsigned %t) at line %d", v.Sub, x, y, v.Unsigned, v.Pos.Line)
	}
}

func signed(t ir.Type, x uint64) int64 {
	if t == ir.I32 {
		return int64(int32(x))
	}
	return int64(x)
}
