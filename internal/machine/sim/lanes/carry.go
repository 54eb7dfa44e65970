package lanes

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Extended-precision arithmetic: add.cc, addc, sub.cc, subc, mad.cc and madc pass a carry, or a
// borrow, in CC.CF. Each lane has its own (Warp.Carry).

// carried are the operations. The carry in and out are 0 or 1. A borrow counts as the carry of a
// subtraction.
func carried(in *code.Inst) Op {
	op := carryOp{in: in.Op == ptx.OpAddc || in.Op == ptx.OpSubc || in.Op == ptx.OpMadc, out: in.Has(code.CarryOut), hi: in.Has(code.High)}
	switch in.Op {
	case ptx.OpSub, ptx.OpSubc:
		op.sub = true
	case ptx.OpMad, ptx.OpMadc:
		op.mad = true
	}
	op.signed = in.Type.Signed()
	if in.Type.Bits() == 64 {
		return op.run64
	}
	return op.run32
}

type carryOp struct {
	in, out    bool // uses CC.CF, sets it
	sub, mad   bool
	hi, signed bool // of the product of mad
}

func (op *carryOp) run32(w *Warp, in *Inst) {
	d, a, b, c := regs3[uint32](w, in)
	for m := w.Exec; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		x, y := a[i], b[i]
		if op.mad {
			x, y = op.product32(a[i], b[i]), c[i]
		}
		var cin, cout uint32
		if op.in {
			cin = w.Carry >> i & 1
		}
		if op.sub {
			d[i], cout = bits.Sub32(x, y, cin)
		} else {
			d[i], cout = bits.Add32(x, y, cin)
		}
		if op.out {
			w.Carry = w.Carry&^(1<<i) | cout<<i
		}
	}
}

func (op *carryOp) product32(a, b uint32) uint32 {
	switch {
	case !op.hi:
		return a * b
	case op.signed:
		return uint32(mulHiS32(int32(a), int32(b)))
	}
	return mulHiU32(a, b)
}

func (op *carryOp) run64(w *Warp, in *Inst) {
	d, a, b, c := regs3[uint64](w, in)
	for m := w.Exec; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		x, y := a[i], b[i]
		if op.mad {
			x, y = op.product64(a[i], b[i]), c[i]
		}
		var cin, cout uint64
		if op.in {
			cin = uint64(w.Carry >> i & 1)
		}
		if op.sub {
			d[i], cout = bits.Sub64(x, y, cin)
		} else {
			d[i], cout = bits.Add64(x, y, cin)
		}
		if op.out {
			w.Carry = w.Carry&^(1<<i) | uint32(cout)<<i
		}
	}
}

func (op *carryOp) product64(a, b uint64) uint64 {
	switch {
	case !op.hi:
		return a * b
	case op.signed:
		return uint64(mulHiS64(int64(a), int64(b)))
	}
	return mulHiU64(a, b)
}
