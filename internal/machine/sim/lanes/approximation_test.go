package lanes

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/math/mufu"
	"github.com/gridstride/gridstride/internal/ptx"
)

// unary returns the function that an instruction with one operand of 32 bits or fewer computes.
func unary(name code.Op, typ ptx.Type, flags code.Flags) func(a uint32) uint32 {
	layout := code.NewFile()
	d, a := layout.Alloc(32), layout.Alloc(32)
	file := make([]uint64, layout.Size/8)
	w := &Warp{Base: unsafe.Pointer(unsafe.SliceData(file)), Exec: 1}
	in := &code.Inst{Op: name, Type: typ, Attributes: code.Attributes{Flags: flags}, Dst: []code.Slot{d}, Args: []code.Slot{a}}
	op, _ := Bind(in)
	slots := Slots(in)
	return func(x uint32) uint32 {
		Reg[uint32](w, a.Off)[0] = x
		op(w, &slots)
		return Reg[uint32](w, d.Off)[0]
	}
}

// TestShortApproximations holds ex2 and tanh of 16 bits to the checksum of what an H200 gives for
// all arguments.
func TestShortApproximations(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		f    func(a uint32) uint32
		name string
		want uint32
	}{
		{unary(ptx.OpEx2, ptx.F16, code.Approx), "ex2.approx.f16", 0xd5350e3b},
		{unary(ptx.OpTanh, ptx.F16, code.Approx), "tanh.approx.f16", 0x4fdbebf7},
		{unary(ptx.OpEx2, ptx.BF16, code.Approx|code.FTZ), "ex2.approx.ftz.bf16", 0xeab02565},
		{unary(ptx.OpTanh, ptx.BF16, code.Approx), "tanh.approx.bf16", 0xa1373044},
	} {
		var results []byte
		for x := range uint32(1 << 16) {
			results = binary.LittleEndian.AppendUint16(results, uint16(test.f(x)))
		}
		if got := crc32.ChecksumIEEE(results); got != test.want {
			t.Errorf("%s has the checksum %#08x, an H200's %#08x", test.name, got, test.want)
		}
	}
}

// TestApproximations compares instructions with what package mufu, which is tested by itself, says
// of them.
func TestApproximations(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ex2", "lg2", "sin", "cos", "tanh", "rsqrt", "rcp", "sqrt"} {
		for flushes, f := range map[bool]func(a uint32) uint32{
			false: unary(code.Op(name), ptx.F32, code.Approx), true: unary(code.Op(name), ptx.F32, code.Approx|code.FTZ),
		} {
			want := mufu.Instruction(name, flushes)
			for n := range uint32(1 << 12) {
				x := n << 20
				if name == "tanh" && flushes {
					continue // there is none
				}
				if got, want := f(x), math.Float32bits(want(math.Float32frombits(x))); got != want {
					t.Errorf("%s.approx of %#08x, flushing %v: got %#08x, want %#08x", name, x, flushes, got, want)
				}
			}
		}
	}
}
