package sim

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file has wgmma: products of matrices that the agents of a warpgroup compute. Each warp has
// 16 of D's 64 rows. Its agent reads its rows of A, all of B and the registers of D when the
// product becomes visible, and writes D then.
//
// An H200 computes the four parts of a product together. So a warp's wait is over when the other
// warps have come to the product as well, and their parts are done. No manual says so, but the
// kernels of CUTLASS, in which one thread hands over what a warpgroup has read, depend on it.

// productOp is a wgmma.mma_async.
type productOp struct {
	lanes.Product
	line inst // an access to 16 bytes of a factor in shared memory
	n    int
	a    []code.Slot // the registers of A, or its descriptor
	b    code.Slot
	add  code.Slot
	d    []code.Slot
	// transposed says for each factor in shared memory that the elements of its other direction are
	// neighbours.
	transposed [2]bool
}

// warpgroup binds what a warp has to do with products of its warpgroup.
func (b *binder) warpgroup(in *code.Inst) func(w *warp, in *inst) {
	switch {
	case in.Has(code.Fences):
		return func(w *warp, in *inst) { w.wholeGroup(in) }
	case in.Has(code.CommitGroup):
		return func(w *warp, in *inst) {
			w.committed[w.agent.group[event.MatrixEngine][0]%(mostLeft+1)] = w.products
			w.commit(event.MatrixEngine)
			w.tellGroups(in, event.AgentOp{Kind: event.AgentCommit, Agent: event.Agent{Engine: event.MatrixEngine}})
		}
	case in.Has(code.WaitGroup):
		leave := in.Imm
		return func(w *warp, in *inst) {
			w.complete(event.MatrixEngine, leave)
			for _, o := range w.warpgroup() {
				o.completeBefore(event.MatrixEngine, ^uint32(0), &w.agent.group[event.MatrixEngine], leave)
			}
			w.advance()
			w.tellGroups(in, event.AgentOp{Kind: event.AgentWait, Agent: event.Agent{Engine: event.MatrixEngine}, Groups: int(leave)})
		}
	}
	return b.product(in).issue
}

func (w *warp) tellGroups(in *inst, op event.AgentOp) {
	if w.wk.obs != nil {
		w.tellAgent(in, op)
	}
}

func (b *binder) product(in *code.Inst) *productOp {
	op := &productOp{Product: lanes.ProductOf(in, b.sm), n: in.Shape.N, d: in.Dst}
	last := len(in.Args)
	op.a, op.b, op.add = in.Args[:last-2], in.Args[last-2], in.Args[last-1]
	first := 2 // of the transposes
	if op.inMemory() {
		op.transposed[0], first = in.Imm>>2&1 != 0, 3
	}
	op.transposed[1] = in.Imm>>first&1 != 0
	op.line = inst{site: in.Site, follows: true, run: func(*warp, *inst) {}}
	b.access(event.Load, code.Address{Space: ptx.SharedSpace, Base: op.b, Memo: -1}, matrixLine, 1, &op.line)
	return op
}

// inMemory reports whether A is in shared memory.
func (p *productOp) inMemory() bool { return len(p.a) == 1 }

// issue hands the product to the warp's agent.
func (p *productOp) issue(w *warp, in *inst) {
	if !w.wholeGroup(in) {
		return
	}
	job := &product{op: p, frame: w.fr, id: w.fr.id, add: *predicate(w, p.add.Off) != 0}
	descriptors := []code.Slot{p.b}
	if p.inMemory() {
		descriptors = append(descriptors, p.a[0])
	}
	for i, slot := range descriptors {
		list := reg[uint64](w, slot.Off)
		job.at[1-i] = list[0]
		for lane, x := range list {
			if x != list[0] {
				w.wk.raise(w.fault(in, lane, event.BadDescriptor, "the lanes of the warp give different descriptors"))
				return
			}
		}
	}
	for factor := range job.lines {
		job.findLines(w, factor)
		if bad := job.outside(w, factor); bad != "" {
			w.wk.raise(w.fault(in, 0, event.BadDescriptor, bad))
			return
		}
	}
	if w.wk.obs != nil {
		job.tell(w)
	}
	w.send(w.issue(in, event.MatrixEngine, job))
}

// tell tells of the lines that the agent is about to read, 32 at a time.
func (j *product) tell(w *warp) {
	by, e := &event.Agent{Number: w.agent.issued + 1, Engine: event.MatrixEngine}, &w.wk.events.access
	for factor, lines := range j.lines {
		of := &event.Factor{Name: factorNames[factor], Start: j.start(factor) - memory.SharedBase, Adds: j.add, Along: 1}
		if w := j.width(factor); w > matrixLine {
			of.Swizzle = w
		}
		if j.op.transposed[factor] {
			of.Along = matrixLine * 8 / j.op.FactorBits()
		}
		e.Factor = of
		for len(lines) > 0 {
			n := min(len(lines), abi.WarpSize)
			addrs := &w.wk.events.addrs
			for i, l := range lines[:n] {
				addrs[i], of.First[i] = l.addr, int(l.along)
			}
			w.tellAccess(&j.op.line, addrs, uint32(1<<n-1), nil, by)
			lines = lines[n:]
		}
	}
	e.Factor = nil
}

// factorNames are the names of the factors, by number.
var factorNames = [2]string{"A", "B"}

// product is one that an agent is to compute.
type product struct {
	op    *productOp
	frame *frame
	id    uint64 // of the frame
	at    [2]uint64
	add   bool
	lines [2][]factorLine // that the warp's agent reads of each factor in shared memory
}

// factorLine is 16 bytes of a factor: elements of a row of A or a column of B from k on, or, where
// it is transposed, the elements k of rows or columns from along on.
type factorLine struct {
	addr     uint64
	along, k int16
}

// A matrix of 16 bytes in one direction is in blocks of eight such lines. If the lines are
// swizzled, a block has lines of 32, 64 or 128 bytes, and the factor's 16 bytes are pieces of them
// (PTX ISA, "Shared Memory Matrix Layout"; CUTLASS, include/cute/arch/mma_sm90_desc.hpp).

// start is where a factor's descriptor says that it begins.
func (j *product) start(factor int) uint64 { return j.at[factor] & (1<<14 - 1) << 4 }

// width is how many bytes a line of a factor has, as many as are swizzled.
func (j *product) width(factor int) int { return [4]int{matrixLine, 128, 64, 32}[j.at[factor]>>62] }

// line is the address of the 16 bytes that hold a factor's element, given by its row of A or column
// of B, and its place along the other direction.
func (j *product) line(factor, along, k int) uint64 {
	desc := j.at[factor]
	leading, stride := int(desc>>16&(1<<14-1)<<4), int(desc>>32&(1<<14-1)<<4)
	swizzle, width := desc>>62, j.width(factor)
	size := j.op.FactorBits() / 8
	at := 0
	switch byteAt := k * size; {
	case !j.op.transposed[factor] && swizzle == 0:
		at = along%8*16 + along/8*stride + byteAt/16*leading
	case !j.op.transposed[factor]:
		at = along%8*width + along/8*stride + byteAt&^15
	case swizzle == 0:
		at = along/8*stride + k%8*16 + k/8*leading
	default:
		per := width / size
		at = along%per*size&^15 + along/per*leading + k%8*width + k/8*stride
	}
	addr := j.start(factor) + uint64(at)
	if swizzle != 0 {
		addr ^= addr >> 3 & (256>>swizzle - 16)
	}
	return addr
}

// findLines finds the lines of a factor that the warp's agent reads.
func (j *product) findLines(w *warp, factor int) {
	first, rows := 0, j.op.n
	if factor == 0 {
		if !j.op.inMemory() {
			return
		}
		first, rows = w.index%event.Warpgroup*16, 16
	}
	per := matrixLine * 8 / j.op.FactorBits()
	steps := [2]int{1, per}
	if j.op.transposed[factor] {
		steps = [2]int{per, 1}
	}
	for along := first; along < first+rows; along += steps[0] {
		for k := 0; k < 256/j.op.FactorBits(); k += steps[1] {
			j.lines[factor] = append(j.lines[factor], factorLine{j.line(factor, along, k), int16(along - first), int16(k)})
		}
	}
}

// outside says which line of a factor is none of the block's shared memory; "" for none.
func (j *product) outside(w *warp, factor int) string {
	for _, l := range j.lines[factor] {
		if l.addr < memory.SharedBase || l.addr+matrixLine > memory.SharedBase+uint64(w.cta.Shared) {
			at := int64(l.addr) - memory.SharedBase
			return fmt.Sprintf("%s reaches from byte %d of the block's shared memory to %d, which has %d: its start, "+
				"offsets and swizzle do not fit the tile", factorNames[factor], at, at+matrixLine-1, w.cta.Shared)
		}
	}
	return ""
}

// factor reads the elements of a factor in shared memory, by rows of A or columns of B.
func (j *product) factor(w *warp, factor int, to [][32]uint64) {
	size := j.op.FactorBits() / 8
	for _, l := range j.lines[factor] {
		line := w.cta.Memory[l.addr-memory.SharedBase:][:matrixLine]
		for i := range matrixLine / size {
			along, k := int(l.along), int(l.k)+i
			if j.op.transposed[factor] {
				along, k = along+i, int(l.k)
			}
			var x uint64
			switch size {
			case 1:
				x = uint64(line[i])
			case 2:
				x = uint64(binary.LittleEndian.Uint16(line[2*i:]))
			default:
				x = uint64(binary.LittleEndian.Uint32(line[4*i:]))
			}
			to[along][k] = x
		}
	}
}

// do implements work. Registers of a call that is over are no more.
func (j *product) do(w *warp, _ *effect, mask uint32) {
	if j.frame.id != j.id {
		return
	}
	op := j.op
	var a [16][32]uint64
	b := make([][32]uint64, op.n)
	j.factor(w, 0, a[:])
	j.factor(w, 1, b)
	if !op.inMemory() {
		for lane := range abi.WarpSize {
			op.EachA(lane, func(i, row, col int) { a[row][col] = j.register(op.a, lane, i, op.FactorBits()) })
		}
	}
	sum := op.Of(a[:], b)
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		for i := range op.n / 2 {
			row, col := lane>>2+8*(i>>1&1), i>>2*8+2*(lane&3)+i&1
			c := uint64(0)
			if j.add {
				c = j.register(op.d, lane, i, op.SumBits())
			}
			j.setRegister(op.d, lane, i, op.SumBits(), sum(row, col, c))
		}
	}
}

// register is element i of a lane, size bits wide. The elements follow each other in its registers.
func (j *product) register(regs []code.Slot, lane, i, size int) uint64 {
	per := 32 / size
	word := (*[abi.WarpSize]uint32)(j.frame.slot(regs[i/per].Off))[lane]
	return uint64(word >> (i % per * size) & (1<<size - 1))
}

func (j *product) setRegister(regs []code.Slot, lane, i, size int, x uint64) {
	per := 32 / size
	word, shift := &(*[abi.WarpSize]uint32)(j.frame.slot(regs[i/per].Off))[lane], i%per*size
	*word = *word&^((1<<size-1)<<shift) | uint32(x)<<shift
}
