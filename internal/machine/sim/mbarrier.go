package sim

import (
	"cmp"
	"fmt"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/ptx"
)

// mbarrierOps are the operations that change the word of an mbarrier, by a count.
var mbarrierOps = map[code.Function]func(b lanes.Mbarrier, n uint64) lanes.Mbarrier{
	code.FnInit:           func(_ lanes.Mbarrier, n uint64) lanes.Mbarrier { return lanes.NewMbarrier(n) },
	code.FnInval:          func(lanes.Mbarrier, uint64) lanes.Mbarrier { return 0 },
	code.FnArrive:         lanes.Mbarrier.Arrive,
	code.FnArriveDrop:     func(b lanes.Mbarrier, n uint64) lanes.Mbarrier { return b.Drop(n).Arrive(n) },
	code.FnArriveExpectTx: func(b lanes.Mbarrier, n uint64) lanes.Mbarrier { return b.Expect(n).Arrive(1) },
	code.FnExpectTx:       lanes.Mbarrier.Expect,
	code.FnCompleteTx:     lanes.Mbarrier.Complete,
}

// mbarrier binds the operations on an mbarrier. A test acquires, arrivals release, and the others
// order nothing. Those that name no scope have the block's.
func (b *binder) mbarrier(in *code.Inst, to *inst) {
	op := b.access(event.AtomicRMW, in.Mem[0], 8, 1, to)
	op.scope = cmp.Or(in.Scope, event.CTA)
	to.B = in.Args[0].Off
	to.C = to.B
	switch in.Fn {
	case code.FnTestWait, code.FnTryWait:
		op.order = event.Acquire
		op.atom = &atomOp{name: "mbarrier." + string(in.Fn)}
		op.parity = in.Has(code.Parity)
		to.run, to.observed = testPhase, watchTest
		return
	case code.FnInit, code.FnInval:
		op.order = event.Weak
	case code.FnExpectTx, code.FnCompleteTx:
		op.order = event.Relaxed
	default:
		op.order = event.Release
	}
	f := mbarrierOps[in.Fn]
	op.atom = &atomOp{name: "mbarrier." + string(in.Fn), red: len(in.Dst) == 0, Modify: lanes.Modify{
		Wide: func(old, n, _ uint64) uint64 { return uint64(f(lanes.Mbarrier(old), n)) },
	}}
	to.run, to.observed = atom64, watchAtomic
	switch fn := in.Fn; fn {
	case code.FnInit, code.FnArriveExpectTx, code.FnExpectTx, code.FnCompleteTx:
		to.run = func(w *warp, in *inst) { w.checkCounts(in, fn); atom64(w, in) }
	}
}

// checkCounts raises a fault for a count that the word cannot hold.
func (w *warp) checkCounts(in *inst, fn code.Function) {
	op, counts := in.mem, reg[uint64](w, in.B)
	for m := w.Exec; m != 0; m &= m - 1 {
		i := firstLane(m)
		n := int64(int32(counts[i]))
		least, most := int64(0), int64(abi.MBarrierMax)
		switch fn {
		case code.FnInit:
			least = 1
		case code.FnExpectTx, code.FnArriveExpectTx:
			most -= int64((*lanes.Mbarrier)(w.pointer(in, i, w.address(op, in, i))).Transactions())
		}
		if n < least || n > most {
			w.wk.raise(w.fault(in, i, event.BadBarrier, fmt.Sprintf("mbarrier.%s of %d, and here it counts from %d to %d", fn, n, least, most)))
		}
	}
}

// testPhase says for each running lane whether a phase of an mbarrier is over. Before a test fails,
// agents deliver arrivals that would make it pass.
func testPhase(w *warp, in *inst) {
	op := in.mem
	if w.tested == nil {
		w.tested = new([abi.WarpSize]failedTest)
	}
	var passed uint32
	for _, lane := range w.lanesInOrder() {
		i := int(lane & 31)
		addr := w.address(op, in, i)
		p := (*lanes.Mbarrier)(w.pointer(in, i, addr))
		over := func() bool {
			if op.parity {
				return p.OverParity(reg[uint32](w, in.B)[i])
			}
			return p.Over(reg[uint64](w, in.B)[i])
		}
		for !over() && w.cta.deliver(p) {
		}
		w.tested[i] = failedTest{site: in.site, word: p, addr: addr, at: w.instrs}
		if over() {
			passed |= 1 << i
			w.tested[i].word = nil
		}
		if w.wk.obs != nil {
			w.wk.noteAtomic(i, uint64(*p), uint64(*p), true)
		}
	}
	w.SetPred(in.D, passed)
	w.passed = passed
	if passed != w.Exec {
		w.poll(w.tested[firstLane(w.Exec&^passed)].addr)
	}
}

// watchTest is watchAtomic for a test, which writes nothing.
func watchTest(w *warp, in *inst) {
	e := w.runAtomic(in)
	e.Wrote, e.Passed = 0, w.passed
	w.sendAtomic(in, e)
}

// arriveBehind binds the arrival at an mbarrier that follows copies. Without .noinc it is one more
// than those that the phase waits for anyway.
func (b *binder) arriveBehind(in *code.Inst, to *inst) {
	op := b.access(event.AtomicRMW, in.Mem[0], 8, 1, to)
	op.atom = &atomOp{name: "mbarrier.arrive", red: true}
	op.order, op.scope = event.Release, event.CTA
	counted := in.Has(code.NoInc)
	to.run = func(w *warp, in *inst) { arriveCopies(w, in, counted) }
	to.observed = func(w *warp, in *inst) {
		w.sendStep(in.site)
		w.tellAgent(in, event.AgentOp{Kind: event.AgentArrive, Agent: event.Agent{Number: w.agent.issued + 1, Engine: event.CopyEngine}})
		arriveCopies(w, in, counted)
	}
}

func arriveCopies(w *warp, in *inst, counted bool) {
	op := in.mem
	e := w.issue(in, event.CopyEngine, arrival{})
	for m := w.Exec; m != 0; m &= m - 1 {
		i := firstLane(m)
		addr := w.address(op, in, i)
		p := (*lanes.Mbarrier)(w.pointer(in, i, addr))
		e.completesAt(i, p, sharedOffset(addr))
		if !counted {
			*p = p.Await(1)
		}
	}
	w.send(e)
}

// arrival is the work of an arrival that follows copies.
type arrival struct{}

func (arrival) do(w *warp, e *effect, of uint32) {
	op := e.in.mem
	w.signal(e, of, op.atom.name, func(b lanes.Mbarrier, _ int) lanes.Mbarrier { return b.Arrive(1) })
}

// signal changes the mbarriers at which lanes of an effect complete, and tells of it. It does not
// depend on the instruction that runs, which may be another warp's.
func (w *warp) signal(e *effect, mask uint32, name string, change func(b lanes.Mbarrier, lane int) lanes.Mbarrier) {
	var r struct {
		lanes    []uint8
		old, new [abi.WarpSize]uint64
	}
	for m := mask; m != 0; m &= m - 1 {
		i := firstLane(m)
		p := e.at[i]
		r.old[i] = uint64(*p)
		*p = change(*p, i)
		r.new[i] = uint64(*p)
		r.lanes = append(r.lanes, uint8(i))
	}
	if w.wk.obs == nil {
		return
	}
	scope := event.CTA
	if e.engine == event.BulkEngine {
		scope = event.Cluster
	}
	w.wk.obs.Observe(&event.Atomic{
		Warp: w.event(e.in.site, mask), Op: name, Red: true, Space: ptx.SharedSpace, Home: &e.home.Block, Size: 8,
		Order: event.Release, Scope: scope, Addrs: &e.offsets, Lanes: r.lanes, Old: &r.old, New: &r.new, Wrote: mask,
		Agent: &event.Agent{Number: e.number, Engine: e.engine, AtMbarrier: true},
	})
}
