package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/texture"
)

// surfacePTX runs an instruction on a surface at byte 4*tid of row 1, and stores %r2 of each thread.
const surfacePTX = `.visible .entry k(.param .u64 s, .param .u64 out)
{
	.reg .b32 %r<9>;
	.reg .b16 %h<5>;
	.reg .b64 %s, %o, %x, %d<3>;
	ld.param.u64 %s, [s];
	ld.param.u64 %o, [out];
	mov.u32 %r0, %tid.x;
	mul.wide.u32 %x, %r0, 4;
	add.u64 %o, %o, %x;
	shl.b32 %r1, %r0, 2;
	mov.u32 %r2, 77;
	mov.u32 %r3, 1;
	mov.u32 %r4, 0;
	CODE;
	st.global.u32 [%o], %r2;
	ret;
}
`

// surfaceRig is a machine with a surface of uint32, 4 by 2 texels of 4 bytes or what else holds 32
// bytes, which are 0 to 7.
func surfaceRig(t *testing.T, code string, shape texture.Shape, cfg Config) (r *rig, handle, memory, out uint64) {
	r = newRig(t, strings.Replace(surfacePTX, "CODE", code, 1), cfg)
	memory = upload(r, []uint32{0, 1, 2, 3, 4, 5, 6, 7})
	handle, err := r.m.NewSurface(&texture.Surface{Format: texture.Format{Kind: abi.Unsigned, Bits: 32, Channels: 1}, Shape: shape}, memory)
	r.must(err)
	return r, handle, memory, upload(r, make([]uint32, 6))
}

// TestSurfaceLoads reads surfaces of all shapes, inside and outside.
func TestSurfaceLoads(t *testing.T) {
	t.Parallel()
	flat, plain, deep := texture.Shape{Width: 8}, texture.Shape{Width: 4, Height: 2}, texture.Shape{Width: 2, Height: 2, Depth: 2}
	layers, sheets := texture.Shape{Width: 4, Layers: 2}, texture.Shape{Width: 2, Height: 2, Layers: 2}
	for _, c := range []struct {
		code  string
		shape texture.Shape
		want  []uint32
		fault string
	}{
		{"suld.b.1d.b32.trap %r2, [%s, {%r1}]", flat, []uint32{0, 1, 2, 3, 4, 5}, ""},
		{"suld.b.2d.b32.zero {%r2}, [%s, {%r1, %r3}]", plain, []uint32{4, 5, 6, 7, 0, 0}, ""},
		{"suld.b.2d.b32.clamp {%r2}, [%s, {%r1, %r3}]", plain, []uint32{4, 5, 6, 7, 7, 7}, ""},
		{"suld.b.2d.b32.trap {%r2}, [%s, {%r1, %r3}]", plain, nil, "out of bounds: read of 4 bytes at byte 16 of a row, row 1 of a surface of 16 bytes a row, 2 rows"},
		{"suld.b.3d.cg.b32.zero {%r2}, [%s, {%r1, %r3, %r3, %r3}]", deep, []uint32{6, 7, 0, 0, 0, 0}, ""},
		{"suld.b.a1d.b32.zero {%r2}, [%s, {%r3, %r1}]", layers, []uint32{4, 5, 6, 7, 0, 0}, ""},
		{"suld.b.a2d.b32.zero {%r2}, [%s, {%r3, %r1, %r3, %r3}]", sheets, []uint32{6, 7, 0, 0, 0, 0}, ""},
		{"suld.b.a2d.b32.clamp {%r2}, [%s, {%r0, %r4, %r4, %r4}]", sheets, []uint32{0, 4, 4, 4, 4, 4}, ""},
		{"suld.b.1d.b8.zero %h1, [%s, {%r1}]; cvt.u32.u16 %r2, %h1", flat, []uint32{0, 1, 2, 3, 4, 5}, ""},
		{"suld.b.1d.v2.b32.zero {%r5, %r2}, [%s, {%r4}]", flat, []uint32{1, 1, 1, 1, 1, 1}, ""},
		{"suld.b.1d.v4.b16.trap {_, _, %h1, _}, [%s, {%r4}]; cvt.u32.u16 %r2, %h1", flat, []uint32{1, 1, 1, 1, 1, 1}, ""},
		{"suld.b.1d.b64.zero %d1, [%s, {%r4}]; mov.b64 {_, %r2}, %d1", flat, []uint32{1, 1, 1, 1, 1, 1}, ""},
		{"suld.b.1d.b64.zero %d1, [%s, {%r1}]", flat, nil, "misaligned address: byte 4 of a row of a surface, which is no multiple of the 8 bytes of the access"},
		{"suld.b.1d.b32.zero %r2, [%s, {%r1}]", plain, nil, "the surface has 2 dimensions, and the instruction accesses 1 dimensions"},
		{"suld.b.a1d.b32.zero %r2, [%s, {%r3, %r1}]", flat, nil, "accesses layers of 1 dimensions"},
		{"mov.u64 %s, %o; suld.b.1d.b32.zero %r2, [%s, {%r1}]", flat, nil, "is the handle of no surface"},
		{"tex.1d.v4.u32.s32 {%r2, %r5, %r6, %r7}, [%s, {%r1}]", flat, nil, "the handle of a surface, and the instruction needs one of a texture"},
		{"suq.width.b32 %r2, [%s]; suq.array_size.b32 %r5, [%s]; mad.lo.u32 %r2, %r2, 10, %r5", sheets, []uint32{22, 22, 22, 22, 22, 22}, ""},
	} {
		r, handle, memory, out := surfaceRig(t, c.code, c.shape, Config{})
		err := r.launch("k", 1, 6, handle, out)
		switch {
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s: %v, want %s", c.code, err, c.fault)
		case c.fault == "" && err != nil:
			t.Errorf("%s: %v", c.code, err)
		case c.fault == "" && !slices.Equal(view[uint32](r, out, 6), c.want):
			t.Errorf("%s gives %v, want %v", c.code, view[uint32](r, out, 6), c.want)
		}
		r.must(r.m.Free(memory))
		var f *event.Fault
		if err := r.launch("k", 1, 1, handle, out); c.fault == "" && (!errors.As(err, &f) || f.Kind != event.UseAfterFree) {
			t.Errorf("%s: a surface whose memory was freed: %v", c.code, err)
		}
	}
}

// TestSurfaceStores writes surfaces, inside and outside.
func TestSurfaceStores(t *testing.T) {
	t.Parallel()
	flat, plain := texture.Shape{Width: 8}, texture.Shape{Width: 4, Height: 2}
	for _, c := range []struct {
		code  string
		shape texture.Shape
		want  []uint32
	}{
		{"sust.b.2d.b32.zero [%s, {%r1, %r3}], {%r0}", plain, []uint32{0, 1, 2, 3, 0, 1, 2, 3}},
		{"sust.b.2d.b32.clamp [%s, {%r1, %r3}], %r2", plain, []uint32{0, 1, 2, 3, 77, 77, 77, 77}},
		{"sust.b.1d.b32.trap [%s, {%r1}], 9", flat, []uint32{9, 9, 9, 9, 9, 9, 6, 7}},
		{"cvt.u16.u32 %h1, %r2; sust.b.1d.b8.zero [%s, {%r1}], %h1", flat, []uint32{77, 77, 77, 77, 77, 77, 6, 7}},
		{"sust.b.1d.wt.v4.b32.zero [%s, {%r4}], {%r2, %r3, %r4, %r2}", flat, []uint32{77, 1, 0, 77, 4, 5, 6, 7}},
		{"mov.b64 %d1, {%r2, %r3}; sust.b.1d.b64.clamp [%s, {%r4}], %d1", flat, []uint32{77, 1, 2, 3, 4, 5, 6, 7}},
		{"sub.s32 %r4, %r4, 4; sust.b.1d.b32.zero [%s, {%r4}], %r2", flat, []uint32{0, 1, 2, 3, 4, 5, 6, 7}},
	} {
		r, handle, memory, out := surfaceRig(t, c.code, c.shape, Config{})
		r.must(r.launch("k", 1, 6, handle, out))
		if got := view[uint32](r, memory, 8); !slices.Equal(got, c.want) {
			t.Errorf("%s leaves %v, want %v", c.code, got, c.want)
		}
	}
}

// TestTexelEvents tells an observer of the texels that fetches and surfaces access, with their
// bytes.
func TestTexelEvents(t *testing.T) {
	t.Parallel()
	tex, texels := squares()
	for code, want := range map[string]string{
		// at x = 0.75, y = 1 between four texels, the last two of weight 0.5
		"tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%t, {%f0, %f1}]":    "read 0+4 of 0..1, read 4+4 of 0..1, read 20+4 of 0..1, read 24+4 of 0..1",
		"tex.2d.v4.f32.s32 {%f2, %f3, %f4, %f5}, [%t, {%r0, %r1}]":    "read 20+4 of 0..1",
		"tld4.r.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%t, {%f0, %f1}]": "read 20+4 of 0..1, read 24+4 of 1..2, read 4+4 of 2..3, read 0+4 of 3..4",
		"tld4.a.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%t, {%f0, %f1}]": "",
	} {
		r := newRig(t, strings.Replace(texPTX, "CODE", code, 1), Config{})
		memory := upload(r, texels)
		handle, err := r.m.NewTexture(tex, memory)
		r.must(err)
		seen := &texelSeen{base: memory}
		_, err = r.launchAs("k", Launch{Grid: x(1), Block: x(1), Observer: seen}, handle, upload(r, make([]float32, 4)))
		r.must(err)
		if got := strings.Join(seen.list, ", "); got != want {
			t.Errorf("%s tells of %s, want %s", code, got, want)
		}
	}
	for code, want := range map[string]string{
		"suld.b.2d.b32.zero %r2, [%s, {%r1, %r3}]":           "read 16+4 [4 0 0 0]",
		"sust.b.2d.b32.zero [%s, {%r4, %r3}], %r0":           "write 16+4 [1 0 0 0] in order",
		"sust.b.2d.v2.b32.trap [%s, {%r4, %r3}], {%r2, %r2}": "write 16+8 [77 0 0 0 77 0 0 0] in order",
	} {
		r, handle, memory, out := surfaceRig(t, code, texture.Shape{Width: 4, Height: 2}, Config{})
		seen := &texelSeen{base: memory}
		_, err := r.launchAs("k", Launch{Grid: x(1), Block: x(2), Observer: seen}, handle, out)
		r.must(err)
		if got := seen.list[0]; got != want {
			t.Errorf("%s tells of %s, want %s", code, got, want)
		}
	}
}

// texelSeen notes the accesses to 64 bytes of memory from base on, of the last lane.
type texelSeen struct {
	base uint64
	list []string
}

func (s *texelSeen) Observe(e event.Event) {
	a, ok := e.(*event.Access)
	if !ok {
		return
	}
	lane := 31
	for a.Mask>>lane&1 == 0 {
		lane--
	}
	if a.Mask&1 != 0 && a.Kind == event.Load {
		lane = 0
	}
	off := a.Addrs[lane] - s.base
	if off >= 64 {
		return
	}
	text := fmt.Sprintf("%s %d+%d", a.Kind, off, a.Size)
	if a.Texel != nil {
		text += fmt.Sprintf(" of %d..%d", a.Texel.First, a.Texel.First+a.Texel.Count)
	} else {
		text += fmt.Sprint(" ", a.Bytes(lane))
	}
	if a.Lanes != nil {
		text += " in order"
	}
	s.list = append(s.list, text)
}
