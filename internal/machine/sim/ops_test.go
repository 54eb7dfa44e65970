package sim_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/gridstride/gridstride"
)

// op is an instruction, or a few, with what it must compute. The tests run it through the public
// API, on the simulator or, with GRIDSTRIDE_DEVICE=cuda, on the GPU, whose word is the last.
type op struct {
	code string // on registers %a, %b, %c, %e with the result in %d
	regs string // types of %d, %a, %b, …
	want func(in []uint64) uint64
	// ulp is how far from want a float may be. 0 is bit for bit.
	ulp float64
	// skip says that for some operands the manual leaves the result open.
	skip func(in []uint64) bool
	// quirk names variants that ptxas 12.4 miscompiles, so that only the simulator can run them: it
	// drops the guard of testp, converts what set leaves alone, and forgets .ftz of a setp whose
	// branch it turns into a predicate.
	quirk string
}

// fn1 to fn3 make op.want of a function on Go types of the registers' sizes.

func fn1[D, A any](f func(A) D) func([]uint64) uint64 {
	return func(in []uint64) uint64 { return raw(f(as[A](in[0]))) }
}

func fn2[D, A, B any](f func(A, B) D) func([]uint64) uint64 {
	return func(in []uint64) uint64 { return raw(f(as[A](in[0]), as[B](in[1]))) }
}

func fn3[D, A, B, C any](f func(A, B, C) D) func([]uint64) uint64 {
	return func(in []uint64) uint64 { return raw(f(as[A](in[0]), as[B](in[1]), as[C](in[2]))) }
}

// as reads the low bytes of a word as a T. raw is the reverse, zero-extended.
func as[T any](v uint64) T { return *(*T)(unsafe.Pointer(&v)) }

func raw[T any](v T) uint64 {
	var w uint64
	*(*T)(unsafe.Pointer(&w)) = v
	return w
}

// sentinel is the value of %d before the instruction.
const sentinel = 0x5e5e_5e5e_5e5e_5e5e

// variants are the ways in which each op is run: by all lanes, under a guard, and after a branch
// that some lanes take. %g is set for every third thread.
var variants = []struct {
	name string
	some bool // only where %g holds
	wrap func(code string) string
}{
	{"all", false, func(code string) string { return code }},
	{"guarded", true, func(code string) string { return "@%g " + strings.ReplaceAll(code, "\n", "\n@%g ") }},
	{"divergent", true, func(code string) string { return "@!%g bra SKIP;\n" + code + "\nSKIP:" }},
}

const opBlock = 96 // threads

// opKernel is the kernel of one op in one variant: thread i takes its operands from row i of in and
// stores the result in out[i].
func opKernel(name string, o *op, wrap func(string) string) string {
	var b strings.Builder
	types := strings.Fields(o.regs)
	fmt.Fprintf(&b, ".visible .entry %s(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n", name)
	b.WriteString(".reg .pred %g, %out;\n.reg .b16 %h;\n.reg .b32 %i, %t, %n;\n.reg .b64 %p, %q, %w;\n")
	for k, t := range types {
		fmt.Fprintf(&b, ".reg .%s %%%c;\n", regType(t), "dabce"[k])
	}
	b.WriteString("mov.u32 %i, %ctaid.x;\nmov.u32 %t, %ntid.x;\nmov.u32 %n, %tid.x;\nmad.lo.u32 %i, %i, %t, %n;\n")
	b.WriteString("ld.param.u32 %n, [n];\nsetp.ge.u32 %out, %i, %n;\n@%out bra END;\nrem.u32 %t, %i, 3;\nsetp.eq.u32 %g, %t, 0;\n")
	fmt.Fprintf(&b, "ld.param.u64 %%p, [in];\nmad.wide.u32 %%p, %%i, %d, %%p;\n", 8*4)
	for k, t := range types[1:] {
		fetch(&b, "abce"[k], t, 8*k)
	}
	switch types[0] {
	case "pred":
		b.WriteString("setp.ne.u32 %d, 0, 0;\n")
	default:
		fmt.Fprintf(&b, "mov.b64 %%w, %d;\n", uint64(sentinel))
		narrow(&b, 'd', types[0])
	}
	b.WriteString(wrap(o.code) + "\n")
	b.WriteString("ld.param.u64 %q, [out];\nmad.wide.u32 %q, %i, 8, %q;\n")
	switch size(types[0]) {
	case 1:
		b.WriteString("selp.u64 %w, 1, 0, %d;\n")
	case 16:
		b.WriteString("mov.b16 %h, %d;\ncvt.u64.u16 %w, %h;\n")
	case 32:
		b.WriteString("mov.b32 %t, %d;\ncvt.u64.u32 %w, %t;\n")
	default:
		b.WriteString("mov.b64 %w, %d;\n")
	}
	b.WriteString("st.global.u64 [%q], %w;\nEND:\nret;\n}\n")
	return b.String()
}

// fetch loads an operand from the row at %p.
func fetch(b *strings.Builder, reg byte, t string, off int) {
	fmt.Fprintf(b, "ld.global.u64 %%w, [%%p+%d];\n", off)
	if t == "pred" {
		b.WriteString("cvt.u32.u64 %t, %w;\nand.b32 %t, %t, 1;\n")
		fmt.Fprintf(b, "setp.ne.u32 %%%c, %%t, 0;\n", reg)
		return
	}
	narrow(b, reg, t)
}

// narrow moves the low bits of %w into a register.
func narrow(b *strings.Builder, reg byte, t string) {
	switch size(t) {
	case 16:
		fmt.Fprintf(b, "cvt.u16.u64 %%h, %%w;\nmov.b16 %%%c, %%h;\n", reg)
	case 32:
		fmt.Fprintf(b, "cvt.u32.u64 %%t, %%w;\nmov.b32 %%%c, %%t;\n", reg)
	default:
		fmt.Fprintf(b, "mov.b64 %%%c, %%w;\n", reg)
	}
}

// regType is the type to declare a register with. f16 and the like are bits.
func regType(t string) string {
	switch t {
	case "f16", "bf16":
		return "b16"
	case "f16x2", "bf16x2", "u16x2", "s16x2":
		return "b32"
	}
	return t
}

func size(t string) int {
	switch t {
	case "pred":
		return 1
	case "f16x2", "bf16x2", "u16x2", "s16x2":
		return 32
	}
	var n int
	fmt.Sscanf(strings.TrimLeft(t, "bfsu"), "%d", &n)
	return n
}

// runOps tests ops: every combination of odd values of the operand types, or a sample if there are
// too many.
func runOps(t *testing.T, ops []op) {
	dev, err := gridstride.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	var text strings.Builder
	text.WriteString(".version 8.1\n.target sm_90\n.address_size 64\n")
	for i := range ops {
		for j, v := range variants {
			text.WriteString(opKernel(fmt.Sprintf("k%d_%d", i, j), &ops[i], v.wrap))
		}
	}
	mod, err := dev.Load(t.Name(), text.String())
	if err != nil {
		t.Fatal(err)
	}
	for i := range ops {
		rows := operands(strings.Fields(ops[i].regs)[1:])
		for j, v := range variants {
			if dev.Info().Backend != "sim" && strings.Contains(ops[i].quirk, v.name) {
				continue
			}
			got := runOp(t, dev, mod, fmt.Sprintf("k%d_%d", i, j), rows)
			if !check(t, &ops[i], v.name, v.some, rows, got) {
				break
			}
		}
	}
}

// runOp runs one kernel over rows of four operands.
func runOp(t *testing.T, dev *gridstride.Device, mod *gridstride.Module, name string, rows []uint64) []uint64 {
	ctx := context.Background()
	n := len(rows) / 4
	k, err := mod.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	in, err := gridstride.CopyOf(dev, rows)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Free()
	out, err := gridstride.Make[uint64](dev, n)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Free()
	s := dev.Stream()
	if err := k.Launch(s, gridstride.Grid((n+opBlock-1)/opBlock).Block(opBlock), in, out, uint32(n)); err != nil {
		t.Fatal(err)
	}
	got, err := out.Read(ctx, s, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return got
}

// check compares results and reports the first few differences.
func check(t *testing.T, o *op, variant string, some bool, rows, got []uint64) bool {
	t.Helper()
	types := strings.Fields(o.regs)
	mask := ^uint64(0) >> (64 - size(types[0]))
	bad := 0
	for i, g := range got {
		in := rows[4*i : 4*i+4]
		want := uint64(sentinel)
		if types[0] == "pred" {
			want = 0
		}
		if !some || i%3 == 0 {
			if o.skip != nil && o.skip(in) {
				continue
			}
			want = o.want(in)
		}
		want &= mask
		if g == want || o.ulp > 0 && near(types[0], g, want, o.ulp) {
			continue
		}
		if bad++; bad <= 3 {
			t.Errorf("%s (%s): operands %s give %s, want %s", o.code, variant, show(types[1:], in),
				show(types[:1], []uint64{g}), show(types[:1], []uint64{want}))
		}
	}
	if bad > 3 {
		t.Errorf("%s (%s): %d of %d results are wrong", o.code, variant, bad, len(got))
	}
	return bad == 0
}

// near says whether two floats are within some units in the last place of the wanted one.
func near(typ string, got, want uint64, ulp float64) bool {
	switch typ {
	case "f32":
		g, w := as[float32](got), as[float32](want)
		if g != g || w != w {
			return g != g && w != w
		}
		unit := float64(math.Nextafter32(float32(math.Abs(float64(w))), float32(math.Inf(1)))) - math.Abs(float64(w))
		return math.Abs(float64(g)-float64(w)) <= ulp*unit
	case "f64":
		g, w := as[float64](got), as[float64](want)
		if g != g || w != w {
			return g != g && w != w
		}
		unit := math.Nextafter(math.Abs(w), math.Inf(1)) - math.Abs(w)
		return math.Abs(g-w) <= ulp*unit
	case "f16", "bf16":
		d := int64(got&0x7fff) - int64(want&0x7fff)
		return float64(max(d, -d)) <= ulp
	case "f16x2", "bf16x2":
		return near("f16", got&0xffff, want&0xffff, ulp) && near("f16", got>>16, want>>16, ulp)
	}
	return false
}

func show(types []string, v []uint64) string {
	var s []string
	for i, t := range types {
		switch t {
		case "f32":
			s = append(s, fmt.Sprintf("%g (%#08x)", as[float32](v[i]), uint32(v[i])))
		case "f64":
			s = append(s, fmt.Sprintf("%g (%#016x)", as[float64](v[i]), v[i]))
		default:
			s = append(s, fmt.Sprintf("%#x", v[i]&(^uint64(0)>>(64-size(t)))))
		}
	}
	return strings.Join(s, ", ")
}

// operands makes rows of four words: all combinations of the odd values of each type, at most about
// two thousand, and then random ones.
func operands(types []string) []uint64 {
	rnd := rand.New(rand.NewPCG(7, uint64(len(types))))
	lists := make([][]uint64, len(types))
	total := 1
	for i, t := range types {
		lists[i] = oddValues(t)
		total *= len(lists[i])
	}
	var rows []uint64
	add := func(pick func(i int) uint64) {
		row := make([]uint64, 4)
		for i := range types {
			row[i] = pick(i)
		}
		rows = append(rows, row...)
	}
	const most = 2000
	for c := range min(total, most) {
		if total > most {
			add(func(i int) uint64 { return lists[i][rnd.IntN(len(lists[i]))] })
			continue
		}
		add(func(i int) uint64 {
			v := lists[i][c%len(lists[i])]
			c /= len(lists[i])
			return v
		})
	}
	for range 200 {
		add(func(i int) uint64 { return randomValue(rnd, types[i]) })
	}
	return rows
}

// randomValue is any value of a type. Floats are often near one and near each other.
func randomValue(rnd *rand.Rand, t string) uint64 {
	switch v := rnd.Uint64(); t {
	case "f32":
		if v&1 == 0 {
			return raw(float32(rnd.NormFloat64() * math.Ldexp(1, rnd.IntN(20)-10)))
		}
		return v >> 32
	case "f64":
		if v&1 == 0 {
			return raw(rnd.NormFloat64() * math.Ldexp(1, rnd.IntN(60)-30))
		}
		return v
	case "pred":
		return v & 1
	default:
		n := size(t)
		return v & (^uint64(0) >> (64 - n)) >> (rnd.IntN(2) * rnd.IntN(n))
	}
}

// oddValues are the values of a type at which things go wrong.
func oddValues(t string) []uint64 {
	switch t {
	case "pred":
		return []uint64{0, 1}
	case "f32":
		return raws(0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 1.5, 2.5, -2.5, 3, 1.0/3, 1e-45, -1e-45,
			0x1.fffffcp-127, -0x1p-126, 0x1p-126,
			math.MaxFloat32, -math.MaxFloat32, 1e10, -1e-20, 16777217, 8388609.5, 0x1.000002p0, 0x1.fffffep0,
			0x1p-64, 2147483648, 4294967296, -129, 200.5,
			float32(math.Inf(1)), float32(math.Inf(-1)), math.Float32frombits(0x7fc00000),
			math.Float32frombits(0xffc12345))
	case "f64":
		return raws(0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, 2.5, -2.5, 3, 1.0/3, 5e-324, -5e-324, 0x1p-1022,
			0x1.ffffffffffffep-1023,
			math.MaxFloat64, -math.MaxFloat64, 1e10, -1e-200, 1e308, 9007199254740993, 0x1.0000000000001p0,
			0x1.fffffep0, 3.5e38, 1e-40, 1e-46, 2147483648.5,
			9223372036854775808, 18446744073709551616, -129, 200.5, math.Inf(1), math.Inf(-1),
			math.Float64frombits(0x7ff8000000000000), math.Float64frombits(0xfffc000012345678))
	case "f16":
		return []uint64{0, 0x8000, 0x3c00, 0xbc00, 0x3800, 0x3e00, 0x4100, 0x0001, 0x8001, 0x03ff, 0x0400,
			0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe12, 0x3555, 0x6400, 0x1234}
	case "bf16":
		return []uint64{0, 0x8000, 0x3f80, 0xbf80, 0x3f00, 0x3fc0, 0x4020, 0x0001, 0x8001, 0x007f, 0x0080,
			0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x3eab, 0x4b80, 0x1234}
	case "f16x2", "bf16x2":
		half := oddValues(t[:len(t)-2])
		var list []uint64
		for i, v := range half {
			list = append(list, v|half[(i*7+3)%len(half)]<<16)
		}
		return list
	}
	n := size(t)
	list := []uint64{0, 1, 2, 3, 7, 8, 15, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256}
	top := uint64(1) << (n - 1)
	list = append(list, top-1, top, top+1, 2*top-1, 2*top-2, 0x123456789abcdef0, 0xfedcba9876543210,
		0xaaaaaaaaaaaaaaaa, 1<<16, 1<<24)
	for i := range list {
		list[i] &= ^uint64(0) >> (64 - n)
	}
	return list
}

func raws[T any](v ...T) []uint64 {
	var list []uint64
	for _, x := range v {
		list = append(list, raw(x))
	}
	return list
}

// ints writes out an op for several types, whose registers all have that type: "add.T %d, %a, %b;".
func ints(code string, n int, wants map[string]func([]uint64) uint64) []op {
	var list []op
	for t, want := range wants {
		list = append(list, op{code: strings.ReplaceAll(code, ".T", "."+t),
			regs: strings.TrimSpace(strings.Repeat(t+" ", n)), want: want})
	}
	return list
}

func fields(s string) []string { return strings.Fields(s) }
