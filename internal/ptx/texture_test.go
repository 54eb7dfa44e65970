package ptx

import (
	"strings"
	"testing"
)

// TestTexturesNotSupported: what PTX has of textures and surfaces and is not known here is refused by
// its name, with what to do.
func TestTexturesNotSupported(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"sust.p.2d.v4.b32.trap [%d1, {%r1, %r2}], {%r1, %r2, %r3, %r4};":         "sust.p.2d.v4.b32.trap is not supported: a formatted store",
		"sured.b.2d.add.u32.trap [%d1, {%r1, %r2}], %r3;":                        "sured.b.2d.add.u32.trap is not supported",
		"txq.channel_order.b32 %r1, [%d1];":                                      "txq.channel_order.b32 is not supported: pass the format",
		"suq.channel_data_type.b32 %r1, [%d1];":                                  "suq.channel_data_type.b32 is not supported",
		"suq.memory_layout.b32 %r1, [%d1];":                                      "suq.memory_layout.b32 is not supported",
		"txq.filter_mode.b32 %r1, [%d1];":                                        "txq.filter_mode.b32 is not supported: pass what the kernel has to know",
		"txq.num_mipmap_levels.b32 %r1, [%d1];":                                  "every texture has one level",
		"txq.level.width.b32 %r1, [%d1], %r2;":                                   "every texture has one level",
		"tex.2dms.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%d1, {%r1, %r2, %r3, %r4}];": "no textures of several samples",
		"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, %d2, {%f1, %f2}];":        "a separate sampler is not supported, %d2: a texture object has its sampler, [%d1, {%f1, %f2}]",
		"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, %d2, %d3, {%f1, %f2}];":   "tex.2d.v4.f32.f32 needs the handle of a texture and 2 coordinates",
		"} .global .texref image; .func g() {":                                   "variables of type .texref are not supported: give the kernel the handle of a texture or surface object",
		"} .global .samplerref image = { filter_mode = linear }; .func g() {":    ".samplerref",
		"} .global .surfref image; .func g() {":                                  "variables of type .surfref are not supported",
		"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f1, %f2}];":           "image",
	} {
		_, err := check(".version 8.0\n.target sm_90\n.address_size 64\n.func f() {\n.reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>;\n" + text + "\nret; }\n")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got: %v\nwant: %s", text, err, want)
		}
	}
}
