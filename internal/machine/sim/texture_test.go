package sim

import (
	"errors"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/texture"
)

// texPTX reads a texture at (tid+0.75, 1) and stores the four results of each thread.
const texPTX = `.visible .entry k(.param .u64 t, .param .u64 out)
{
	.reg .b32 %r<9>;
	.reg .f32 %f<9>;
	.reg .b64 %t, %o, %x;
	ld.param.u64 %t, [t];
	ld.param.u64 %o, [out];
	mov.u32 %r0, %tid.x;
	mul.wide.u32 %x, %r0, 16;
	add.u64 %o, %o, %x;
	cvt.rn.f32.u32 %f0, %r0;
	add.rn.f32 %f0, %f0, 0f3F400000;
	mov.f32 %f1, 0f3F800000;
	mov.u32 %r1, 1;
	CODE;
	st.global.v4.f32 [%o], {%f2, %f3, %f4, %f5};
	ret;
}
`

// squares is a texture of 5 by 3 float32, x + 10*y, and its texels.
func squares() (*texture.Texture, []float32) {
	t := &texture.Texture{
		Format:  texture.Format{Kind: abi.Float, Bits: 32, Channels: 1},
		Shape:   texture.Shape{Width: 5, Height: 3},
		Sampler: texture.Sampler{Address: [3]abi.AddressMode{abi.Clamp, abi.Clamp, abi.Clamp}, Linear: true},
	}
	var texels []float32
	for i := range 15 {
		texels = append(texels, float32(i%5+i/5*10))
	}
	return t, texels
}

// TestTextures reads textures in kernels: with a filter, at integral coordinates, and in vain.
func TestTextures(t *testing.T) {
	t.Parallel()
	const point, exact = "tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%t, {%f0, %f1}]", "tex.2d.v4.f32.s32 {%f2, _, _, _}, [%t, {%r0, %r1}]"
	for _, c := range []struct {
		code  string
		want  [6]float32 // of threads 0 to 5, the first result
		fault string
	}{
		{point, [6]float32{5.25, 6.25, 7.25, 8.25, 9, 9}, ""},
		{exact, [6]float32{10, 11, 12, 13, 14, 0}, ""},
		{"mov.f32 %f5, 0f7FC00000; tex.level.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%t, {%f0, %f1}], %f5", [6]float32{5.25, 6.25, 7.25, 8.25, 9, 9}, ""},
		{"tex.grad.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%t, {%f0, %f1}], {%f0, %f1}, {%f1, %f0}", [6]float32{5.25, 6.25, 7.25, 8.25, 9, 9}, ""},
		{"tld4.r.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%t, {%f0, %f1}]", [6]float32{10, 11, 12, 13, 14, 14}, ""},
		{"tld4.r.2d.v4.f32.f32 {_, _, _, %f2}, [%t, {%f0, %f1}]", [6]float32{0, 1, 2, 3, 4, 4}, ""},
		{"tld4.g.2d.v4.f32.f32 {%f2, _, _, _}, [%t, {%f0, %f1}]", [6]float32{}, ""},
		{"txq.width.b32 %r2, [%t]; txq.height.b32 %r3, [%t]; mad.lo.u32 %r2, %r2, 10, %r3; cvt.rn.f32.u32 %f2, %r2", [6]float32{53, 53, 53, 53, 53, 53}, ""},
		{"txq.depth.b32 %r2, [%t]; cvt.rn.f32.u32 %f2, %r2", [6]float32{}, ""},
		{"suq.width.b32 %r2, [%t]", [6]float32{}, "the instruction needs one of a surface"},
		{"suld.b.2d.b32.zero %r2, [%t, {%r0, %r1}]", [6]float32{}, "the instruction needs one of a surface"},
		{"mov.u64 %t, 12;\n" + point, [6]float32{}, "0xc is the handle of no texture"},
		{"tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%t, {%f0}]", [6]float32{}, "the texture has 2 dimensions, and the instruction reads 1 dimensions"},
		{"tex.a2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%t, {%r0, %f0, %f1, %f1}]", [6]float32{}, "the instruction reads layers of 2 dimensions"},
		{"tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%t, {%f0, %f1}]", [6]float32{}, "the texture gives float32"},
	} {
		r := newRig(t, strings.Replace(texPTX, "CODE", c.code, 1), Config{})
		tex, texels := squares()
		memory := upload(r, texels)
		handle, err := r.m.NewTexture(tex, memory)
		r.must(err)
		out := upload(r, make([]float32, 24))
		err = r.launch("k", 1, 6, handle, out)
		var f *event.Fault
		switch {
		case c.fault != "":
			if !errors.As(err, &f) || f.Kind != event.BadTexture && f.Kind != event.BadSurface || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: %v, want %s", c.code, err, c.fault)
			}
			continue
		case err != nil:
			t.Fatal(err)
		}
		for i, want := range c.want {
			if got := view[float32](r, out, 24)[4*i]; got != want {
				t.Errorf("%s: thread %d has %g, want %g", c.code, i, got, want)
			}
		}
		r.must(r.m.Free(memory))
		if err := r.launch("k", 1, 6, handle, out); !errors.As(err, &f) || f.Kind != event.UseAfterFree {
			t.Errorf("a texture whose memory was freed is read: %v", err)
		}
		r.m.FreeObject(handle)
		if err := r.launch("k", 1, 6, handle, out); !errors.As(err, &f) || f.Kind != event.BadTexture {
			t.Errorf("a texture that was freed is read: %v", err)
		}
	}
}

// TestObjectsThatAreNone are refused by the machine.
func TestObjectsThatAreNone(t *testing.T) {
	t.Parallel()
	r := newRig(t, ".visible .entry k() { ret; }", Config{})
	memory := upload(r, make([]float32, 14))
	tex, _ := squares()
	if _, err := r.m.NewTexture(tex, memory); err == nil {
		t.Error("a texture with a texel too few was made")
	}
	if _, err := r.m.NewSurface(&texture.Surface{Format: tex.Format, Shape: tex.Shape}, memory); err == nil {
		t.Error("a surface with a texel too few was made")
	}
	if _, err := r.m.NewTexture(tex, memory-8); err == nil {
		t.Error("a texture of no memory was made")
	}
	tex.Width = 1 << 40
	if _, err := r.m.NewTexture(tex, memory); err == nil {
		t.Error("a texture of 2^40 texels was made")
	}
}

// TestBufferTextures reads linear memory at integral coordinates: outside it is 0.
func TestBufferTextures(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"tex.1d.v4.f32.s32 {%f2, %f3, %f4, %f5}, [%t, {%r0}]": "",
		"tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%t, {%f0}]": "which is read at integral coordinates",
	} {
		r := newRig(t, strings.Replace(texPTX, "CODE", code, 1), Config{})
		tex, texels := squares()
		tex.Shape, tex.Buffer = texture.Shape{Width: 4}, true
		handle, err := r.m.NewTexture(tex, upload(r, append(make([]float32, 128), texels[1:]...))+512)
		r.must(err)
		out := upload(r, make([]float32, 24))
		if err := r.launch("k", 1, 6, handle, out); err != nil || want != "" {
			if err == nil || want == "" || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", code, err, want)
			}
			continue
		}
		got := view[float32](r, out, 24)
		for i, want := range []float32{1, 2, 3, 4, 0, 0} {
			if got[4*i] != want {
				t.Errorf("element %d is %g, want %g", i, got[4*i], want)
			}
		}
	}
}
