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
func videoPart(x uint32, selector string, t ptx.Type) int64 {
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
	op := d.Op
	if last := op[len(op)-1]; last == '2' || last == '4' {
		op = op[:len(op)-1]
	}
	switch op {
	case "vadd":
		return func(a, b int64) int64 { return a + b }
	case "vsub":
		return func(a, b int64) int64 { return a - b }
	case "vabsdiff":
		return func(a, b int64) int64 { return max(a-b, b-a) }
	case "vmin":
		return func(a, b int64) int64 { return min(a, b) }
	case "vmax":
		return func(a, b int64) int64 { return max(a, b) }
	case "vavrg": // away from zero
		return func(a, b int64) int64 {
			if a+b >= 0 {
				return (a + b + 1) >> 1
			}
			return (a + b) >> 1
		}
	case "vset":
		return videoCompare(d.Mod("cmp"))
	}
	return videoShift(op == "vshl", d.Mod("mode") == "clamp")
}

func videoCompare(cmp string) func(a, b int64) int64 {
	holds := map[string]func(a, b int64) bool{
		"eq": func(a, b int64) bool { return a == b }, "ne": func(a, b int64) bool { return a != b },
		"lt": func(a, b int64) bool { return a < b }, "le": func(a, b int64) bool { return a <= b },
		"gt": func(a, b int64) bool { return a > b }, "ge": func(a, b int64) bool { return a >= b },
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
	to, ta, tb := d.Type, d.SrcType, ptx.Type(d.Mod("btype"))
	if d.Op == "vset" {
		to, ta, tb = ptx.U32, d.Type, d.SrcType
	}
	dsel, asel, bsel := d.Mod("dsel"), d.Mod("asel"), d.Mod("bsel")
	sat, second := d.Has("sat"), d.Mod("op2")
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
func combined(op string, x, c uint32, t ptx.Type) uint32 {
	switch {
	case op == "add":
		return x + c
	case op == "min" && t == ptx.S32:
		return uint32(min(int32(x), int32(c)))
	case op == "max" && t == ptx.S32:
		return uint32(max(int32(x), int32(c)))
	case op == "min":
		return min(x, c)
	}
	return max(x, c)
}

// videoLanes is an instruction on two half words or four bytes, which selectors take out of both
// registers. Parts that the mask omits come from the third input. With .add the third input is
// added to the others.
func videoLanes(d *code.Inst) Op {
	basic := videoBasic(d)
	n := int(d.Op[len(d.Op)-1] - '0')
	width := 32 / n
	to, ta, tb := d.Type, d.SrcType, ptx.Type(d.Mod("btype"))
	if tb == "" { // vset
		to, ta, tb = ptx.U32, d.Type, d.SrcType
	}
	as, bs := videoSources(d.Mod("asel"), n, 0), videoSources(d.Mod("bsel"), n, n)
	written := videoMask(d.Mod("dsel"), n)
	sat, add := d.Has("sat"), d.Has("add")
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
func videoSources(selector string, n, first int) (from [4]int) {
	for i := range n {
		from[i] = first + i
		if selector != "" {
			from[i] = int(selector[n-i] - '0')
		}
	}
	return from
}

// videoMask is which of n parts are written, a bit each: all without a mask.
func videoMask(mask string, n int) (written uint32) {
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
	ta, tb := d.SrcType, ptx.Type(d.Mod("btype"))
	asel, bsel := d.Mod("asel"), d.Mod("bsel")
	product, sum := d.Has("-a") != d.Has("-b"), d.Has("-c")
	signed := ta == ptx.S32 || tb == ptx.S32 || product || sum
	scale := map[string]uint{"": 0, "shr7": 7, "shr15": 15}[d.Mod("scale")]
	sat, one := d.Has("sat"), d.Has("po")
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
