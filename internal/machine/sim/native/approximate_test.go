package native

import (
	"flag"
	"math/bits"
	"testing"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

var every = flag.Uint("every", 0, "compare approximations and conversions of every `n`-th argument, of 2^32; 1 takes hours")

func anySlot(bits int) code.Slot { return code.Slot{Bits: bits} }

// TestArguments holds instructions of one operand of 32 bits to package lanes: of arguments at equal
// distances.
func TestArguments(t *testing.T) {
	t.Parallel()
	step := uint64(2_000_003)
	if *every > 0 {
		step = uint64(*every)
	}
	for _, in := range instructions() {
		if len(operands(in, "", anySlot).Args) != 1 || in.SrcType != ptx.F32 && in.SrcType != ptx.F16 && in.SrcType != ptx.BF16 {
			continue
		}
		f := newFunction()
		a, d := f.alloc(32), f.alloc(max(in.Type.Bits(), 32))
		in.Args, in.Dst = append(in.Args, a), append(in.Dst, d)
		f.keep(d)
		f.block.Insts = append(f.block.Insts, in)
		for width, m := range f.machines(t) {
			to := (*[abi.WarpSize]uint32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(m.file)), a.Off))
			for x := uint64(0); x < 1<<32; x += step * abi.WarpSize {
				for i := range to {
					to[i] = uint32(x + uint64(i)*step)
					if in.SrcType != ptx.F32 {
						to[i] = uint32(bits.Reverse32(to[i]) >> 16)
					}
				}
				if diff := m.differ(m.run(t, ^uint32(0))); diff != nil {
					t.Fatalf("%s of %#x and so on, width %d: %s", describe(&in), to[0], width, diff)
				}
			}
		}
	}
}
