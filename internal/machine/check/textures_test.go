package check

import (
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/initcheck"
	"github.com/gridstride/gridstride/internal/machine/counters"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/texture"
)

// texelsPTX is a kernel that runs CODE with a texture and a surface of the same 8 by 4 texels of
// two float32, and stores %f1 of each thread. Its threads are one a texel: %r1 is the column, %r2
// the row, %r3 the byte of the row, %r4 the next byte of the row, the first one's of the last.
const texelsPTX = `.version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 texture, .param .u64 surface)
{
	.reg .pred %p;
	.reg .b32 %r<9>;
	.reg .b64 %o, %t, %s, %x;
	.reg .f32 %f<9>;
	ld.param.u64 %o, [out];
	ld.param.u64 %t, [texture];
	ld.param.u64 %s, [surface];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %tid.y;
	mul.lo.u32 %r3, %r1, 8;
	add.u32 %r4, %r3, 8;
	and.b32 %r4, %r4, 63;
	cvt.rn.f32.u32 %f3, %r1;
	cvt.rn.f32.u32 %f4, %r2;
	mov.f32 %f1, 0f00000000;
	mad.lo.u32 %r5, %r2, 8, %r1;
	mul.wide.u32 %x, %r5, 4;
	add.u64 %o, %o, %x;
	CODE
	st.global.f32 [%o], %f1;
	ret;
}
`

// TestTexels: the checks see which texels a kernel reads by textures and accesses by surfaces.
func TestTexels(t *testing.T) {
	t.Parallel()
	const use = "add.f32 %f1, %f1, %f2;"
	const load, store = "suld.b.2d.v2.b32.trap {%f1, %f2}, [%s, {%r3, %r2}];", "sust.b.2d.v2.b32.trap [%s, {%r3, %r2}], {%f3, %f4};"
	for _, c := range []struct {
		name, code string
		fresh      int // of the texels, the byte from which on 4 are unwritten; 0 for none
		want       []report.Kind
		says       string
	}{
		{"right", load + store + load + use, 0, nil, ""},
		{"outside", "suld.b.2d.v2.b32.trap {%f1, %f2}, [%s, {%r3, %r1}];", 0, []report.Kind{outside},
			"read of 8 bytes at byte 32 of a row, row 4 of a surface of 64 bytes a row, 4 rows"},
		{"outside, written", "sust.b.2d.v2.b32.trap [%s, {%r3, %r1}], {%f3, %f4};", 0, []report.Kind{outside, race}, "write of 8 bytes"},
		{"outside, clamped", "suld.b.2d.v2.b32.clamp {%f1, %f2}, [%s, {%r3, %r1}];", 0, nil, ""},
		{"outside, zero", "suld.b.2d.v2.b32.zero {%f1, %f2}, [%s, {%r3, %r1}];" + use, 0, nil, ""},
		{"misaligned", "suld.b.2d.v2.b32.zero {%f1, %f2}, [%s, {%r1, %r2}];", 0, []report.Kind{report.Misaligned}, ""},
		{"handle", "suld.b.2d.v2.b32.zero {%f1, %f2}, [%t, {%r3, %r2}];", 0, []report.Kind{outside}, "the handle of a texture"},

		{"a neighbour's texel, read", store + "suld.b.2d.v2.b32.trap {%f1, %f2}, [%s, {%r4, %r2}];", 0, []report.Kind{race}, ""},
		{"a neighbour's texel, behind a barrier", store + "bar.sync 0; suld.b.2d.v2.b32.trap {%f1, %f2}, [%s, {%r4, %r2}];", 0, nil, ""},
		{"one texel, written by all", "mov.u32 %r3, 0; mov.u32 %r2, 0;" + store, 0, []report.Kind{race}, ""},
		{"by a texture", store + "tex.2d.v4.f32.s32 {%f1, %f2, %f5, %f6}, [%t, {%r1, %r2}];", 0, nil, ""},
		{"a neighbour's, by a texture", store + "tex.2d.v4.f32.f32 {%f1, %f2, %f5, %f6}, [%t, {%f3, %f4}];", 0, []report.Kind{race}, ""},

		{"unwritten", load + use, 68, []report.Kind{uninit}, ""},
		{"unwritten, not used", load, 68, nil, ""},
		{"unwritten, overwritten", store + load + use, 68, nil, ""},
		{"unwritten, by a texture", "tex.2d.v4.f32.s32 {%f1, %f2, %f5, %f6}, [%t, {%r1, %r2}];" + use, 68, []report.Kind{uninit}, ""},
		{"unwritten, another channel", "tex.2d.v4.f32.s32 {%f1, _, %f2, %f6}, [%t, {%r1, %r2}];" + use, 68, nil, ""},
		{"unwritten, a neighbour", "tex.2d.v4.f32.f32 {%f2, %f1, %f5, %f6}, [%t, {%f3, %f4}];" + use, 68, []report.Kind{uninit}, ""},
		{"unwritten, gathered", "tld4.g.2d.v4.f32.f32 {%f1, %f2, %f5, %f6}, [%t, {%f3, %f4}];" + use, 68, []report.Kind{uninit}, ""},
		{"unwritten, another gathered", "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f5, %f6}, [%t, {%f3, %f4}];" + use, 68, nil, ""},
		{"unwritten, then fetched elsewhere", load + "mov.u32 %r2, 0; tex.2d.v4.f32.s32 {%f1, %f2, %f5, %f6}, [%t, {%r1, %r2}];" + use, 68, nil, ""},
		{"unwritten, then zero", load + "mov.u32 %r2, 9; suld.b.2d.v2.b32.zero {%f1, %f2}, [%s, {%r3, %r2}];" + use, 68, nil, ""},
		{"a coordinate", load + "tex.2d.v4.f32.f32 {%f1, %f2, %f5, %f6}, [%t, {%f2, %f4}];", 68, []report.Kind{uninit}, "as a coordinate"},
		{"stored on", load + "mul.f32 %f2, %f2, %f2; sust.b.2d.v2.b32.trap [%s, {%r3, %r2}], {%f1, %f2};", 68, []report.Kind{uninit}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := advised(t, texelBench(t, c.code), func(b *bench) result {
				texels, objects := b.texels(t)
				o := Options{Init: &initcheck.Init{}}
				if c.fresh > 0 {
					o.Init.Fresh(texels+uint64(c.fresh), 4)
				}
				return b.check("k", x(1), [3]int{8, 4, 1}, o, make([]float32, 32), objects[0], objects[1])
			})
			kinds := map[report.Kind]bool{}
			for _, f := range r.Findings {
				kinds[f.Kind] = true
			}
			for _, k := range c.want {
				if !kinds[k] {
					t.Errorf("no %q", k)
				}
			}
			if len(kinds) != len(c.want) || !strings.Contains(r.String(), c.says) {
				t.Errorf("want %q and %q\n%v", c.want, c.says, r)
			}
		})
	}
}

// texelBench has the kernel.
func texelBench(t *testing.T, code string) *bench {
	return loadModule(t, "texels.ptx", strings.Replace(texelsPTX, "CODE", code, 1))
}

// texels are the memory of the texels, and the handles of texture and surface.
func (b *bench) texels(t *testing.T) (texels uint64, objects [2]uint64) {
	texels = b.alloc(make([]float32, 64))
	format, shape := texture.Format{Kind: abi.Float, Bits: 32, Channels: 2}, texture.Shape{Width: 8, Height: 4}
	var err [2]error
	objects[0], err[0] = b.m.NewTexture(&texture.Texture{Format: format, Shape: shape, Sampler: texture.Sampler{Linear: true}}, texels)
	objects[1], err[1] = b.m.NewSurface(&texture.Surface{Format: format, Shape: shape}, texels)
	if err[0] != nil || err[1] != nil {
		t.Fatal(err)
	}
	return texels, objects
}

// TestTexelsCounted: texels are no sectors of global memory.
func TestTexelsCounted(t *testing.T) {
	t.Parallel()
	b := texelBench(t, "tex.2d.v4.f32.f32 {%f1, %f2, %f5, %f6}, [%t, {%f3, %f4}]; sust.b.2d.v2.b32.trap [%s, {%r3, %r2}], {%f3, %f4};")
	_, objects := b.texels(t)
	e := b.entry("k")
	c := counters.New()
	l := sim.Launch{Grid: x(1), Block: [3]int{8, 4, 1}, Params: b.params(e, make([]float32, 32), objects[0], objects[1]), Observer: c, Steps: true}
	if _, err := b.m.Launch(t.Context(), e, l); err != nil {
		t.Fatal(err)
	}
	if n := c.Profile("k", &e.Kernel, l.Grid, l.Block, func(string, int) string { return "" }).Total; n.GlobalRequests != 1 {
		t.Errorf("%d requests, want that of the store alone", n.GlobalRequests)
	}
}
