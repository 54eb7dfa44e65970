package sim_test

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strings"
	"testing"
)

type wants = map[string]func([]uint64) uint64

// integers are types with a Go twin.
type integers interface {
	uint16 | int16 | uint32 | int32 | uint64 | int64
}

// each makes the wants of a binary function that Go computes alike for all types.
func each2(u16 func(a, b uint16) uint16, s16 func(a, b int16) int16, u32 func(a, b uint32) uint32,
	s32 func(a, b int32) int32,
	u64 func(a, b uint64) uint64, s64 func(a, b int64) int64) wants {
	return wants{"u16": fn2(u16), "s16": fn2(s16), "u32": fn2(u32), "s32": fn2(s32), "u64": fn2(u64), "s64": fn2(s64)}
}

func each3(u16 func(a, b, c uint16) uint16, s16 func(a, b, c int16) int16, u32 func(a, b, c uint32) uint32,
	s32 func(a, b, c int32) int32,
	u64 func(a, b, c uint64) uint64, s64 func(a, b, c int64) int64) wants {
	return wants{"u16": fn3(u16), "s16": fn3(s16), "u32": fn3(u32), "s32": fn3(s32), "u64": fn3(u64), "s64": fn3(s64)}
}

func plus[T integers](a, b T) T         { return a + b }
func minus[T integers](a, b T) T        { return a - b }
func times[T integers](a, b T) T        { return a * b }
func timesPlus[T integers](a, b, c T) T { return a*b + c }
func least[T integers](a, b T) T        { return min(a, b) }
func most[T integers](a, b T) T         { return max(a, b) }
func apart[T integers](a, b, c T) T     { return c + max(a, b) - min(a, b) }

func quotient[T integers](a, b T) T {
	if b == 0 {
		return 0
	}
	return a / b
}

func rest[T integers](a, b T) T {
	if b == 0 {
		return 0
	}
	return a % b
}

// high is the upper half of a product, by big integers.
func high[T integers](a, b T) T {
	p := new(big.Int).Mul(whole(a), whole(b))
	p.Rsh(p, uint(size(fmt.Sprintf("%T", a)[strings.Index(fmt.Sprintf("%T", a), "t")+1:])))
	return T(new(big.Int).And(p, whole(^uint64(0))).Uint64())
}

func whole[T integers](a T) *big.Int {
	if a < 0 {
		return big.NewInt(int64(a))
	}
	return new(big.Int).SetUint64(uint64(a))
}

func highPlus[T integers](a, b, c T) T { return high(a, b) + c }

// byZero is where the manual leaves the result of a division open.
func byZero(in []uint64) bool { return in[1] == 0 }

func TestIntegerArithmetic(t *testing.T) {
	ops := slices.Concat(
		ints("add.T %d, %a, %b;", 3,
			each2(plus[uint16], plus[int16], plus[uint32], plus[int32], plus[uint64], plus[int64])),
		ints("sub.T %d, %a, %b;", 3,
			each2(minus[uint16], minus[int16], minus[uint32], minus[int32], minus[uint64], minus[int64])),
		ints("mul.lo.T %d, %a, %b;", 3,
			each2(times[uint16], times[int16], times[uint32], times[int32], times[uint64], times[int64])),
		ints("mul.hi.T %d, %a, %b;", 3,
			each2(high[uint16], high[int16], high[uint32], high[int32], high[uint64], high[int64])),
		ints("mad.lo.T %d, %a, %b, %c;", 4,
			each3(timesPlus[uint16], timesPlus[int16], timesPlus[uint32], timesPlus[int32], timesPlus[uint64],
				timesPlus[int64])),
		ints("mad.hi.T %d, %a, %b, %c;", 4,
			each3(highPlus[uint16], highPlus[int16], highPlus[uint32], highPlus[int32], highPlus[uint64],
				highPlus[int64])),
		ints("sad.T %d, %a, %b, %c;", 4,
			each3(apart[uint16], apart[int16], apart[uint32], apart[int32], apart[uint64], apart[int64])),
		ints("min.T %d, %a, %b;", 3,
			each2(least[uint16], least[int16], least[uint32], least[int32], least[uint64], least[int64])),
		ints("max.T %d, %a, %b;", 3,
			each2(most[uint16], most[int16], most[uint32], most[int32], most[uint64], most[int64])),
		ints("neg.T %d, %a;", 2,
			wants{"s16": fn1(func(a int16) int16 { return -a }), "s32": fn1(func(a int32) int32 { return -a }),
				"s64": fn1(func(a int64) int64 { return -a })}),
		ints("abs.T %d, %a;", 2,
			wants{"s16": fn1(func(a int16) int16 { return max(a, -a) }),
				"s64": fn1(func(a int64) int64 { return max(a, -a) })}),
	)
	div := append(
		ints("div.T %d, %a, %b;", 3,
			each2(quotient[uint16], quotient[int16], quotient[uint32], quotient[int32], quotient[uint64],
				quotient[int64])),
		ints("rem.T %d, %a, %b;", 3,
			each2(rest[uint16], rest[int16], rest[uint32], rest[int32], rest[uint64], rest[int64]))...)
	for i := range div {
		div[i].skip = byZero
	}
	runOps(t, append(ops, div...))
}

func clamped(x int64) int32 { return int32(min(max(x, math.MinInt32), math.MaxInt32)) }

func TestSpecialIntegerArithmetic(t *testing.T) {
	s24 := func(a int32) int64 { return int64(a<<8) >> 8 << 32 >> 32 }
	runOps(t, []op{
		{code: "abs.s32 %d, %a;", regs: "s32 s32", want: fn1(func(a int32) int32 { return max(a, -a) })},
		{code: "add.sat.s32 %d, %a, %b;", regs: "s32 s32 s32",
			want: fn2(func(a, b int32) int32 { return clamped(int64(a) + int64(b)) })},
		{code: "sub.sat.s32 %d, %a, %b;", regs: "s32 s32 s32",
			want: fn2(func(a, b int32) int32 { return clamped(int64(a) - int64(b)) })},
		{code: "mad.hi.sat.s32 %d, %a, %b, %c;", regs: "s32 s32 s32 s32",
			want: fn3(func(a, b, c int32) int32 { return clamped(int64(a)*int64(b)>>32 + int64(c)) })},
		{code: "mul.wide.u16 %d, %a, %b;", regs: "u32 u16 u16",
			want: fn2(func(a, b uint16) uint32 { return uint32(a) * uint32(b) })},
		{code: "mul.wide.s16 %d, %a, %b;", regs: "s32 s16 s16",
			want: fn2(func(a, b int16) int32 { return int32(a) * int32(b) })},
		{code: "mul.wide.u32 %d, %a, %b;", regs: "u64 u32 u32",
			want: fn2(func(a, b uint32) uint64 { return uint64(a) * uint64(b) })},
		{code: "mul.wide.s32 %d, %a, %b;", regs: "s64 s32 s32",
			want: fn2(func(a, b int32) int64 { return int64(a) * int64(b) })},
		{code: "mad.wide.u16 %d, %a, %b, %c;", regs: "u32 u16 u16 u32",
			want: fn3(func(a, b uint16, c uint32) uint32 { return uint32(a)*uint32(b) + c })},
		{code: "mad.wide.s16 %d, %a, %b, %c;", regs: "s32 s16 s16 s32",
			want: fn3(func(a, b int16, c int32) int32 { return int32(a)*int32(b) + c })},
		{code: "mad.wide.u32 %d, %a, %b, %c;", regs: "u64 u32 u32 u64",
			want: fn3(func(a, b uint32, c uint64) uint64 { return uint64(a)*uint64(b) + c })},
		{code: "mad.wide.s32 %d, %a, %b, %c;", regs: "s64 s32 s32 s64",
			want: fn3(func(a, b int32, c int64) int64 { return int64(a)*int64(b) + c })},
		{code: "mul24.lo.u32 %d, %a, %b;", regs: "u32 u32 u32",
			want: fn2(func(a, b uint32) uint32 { return a & 0xffffff * (b & 0xffffff) })},
		{code: "mul24.hi.s32 %d, %a, %b;", regs: "s32 s32 s32",
			want: fn2(func(a, b int32) int32 { return int32(s24(a) * s24(b) >> 16) })},
		{code: "mul24.lo.s32 %d, %a, %b;", regs: "s32 s32 s32",
			want: fn2(func(a, b int32) int32 { return int32(s24(a) * s24(b)) })},
		{code: "mad24.lo.u32 %d, %a, %b, %c;", regs: "u32 u32 u32 u32",
			want: fn3(func(a, b, c uint32) uint32 { return a&0xffffff*(b&0xffffff) + c })},
		{code: "mad24.hi.sat.s32 %d, %a, %b, %c;", regs: "s32 s32 s32 s32",
			want: fn3(func(a, b, c int32) int32 { return clamped(s24(a)*s24(b)>>16<<32>>32 + int64(c)) })},
		{code: "dp4a.s32.u32 %d, %a, %b, %c;", regs: "s32 s32 u32 s32", want: fn3(func(a, b, c uint32) uint32 {
			for i := range 4 {
				c += uint32(int32(int8(a>>(8*i))) * int32(uint8(b>>(8*i))))
			}
			return c
		})},
		{code: "dp4a.u32.u32 %d, %a, %b, %c;", regs: "u32 u32 u32 u32", want: fn3(func(a, b, c uint32) uint32 {
			for i := range 4 {
				c += a >> (8 * i) & 0xff * (b >> (8 * i) & 0xff)
			}
			return c
		})},
		{code: "dp2a.lo.s32.s32 %d, %a, %b, %c;", regs: "s32 s32 s32 s32", want: fn3(func(a, b, c int32) int32 {
			return c + int32(int16(a))*int32(int8(b)) + a>>16*int32(int8(b>>8))
		})},
		{code: "dp2a.hi.u32.s32 %d, %a, %b, %c;", regs: "s32 u32 s32 s32", want: fn3(func(a uint32, b, c int32) int32 {
			return c + int32(a&0xffff)*int32(int8(b>>16)) + int32(a>>16)*(b>>24)
		})},
		{code: "add.u16x2 %d, %a, %b;", regs: "u16x2 u16x2 u16x2",
			want: fn2(func(a, b uint32) uint32 { return (a+b)&0xffff | (a>>16+b>>16)<<16 })},
		{code: "min.s16x2 %d, %a, %b;", regs: "s16x2 s16x2 s16x2", want: fn2(func(a, b uint32) uint32 {
			return uint32(uint16(min(int16(a), int16(b)))) | uint32(min(int32(a)>>16, int32(b)>>16))<<16
		})},
		{code: "max.relu.s32 %d, %a, %b;", regs: "s32 s32 s32",
			want: fn2(func(a, b int32) int32 { return max(a, b, 0) })},
		{code: "min.relu.s16x2 %d, %a, %b;", regs: "s16x2 s16x2 s16x2", want: fn2(func(a, b uint32) uint32 {
			return uint32(uint16(max(min(int16(a), int16(b)), 0))) | uint32(max(min(int32(a)>>16, int32(b)>>16), 0))<<16
		})},
	})
}

// TestCarry adds, subtracts and multiplies numbers of two words.
func TestCarry(t *testing.T) {
	wide := func(code string) string {
		return ".reg .u32 %a0, %a1, %b0, %b1, %d0, %d1, %c0, %c1;\nmov.b64 {%a0, %a1}, %a;\nmov.b64 {%b0, %b1}, %b;\n" + code + "\nmov.b64 %d, {%d0, %d1};"
	}
	product := func(a, b uint64) uint64 { hi, _ := bits.Mul64(a, b); return hi }
	// A guard before a declaration is no PTX, so the declarations are in a nested block.
	runs := []op{
		{code: wide("add.cc.u32 %d0, %a0, %b0;\naddc.u32 %d1, %a1, %b1;"), regs: "u64 u64 u64",
			want: fn2(plus[uint64])},
		{code: wide("sub.cc.s32 %d0, %a0, %b0;\nsubc.s32 %d1, %a1, %b1;"), regs: "u64 u64 u64",
			want: fn2(minus[uint64])},
		{code: wide("mad.lo.cc.u32 %d0, %a0, %b0, %a1;\nmadc.hi.u32 %d1, %a0, %b0, %b1;"), regs: "u64 u64 u64",
			want: fn2(func(a, b uint64) uint64 {
				return a&(1<<32-1)*(b&(1<<32-1)) + a>>32 + b>>32<<32
			})},
		{code: wide("add.cc.u64 %d, %a, %b;\naddc.u64 %d, 0, 0;\nmov.b64 {%d0, %d1}, %d;"),
			regs: "u64 u64 u64", want: fn2(func(a, b uint64) uint64 {
				_, c := bits.Add64(a, b, 0)
				return c
			})},
		{code: wide("mad.lo.cc.u64 %d, %a, %b, %a;\nmadc.hi.cc.u64 %d, %a, %b, 0;\nmov.b64 {%d0, %d1}, %d;"),
			regs: "u64 u64 u64", want: fn2(func(a, b uint64) uint64 {
				_, c := bits.Add64(a*b, a, 0)
				return product(a, b) + c
			})},
		{code: wide("sub.cc.u32 %d0, %a0, %b0;\nsubc.cc.u32 %d0, %a1, %b1;\nsubc.u32 %d1, 0, 0;"),
			regs: "u64 u64 u64", want: fn2(func(a, b uint64) uint64 {
				d, borrow := bits.Sub64(a, b, 0)
				return d>>32 | -borrow<<32
			})},
	}
	for i := range runs {
		runs[i].code = "{\n" + runs[i].code + "\n}"
	}
	saved := variants
	variants = slices.Clone(saved)
	variants = slices.Delete(variants, 1, 2)
	defer func() { variants = saved }()
	runOps(t, runs)
}

// bitByBit builds a result from a function of the bit's number.
func bitByBit(n int, f func(i int) uint64) uint64 {
	var r uint64
	for i := range n {
		r |= f(i) & 1 << i
	}
	return r
}

// bfeWant is the manual's definition, word by word.
func bfeWant(msb int, signed bool) func([]uint64) uint64 {
	return func(in []uint64) uint64 {
		a, pos, n := in[0], int(in[1]&0xff), int(in[2]&0xff)
		var sign uint64
		if signed && n != 0 {
			sign = a >> min(pos+n-1, msb)
		}
		return bitByBit(msb+1, func(i int) uint64 {
			if i < n && pos+i <= msb {
				return a >> (pos + i)
			}
			return sign
		})
	}
}

// over255 is a position or length beyond what the manual allows. With 64 bits the GPU does not cut
// it off.
func over255(i int) func(in []uint64) bool {
	return func(in []uint64) bool { return in[i] > 255 || in[i+1] > 255 }
}

func bfiWant(msb int) func([]uint64) uint64 {
	return func(in []uint64) uint64 {
		a, b, pos, n := in[0], in[1], int(in[2]&0xff), int(in[3]&0xff)
		return bitByBit(msb+1, func(i int) uint64 {
			if i >= pos && i < pos+n {
				return a >> (i - pos)
			}
			return b >> i
		})
	}
}

func TestBits(t *testing.T) {
	shift := func(left bool, width int, signed bool) func([]uint64) uint64 {
		return func(in []uint64) uint64 {
			n := int(min(in[1]&(1<<32-1), uint64(width)))
			return bitByBit(width, func(i int) uint64 {
				from := i + n
				if left {
					from = i - n
				}
				switch {
				case from < 0:
					return 0
				case from < width:
					return in[0] >> from
				case signed:
					return in[0] >> (width - 1)
				}
				return 0
			})
		}
	}
	lop := func(table uint64) func([]uint64) uint64 {
		return func(in []uint64) uint64 {
			return bitByBit(32, func(i int) uint64 {
				return table >> (in[0]>>i&1<<2 | in[1]>>i&1<<1 | in[2]>>i&1)
			})
		}
	}
	lowest := func(a uint64, none uint32) uint32 {
		if a == 0 {
			return none
		}
		return uint32(bits.Len64(a) - 1)
	}
	ops := []op{
		{code: "popc.b32 %d, %a;", regs: "u32 b32",
			want: fn1(func(a uint32) uint32 { return uint32(bits.OnesCount32(a)) })},
		{code: "popc.b64 %d, %a;", regs: "u32 b64",
			want: fn1(func(a uint64) uint32 { return uint32(bits.OnesCount64(a)) })},
		{code: "clz.b32 %d, %a;", regs: "u32 b32",
			want: fn1(func(a uint32) uint32 { return uint32(bits.LeadingZeros32(a)) })},
		{code: "clz.b64 %d, %a;", regs: "u32 b64",
			want: fn1(func(a uint64) uint32 { return uint32(bits.LeadingZeros64(a)) })},
		{code: "brev.b32 %d, %a;", regs: "b32 b32", want: fn1(bits.Reverse32)},
		{code: "brev.b64 %d, %a;", regs: "b64 b64", want: fn1(bits.Reverse64)},
		{code: "bfind.u32 %d, %a;", regs: "u32 u32",
			want: fn1(func(a uint32) uint32 { return lowest(uint64(a), ^uint32(0)) })},
		{code: "bfind.s32 %d, %a;", regs: "u32 s32",
			want: fn1(func(a int32) uint32 { return lowest(uint64(uint32(a^a>>31)), ^uint32(0)) })},
		{code: "bfind.u64 %d, %a;", regs: "u32 u64", want: fn1(func(a uint64) uint32 { return lowest(a, ^uint32(0)) })},
		{code: "bfind.shiftamt.s64 %d, %a;", regs: "u32 s64", want: fn1(func(a int64) uint32 {
			if n := lowest(uint64(a^a>>63), ^uint32(0)); n != ^uint32(0) {
				return 63 - n
			}
			return ^uint32(0)
		})},
		{code: "bfe.u32 %d, %a, %b, %c;", regs: "u32 u32 u32 u32", want: bfeWant(31, false)},
		{code: "bfe.s32 %d, %a, %b, %c;", regs: "s32 s32 u32 u32", want: bfeWant(31, true)},
		{code: "bfe.u64 %d, %a, %b, %c;", regs: "u64 u64 u32 u32", want: bfeWant(63, false), skip: over255(1)},
		{code: "bfe.s64 %d, %a, %b, %c;", regs: "s64 s64 u32 u32", want: bfeWant(63, true), skip: over255(1)},
		{code: "bfi.b32 %d, %a, %b, %c, %e;", regs: "b32 b32 b32 u32 u32", want: bfiWant(31)},
		{code: "bfi.b64 %d, %a, %b, %c, %e;", regs: "b64 b64 b64 u32 u32", want: bfiWant(63), skip: over255(2)},
		{code: "fns.b32 %d, %a, %b, %c;", regs: "b32 b32 u32 s32", want: fn3(fnsWant),
			skip: func(in []uint64) bool { return in[1] > 31 || in[2] == 1<<31 }},
		{code: "szext.clamp.s32 %d, %a, %b;", regs: "s32 s32 u32",
			want: fn2(func(a int32, n uint32) int32 { return extend(a, min(n, 32)) })},
		{code: "szext.wrap.u32 %d, %a, %b;", regs: "u32 u32 u32",
			want: fn2(func(a, n uint32) uint32 { return a & (1<<(n&31) - 1) })},
		{code: "bmsk.clamp.b32 %d, %a, %b;", regs: "b32 u32 u32",
			want: fn2(func(pos, n uint32) uint32 { return uint32(1<<min(n, 32)-1) << min(pos, 32) })},
		{code: "bmsk.wrap.b32 %d, %a, %b;", regs: "b32 u32 u32",
			want: fn2(func(pos, n uint32) uint32 { return uint32(1<<(n&31)-1) << (pos & 31) })},
		{code: "and.b32 %d, %a, %b;", regs: "b32 b32 b32", want: fn2(func(a, b uint32) uint32 { return a & b })},
		{code: "or.b64 %d, %a, %b;", regs: "b64 b64 b64", want: fn2(func(a, b uint64) uint64 { return a | b })},
		{code: "xor.b16 %d, %a, %b;", regs: "b16 b16 b16", want: fn2(func(a, b uint16) uint16 { return a ^ b })},
		{code: "and.b64 %d, %a, 255;", regs: "b64 b64", want: fn1(func(a uint64) uint64 { return a & 255 })},
		{code: "not.b16 %d, %a;", regs: "b16 b16", want: fn1(func(a uint16) uint16 { return ^a })},
		{code: "not.b32 %d, %a;", regs: "b32 b32", want: fn1(func(a uint32) uint32 { return ^a })},
		{code: "not.b64 %d, %a;", regs: "b64 b64", want: fn1(func(a uint64) uint64 { return ^a })},
		{code: "cnot.b32 %d, %a;", regs: "b32 b32", want: fn1(func(a uint32) uint32 { return raw1(a == 0) })},
		{code: "cnot.b64 %d, %a;", regs: "b64 b64", want: fn1(func(a uint64) uint64 { return uint64(raw1(a == 0)) })},
		{code: "and.pred %d, %a, %b;", regs: "pred pred pred", want: func(in []uint64) uint64 { return in[0] & in[1] }},
		{code: "or.pred %d, %a, %b;", regs: "pred pred pred", want: func(in []uint64) uint64 { return in[0] | in[1] }},
		{code: "xor.pred %d, %a, %b;", regs: "pred pred pred", want: func(in []uint64) uint64 { return in[0] ^ in[1] }},
		{code: "not.pred %d, %a;", regs: "pred pred", want: func(in []uint64) uint64 { return 1 - in[0] }},
		{code: "mov.pred %d, %a;", regs: "pred pred", want: func(in []uint64) uint64 { return in[0] }},
		{code: "lop3.b32 %d, %a, %b, %c, 0xe8;", regs: "b32 b32 b32 b32", want: lop(0xe8)},
		{code: "lop3.b32 %d, %a, %b, %c, 0x1b;", regs: "b32 b32 b32 b32", want: lop(0x1b)},
		{code: "lop3.b32 %d, %a, %b, %c, 0x96;", regs: "b32 b32 b32 b32", want: lop(0x96)},
		{code: "shf.l.wrap.b32 %d, %a, %b, %c;", regs: "b32 b32 b32 u32",
			want: fn3(func(a, b, n uint32) uint32 { return uint32((uint64(b)<<32 | uint64(a)) << (n & 31) >> 32) })},
		{code: "shf.r.wrap.b32 %d, %a, %b, %c;", regs: "b32 b32 b32 u32",
			want: fn3(func(a, b, n uint32) uint32 { return uint32((uint64(b)<<32 | uint64(a)) >> (n & 31)) })},
		{code: "shf.l.clamp.b32 %d, %a, %b, %c;", regs: "b32 b32 b32 u32",
			want: fn3(func(a, b, n uint32) uint32 { n = min(n, 32); return b<<n | a>>(32-n) })},
		{code: "shf.r.clamp.b32 %d, %a, %b, %c;", regs: "b32 b32 b32 u32",
			want: fn3(func(a, b, n uint32) uint32 { n = min(n, 32); return b<<(32-n) | a>>n })},
		{code: "prmt.b32 %d, %a, %b, %c;", regs: "b32 b32 b32 b32", want: fn3(prmtWant)},
		{code: "prmt.b32.f4e %d, %a, %b, %c;", regs: "b32 b32 b32 b32",
			want: fn3(func(a, b, c uint32) uint32 { return prmtWant(a, b, 0x3210+0x1111*(c&3)) })},
		{code: "prmt.b32.b4e %d, %a, %b, %c;", regs: "b32 b32 b32 b32",
			want: fn3(func(a, b,
				c uint32) uint32 {
				return prmtWant(a, b, []uint32{0x5670, 0x6701, 0x7012, 0x0123}[c&3])
			})},
		{code: "prmt.b32.rc8 %d, %a, %b, %c;", regs: "b32 b32 b32 b32",
			want: fn3(func(a, b, c uint32) uint32 { return prmtWant(a, b, 0x1111*(c&3)) })},
		{code: "prmt.b32.ecl %d, %a, %b, %c;", regs: "b32 b32 b32 b32",
			want: fn3(func(a, b,
				c uint32) uint32 {
				return prmtWant(a, b, []uint32{0x3210, 0x3211, 0x3222, 0x3333}[c&3])
			})},
		{code: "prmt.b32.ecr %d, %a, %b, %c;", regs: "b32 b32 b32 b32",
			want: fn3(func(a, b,
				c uint32) uint32 {
				return prmtWant(a, b, []uint32{0x0000, 0x1110, 0x2210, 0x3210}[c&3])
			})},
		{code: "prmt.b32.rc16 %d, %a, %b, %c;", regs: "b32 b32 b32 b32",
			want: fn3(func(a, b, c uint32) uint32 { return prmtWant(a, b, []uint32{0x1010, 0x3232}[c&1]) })},
		{code: "shl.b16 %d, %a, %b;", regs: "b16 b16 u32", want: shift(true, 16, false)},
		{code: "shl.b32 %d, %a, %b;", regs: "b32 b32 u32", want: shift(true, 32, false)},
		{code: "shl.b64 %d, %a, %b;", regs: "b64 b64 u32", want: shift(true, 64, false)},
	}
	for _, typ := range []string{"u16", "s16", "u32", "s32", "u64", "s64", "b32"} {
		ops = append(ops, op{code: "shr." + typ + " %d, %a, %b;", regs: typ + " " + typ + " u32",
			want: shift(false, size(typ), typ[0] == 's')})
	}
	runOps(t, ops)
}

func raw1(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func extend(a int32, n uint32) int32 {
	if n == 0 {
		return 0
	}
	return a << (32 - n) >> (32 - n)
}

func fnsWant(mask, base uint32, n int32) uint32 {
	if n == 0 {
		if mask>>base&1 != 0 {
			return base
		}
		return ^uint32(0)
	}
	var set []uint32
	for i := range uint32(32) {
		if mask>>i&1 != 0 && (n > 0 && i >= base || n < 0 && i <= base) {
			set = append(set, i)
		}
	}
	count := int64(n)
	if n < 0 {
		slices.Reverse(set)
		count = -count
	}
	if count > int64(len(set)) {
		return ^uint32(0)
	}
	return set[count-1]
}

func prmtWant(a, b, sel uint32) uint32 {
	var r uint32
	for i := range 4 {
		n := sel >> (4 * i) & 0xf
		v := a
		if n&4 != 0 {
			v = b
		}
		x := v >> (8 * (n & 3)) & 0xff
		if n&8 != 0 {
			x = uint32(int32(int8(x))>>7) & 0xff
		}
		r |= x << (8 * i)
	}
	return r
}
