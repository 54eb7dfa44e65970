package lanes

import (
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file has video instructions (PTX ISA, "Video Instructions"): arithmetic on bytes and half
// words that selectors take out of registers, with a second operation on the result. Everything is
// computed exactly, in 64 bits, and cut off at the end.

// videoPart takes a part of a register, all of it without a selector, extended by its type.
func videoPart(x uint32, selector code.Selector, t ptx.Type) int64 {
	width, shift := 32, 0
	if selector != "" {
		width = map[byte]int{'b': 8, 'h': 16}[selector[0]]
		shift = width * int(selector[1]-'0')
	}
	return extended(x>>shift, width, t)
}

// extended is the lowest bits of a word as a number of a type.
func extended(x uint32, width int, t ptx.Type) int64 {
	x <<= 32 - width
	if t == ptx.S32 {
		return int64(int32(x) >> (32 - width))
	}
	return int64(x >> (32 - width))
}

// clamped saturates to the numbers of width bits.
func clamped(x int64, width int, t ptx.Type) int64 {
	if t == ptx.S32 {
		return min(max(x, -1<<(width-1)), 1<<(width-1)-1)
	}
	return min(max(x, 0), 1<<width-1)
}

// videoBasic returns the first operation of an instruction, on two numbers.
func videoBasic(d *code.Inst) func(a, b int64) int64 {
	switch d.Op {
	case ptx.OpVadd, ptx.OpVadd2, ptx.OpVadd4:
		return func(a, b int64) int64 { return a + b }
	case ptx.OpVsub, ptx.OpVsub2, ptx.OpVsub4:
		return func(a, b int64) int64 { return a - b }
	case ptx.OpVabsdiff, ptx.OpVabsdiff2, ptx.OpVabsdiff4:
		return func(a, b int64) int64 { return max(a-b, b-a) }
	case ptx.OpVmin, ptx.OpVmin2, ptx.OpVmin4:
		return func(a, b int64) int64 { return min(a, b) }
	case ptx.OpVmax, ptx.OpVmax2, ptx.OpVmax4:
		return func(a, b int64) int64 { return max(a, b) }
	case ptx.OpVavrg2, ptx.OpVavrg4: // away from zero
		return func(a, b int64) int64 {
			if a+b >= 0 {
				return (a + b + 1) >> 1
			}
			return (a + b) >> 1
		}
	case ptx.OpVset, ptx.OpVset2, ptx.OpVset4:
		return videoCompare(d.Compare)
	}
	return videoShift(d.Op == ptx.OpVshl, d.Mode == code.AmountClamp)
}

func videoCompare(cmp code.Compare) func(a, b int64) int64 {
	holds := map[code.Compare]func(a, b int64) bool{
		code.EQ: func(a, b int64) bool { return a == b }, code.NE: func(a, b int64) bool { return a != b },
		code.LT: func(a, b int64) bool { return a < b }, code.LE: func(a, b int64) bool { return a <= b },
		code.GT: func(a, b int64) bool { return a > b }, code.GE: func(a, b int64) bool { return a >= b },
	}[cmp]
	return func(a, b int64) int64 { return int64(Bit(holds(a, b))) }
}

func videoShift(left, clamp bool) func(a, b int64) int64 {
	return func(a, b int64) int64 {
		if clamp {
			b = min(b, 32)
		}
		if !clamp {
			b &= 31
		}
		switch {
		case !left:
			return a >> b
		case b == 32 && a > 0: // whose low 32 bits are 0, and which every clamp takes for too large
			return math.MaxInt64 &^ math.MaxUint32
		case b == 32 && a < 0:
			return math.MinInt64
		}
		return a << b
	}
}

// videoScalar is an instruction on one part of each register. The result is saturated to the part
// that is written, and replaces that part of the third input, or is combined with it.
func videoScalar(d *code.Inst) Op {
	basic := videoBasic(d)
	to, ta, tb := d.Type, d.SrcType, d.BType
	if d.Op == ptx.OpVset {
		to, ta, tb = ptx.U32, d.Type, d.SrcType
	}
	dsel, asel, bsel := d.DSel, d.ASel, d.BSel
	sat, second := d.Has(code.Saturate), d.Second
	width, shift := 32, 0
	if dsel != "" {
		width = map[byte]int{'b': 8, 'h': 16}[dsel[0]]
		shift = width * int(dsel[1]-'0')
	}
	mask := uint32(uint64(1)<<width-1) << shift
	return of3(func(a, b, c uint32) uint32 {
		x := basic(videoPart(a, asel, ta), videoPart(b, bsel, tb))
		if sat {
			x = clamped(x, width, to)
		}
		if second == "" {
			return uint32(x)<<shift&mask | c&^mask
		}
		return combined(second, uint32(x), c, to)
	})
}

// combined is the second operation of a video instruction, on numbers of a type.
func combined(op code.Function, x, c uint32, t ptx.Type) uint32 {
	switch {
	case op == code.FnAdd:
		return x + c
	case op == code.FnMin && t == ptx.S32:
		return uint32(min(int32(x), int32(c)))
	case op == code.FnMax && t == ptx.S32:
		return uint32(max(int32(x), int32(c)))
	case op == code.FnMin:
		return min(x, c)
	}
	return max(x, c)
}

// videoParts is how many parts of a register an instruction works on: two or four.
func videoParts(op code.Op) int {
	switch op {
	case ptx.OpVadd2, ptx.OpVsub2, ptx.OpVavrg2, ptx.OpVabsdiff2, ptx.OpVmin2, ptx.OpVmax2, ptx.OpVset2:
		return 2
	}
	return 4
}

// videoLanes is an instruction on two half words or four bytes, which selectors take out of both
// registers. Parts that the mask omits come from the third input. With .add the third input is
// added to the others.
func videoLanes(d *code.Inst) Op {
	basic := videoBasic(d)
	n := videoParts(d.Op)
	width := 32 / n
	to, ta, tb := d.Type, d.SrcType, d.BType
	if tb == "" { // vset
		to, ta, tb = ptx.U32, d.Type, d.SrcType
	}
	as, bs := videoSources(d.ASel, n, 0), videoSources(d.BSel, n, n)
	written := videoMask(d.DSel, n)
	sat, add := d.Has(code.Saturate), d.Has(code.Accumulate)
	return of3(func(a, b, c uint32) uint32 {
		both := uint64(b)<<32 | uint64(a)
		r := c
		for m := written; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			x := basic(extended(uint32(both>>(as[i]*width)), width, ta), extended(uint32(both>>(bs[i]*width)), width, tb))
			if sat {
				x = clamped(x, width, to)
			}
			if add {
				r += uint32(x)
				continue
			}
			part := uint32(1<<width-1) << (i * width)
			r = r&^part | uint32(x)<<(i*width)&part
		}
		return r
	})
}

// videoSources says for each of n parts which part of the two registers it is from, where a's parts
// are first. The selector names them. Without one they are the parts of one register, from first
// on.
func videoSources(selector code.Selector, n, first int) (from [4]int) {
	for i := range n {
		from[i] = first + i
		if selector != "" {
			from[i] = int(selector[n-i] - '0')
		}
	}
	return from
}

// videoMask is which of n parts are written, a bit each: all without a mask.
func videoMask(mask code.Selector, n int) (written uint32) {
	if mask == "" {
		return 1<<n - 1
	}
	for _, digit := range mask[1:] {
		written |= 1 << (digit - '0')
	}
	return written
}

// videoMad is vmad: a product and a sum of parts, scaled and saturated. A negated product is its
// complement plus one, and so is a negated sum.
func videoMad(d *code.Inst) Op {
	ta, tb := d.SrcType, d.BType
	asel, bsel := d.ASel, d.BSel
	product, sum := d.Has(code.NegateA) != d.Has(code.NegateB), d.Has(code.NegateC)
	signed := ta == ptx.S32 || tb == ptx.S32 || product || sum
	scale := d.Scale
	sat, one := d.Has(code.Saturate), d.Has(code.PlusOne)
	final := ptx.U32
	if signed {
		final = ptx.S32
	}
	return of3(func(a, b, c uint32) uint32 {
		x, y := videoPart(a, asel, ta), videoPart(b, bsel, tb)
		z, lsb := extended(c, 32, final), int64(0)
		switch {
		case one:
			lsb = 1
		case product:
			x = -x
		case sum:
			z, lsb = extended(^c, 32, final), 1
		}
		hi, lo := wideProduct(x, y)
		var carry uint64
		lo, carry = bits.Add64(lo, uint64(z), 0)
		hi += uint64(z>>63) + carry
		lo, carry = bits.Add64(lo, uint64(lsb), 0)
		hi += carry
		if scale > 0 {
			lo, hi = lo>>scale|hi<<(64-scale), uint64(int64(hi)>>scale)
		}
		if !sat {
			return uint32(lo)
		}
		if hi != uint64(int64(lo)>>63) { // beyond 64 bits
			lo = math.MaxInt64
			if int64(hi) < 0 {
				lo = 1 << 63
			}
		}
		return uint32(clamped(int64(lo), 32, final))
	})
}

// wideProduct is a signed product of 128 bits.
func wideProduct(x, y int64) (hi, lo uint64) {
	hi, lo = bits.Mul64(uint64(x), uint64(y))
	if x < 0 {
		hi -= uint64(y)
	}
	if y < 0 {
		hi -= uint64(x)
	}
	return hi, lo
}
