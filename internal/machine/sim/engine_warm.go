package sim

import "sync/atomic"

// warmth says when the machine's engine loads a kernel: a kernel that runs seldom is interpreted, since
// loading it would take longer.
type warmth struct {
	worth  uint64        // how many warp instructions are interpreted before
	ran    atomic.Uint64 // how many have been, of all launches without an observer
	loaded atomic.Bool
	load   func() // has the engine load the kernel, once; nil if no engine can
}

// warmUp counts instructions that the worker has interpreted, and lets the engine run what follows once
// there have been enough of them. One worker loads the kernel, while the others go on.
func (wk *worker) warmUp(instrs uint64) {
	if !wk.cold {
		return
	}
	t := &wk.launch.entry.warmth
	switch before := t.ran.Add(instrs) - instrs; {
	case t.loaded.Load():
	case before+instrs < t.worth, before >= t.worth && t.worth > 0:
		return
	default:
		t.load()
		t.loaded.Store(true)
	}
	wk.cold, wk.engine = false, wk.m.engine
}
