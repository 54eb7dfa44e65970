package native

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// TestLanewise divides and multiplies 64 bits: by zero, the least number by -1, and into a register that
// is an operand.
func TestLanewise(t *testing.T) {
	t.Parallel()
	seed := uint64(0)
	for _, ty := range []ptx.Type{ptx.U64, ptx.S64} {
		for _, op := range []code.Op{ptx.OpDiv, ptx.OpRem, ptx.OpMul} {
			for dst := range 3 {
				seed++
				in := code.Inst{Op: op, Type: ty, SrcType: ty}
				if op == ptx.OpMul {
					in.Flags = code.High
				}
				f := newFunction()
				a, b, d := f.alloc(64), f.alloc(64), f.alloc(64)
				in.Dst, in.Args = []code.Slot{[]code.Slot{a, b, d}[dst]}, []code.Slot{a, b}
				f.keep(in.Dst[0])
				f.block.Insts = []code.Inst{in}
				m := f.compile(t)
				r := rand.New(rand.NewPCG(6, seed))
				for range often(300) {
					m.fill(r)
					for i := range abi.WarpSize {
						at := func(s code.Slot) *uint64 {
							return &(*[abi.WarpSize]uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(m.file)), s.Off))[i]
						}
						switch r.IntN(8) {
						case 0:
							*at(a), *at(b) = 1<<63, math.MaxUint64
						case 1:
							*at(b) = uint64(r.IntN(3)) - 1
						case 2:
							*at(b) = r.Uint64() >> r.IntN(64)
						}
					}
					want := m.run(t, mask(r))
					if list := m.differ(want); len(list) > 0 {
						t.Fatalf("%s: %s", describe(&in), list[0])
					}
				}
			}
		}
	}
}
