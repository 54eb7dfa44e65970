package sim

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
)

// failedTest is a test of an mbarrier in vain, by which a thread may be waiting.
type failedTest struct {
	site *event.Site
	word *lanes.Mbarrier // nil for a test that did not fail
	addr uint64
	at   uint64 // warp.instrs
}

// waitLoop is the most instructions of a warp between two tests of one mbarrier by which a thread
// waits.
const waitLoop = 1 << 10

// waitsFor is the test by which a lane waits for an mbarrier, or nil.
func (w *warp) waitsFor(lane int) *failedTest {
	if w.tested == nil {
		return nil
	}
	t := &w.tested[lane]
	if t.word == nil || w.instrs-t.at > waitLoop {
		return nil
	}
	return t
}

// offset is the mbarrier's address in the block's shared memory.
func (t *failedTest) offset() uint64 { return sharedOffset(t.addr) }

// sharedOffset is the offset in shared memory of an address, generic or not.
func sharedOffset(addr uint64) uint64 {
	addr = memory.OwnAddress(addr)
	if addr >= memory.SharedWindow {
		return addr - memory.SharedWindow - memory.SharedBase
	}
	return addr - memory.SharedBase
}

func (t *failedTest) detail() string {
	b := *t.word
	s := fmt.Sprintf("the mbarrier at shared memory+%d has %s", t.offset(), b.Arrivals())
	return s + b.Bytes()
}
