package native

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
)

// TestLarge holds functions to package lanes whose registers and jumps are far: a register file of
// some 100 kB, and code of more than a megabyte, beyond what an instruction of ARM64 reaches.
func TestLarge(t *testing.T) {
	t.Parallel()
	all := instructions()
	for seed := range uint64(2) {
		if testing.Short() && seed > 0 {
			break
		}
		r := rand.New(rand.NewPCG(9, seed))
		f := newFunction()
		for range 250 {
			for _, bits := range []int{1, 32, 64} {
				f.keep(f.alloc(bits))
			}
		}
		f.Blocks = nil
		for i := range 24 {
			blk := &code.Block{Index: i, Order: [2]int{i, i}, End: code.EndFall}
			for len(blk.Insts) < 100 {
				in := operands(all[r.IntN(len(all))], code.CombineOr, func(bits int) code.Slot { return f.regs[bits][r.IntN(len(f.regs[bits]))] })
				if len(in.Dst) == 1 || in.Dst[0] != in.Dst[1] {
					blk.Insts = append(blk.Insts, in)
				}
			}
			blk.N = len(blk.Insts)
			if i > 0 {
				f.Blocks[i-1].Next = blk
			}
			f.Blocks = append(f.Blocks, blk)
		}
		last := f.Blocks[len(f.Blocks)-1]
		last.N, last.End = last.N+1, code.EndOp
		m := f.compile(t)
		m.fill(r)
		m.runBlocks(t, []uint32{0x12345678, ^uint32(0)}[seed])
		t.Logf("%d bytes of registers, %d of code", len(m.file)*8, m.kernel.Size())
	}
}

// runBlocks runs all blocks from the first on, for some lanes.
func (m *machine) runBlocks(t *testing.T, mask uint32) {
	t.Helper()
	want := append([]uint64(nil), m.file...)
	for _, blk := range m.Blocks {
		for i := range blk.Insts {
			interpret(want, &blk.Insts[i], m.File.Scratch.Off, mask)
		}
	}
	m.c.File, m.c.Mask, m.c.Limit, m.c.Order = unsafe.Pointer(unsafe.SliceData(m.file)), mask, 1<<20, math.MaxInt32
	exit := m.kernel.Exits[m.kernel.Run(m.kernel.Blocks[m.Blocks[0]].Entries[0], mask == ^uint32(0), m.c)]
	if last := m.Blocks[len(m.Blocks)-1]; exit != (Exit{last, len(last.Insts)}) {
		t.Fatalf("left at %v after %d instructions", exit, m.c.Ran())
	}
	if diff := m.differ(want); diff != nil {
		t.Fatal(diff[0])
	}
}
