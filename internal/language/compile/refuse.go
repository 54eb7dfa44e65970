package compile

import (
	"fmt"
	"sync"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/language/compile/pass"
)

// refuseImmediate says what is wrong with the argument that an instruction has no register for,
// which is a constant once calls are inlined and loops unrolled; "" for nothing.
func refuseImmediate(v *ir.Value) string {
	imm, ok := ir.ImmediateOf(v)
	if !ok {
		return ""
	}
	n, known := v.Args[0].IntConst()
	switch {
	case v.Op == ir.SetMaxNReg && !known:
		return fmt.Sprintf("gpu.%s: the number of registers must be a constant", imm.Function)
	case v.Op == ir.SetMaxNReg && !imm.Allows(n):
		return fmt.Sprintf("gpu.%s: a thread cannot have %d registers: give a multiple of %d from %d to %d",
			imm.Function, n, imm.Step, imm.Least, imm.Most)
	case !known || !imm.Allows(n):
		return fmt.Sprintf("gpu.%s needs a constant from %d to %d: how many groups may stay in flight", imm.Function, imm.Least, imm.Most)
	}
	return ""
}

// refuseAccesses reports atomics on variables of the thread itself, which PTX does not have, what
// writes to constant memory, addresses in another memory than an instruction's, and those that may
// be no multiple of what it needs. Only the passes can tell for sure where a pointer points.
func refuseAccesses(src *Source, f *ir.Func, errs *ErrorList) {
	alignments := sync.OnceValue(func() func(*ir.Value) int { return pass.Alignments(f) })
	for _, b := range f.Blocks {
		for _, v := range b.Instrs {
			if msg := refuseImmediate(v); msg != "" {
				errs.Add(position(src, f, v.Pos), "%s", msg)
			}
			if v.Op == ir.Machine {
				refuseSpaces(src, f, v, errs)
				continue
			}
			if v.Op == ir.SharedAddr {
				r := remainders{alignments(), map[*ir.Value]remainder{}}
				if at := r.of(v.Args[0]); at.known && at.n != 0 {
					errs.Add(position(src, f, v.Pos), "gpu.MatrixOf: the tile begins %d bytes after a multiple of %d", at.n, matrixUnit)
				}
				continue
			}
			switch {
			case v.Op.IsAtomic() && v.Args[0].PointsTo() == ir.Local:
				errs.Add(position(src, f, v.Pos), "an atomic needs a pointer to shared memory or into a slice")
			case (v.Op.IsAtomic() || v.Op == ir.Store) && v.Args[0].PointsTo() == ir.Constant:
				errs.Add(position(src, f, v.Pos), "this writes to a package-level variable, which kernels can only "+
					"read: copy it to a local variable, or pass it as a parameter of the kernel")
			case v.Op.IsAtomic() && v.Align > 0 && v.Align > alignments()(v.Args[0]):
				what, elem := unaligned(v)
				errs.Add(position(src, f, v.Pos), "%s needs an address that is a multiple of %d: give it an element of a "+
					"slice of %s, or of such an array in shared memory", what, v.Align, elem)
			}
		}
	}
}

// unaligned names an atomic on more than Go aligns for, and the elements that it is for.
func unaligned(v *ir.Value) (what, elem string) {
	switch {
	case v.Lanes == 0:
		return "an atomic on a pair", "pairs"
	case v.Sub == ir.AtomExch:
		return "gpu.AtomicExch128", "gpu.Uint64x2"
	}
	return "gpu.AtomicCAS128", "gpu.Uint64x2"
}

// refuseSpaces reports addresses that an instruction takes in another memory only.
func refuseSpaces(src *Source, f *ir.Func, v *ir.Value, errs *ErrorList) {
	form := ir.MachineFormOf(v.Sub)
	for i, a := range v.Args {
		want := form.SpaceOf(i)
		if want == ir.Unknown || a.PointsTo() == want || a.PointsTo() == ir.Generic {
			continue
		}
		where := map[ir.Space]string{
			ir.Shared: "into shared memory: to an element of what gpu.Shared or gpu.DynamicShared gives",
			ir.Global: "into global memory: to an element of a slice that the kernel is given",
		}
		opcode, _ := form.Operands()
		errs.Add(position(src, f, v.Pos), "%s needs a pointer %s", opcode, where[want])
	}
}

// matrixUnit is the unit of the address of a wgmma matrix in bytes: its descriptor has no bits for
// less.
const matrixUnit = 16

// remainders finds the remainders of addresses, and of parts of them, modulo matrixUnit, if known
// and the same in each round of a loop.
type remainders struct {
	aligned func(*ir.Value) int
	phis    map[*ir.Value]remainder // those that are being looked at, by their first argument
}

type remainder struct {
	n     int64
	known bool
}

func (r *remainders) of(v *ir.Value) (found remainder) {
	if r.aligned(v) >= matrixUnit {
		return remainder{0, true}
	}
	if n, ok := v.IntConst(); ok {
		return remainder{n & (matrixUnit - 1), true}
	}
	switch v.Op {
	case ir.PtrAdd, ir.Add:
		x, y := r.of(v.Args[0]), r.of(v.Args[1])
		found = remainder{x.n + y.n, x.known && y.known}
	case ir.Mul:
		x, y := r.of(v.Args[0]), r.of(v.Args[1])
		found = remainder{x.n * y.n, x.known && y.known}
	case ir.Shl:
		x := r.of(v.Args[0])
		by, known := v.Args[1].IntConst()
		found = remainder{x.n << min(uint64(by), 63), x.known && known}
	case ir.Sext32, ir.Zext32, ir.Trunc:
		found = r.of(v.Args[0])
	case ir.Phi:
		found = r.ofPhi(v)
	}
	found.n &= matrixUnit - 1
	return found
}

// ofPhi takes the first argument for the value in the round before, and holds the others to it.
func (r *remainders) ofPhi(v *ir.Value) remainder {
	if first, looking := r.phis[v]; looking {
		return first
	}
	r.phis[v] = remainder{}
	first := r.of(v.Args[0])
	r.phis[v] = first
	defer delete(r.phis, v)
	for _, a := range v.Args[1:] {
		if r.of(a) != first {
			return remainder{}
		}
	}
	return first
}
