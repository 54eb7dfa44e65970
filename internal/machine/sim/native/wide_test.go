package native

import (
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// TestWideOperations holds the instructions that only AVX-512 has to package lanes: all tables of lop3, and
// abs of 64 bits.
func TestWideOperations(t *testing.T) {
	t.Parallel()
	if !Wide() {
		t.Skip("this processor has no AVX-512")
	}
	list := []code.Inst{{Op: ptx.OpAbs, Type: ptx.S64, SrcType: ptx.S64}}
	for table := range uint64(256) {
		list = append(list, code.Inst{Op: ptx.OpLop3, Type: ptx.B32, SrcType: ptx.B32, Imm: table})
	}
	for i, in := range list {
		f := newFunction()
		bits := in.Type.Bits()
		in.Dst = []code.Slot{f.alloc(bits)}
		in.Args = []code.Slot{f.alloc(bits)}
		if in.Op == ptx.OpLop3 {
			in.Args = append(in.Args, f.alloc(bits), f.alloc(bits))
		}
		f.keep(in.Dst[0])
		f.block.Insts = []code.Inst{in}
		if (avx2{}).knows(&in, nil) || !(avx2{avx512: true}).knows(&in, nil) {
			t.Fatal(describe(&in), "is known without AVX-512, or unknown with it")
		}
		m := f.compile(t)
		r := rand.New(rand.NewPCG(7, uint64(i)))
		m.holdSteps(t, r, f.regs, describe(&in))
	}
}
