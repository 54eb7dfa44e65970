package lanes

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// TestVideo holds video instructions to values worked out by hand from the PTX manual.
func TestVideo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op, mods string // group=value
		a, b, c  uint32
		want     uint32
	}{
		{"vabsdiff4", "T=u32 U=u32 btype=u32 add=add", 0x01ff_8003, 0x0300_7f05, 10, 10 + 2 + 255 + 1 + 2},
		{"vabsdiff4", "T=u32 U=s32 btype=s32", 0x01ff_8003, 0x0300_7f05, 0, 0x0201_ff02},
		{"vadd4", "T=s32 U=s32 btype=s32 sat=sat", 0x7f80_017f, 0x01ff_ff7f, 0, 0x7f80_007f},
		{"vadd4", "T=u32 U=u32 btype=u32 dsel=b20", 0x7f80_0180, 0x01ff_ff80, 0x11223344, 0x117f_3300},
		{"vsub4", "T=u32 U=u32 btype=u32 sat=sat asel=b7654 bsel=b0123", 0x01020304, 0x05020101, 0, 0x01000000},
		{"vavrg4", "T=u32 U=u32 btype=u32", 0x00ff_0102, 0x01ff_0203, 0, 0x01ff_0203},
		{"vavrg2", "T=s32 U=s32 btype=s32", 0xffff_0001, 0xfffe_0002, 0, 0xfffe_0002},
		{"vmin2", "T=s32 U=s32 btype=s32", 0x8000_0007, 0x7fff_fff9, 0, 0x8000_fff9},
		{"vmax2", "T=u32 U=u32 btype=u32 dsel=h1", 0x8000_0007, 0x7fff_fff9, 0x1234_5678, 0x8000_5678},
		{"vset4", "T=u32 U=u32 cmp=gt add=add", 0x02020202, 0x01020304, 100, 101},
		{"vset2", "T=s32 U=s32 cmp=le", 0xffff_0001, 0x0000_0001, 0, 0x0001_0001},
		{"vadd", "T=s32 U=u32 btype=s32 asel=b3 bsel=b0", 0xff000000, 0x000000ff, 0, 254},
		{"vadd", "T=u32 U=u32 btype=u32 sat=sat dsel=b1", 200, 100, 0x11223344, 0x1122ff44},
		{"vadd", "T=s32 U=s32 btype=s32 sat=sat", 0x7fffffff, 1, 0, 0x7fffffff},
		{"vsub", "T=u32 U=u32 btype=u32 sat=sat op2=add", 3, 5, 9, 9},
		{"vsub", "T=s32 U=s32 btype=s32 op2=min", 3, 5, 9, 0xfffffffe},
		{"vabsdiff", "T=u32 U=u32 btype=u32 op2=max bsel=h1", 3, 5 << 16, 1, 2},
		{"vmin", "T=s32 U=s32 btype=s32 dsel=h0", 0xffff0000, 7, 0x12345678, 0x12340000},
		{"vshl", "T=u32 U=u32 btype=u32 mode=clamp", 1, 40, 0, 0},
		{"vshl", "T=u32 U=u32 btype=u32 mode=wrap", 1, 40, 0, 256},
		{"vshl", "T=s32 U=s32 btype=u32 mode=clamp sat=sat", 0xffffffff, 40, 0, 0x80000000},
		{"vshr", "T=s32 U=s32 btype=u32 mode=clamp", 0x80000000, 40, 0, 0xffffffff},
		{"vshr", "T=u32 U=u32 btype=u32 mode=clamp", 0x80000000, 31, 0, 1},
		{"vset", "T=u32 U=u32 cmp=lt op2=add", 1, 2, 41, 42},
		{"vmad", "T=s32 U=s32 btype=s32 scale=shr7", 1000, 1000, 24, 7812},
		{"vmad", "T=s32 U=s32 btype=s32 -a=-a", 3, 5, 20, 5},
		{"vmad", "T=s32 U=s32 btype=s32 -c=-c", 3, 5, 20, 0xfffffffb},
		{"vmad", "T=u32 U=u32 btype=u32 po=po", 3, 5, 20, 36},
		{"vmad", "T=u32 U=u32 btype=u32 sat=sat", 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
		{"vmad", "T=s32 U=s32 btype=s32 sat=sat", 0x80000000, 0x7fffffff, 0, 0x80000000},
	} {
		if got := ternary(c.op, c.mods)(c.a, c.b, c.c); got != c.want {
			t.Errorf("%s %s of %#x, %#x, %#x is %#x, want %#x", c.op, c.mods, c.a, c.b, c.c, got, c.want)
		}
	}
}

// ternary returns the function that an instruction with three operands of 32 bits computes.
func ternary(op, mods string) func(a, b, c uint32) uint32 {
	layout := code.NewFile()
	d := layout.Alloc(32)
	args := []code.Slot{layout.Alloc(32), layout.Alloc(32), layout.Alloc(32)}
	file := make([]uint64, layout.Size/8)
	w := &Warp{Base: unsafe.Pointer(unsafe.SliceData(file)), Exec: 1}
	list := modifiers(mods)
	in := &code.Inst{Op: code.Op(op), Dst: []code.Slot{d}, Args: args, Attributes: code.AttributesOf(list)}
	for operand, flag := range map[string]code.Flags{"-a": code.NegateA, "-b": code.NegateB, "-c": code.NegateC} {
		if list.Has(operand) {
			in.Flags |= flag
		}
	}
	in.Type, in.SrcType = ptx.Type(list.Mod("T")), ptx.Type(list.Mod("U"))
	run, _ := Bind(in)
	slots := Slots(in)
	return func(a, b, c uint32) uint32 {
		for i, x := range []uint32{a, b, c} {
			Reg[uint32](w, args[i].Off)[0] = x
		}
		run(w, &slots)
		return Reg[uint32](w, d.Off)[0]
	}
}

// modifiers reads "T=u32 sat=sat".
func modifiers(text string) (list ptx.Modifiers) {
	for word := range strings.FieldsSeq(text) {
		group, value, _ := strings.Cut(word, "=")
		list = append(list, ptx.Modifier{Group: group, Value: value})
	}
	return list
}
