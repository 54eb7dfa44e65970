package native

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// hard32 makes a dividend and a divisor whose quotient is an integer, or misses one by as little as it
// can.
func hard32(r *rand.Rand) (a, b uint64) {
	b = uint64(r.Uint32()) >> r.IntN(32)
	k := uint64(r.Uint32())
	if b > 1 {
		k %= 1<<32/b + 1
	}
	return uint64(uint32(k*b + uint64(r.IntN(3)) - 1)), b
}

// hard64 makes a number of 64 bits that is halfway between two floats, or misses that by as little as it
// can.
func hard64(r *rand.Rand) uint64 {
	digits := []int{25, 54}[r.IntN(2)]
	x := (r.Uint64()>>(64-digits) | 1) << r.IntN(65-digits)
	return (x + uint64(r.IntN(3)) - 1) * []uint64{1, ^uint64(0)}[r.IntN(2)]
}

// TestQuotients divides, and converts 64 bits, where rounding is hardest.
func TestQuotients(t *testing.T) {
	t.Parallel()
	var list []code.Inst
	for _, ty := range []ptx.Type{ptx.U32, ptx.S32} {
		list = append(list, code.Inst{Op: ptx.OpDiv, Type: ty, SrcType: ty}, code.Inst{Op: ptx.OpRem, Type: ty, SrcType: ty})
	}
	for _, from := range []ptx.Type{ptx.U64, ptx.S64} {
		for _, to := range []ptx.Type{ptx.F32, ptx.F64} {
			list = append(list, code.Inst{Op: ptx.OpCvt, Type: to, SrcType: from, Width: to.Bits()})
		}
	}
	for i, in := range list {
		f := newFunction()
		placed := operands(in, "", f.alloc)
		f.keep(placed.Dst[0])
		f.block.Insts = []code.Inst{placed}
		for _, m := range f.machines(t) {
			m.holdHard(t, &placed, rand.New(rand.NewPCG(5, uint64(i))))
		}
	}
}

// holdHard runs an instruction often with hard operands.
func (m *machine) holdHard(t *testing.T, in *code.Inst, r *rand.Rand) {
	file := unsafe.Pointer(unsafe.SliceData(m.file))
	for range often(5000) {
		for lane := range abi.WarpSize {
			if in.Op == ptx.OpCvt {
				setLane(file, in.Args[0], lane, hard64(r))
				continue
			}
			a, b := hard32(r)
			setLane(file, in.Args[0], lane, a)
			setLane(file, in.Args[1], lane, b)
		}
		before := append([]uint64(nil), m.file...)
		if diff := m.differ(m.run(t, ^uint32(0))); diff != nil {
			t.Fatal(describe(in), diff, fmt.Sprint(listOperands(before, in)))
		}
	}
}

// setLane sets a lane of a slot of 32 or 64 bits.
func setLane(file unsafe.Pointer, s code.Slot, lane int, v uint64) {
	if s.Bits == 64 {
		*(*uint64)(unsafe.Add(file, int(s.Off)+8*lane)) = v
		return
	}
	*(*uint32)(unsafe.Add(file, int(s.Off)+4*lane)) = uint32(v)
}
