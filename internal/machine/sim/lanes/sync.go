package lanes

import (
	"math/bits"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Together chooses the operation of an instruction for which lanes wait for each other, on a device
// of a compute capability, 90 for 9.0. It is performed once all of them are there: Warp.Exec are
// those that take part. bar.warp only waits.
func Together(in *code.Inst, sm int) Op {
	wide := in.Type.Bits() == 64
	switch op := in.Fn; in.Op {
	case ptx.OpShfl:
		return shuffle(in.Mode)
	case ptx.OpVote:
		return vote(op)
	case ptx.OpMatch:
		switch {
		case op == code.FnAny && wide:
			return matchAny[uint64]
		case op == code.FnAny:
			return matchAny[uint32]
		case wide:
			return matchAll[uint64]
		}
		return matchAll[uint32]
	case ptx.OpRedux:
		if in.Type == ptx.S32 {
			return redux(modifySigned[int32](op))
		}
		f := modify[uint32](op)
		return redux(func(a, b uint32) uint32 { return f(a, b, 0) })
	case ptx.OpElect:
		return elect
	case ptx.OpMma:
		return productOf(in, sm)
	case ptx.OpWmma:
		if in.Has(code.Multiplies) {
			return productOf(in, sm)
		}
	}
	return func(*Warp, *Inst) {}
}

// shuffle makes shfl of a mode: input in slot a, lane operand in b, clamp and segment mask in c,
// result in d, in range in e. The lanes that are read from follow from b and c, which seldom change:
// the operation keeps them, by the first lane's operand.
func shuffle(mode code.Mode) Op {
	var kept [abi.WarpSize]atomic.Pointer[sources]
	return func(w *Warp, in *Inst) {
		d, a := Reg[uint32](w, in.D), *Reg[uint32](w, in.A)
		b, c := Reg[uint32](w, in.B), Reg[uint32](w, in.C)
		at := &kept[b[0]%abi.WarpSize]
		s := at.Load()
		if s == nil || s.b != *b || s.c != *c {
			s = sourcesOf(mode, b, c)
			at.Store(s)
		}
		w.SetPred(in.E, s.valid)
		if w.Exec == ^uint32(0) {
			for i := range d {
				d[i] = a[s.from[i]&31]
			}
			return
		}
		for m := w.Exec; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			j := s.from[i] & 31
			d[i] = a[j] * (w.Exec >> j & 1) // a lane that takes no part gives 0, as on the H200
		}
	}
}

// sources are the lanes that those of a shuffle read from, by its operands b and c.
type sources struct {
	b, c  [abi.WarpSize]uint32
	from  [abi.WarpSize]uint8
	valid uint32 // the lanes whose source is in range
}

func sourcesOf(mode code.Mode, b, c *[abi.WarpSize]uint32) *sources {
	s := &sources{b: *b, c: *c}
	for i := range s.from {
		j, valid := ShuffleSource(mode, i, b[i], c[i])
		s.from[i] = uint8(j)
		s.valid |= Bit(valid) << i
	}
	return s
}

// ShuffleSource is the lane that a lane reads from, and whether it is in range (PTX ISA,
// shfl.sync).
func ShuffleSource(mode code.Mode, lane int, b, c uint32) (int, bool) {
	l, bval, cval, seg := uint32(lane), b&31, c&31, c>>8&31
	limit := l&seg | cval&^seg
	var j int
	var valid bool
	switch mode {
	case code.ShuffleUp:
		j = lane - int(bval)
		valid = j >= int(limit)
	case code.ShuffleDown:
		j = lane + int(bval)
		valid = j <= int(limit)
	case code.ShuffleBfly:
		j = int(l ^ bval)
		valid = j <= int(limit)
	case code.ShuffleIdx:
		j = int(l&seg | bval&^seg)
		valid = j <= int(limit)
	}
	if !valid {
		j = lane
	}
	return j, valid
}

// vote makes vote of an operation, over the predicate in slot a.
func vote(op code.Function) Op {
	return func(w *Warp, in *Inst) {
		p := *Pred(w, in.A) & w.Exec
		switch op {
		case code.FnAll:
			w.SetPred(in.D, -Bit(p == w.Exec))
		case code.FnAny:
			w.SetPred(in.D, -Bit(p != 0))
		case code.FnUni:
			w.SetPred(in.D, -Bit(p == 0 || p == w.Exec))
		default:
			w.Spread(in.D, p)
		}
	}
}

// matchAny gives each lane the mask of the lanes with its value.
func matchAny[T uint32 | uint64](w *Warp, in *Inst) {
	a, d := *Reg[T](w, in.A), Reg[uint32](w, in.D)
	for m := w.Exec; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		var same uint32
		for n := w.Exec; n != 0; n &= n - 1 {
			j := bits.TrailingZeros32(n) & 31
			same |= Bit(a[j] == a[i]) << j
		}
		d[i] = same
	}
}

// matchAll gives all lanes their mask when all have one value, else 0, and says which in predicate
// e.
func matchAll[T uint32 | uint64](w *Warp, in *Inst) {
	a := Reg[T](w, in.A)
	first := a[bits.TrailingZeros32(w.Exec)&31]
	same := w.Exec
	for m := w.Exec; m != 0; m &= m - 1 {
		if a[bits.TrailingZeros32(m)&31] != first {
			same = 0
		}
	}
	w.Spread(in.D, same)
	w.SetPred(in.E, -Bit(same != 0))
}

// redux reduces the values of slot a over the lanes.
func redux[T uint32 | int32](f func(a, b T) T) Op {
	return func(w *Warp, in *Inst) {
		a := Reg[T](w, in.A)
		m := w.Exec
		r := a[bits.TrailingZeros32(m)&31]
		for m &= m - 1; m != 0; m &= m - 1 {
			r = f(r, a[bits.TrailingZeros32(m)&31])
		}
		w.Spread(in.D, uint32(r))
	}
}

// elect names the lowest lane, in slot d to all and in predicate e to itself.
func elect(w *Warp, in *Inst) {
	leader := bits.TrailingZeros32(w.Exec)
	w.Spread(in.D, uint32(leader))
	w.SetPred(in.E, 1<<(leader&31))
}
