package sim

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"testing"
)

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

// videoPTX has a video instruction that computes r1 from r2, r3 and r4.
const videoPTX = `.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 out)
{
	.reg .b64 %p, %q;
	.reg .b32 r<9>;
	mov.u32 r0, %tid.x;
	mov.u32 r1, %ctaid.x;
	mad.lo.u32 r0, r1, 128, r0;
	mul.wide.u32 %q, r0, 4;
	ld.param.u64 %p, [a]; add.u64 %p, %p, %q; ld.global.u32 r2, [%p];
	ld.param.u64 %p, [b]; add.u64 %p, %p, %q; ld.global.u32 r3, [%p];
	ld.param.u64 %p, [c]; add.u64 %p, %p, %q; ld.global.u32 r4, [%p];
	mov.u32 r1, 0;
	CODE;
	ld.param.u64 %p, [out]; add.u64 %p, %p, %q; st.global.u32 [%p], r1;
	ret;
}
`

// TestVideoOnGPU holds 110 forms of video instructions to an H100, with numbers of any bits, with
// the least and the greatest ones, and with small ones. The simulator follows the manual in the nine
// that ptxas makes otherwise.
func TestVideoOnGPU(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/video.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		want, code, _ := strings.Cut(strings.TrimSpace(line), " ")
		if want == "#" {
			continue
		}
		code, otherwise := strings.CutPrefix(code, "~")
		r := newRig(t, strings.Replace(videoPTX, "CODE", code, 1), Config{})
		const n = 1 << 11
		out := upload(r, make([]uint32, n))
		r.must(r.launch("k", n/128, 128, upload(r, videoInput(1, n)), upload(r, videoInput(2, n)), upload(r, videoInput(3, n)), out))
		var b []byte
		for _, x := range view[uint32](r, out, n) {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
		if got := fmt.Sprintf("%08x", crc32.ChecksumIEEE(b)); (got != want) != otherwise {
			t.Errorf("%s has the checksum %s, an H100's %s", code, got, want)
		}
	}
}

func videoInput(seed uint64, n int) []uint32 {
	edges := []uint32{0, 1, 1<<32 - 1, 1 << 31, 1<<31 - 1, 0x80808080, 0x7f7f7f7f, 0x7fff8000}
	words := make([]uint32, n)
	for i := range words {
		words[i] = uint32(mixed(seed<<32 | uint64(i)))
		switch mixed(seed<<40|uint64(i)) % 8 {
		case 0:
			words[i] = edges[i%8]
		case 1:
			words[i] &= 63
		}
	}
	return words
}
