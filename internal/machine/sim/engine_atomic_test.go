package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCompiledSums adds floats atomically, among them subnormals, infinities and NaNs with payloads, to a
// some words of global or shared memory, or counts there up and down.
func TestCompiledSums(t *testing.T) {
	t.Parallel()
	special := []uint64{
		0, 1 << 63, 1, 1<<63 | 5, 0x000fffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000123, 0xfff0000000000001,
		0x0010000000000000, 0x8010000000000000, 0x7fefffffffffffff,
		1 << 31, 1 << 22, 0x807fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0xff800001, 0x00800000, 0x80800001, 0x7f7fffff, 3, 2,
	}
	for i, op := range slices.Repeat([]string{"add.f32", "add.f64", "inc.u32", "dec.u32"}, 4) {
		for _, space := range []string{"global", "shared"} {
			for _, red := range []bool{false, true} {
				kind, bits := "b32", 32
				if op == "add.f64" {
					kind, bits = "b64", 64
				}
				text := sumsKernel(op, space, kind, bits/8, red)
				r := rand.New(rand.NewPCG(8, uint64(i)))
				values := make([]uint64, 64+32)
				for j := range values {
					values[j] = special[r.IntN(len(special))]
					if r.IntN(3) == 0 {
						values[j] = math.Float64bits(r.NormFloat64()) | uint64(math.Float32bits(float32(r.NormFloat64())))
					}
				}
				ways := compilers()
				got := launchBoth(t, ways, text, "k", func(r *rig) (Launch, uint64, int, []any) {
					out := upload(r, append(make([]uint64, 64), values...))
					return Launch{Grid: x(1), Block: x(64), Budget: 1 << 20}, out, 2 * (64 + 64 + 32), []any{out}
				})
				if got.err != "<nil>" {
					t.Errorf("%s, %s: %s", op, space, got.err)
				}
			}
		}
	}
}

// sumsKernel has each thread combine a value with one of 32 words, and keep what it found there.
func sumsKernel(op, space, kind string, size int, red bool) string {
	instruction := fmt.Sprintf("atom.%s.%s %%v2, [%%x2], %%v1", space, op)
	if red {
		instruction = fmt.Sprintf("red.%s.%s [%%x2], %%v1", space, op)
	}
	words := "mov.u64 %x2, %x6;"
	if space == "shared" {
		words = fmt.Sprintf("mov.u64 %%x2, s;\n\tadd.u64 %%x2, %%x2, %%x4;\n\tld.global.%[1]s %%v3, [%%x6];\n\tst.shared.%[1]s [%%x2], %%v3;", kind)
	}
	return header + fmt.Sprintf(`
.visible .entry k(.param .u64 out)
{
	.reg .b32 %%r<4>;
	.reg .b64 %%x<8>;
	.reg .%[1]s %%v<4>;
	.shared .align 8 .b8 s[256];
	ld.param.u64 %%x0, [out];
	mov.u32 %%r0, %%tid.x;
	and.b32 %%r1, %%r0, 31;
	mul.wide.u32 %%x4, %%r1, %[3]d;
	add.u64 %%x6, %%x0, %%x4;
	add.u64 %%x6, %%x6, 1024;
	%[2]s
	mad.wide.u32 %%x5, %%r0, 8, %%x0;
	ld.global.%[1]s %%v1, [%%x5+512];
	bar.sync 0;
	%[4]s;
	bar.sync 0;
	ld.%[5]s.%[1]s %%v3, [%%x2];
	xor.%[1]s %%v2, %%v2, %%v3;
	st.global.%[1]s [%%x5], %%v2;
	ret;
}`, kind, words, size, instruction, space)
}
