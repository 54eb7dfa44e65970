package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// TestNaNs holds chains of arithmetic on floats, many of them NaNs, to package lanes. Between them there
// is what reads the bits of NaNs, and what does not.
func TestNaNs(t *testing.T) {
	t.Parallel()
	var floats, others []code.Inst
	for _, in := range instructions() {
		switch {
		case arithmetic(&in):
			floats = append(floats, in)
		case in.Type == ptx.F32 || in.Type == ptx.F64 || in.Op == code.OpExtract || in.Op == ptx.OpMov || in.Op == ptx.OpXor || in.Op == ptx.OpSetp && in.Type == ptx.S32:
			others = append(others, in)
		}
	}
	for seed := range uint64(often(400)) {
		r := rand.New(rand.NewPCG(6, seed))
		f := newFunction()
		for range 1 + r.IntN(6) {
			for _, bits := range []int{1, 1, 32, 64} {
				f.alloc(bits)
			}
		}
		kept := map[int][]code.Slot{}
		for bits, regs := range f.regs {
			for _, s := range regs {
				if r.IntN(3) == 0 {
					f.keep(s)
					kept[bits] = append(kept[bits], s)
				}
			}
		}
		for range 1 + r.IntN(40) {
			list := floats
			if r.IntN(4) == 0 {
				list = others
			}
			f.block.Insts = append(f.block.Insts, operands(list[r.IntN(len(list))], "", func(bits int) code.Slot { return f.regs[bits][r.IntN(len(f.regs[bits]))] }))
		}
		for width, m := range f.machines(t) {
			m.holdSteps(t, r, kept, fmt.Sprintf("seed %d, width %d", seed, width))
		}
	}
}
