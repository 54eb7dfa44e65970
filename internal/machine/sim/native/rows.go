package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file has loads of rows: elements of all lanes that follow each other in memory.

// widening is the instruction that loads elements which a register extends, if there is one.
func (m *transfer) widening(in *code.Inst) (op VecOp, ok bool) {
	if in.Op == ptx.OpSt || len(m.regs) > 1 {
		return 0, false
	}
	key := wideningKey{m.elem, m.bits, m.signed}
	op, ok = widenings[key]
	return op, ok
}

type wideningKey struct {
	elem, bits int
	signed     bool
}

var widenings = map[wideningKey]VecOp{
	{1, 32, false}: VPMOVZXBD, {1, 32, true}: VPMOVSXBD, {2, 32, false}: VPMOVZXWD, {2, 32, true}: VPMOVSXWD,
	{4, 64, false}: VPMOVZXDQ, {4, 64, true}: VPMOVSXDQ,
}

// loadRow loads an element for each lane from the memory at RCX.
func (b *builder) loadRow(in *code.Inst, m *transfer) {
	to, from := slot(m.regs[0].Off), Mem{Base: RCX}
	op, widens := m.widening(in)
	if !widens {
		b.copyRow(to, from, m.size)
		return
	}
	for i := range int32(m.bits / 8) { // vectors, of 256/m.bits lanes
		b.V2(op, Vec(i&7), at(from, i*int32(256/m.bits*m.elem)))
		b.storeHalf(at(to, 32*i), Vec(i&7), int(i))
	}
}

// rowsAhead is how many rows ahead the code predicts, as a power of two: a round of a loop is shorter
// than the time until memory answers.
const rowsAhead = 2

// prefetch predicts a row that a loop reads later, as worker.nextRow predicts the next one.
func (b *builder) prefetch(seg, size int) {
	b.Load(64, RDX, context(unsafe.Offsetof(Context{}.Rows)))
	last := Mem{Base: RDX, Disp: int32(8 * seg)}
	b.Load(64, RAX, RCX)
	b.Op(SUB, 64, RAX, last)
	b.Save(64, last, RCX)
	b.ShiftLeft(64, RAX, rowsAhead)
	b.Op(ADD, 64, RAX, RCX)
	for line := 0; line < abi.WarpSize*size; line += 64 {
		b.Prefetch(Mem{Base: RAX, Disp: int32(line)})
	}
}
