// Package interp runs functions of the IR while a kernel is compiled: the initial values of tables.
// There is one thread, with neither parameters nor indices.
package interp

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/language/message"
)

// MaxSteps bounds the instructions of a run: about a fifth of a second.
const MaxSteps = 20_000_000

// MaxMemory bounds the bytes of the local variables of a run.
const MaxMemory = 64 << 20

// bytesPerStep is how much memory is cleared or copied in a step.
const bytesPerStep = 256

// An Error says where a run ended that cannot go on, and why.
type Error struct {
	Pos ir.Pos
	Msg string
}

// Error is the message.
func (e *Error) Error() string { return e.Msg }

// Memory is the memory after a run.
type Memory struct {
	objects []Object
	vars    map[*ir.Var]int
}

// An Object is a variable of the function, or memory of an Alloca.
type Object struct {
	Data []byte
	base uint64
}

// An address is the number of an object plus one, and an offset in it.
const objectBits = 32

// Run runs f. Variables without an initial value are zero at the start.
func Run(f *ir.Func) (*Memory, error) {
	m := &machine{f: f, vals: make([]uint64, f.NumValues()), lanes: map[*ir.Value][]uint64{}}
	m.vars = map[*ir.Var]int{}
	for _, v := range f.Vars {
		data := make([]byte, v.Size)
		copy(data, v.Init)
		m.vars[v] = len(m.objects)
		m.add(data)
	}
	for _, v := range f.Vars {
		for _, r := range v.Refs {
			at := m.objects[m.vars[v]].Data[r.Off:]
			write(at[:8], read(at[:8])+m.objects[m.vars[r.Var]].base)
		}
	}
	return &m.Memory, m.run()
}

// Var is the memory of a variable.
func (m *Memory) Var(v *ir.Var) *Object { return &m.objects[m.vars[v]] }

// Find is the object that a pointer points into, and the offset in it. ok is false for nil.
func (m *Memory) Find(ptr uint64) (o *Object, off int64, ok bool) {
	i := int(ptr>>objectBits) - 1
	if i < 0 || i >= len(m.objects) {
		return nil, 0, false
	}
	return &m.objects[i], int64(uint32(ptr)), true
}

// add makes an object.
func (m *Memory) add(data []byte) uint64 {
	base := uint64(len(m.objects)+1) << objectBits
	m.objects = append(m.objects, Object{data, base})
	return base
}

// A machine carries one run.
type machine struct {
	Memory
	f     *ir.Func
	vals  []uint64
	lanes map[*ir.Value][]uint64 // of vector loads
	steps int64
	local int64 // bytes of local variables
}

func fail(v *ir.Value, format string, args ...any) error {
	return &Error{v.Pos, fmt.Sprintf(format, args...)}
}

func (m *machine) run() error {
	b := m.f.Entry()
	var from *ir.Block
	for {
		m.phis(b, from)
		next, err := m.block(b)
		if err != nil || next == nil {
			return err
		}
		b, from = next, b
	}
}

// phis takes all phis of a block at once.
func (m *machine) phis(b, from *ir.Block) {
	phis := b.Phis()
	if len(phis) == 0 {
		return
	}
	at := slices.Index(b.Preds, from)
	var taken []uint64
	for _, phi := range phis {
		taken = append(taken, m.vals[phi.Args[at].ID])
	}
	for i, phi := range phis {
		m.vals[phi.ID] = taken[i]
	}
}

// spend counts the steps of an instruction, and fails if they exceed the limit. An instruction that
// clears or copies memory takes one more step for each bytesPerStep bytes.
func (m *machine) spend(v *ir.Value) error {
	m.steps++
	if v.Op == ir.MemZero || v.Op == ir.MemCopy {
		m.steps += v.Size / bytesPerStep
	}
	if m.steps > MaxSteps {
		return fail(v, "it takes more than %d steps", MaxSteps)
	}
	return nil
}

// block runs a block and gives the one that follows, nil at the end.
func (m *machine) block(b *ir.Block) (*ir.Block, error) {
	for _, v := range b.Instrs {
		if err := m.spend(v); err != nil {
			return nil, err
		}
		switch v.Op {
		case ir.Phi:
		case ir.Jump:
			return b.Succs[0], nil
		case ir.Branch:
			if m.vals[v.Args[0].ID] != 0 {
				return b.Succs[0], nil
			}
			return b.Succs[1], nil
		case ir.Return:
			return nil, nil
		case ir.Panic:
			return nil, m.failure(v)
		default:
			if err := m.instr(v); err != nil {
				return nil, err
			}
		}
	}
	panic("BUG: a block without a terminator")
}

func (m *machine) instr(v *ir.Value) error {
	arg := func(i int) uint64 { return m.vals[v.Args[i].ID] }
	switch v.Op {
	case ir.Const:
		m.vals[v.ID] = v.Int
	case ir.NilPtr:
		m.vals[v.ID] = 0
	case ir.VarAddr:
		m.vals[v.ID] = m.Var(v.Var).base
	case ir.Alloca:
		if m.local += v.Size; v.Size > MaxMemory || m.local > MaxMemory {
			return fail(v, "its local variables take more than %d bytes", MaxMemory)
		}
		m.vals[v.ID] = m.add(make([]byte, v.Size))
	case ir.PtrAdd:
		m.vals[v.ID] = arg(0) + arg(1)
	case ir.Check:
		if !m.holds(v) {
			return m.failure(v)
		}
	case ir.Load:
		return m.load(v)
	case ir.Extract:
		m.vals[v.ID] = m.lanes[v.Args[0]][v.Int]
	case ir.Store:
		return m.store(v)
	case ir.MemZero:
		to, err := m.at(v, arg(0), v.Size)
		clear(to)
		return err
	case ir.MemCopy:
		to, err := m.at(v, arg(0), v.Size)
		from, err2 := m.at(v, arg(1), v.Size)
		copy(to, from)
		if err == nil {
			err = err2
		}
		return err
	default:
		return m.pure(v)
	}
	return nil
}

// pure computes an operation on numbers.
func (m *machine) pure(v *ir.Value) error {
	if !v.Op.Pure() || len(v.Args) == 0 {
		return fail(v, "it asks for what only a thread of a kernel has")
	}
	var args [3]uint64
	for i, a := range v.Args {
		args[i] = m.vals[a.ID]
	}
	x, ok := ir.Eval(v, args[:len(v.Args)])
	switch {
	case ok:
	case v.Type == ir.F32:
		x = uint64(math.Float32bits(float32(math.NaN())))
	case v.Type == ir.F64:
		x = math.Float64bits(math.NaN())
	default:
		return fail(v, "it cannot be computed")
	}
	m.vals[v.ID] = x
	return nil
}

// holds decides a check.
func (m *machine) holds(v *ir.Value) bool {
	x := m.vals[v.Args[0].ID]
	var y uint64
	if len(v.Args) > 1 {
		y = m.vals[v.Args[1].ID]
	}
	switch v.Sub {
	case ir.CheckAssert, ir.CheckOverflow, ir.CheckDivide, ir.CheckNil:
		return x != 0
	case ir.CheckShift:
		if v.Args[0].Type == ir.I32 {
			return int32(x) >= 0
		}
		return int64(x) >= 0
	case ir.CheckMakeLen:
		return int64(x) >= 0
	case ir.CheckIndex:
		return x < y
	case ir.CheckSliceToArr:
		return int64(x) >= int64(y)
	}
	return x <= y
}

// failure is the panic of a check.
func (m *machine) failure(v *ir.Value) error {
	r := abi.FaultRecord{Kind: abi.FaultKind(v.Sub), Unsigned: v.Unsigned}
	if v.Sub == ir.CheckAssert && len(v.Args) > 2 {
		return fail(v, "it fails: %s", m.asserted(r, v))
	}
	msg := ""
	for i, a := range v.Args {
		x := m.vals[a.ID]
		switch {
		case a.Type == ir.Ptr:
			if o, off, ok := m.Find(x); ok {
				text, _, _ := bytes.Cut(o.Data[off:], []byte{0})
				msg = string(text)
			}
		case a.Type == ir.I32:
			x = uint64(int64(int32(x)))
			fallthrough
		default:
			if i == 0 {
				r.X = int64(x)
			} else {
				r.Y = int64(x)
			}
		}
	}
	return fail(v, "it fails: %s", message.Of(r, msg, nil))
}

// asserted is the message of an assertion with values, recorded in r.
func (m *machine) asserted(r abi.FaultRecord, v *ir.Value) string {
	const number = 0
	_, format, _ := abi.FormatOf(fmt.Sprint(abi.FormatVar, number), v.Args[1].Var.Init)
	r.X = number + 1
	for i, a := range v.Args[2:] {
		r.Args[i] = m.vals[a.ID]
	}
	return message.Of(r, "", map[int]abi.Format{number: format})
}
