package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// permute makes a function of one prmt by a constant, and by a register if that is not constant.
func permute(which uint64, constant bool) *function {
	f := newFunction()
	for range 4 {
		f.alloc(32)
	}
	regs := f.regs[32]
	by := regs[2]
	if constant {
		by = f.File.Constant(32, which)
	}
	in := code.Inst{Op: ptx.OpPrmt, Type: ptx.B32, SrcType: ptx.B32, Dst: regs[3:], Args: []code.Slot{regs[0], regs[1], by}}
	f.keep(in.Dst[0])
	f.block.Insts = []code.Inst{in}
	return f
}

// TestPermuteBytes holds prmt by constants to package lanes: random ones, whose upper half PTX does not
// look at, and such as compilers make.
func TestPermuteBytes(t *testing.T) {
	t.Parallel()
	if to := processor(); to == nil || !to.knows(&permute(0, true).block.Insts[0], nil) {
		t.Skip("this processor leaves prmt to the interpreter")
	}
	r := rand.New(rand.NewPCG(6, 6))
	list := []uint64{0x3210, 0x7654, 0x5410, 0x7632, 0x0123, 0x8888, 0xffff, 0x4321, 0xfedcba98}
	for range often(60) {
		list = append(list, uint64(r.Uint32()))
	}
	for _, which := range list {
		for width, m := range permute(which, true).machines(t) {
			m.hold(t, r, fmt.Sprintf("prmt by %#x, width %d", which, width))
		}
	}
	f := permute(0, false)
	if k := Compile(&code.Kernel{Funcs: []*code.Func{&f.Func}}, Options{}); k != nil {
		t.Error("prmt by a register is compiled")
	}
}
