package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/tensor"
	"github.com/gridstride/gridstride/internal/math/half"
)

// format is one of numbers: how many bytes one takes, and what its bits are.
type format struct {
	bytes int
	bits  func(n int) uint64
}

var formats = map[string]format{
	"f16":  {2, func(n int) uint64 { return uint64(half.F16Nearest(float32(n))) }},
	"bf16": {2, func(n int) uint64 { return uint64(half.BF16Nearest(float32(n))) }},
	"tf32": {4, func(n int) uint64 { return uint64(math.Float32bits(float32(n)) | 0x1fff) }}, // the low bits do not matter
	"f32":  {4, func(n int) uint64 { return uint64(math.Float32bits(float32(n))) }},
	"f64":  {8, func(n int) uint64 { return math.Float64bits(float64(n)) }},
	"e4m3": {1, func(n int) uint64 { return uint64(half.E4M3Nearest(float32(n))) }},
	"e5m2": {1, func(n int) uint64 { return uint64(half.E5M2Nearest(float32(n))) }},
	"s8":   {1, func(n int) uint64 { return uint64(uint8(n)) }},
	"u8":   {1, func(n int) uint64 { return uint64(uint8(n)) }},
	"s32":  {4, func(n int) uint64 { return uint64(uint32(n)) }},
}

// TestMMA multiplies matrices of small integers, so that every product and sum is exact.
func TestMMA(t *testing.T) {
	t.Parallel()
	for _, form := range []struct {
		tensor.Shape
		sum, a, b string
	}{
		{tensor.Shape{M: 16, N: 8, K: 8}, "f32", "f16", "f16"},
		{tensor.Shape{M: 16, N: 8, K: 16}, "f32", "f16", "f16"},
		{tensor.Shape{M: 16, N: 8, K: 16}, "f16", "f16", "f16"},
		{tensor.Shape{M: 16, N: 8, K: 8}, "f32", "bf16", "bf16"},
		{tensor.Shape{M: 16, N: 8, K: 16}, "f32", "bf16", "bf16"},
		{tensor.Shape{M: 16, N: 8, K: 4}, "f32", "tf32", "tf32"},
		{tensor.Shape{M: 16, N: 8, K: 8}, "f32", "tf32", "tf32"},
		{tensor.Shape{M: 8, N: 8, K: 4}, "f64", "f64", "f64"},
		{tensor.Shape{M: 16, N: 8, K: 4}, "f64", "f64", "f64"},
		{tensor.Shape{M: 16, N: 8, K: 8}, "f64", "f64", "f64"},
		{tensor.Shape{M: 16, N: 8, K: 16}, "f64", "f64", "f64"},
		{tensor.Shape{M: 16, N: 8, K: 16}, "s32", "s8", "u8"},
		{tensor.Shape{M: 16, N: 8, K: 32}, "s32", "s8", "s8"},
		{tensor.Shape{M: 16, N: 8, K: 32}, "s32", "u8", "s8"},
		{tensor.Shape{M: 16, N: 8, K: 8}, "f16", "f16", "f16"},
		{tensor.Shape{M: 16, N: 8, K: 32}, "f32", "e4m3", "e5m2"},
		{tensor.Shape{M: 16, N: 8, K: 32}, "f16", "e5m2", "e4m3"},
		{tensor.Shape{M: 16, N: 8, K: 16}, "f32", "e4m3", "e4m3"},
		{tensor.Shape{M: 16, N: 8, K: 16}, "f16", "e5m2", "e5m2"},
	} {
		s := form.Shape
		opcode := fmt.Sprintf("mma.sync.aligned.m%dn%dk%d.row.col.%s.%s.%s.%[4]s", s.M, s.N, s.K, form.sum, form.a, form.b)
		t.Run(opcode, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, uint64(s.K)))
			number := func(typ string) int {
				switch typ {
				case "s8":
					return rng.IntN(256) - 128
				case "u8":
					return rng.IntN(256)
				}
				return rng.IntN(9) - 4
			}
			a, b, d := make([]int, s.M*s.K), make([]int, s.K*s.N), make([]int, s.M*s.N)
			for i := range a {
				a[i] = number(form.a)
			}
			for i := range b {
				b[i] = number(form.b)
			}
			for i := range d {
				d[i] = rng.IntN(200) - 100
			}
			a1, b1 := formats[form.a], formats[form.b]
			fragA := fragments(s.M*s.K/32, a1, func(lane, i int) int { row, col := s.A(lane, i, max(4/a1.bytes, 1)); return a[row*s.K+col] })
			fragB := fragments(s.K*s.N/32, b1, func(lane, i int) int { row, col := s.B(lane, i, max(4/b1.bytes, 1)); return b[row*s.N+col] })
			sums := func() []uint32 {
				return fragments(s.M*s.N/32, formats[form.sum], func(lane, i int) int { row, col := s.C(lane, i); return d[row*s.N+col] })
			}
			fragC := sums()
			for i := range d {
				for k := range s.K {
					d[i] += a[i/s.N*s.K+k] * b[k*s.N+i%s.N]
				}
			}
			r := newRig(t, mmaKernel(opcode, len(fragA)/32, len(fragB)/32, len(fragC)/32, formats[form.sum].bytes == 8), Config{})
			out := upload(r, make([]uint32, len(fragC)))
			if err := r.launch("k", 1, 32, upload(r, fragA), upload(r, fragB), upload(r, fragC), out); err != nil {
				t.Fatal(err)
			}
			got := view[uint32](r, out, len(fragC))
			for i, want := range sums() {
				if got[i] != want {
					t.Fatalf("word %d is %#08x, want %#08x", i, got[i], want)
				}
			}
		})
	}
}

// fragments are the words of all lanes' fragments, lane after lane.
func fragments(n int, f format, at func(lane, i int) int) []uint32 {
	var b []byte
	for lane := range 32 {
		for i := range n {
			var x [8]byte
			binary.LittleEndian.PutUint64(x[:], f.bits(at(lane, i)))
			b = append(b, x[:f.bytes]...)
		}
	}
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words
}

// mmaKernel reads fragments of a, b and c words a lane, and writes D.
func mmaKernel(opcode string, a, b, c int, wide bool) string {
	var text strings.Builder
	text.WriteString(strings.Replace(header, "8.0", "8.7", 1) + ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{\n" +
		".reg .b32 %t, %a<8>, %b<8>, %c<8>;\n.reg .b64 %x, %y, %da<8>, %db<8>, %dc<8>;\nmov.u32 %t, %tid.x;\n")
	names := map[string]string{}
	access := func(matrix string, words int, op string) {
		typ, reg, n := "b32", "%"+matrix, words
		if wide {
			typ, reg, n = "b64", "%d"+matrix, words/2
		}
		param := matrix
		if op == "st" {
			param = "d"
		}
		fmt.Fprintf(&text, "ld.param.u64 %%x, [%s];\nmul.wide.u32 %%y, %%t, %d;\nadd.u64 %%x, %%x, %%y;\n", param, 4*words)
		var list []string
		for i := range n {
			list = append(list, fmt.Sprint(reg, i))
			operands := fmt.Sprintf("%s, [%%x+%d]", list[i], 4*words/n*i)
			if op == "st" {
				operands = fmt.Sprintf("[%%x+%d], %s", 4*words/n*i, list[i])
			}
			fmt.Fprintf(&text, "%s.global.%s %s;\n", op, typ, operands)
		}
		names[matrix] = "{" + strings.Join(list, ", ") + "}"
	}
	access("a", a, "ld")
	access("b", b, "ld")
	access("c", c, "ld")
	fmt.Fprintf(&text, "%s %s, %s, %s, %s;\n", opcode, names["c"], names["a"], names["b"], names["c"])
	access("c", c, "st")
	return text.String() + "ret;\n}\n"
}
