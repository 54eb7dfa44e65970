package counters

import (
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

func TestLaneOperations(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		op   string
		mods []string
		want Operations
	}{
		{"fma", []string{"rn", "f32"}, Operations{Float32: 2}},
		{"mad", []string{"f64"}, Operations{Float64: 2}},
		{"add", []string{"f64"}, Operations{Float64: 1}},
		{"rsqrt", []string{"approx", "ftz", "f32"}, Operations{Float32: 1}},
		{"fma", []string{"rn", "f16x2"}, Operations{Half: 4}},
		{"mul", []string{"bf16"}, Operations{Half: 1}},
		{"add", []string{"rn", "f32x2"}, Operations{Float32: 2}},
		{"mad", []string{"lo", "s32"}, Operations{}},
		{"setp", []string{"lt", "f32"}, Operations{}},
		{"cvt", []string{"f32", "f64"}, Operations{}},
		{"max", []string{"f32"}, Operations{}},
	} {
		if got := laneOperations(&ptx.Instr{Op: tt.op, Mods: tt.mods}); got != tt.want {
			t.Errorf("%s %v: %+v, want %+v", tt.op, tt.mods, got, tt.want)
		}
	}
}

func TestTensorOperations(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		op   string
		mods []string
		want Operations
	}{
		{"mma", []string{"sync", "aligned", "m16n8k16", "row", "col", "f32", "bf16", "bf16", "f32"}, Operations{Tensor16: 2 * 16 * 8 * 16}},
		{"mma", []string{"sync", "aligned", "m16n8k8", "row", "col", "f32", "tf32", "tf32", "f32"}, Operations{TensorTF32: 2 * 16 * 8 * 8}},
		{"mma", []string{"sync", "aligned", "m16n8k32", "row", "col", "s32", "s8", "u8", "s32"}, Operations{Tensor8: 2 * 16 * 8 * 32}},
		{"mma", []string{"sync", "aligned", "m8n8k4", "row", "col", "f64", "f64", "f64", "f64"}, Operations{Tensor64: 2 * 8 * 8 * 4}},
		{"wgmma", []string{"mma_async", "sync", "aligned", "m64n8k16", "f32", "f16", "f16"}, Operations{Tensor16: 2 * 16 * 8 * 16}},
		{"add", []string{"f32"}, Operations{}},
	} {
		if got := tensorOperations(&ptx.Instr{Op: tt.op, Mods: tt.mods}); got != tt.want {
			t.Errorf("%s %v: %+v, want %+v", tt.op, tt.mods, got, tt.want)
		}
	}
}

// TestFirst counts what must come from memory once: what is read before it is written, and what is
// written.
func TestFirst(t *testing.T) {
	t.Parallel()
	var m touched
	at := func(first, step uint64) *[abi.WarpSize]uint64 {
		var a [abi.WarpSize]uint64
		for i := range a {
			a[i] = first + uint64(i)*step
		}
		return &a
	}
	for i, tt := range []struct {
		kind  event.AccessKind
		lanes uint32
		addrs *[abi.WarpSize]uint64
		size  int
		want  uint64
	}{
		{event.Load, ^uint32(0), at(1<<40, 4), 4, 4},                 // 128 bytes
		{event.Load, ^uint32(0), at(1<<40, 4), 4, 0},                 // from a cache
		{event.Store, ^uint32(0), at(1<<40, 4), 4, 4},                // and back
		{event.Store, 1, at(1<<40, 4), 4, 0},                         // once
		{event.Store, ^uint32(0), at(1<<41, 8192), 4, 32},            // a page each
		{event.Load, ^uint32(0), at(1<<41, 8192), 4, 0},              // that was written here
		{event.Load, 1, at(1<<42-16, 0), 32, 2},                      // two sectors, of two pages
		{event.Load, 0, at(0, 0), 4, 0},                              // no lane
		{event.Load, 1 << 31, at(1<<43, 0), 1, 1},                    // a byte
		{event.Load, ^uint32(0), at(^uint64(0)-32*16+1, 16), 16, 16}, // at the end of all
	} {
		if got := m.first(tt.kind, tt.lanes, tt.addrs, tt.size); got != tt.want {
			t.Errorf("access %d: %d sectors, want %d", i, got, tt.want)
		}
	}
}
