package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// TestBitwise holds shf, bfe and bfi to package lanes, of amounts below and beyond the width, for all
// lanes and for some.
func TestBitwise(t *testing.T) {
	t.Parallel()
	var list []code.Inst
	for _, mode := range []code.Mode{code.AmountClamp, code.AmountWrap} {
		for _, dir := range []code.Flags{0, code.Left} {
			in := code.Inst{Op: ptx.OpShf, Type: ptx.B32, SrcType: ptx.B32}
			in.Mode, in.Flags = mode, dir
			list = append(list, in)
		}
	}
	for _, ty := range []ptx.Type{ptx.U32, ptx.S32} {
		list = append(list, code.Inst{Op: ptx.OpBfe, Type: ty, SrcType: ty})
	}
	list = append(list, code.Inst{Op: ptx.OpBfi, Type: ptx.B32, SrcType: ptx.B32})
	for i, in := range list {
		f := newFunction()
		for range 5 {
			f.alloc(32)
		}
		regs := f.regs[32]
		n := 3
		if in.Op == ptx.OpBfi {
			n = 4
		}
		in.Dst, in.Args = regs[4:], regs[:n]
		f.keep(in.Dst[0])
		f.block.Insts = []code.Inst{in}
		for _, m := range f.machines(t) {
			m.hold(t, rand.New(rand.NewPCG(5, uint64(i))), fmt.Sprintf("%s %v %v", describe(&in), in.Mode, in.Flags))
		}
	}
}

// hold runs the block on random registers, for all lanes and for some, and looks at the results.
func (m *machine) hold(t *testing.T, r *rand.Rand, what string) {
	t.Helper()
	for range often(400) {
		m.fill(r)
		want := m.run(t, mask(r))
		if list := m.differ(want); len(list) > 0 {
			t.Fatalf("%s: %s", what, list[0])
		}
	}
}
