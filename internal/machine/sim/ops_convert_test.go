package sim_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/math/half"
)

// intWant converts to an integer type: clamped for floats and with .sat, else cut off and extended.
func clampTo(typ string, x *big.Int) uint64 {
	n := uint(size(typ))
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), n)
	if typ[0] == 's' {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	high.Sub(high, big.NewInt(1))
	if x.Cmp(low) < 0 {
		x = low
	}
	if x.Cmp(high) > 0 {
		x = high
	}
	return twos(x)
}

// twos is an integer's 64-bit two's complement.
func twos(x *big.Int) uint64 {
	if x.Sign() < 0 {
		return -new(big.Int).Neg(x).Uint64()
	}
	return x.Uint64()
}

// integerOf reads the low bits of a word as a type.
func integerOf(typ string, b uint64) *big.Int {
	n := size(typ)
	if typ[0] == 's' {
		return big.NewInt(int64(b<<(64-n)) >> (64 - n))
	}
	return new(big.Int).SetUint64(b << (64 - n) >> (64 - n))
}

// integralOf rounds to an integral value.
func integralOf(x *big.Float, mode string) *big.Int {
	n, acc := x.Int(nil)
	rest := new(big.Float).SetPrec(5000).Sub(x, new(big.Float).SetPrec(5000).SetInt(n))
	half := rest.Abs(rest).Cmp(big.NewFloat(0.5))
	step := big.NewInt(1)
	if x.Signbit() {
		step.Neg(step)
	}
	switch {
	case mode == "rni" && (half > 0 || half == 0 && n.Bit(0) == 1), mode == "rmi" && acc != big.Exact &&
		x.Signbit(), mode == "rpi" && acc != big.Exact && !x.Signbit():
		n.Add(n, step)
	}
	return n
}

// contains says that every value of one integer type is one of another.
func contains(outer, inner string) bool {
	if outer[0] == inner[0] {
		return size(outer) >= size(inner)
	}
	return outer[0] == 's' && size(outer) > size(inner)
}

// container is the register type that holds a type: 8-bit values live in wider registers.
func container(typ string) string {
	if size(typ) == 8 {
		return typ[:1] + "32"
	}
	return typ
}

func TestIntegerConversions(t *testing.T) {
	types := strings.Fields("u8 s8 u16 s16 u32 s32 u64 s64")
	var ops []op
	for _, to := range types {
		for _, from := range types {
			regs := container(to) + " " + container(from)
			ops = append(ops, op{code: "cvt." + to + "." + from + " %d, %a;", regs: regs,
				want: func(in []uint64) uint64 {
					return twos(integerOf(to, twos(integerOf(from, in[0]))))
				}})
			if !contains(to, from) { // else there is nothing for .sat to do
				ops = append(ops, op{code: "cvt.sat." + to + "." + from + " %d, %a;", regs: regs,
					want: func(in []uint64) uint64 {
						return clampTo(to, integerOf(from, in[0]))
					}})
			}
		}
	}
	ops = append(ops, // registers wider than the types
		op{code: "cvt.s64.s8 %d, %a;", regs: "s64 u64", want: fn1(func(a uint64) int64 { return int64(int8(a)) })},
		op{code: "cvt.u32.u16 %d, %a;", regs: "u64 u32", want: fn1(func(a uint32) uint64 { return uint64(uint16(a)) })},
		op{code: "cvt.s16.s32 %d, %a;", regs: "s32 u64", want: fn1(func(a uint64) int32 { return int32(int16(a)) })},
		op{code: "cvt.pack.sat.s16.s32 %d, %a, %b;", regs: "b32 s32 s32", want: fn2(func(a, b int32) uint32 {
			return uint32(uint16(min(max(a, -32768), 32767)))<<16 | uint32(uint16(min(max(b, -32768), 32767)))
		})},
		op{code: "cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c;", regs: "b32 s32 s32 b32",
			want: fn3(func(a, b int32, c uint32) uint32 {
				return c<<16 | uint32(min(max(a, 0), 255))<<8 | uint32(min(max(b, 0), 255))
			})},
	)
	runOps(t, ops)
}

func TestFloatToInteger(t *testing.T) {
	var ops []op
	for _, from := range []string{"f16", "bf16", "f32", "f64"} {
		for _, to := range strings.Fields("u8 s8 u16 s16 u32 s32 u64 s64") {
			if from == "bf16" && size(to) == 8 {
				continue
			}
			for _, mode := range []string{"rni", "rzi", "rmi", "rpi"} {
				f := formats[from]
				ops = append(ops, op{code: "cvt." + mode + "." + to + "." + from + " %d, %a;",
					regs: container(to) + " " + from, want: func(in []uint64) uint64 {
						x := f.value(in[0])
						switch {
						case x == nil && (from == "f64" || size(to) == 64):
							return twos(integerOf(to, 1<<(size(to)-1)))
						case x == nil:
							return 0
						case x.IsInf():
							huge := new(big.Int).Lsh(big.NewInt(1), 100)
							if x.Signbit() {
								huge.Neg(huge)
							}
							return clampTo(to, huge)
						}
						return clampTo(to, integralOf(x, mode))
					}})
			}
		}
	}
	runOps(t, ops)
}

func TestIntegerToFloat(t *testing.T) {
	var ops []op
	for _, to := range []string{"f16", "bf16", "f32", "f64"} {
		for _, from := range strings.Fields("u8 s8 u16 s16 u32 s32 u64 s64") {
			if to == "bf16" && size(from) == 8 {
				continue
			}
			for _, mode := range []string{"rn", "rz", "rm", "rp"} {
				f := formats[to]
				ops = append(ops, op{code: "cvt." + mode + "." + to + "." + from + " %d, %a;",
					regs: to + " " + container(from), want: func(in []uint64) uint64 {
						return f.round(new(big.Float).SetPrec(5000).SetInt(integerOf(from, in[0])), mode)
					}})
			}
		}
	}
	runOps(t, ops)
}

func TestFloatConversions(t *testing.T) {
	narrowTo := func(to, from, mode string, a adjust) func([]uint64) uint64 {
		f, g := formats[from], formats[to]
		return func(in []uint64) uint64 {
			b := in[0] & (^uint64(0) >> (64 - f.bits))
			if from == "f32" {
				b = a.in(f, b)
			}
			r := g.round(f.value(b), mode)
			if from == "f64" && f.value(b) == nil {
				r = g.quiet(f, b)
			}
			if to == "f32" && a.ftz {
				r = a.in(g, r)
			}
			return adjust{sat: a.sat}.out(g, r)
		}
	}
	var ops []op
	for _, mode := range []string{"rn", "rz", "rm", "rp"} {
		for _, c := range [][2]string{{"f32", "f64"}, {"f16", "f32"}, {"f16", "f64"}, {"bf16", "f64"},
			{"bf16", "f16"}} {
			ops = append(ops, op{code: "cvt." + mode + "." + c[0] + "." + c[1] + " %d, %a;",
				regs: c[0] + " " + c[1], want: narrowTo(c[0], c[1], mode, adjust{})})
		}
	}
	for _, c := range [][2]string{{"f32", "f16"}, {"f32", "bf16"}, {"f64", "f16"}, {"f64", "f32"}, {"f64", "bf16"}} {
		ops = append(ops, op{code: "cvt." + c[0] + "." + c[1] + " %d, %a;", regs: c[0] + " " + c[1],
			want: widened(c[0], c[1])})
	}
	for _, typ := range []string{"f16", "f32", "f64"} {
		for _, mode := range []string{"rni", "rzi", "rmi", "rpi"} {
			ops = append(ops, op{code: "cvt." + mode + "." + typ + "." + typ + " %d, %a;",
				regs: typ + " " + typ, want: integralWant(typ, mode)})
		}
	}
	ops = append(ops,
		op{code: "cvt.rn.ftz.f32.f64 %d, %a;", regs: "f32 f64", want: narrowTo("f32", "f64", "rn", adjust{ftz: true})},
		op{code: "cvt.rn.sat.f32.f64 %d, %a;", regs: "f32 f64", want: narrowTo("f32", "f64", "rn", adjust{sat: true})},
		op{code: "cvt.sat.f32.f32 %d, %a;", regs: "f32 f32", want: narrowTo("f32", "f32", "rn", adjust{sat: true})},
		op{code: "cvt.ftz.f32.f32 %d, %a;", regs: "f32 f32", want: narrowTo("f32", "f32", "rn", adjust{ftz: true})},
		op{code: "cvt.rn.bf16.f32 %d, %a;", regs: "bf16 f32", want: narrowTo("bf16", "f32", "rn", adjust{})},
		op{code: "cvt.rz.bf16.f32 %d, %a;", regs: "bf16 f32", want: narrowTo("bf16", "f32", "rz", adjust{})},
		op{code: "cvt.rna.tf32.f32 %d, %a;", regs: "b32 f32", want: func(in []uint64) uint64 {
			f := formats["f32"]
			x := f.value(in[0])
			if x == nil {
				return in[0] & 0xffffe000
			}
			tf := floatFormat{11, -126, 19, 0}
			return tf.round(x, "rna") << 13
		}},
		op{code: "cvt.rn.f16x2.f32 %d, %a, %b;", regs: "b32 f32 f32", want: func(in []uint64) uint64 {
			w := narrowTo("f16", "f32", "rn", adjust{})
			return w(in[:1])<<16 | w(in[1:2])
		}},
		op{code: "cvt.rz.relu.bf16x2.f32 %d, %a, %b;", regs: "b32 f32 f32", want: func(in []uint64) uint64 {
			w := func(b uint64) uint64 {
				if x := formats["f32"].value(b); x != nil && x.Signbit() {
					return 0
				}
				return narrowTo("bf16", "f32", "rz", adjust{})([]uint64{b})
			}
			return w(in[0])<<16 | w(in[1])
		}},
	)
	runOps(t, append(ops, byteOps()...))
}

// byteOps are the conversions of pairs of numbers of 8 bits, held to package half, which computes
// them in another way.
func byteOps() []op {
	single := func(b uint64) float32 { return math.Float32frombits(uint32(b)) }
	short := func(b uint64) float32 { return half.F16ToF32(uint16(b)) }
	pair := func(high, low uint8) uint64 { return uint64(high)<<8 | uint64(low) }
	return []op{
		{code: "cvt.rn.satfinite.e4m3x2.f32 %d, %a, %b;", regs: "b16 f32 f32", want: func(in []uint64) uint64 {
			return pair(half.E4M3Nearest(single(in[0])), half.E4M3Nearest(single(in[1])))
		}},
		{code: "cvt.rn.satfinite.relu.e5m2x2.f32 %d, %a, %b;", regs: "b16 f32 f32", want: func(in []uint64) uint64 {
			return pair(half.E5M2Nearest(max(single(in[0]), 0)), half.E5M2Nearest(max(single(in[1]), 0)))
		}},
		{code: "cvt.rn.satfinite.e5m2x2.f16x2 %d, %a;", regs: "b16 b32", want: func(in []uint64) uint64 {
			return pair(half.E5M2Nearest(short(in[0]>>16)), half.E5M2Nearest(short(in[0])))
		}},
		{code: "cvt.rn.f16x2.e4m3x2 %d, %a;", regs: "b32 b16", want: func(in []uint64) uint64 {
			widen := func(b uint64) uint64 { return uint64(half.F16Nearest(half.E4M3ToF32(uint8(b)))) }
			return widen(in[0]>>8)<<16 | widen(in[0])
		}},
	}
}

// quiet is a NaN of another format in this one: its sign and the upper bits of its payload, made
// quiet.
func (f floatFormat) quiet(from floatFormat, b uint64) uint64 {
	sign := b >> (from.bits - 1) & 1 << (f.bits - 1)
	payload := b & (1<<(from.prec-1) - 1) << (53 - from.prec) >> (53 - f.prec)
	return sign | uint64(1<<(f.bits-f.prec)-1)<<(f.prec-1) | 1<<(f.prec-2) | payload
}

// widened is an exact conversion. The NaN of f16 becomes the canonical one. A bf16 keeps its NaN in
// single precision.
func widened(to, from string) func([]uint64) uint64 {
	f, g := formats[from], formats[to]
	return func(in []uint64) uint64 {
		switch x := f.value(in[0]); {
		case x == nil && to == "f64":
			return g.quiet(f, in[0])
		case x == nil && from == "bf16":
			return in[0] << 16
		default:
			return g.round(x, "rn")
		}
	}
}

func integralWant(typ, mode string) func([]uint64) uint64 {
	f := formats[typ]
	return func(in []uint64) uint64 {
		x := f.value(in[0])
		switch {
		case x == nil && typ == "f64":
			return nanResult(in[:1])
		case x == nil || x.IsInf() || x.Sign() == 0:
			return f.round(x, "rn")
		}
		r := new(big.Float).SetPrec(5000).SetInt(integralOf(x, mode))
		if r.Sign() == 0 && x.Signbit() {
			r.Neg(r)
		}
		return f.round(r, "rn")
	}
}

func TestMoves(t *testing.T) {
	runOps(t, []op{
		{code: "mov.u32 %d, 4294967295;", regs: "u32 u32", want: func([]uint64) uint64 { return 1<<32 - 1 }},
		{code: "mov.f32 %d, 0f40490FDB;", regs: "f32 u32",
			want: func([]uint64) uint64 { return uint64(math.Float32bits(math.Pi)) }},
		{code: "mov.f64 %d, 0d400921FB54442D18;", regs: "f64 u32",
			want: func([]uint64) uint64 { return math.Float64bits(math.Pi) }},
		{code: "mov.b64 %d, {%a, %b};", regs: "b64 b32 b32",
			want: func(in []uint64) uint64 { return in[0]&(1<<32-1) | in[1]<<32 }},
		{code: "mov.b32 %d, {%a, %b};", regs: "b32 b16 b16",
			want: func(in []uint64) uint64 { return in[0]&0xffff | in[1]&0xffff<<16 }},
		{code: "mov.b64 %d, {%a, %b, %c, %e};", regs: "b64 b16 b16 b16 b16", want: func(in []uint64) uint64 {
			return in[0]&0xffff | in[1]&0xffff<<16 | in[2]&0xffff<<32 | in[3]&0xffff<<48
		}},
		{code: "mov.b64 {%t, %d}, %a;", regs: "b32 b64", want: func(in []uint64) uint64 { return in[0] >> 32 }},
		{code: "mov.b64 {%d, _}, %a;", regs: "b32 b64", want: func(in []uint64) uint64 { return in[0] & (1<<32 - 1) }},
		{code: "mov.b32 {%h, %d}, %a;", regs: "b16 b32",
			want: func(in []uint64) uint64 { return in[0] >> 16 & 0xffff }},
		{code: "mov.b64 {%h, %h, %d, %h}, %a;", regs: "b16 b64",
			want: func(in []uint64) uint64 { return in[0] >> 32 & 0xffff }},
		{code: "mov.u32 %d, WARP_SZ;", regs: "u32 u32", want: func([]uint64) uint64 { return 32 }},
	})
}
