package initcheck

import (
	"slices"

	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// part is bits of a register that an instruction puts, as they are, into its result.
type part struct {
	reg   int    // -1 for a constant, which is always written
	shift int    // bits to the left, negative to the right
	mask  uint64 // the bits of the shifted value that go into the result
	sign  bool   // the highest of these bits fills those above them
	limit uint8  // bytes of the result
}

// whole is a register as it is.
func whole(reg int) part { return part{reg: reg, mask: ^uint64(0), limit: 0xff} }

// through returns which bytes of the result are unwritten if t is the taint of the register.
func (p part) through(t taint) taint {
	var wide uint64
	for i := range 8 {
		if t.bytes>>i&1 != 0 {
			wide |= 0xff << (8 * i)
		}
	}
	if p.shift >= 0 {
		wide <<= p.shift
	} else {
		wide >>= -p.shift
	}
	wide &= p.mask
	t.bytes = 0
	for i := range 8 {
		if wide>>(8*i)&0xff != 0 {
			t.bytes |= 1 << i
		}
	}
	if p.sign && t.bytes != 0 {
		t.bytes |= t.bytes << 1
		t.bytes |= t.bytes << 2
		t.bytes |= t.bytes << 4
	}
	t.bytes &= p.limit
	return t
}

// partsOf returns the parts that each destination of an instruction consists of, if the instruction
// only moves bits. It returns nil if the instruction does something else, or if a register says
// which bits it moves.
func (c *Check) partsOf(site *event.Site, t ptx.Type) [][]part {
	in := site.Instr
	reg := func(i int) int { return c.register(site, in.Args[i]) }
	constant := func(i int) (uint64, bool) {
		if i >= len(in.Args) {
			return 0, false
		}
		k, ok := in.Args[i].(ptx.Int)
		return k.Bits, ok
	}
	width := 8 * int(t.Bytes())
	switch in.Op {
	case "mov":
		return c.movedParts(site, width)
	case "and":
		if k, ok := constant(2); ok {
			return [][]part{{{reg: reg(1), mask: k, limit: 0xff}}}
		}
	case "shl", "shr":
		if k, ok := constant(2); ok && k < 64 {
			p := whole(reg(1))
			if p.shift, p.sign = int(k), t.Signed(); in.Op == "shr" {
				p.shift = -p.shift
			}
			return [][]part{{p}}
		}
	case "cvt":
		if p, ok := convertedPart(in, reg(1)); ok {
			return [][]part{{p}}
		}
	case "prmt":
		if k, ok := constant(3); ok && len(in.Mods) == 1 {
			return [][]part{permuted(reg(1), reg(2), k)}
		}
	case "bfe":
		pos, ok1 := constant(2)
		n, ok2 := constant(3)
		if ok1 && ok2 && pos&0xff < 64 {
			p := whole(reg(1))
			p.shift, p.mask, p.sign = -int(pos&0xff), lowBits(n&0xff), t.Signed()
			return [][]part{{p}}
		}
	case "bfi":
		pos, ok1 := constant(3)
		n, ok2 := constant(4)
		if ok1 && ok2 && pos&0xff < 64 {
			field := lowBits(n&0xff) << (pos & 0xff)
			in, around := whole(reg(1)), whole(reg(2))
			in.shift, in.mask, around.mask = int(pos&0xff), field, ^field
			return [][]part{{in, around}}
		}
	case "shf":
		if k, ok := constant(3); ok {
			return [][]part{funnel(slices.Contains(in.Mods, "l"), slices.Contains(in.Mods, "wrap"), reg(1), reg(2), k)}
		}
	}
	return nil
}

// lowBits has the lowest n bits.
func lowBits(n uint64) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// movedParts returns the parts of a mov, which may also pack a vector into a register or take one
// apart.
func (c *Check) movedParts(site *event.Site, width int) [][]part {
	to, from := site.Instr.Args[0], site.Instr.Args[1]
	if v, ok := from.(ptx.Vec); ok {
		each := width / len(v)
		var list []part
		for i, o := range v {
			list = append(list, part{c.register(site, o), i * each, lowBits(uint64(each)) << (i * each), false, 0xff})
		}
		return [][]part{list}
	}
	v, ok := to.(ptx.Vec)
	if !ok {
		return [][]part{{whole(c.register(site, from))}}
	}
	each := width / len(v)
	var dests [][]part
	for i, o := range v {
		if o != ptx.Operand(ptx.Name("_")) {
			dests = append(dests, []part{{c.register(site, from), -i * each, lowBits(uint64(each)), false, 0xff}})
		}
	}
	return dests
}

// convertedPart returns the part of a conversion between integers.
func convertedPart(in *ptx.Instr, reg int) (part, bool) {
	n := len(in.Mods)
	if n < 2 || ptx.Type(in.Mods[n-1]).IsFloat() || ptx.Type(in.Mods[n-2]).IsFloat() || slices.Contains(in.Mods, "sat") ||
		in.Mods[0] == "pack" {
		return part{}, false
	}
	p := whole(reg)
	from := ptx.Type(in.Mods[n-1])
	p.mask, p.sign = lowBits(8*uint64(from.Bytes())), from.Signed() // extension copies the last byte
	p.limit = uint8(1<<min(ptx.Type(in.Mods[n-2]).Bytes(), 8) - 1)
	return p, true
}

// permuted are the parts of a prmt: each byte of the result is one of the eight of two registers,
// or its sign.
func permuted(a, b int, selector uint64) []part {
	var list []part
	for i := range 4 {
		s := int(selector >> (4 * i) & 0xf)
		reg := a
		if s&4 != 0 {
			reg = b
		}
		list = append(list, part{reg, 8 * (i - s&3), 0xff << (8 * i), false, 0xff})
	}
	return list
}

// funnel are the parts of a shift of two registers as one: the upper half of what it gives to the
// left, the lower one to the right.
func funnel(left, wrap bool, low, high int, by uint64) []part {
	n := int(min(by, 32))
	if wrap {
		n = int(by & 31)
	}
	l, h := part{reg: low, mask: 0xffffffff, limit: 0xff}, part{reg: high, mask: 0xffffffff, limit: 0xff}
	if left {
		l.shift, h.shift = n-32, n
	} else {
		l.shift, h.shift = -n, 32-n
	}
	return []part{l, h}
}
