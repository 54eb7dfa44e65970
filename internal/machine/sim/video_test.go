package sim

import "testing"

// TestVideoInstructions runs video instructions with what only PTX has: selectors, and a negated
// register.
func TestVideoInstructions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code string
		want uint32
	}{
		{"vabsdiff4.u32.u32.u32.add %d, %a, %b, %c;", 5 + 3 + 3 + 1 + 1},
		{"vabsdiff4.u32.u32.u32 %d.b20, %a.b0123, %b, %c;", 0x00020002},
		{"vadd.u32.u32.u32 %d, %a.b3, %b.h0;", 1 + 0x0203},
		{"vadd.u32.u32.u32 %d.b3, %a.b3, %b.b0, %c;", 4<<24 | 5},
		{"vadd.s32.s32.s32.min %d, %a, -1, %c;", 5},
		{"vmad.s32.s32.s32 %d, -%a.b3, %b.b0, %c;", 2},
		{"vset2.u32.u32.lt %d.h1, %a, %b.h10, %c;", 5},
		{"vshl.u32.u32.u32.clamp.add %d, %a.b3, %b.b0, %c;", 8 + 5},
	} {
		r := newRig(t, `.visible .entry k(.param .u64 out)
{
	.reg .b32 %a, %b, %c, %d;
	.reg .b64 %o;
	ld.param.u64 %o, [out];
	mov.u32 %a, 0x01020304;
	mov.u32 %b, 0x04050203;
	mov.u32 %c, 5;
	mov.u32 %d, 0;
	`+c.code+`
	st.global.u32 [%o], %d;
	ret;
}`, Config{})
		out := upload(r, []uint32{0})
		r.must(r.launch("k", 1, 1, out))
		if got := view[uint32](r, out, 1)[0]; got != c.want {
			t.Errorf("%s gives %#x, want %#x", c.code, got, c.want)
		}
	}
}
