package lanes

import (
	"testing"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// TestAlone runs operations on a register file without a machine, as a replacement for one of them
// can be tested.
func TestAlone(t *testing.T) {
	t.Parallel()
	layout := code.NewFile()
	d, a, b, p := layout.Alloc(32), layout.Alloc(32), layout.Alloc(32), layout.Alloc(1)
	file := make([]uint64, layout.Size/8)
	w := &Warp{Base: unsafe.Pointer(unsafe.SliceData(file)), Exec: 0x0000ffff}
	for i := range abi.WarpSize {
		Reg[uint32](w, a.Off)[i], Reg[uint32](w, b.Off)[i] = uint32(i), 10
	}

	add := &code.Inst{Op: ptx.OpAdd, Type: ptx.U32, Dst: []code.Slot{d}, Args: []code.Slot{a, b}}
	op, whole := Bind(add)
	if op == nil || !whole {
		t.Fatalf("add.u32 is %v, whole %v", op != nil, whole)
	}
	in := Slots(add)
	op(w, &in)
	if got := Reg[uint32](w, d.Off); got[0] != 10 || got[31] != 41 {
		t.Errorf("add.u32 gives %v", got)
	}

	less := &code.Inst{
		Op: ptx.OpSetp, Type: ptx.U32, Attributes: code.Attributes{Compare: code.LT},
		Dst: []code.Slot{p}, Args: []code.Slot{a, b},
	}
	op, whole = Bind(less)
	in = Slots(less)
	op(w, &in)
	if got := *Pred(w, p.Off); whole || got != 1<<10-1 {
		t.Errorf("setp.lt.u32 gives %#x in the lanes that run, whole %v", got, whole)
	}
	w.Exec = 0xff000000
	op(w, &in)
	if got := *Pred(w, p.Off); got != 1<<10-1 {
		t.Errorf("setp.lt.u32 gives %#x when other lanes run", got)
	}
	if op, _ := Bind(&code.Inst{Op: ptx.OpLd, Type: ptx.U32}); op != nil {
		t.Error("a load is no operation on registers alone")
	}
}
