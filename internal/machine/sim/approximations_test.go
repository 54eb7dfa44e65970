package sim

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"strings"
	"testing"
)

// approximationsPTX has a few instructions that compute %d from %a, %b and %c.
const approximationsPTX = `.version 8.3
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 out)
{
	.reg .b64 %p, %q;
	.reg .b32 %r<9>;
	.reg .f32 %a, %b, %c, %d, %t<9>;
	.reg .b16 %h<9>;
	.reg .pred %g<4>;
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, %ctaid.x;
	mad.lo.u32 %r0, %r1, 128, %r0;
	mul.wide.u32 %q, %r0, 4;
	ld.param.u64 %p, [a]; add.u64 %p, %p, %q; ld.global.f32 %a, [%p];
	ld.param.u64 %p, [b]; add.u64 %p, %p, %q; ld.global.f32 %b, [%p];
	ld.param.u64 %p, [c]; add.u64 %p, %p, %q; ld.global.f32 %c, [%p];
	CODE
	ld.param.u64 %p, [out]; add.u64 %p, %p, %q; st.global.f32 [%p], %d;
	ret;
}
`

// TestApproximateSequences holds approximations, and instructions around them as compilers of
// PyTorch emit them, to an H100, with arguments of any bits and of ordinary sizes. ptxas may fuse a
// product with a sum that has no .rn. It does so with the product in div.full, too: such a line of
// the file differs between its levels, and the simulator has the results of the first.
func TestApproximateSequences(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/approximations.txt")
	if err != nil {
		t.Fatal(err)
	}
	fused := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		field := strings.SplitN(strings.TrimSpace(line), " ", 4)
		levels, code := field[0], field[3]
		r := newRig(t, strings.Replace(approximationsPTX, "CODE", code, 1), Config{})
		for set, want := range field[1:3] {
			got := approximated(r, 20*set)
			same := got == want
			if levels == "3" {
				fused++
				if same && set == 1 {
					t.Errorf("%s is said to be fused by ptxas, and its results are not others", code)
				}
			} else if !same {
				t.Errorf("%s with inputs %d has the checksum %s, an H100's %s", code, set, got, want)
			}
		}
	}
	if fused != 16 {
		t.Errorf("%d lines are of code that ptxas fuses", fused/2)
	}
}

// approximated is the checksum of what a kernel computes.
func approximated(r *rig, seed int) string {
	const n = 1 << 12
	var at [3]uint64
	for k := range at {
		words := make([]uint32, n)
		for i := range words {
			words[i] = uint32(mixed(uint64(seed+k)<<32 | uint64(i)))
			if seed > 0 { // numbers of 2^-20 to 2^11
				words[i] = words[i]&0x807fffff | (107+words[i]>>23&31)<<23
			}
		}
		at[k] = upload(r, words)
	}
	out := upload(r, make([]uint32, n))
	r.must(r.launch("k", n/128, 128, at[0], at[1], at[2], out))
	var b []byte
	for _, x := range view[uint32](r, out, n) {
		if f := math.Float32frombits(x); f != f {
			x = math.MaxInt32
		}
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	sum := crc32.ChecksumIEEE(b)
	return fmt.Sprintf("%08x", sum)
}

// mixed is the output function of splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
