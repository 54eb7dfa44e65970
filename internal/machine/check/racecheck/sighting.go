package racecheck

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// relation is how near the two threads of a race are.
type relation uint8

const (
	inInstruction relation = iota // lanes of one instruction
	inWarp
	inBlock
	inCluster
	inGrid
)

// raceKey tells races apart while a launch runs.
type raceKey struct {
	space          ptx.Space
	earlier, later int32 // sites
	relation       relation
	same           bool // both write the same value
}

// raceSeen is a race with what was seen of it in one order.
type raceSeen struct {
	raceKey
	cause     report.Cause
	witness   sighting
	count     uint64
	blocks    map[int32]bool
	low, high uint64 // addresses, the last byte
	lastLane  uint64 // sequence number and lane counted last
	unwaited  bool   // the earlier access is a copy of its thread, which has not waited for it
}

// sighting is one pair of accesses that race.
type sighting struct {
	first, second           record
	firstLane, secondLane   int
	addr                    uint64 // of the second
	home                    [3]int // whose shared memory it is, if it is shared
	other                   bool   // of one of the two threads that is another block's
	size                    int
	firstValue, secondValue []byte
	seq                     uint64
	order                   int
}

// found notes a race between lanes of an earlier record and the access of a lane. last says that
// the earlier access is the last write to the address.
func (r *Check) found(e entry, rec *record, lane int, last bool) {
	c := &r.cur
	key := raceKey{space: c.h.space, earlier: rec.site, later: c.record.site}
	switch {
	case rec.block != c.record.block && r.within(clusterScope, rec.block, c.record.block):
		key.relation = inCluster
	case rec.block != c.record.block:
		key.relation = inGrid
	case rec.warp != c.record.warp:
		key.relation = inBlock
	case e.rec == c.rec && c.access != nil:
		key.relation = inInstruction
	default:
		key.relation = inWarp
	}
	key.same = r.sameValue(rec, lane)
	seen := r.races[key]
	known := last || rec.flags&isWrite == 0 // whether memory still has the value that the earlier access wrote or read
	if seen == nil {
		seen = &raceSeen{raceKey: key, blocks: map[int32]bool{}, low: c.addr, high: c.addr}
		seen.witness, seen.cause = r.sighting(e, rec, lane, known), r.cause(e, rec, lane, key.relation)
		seen.unwaited = r.unwaited(e, rec)
		r.races[key] = seen
	} else if seen.witness.later(rec, &c.record, tool.LaneOf(e.lanes), lane, known) {
		seen.witness = r.sighting(e, rec, lane, known)
	}
	if stamp := c.warp.Seq<<5 | uint64(lane); stamp != seen.lastLane || seen.count == 0 {
		seen.lastLane = stamp
		seen.count++
	}
	seen.blocks[c.record.block] = true
	seen.low, seen.high = min(seen.low, c.addr), max(seen.high, c.addr+uint64(c.size)-1)
}

// later says whether a sighting is of later threads than another that shows as much, which is then
// the one to keep: reports show the lowest block and threads, whatever the order. known says that
// the other's first value is.
func (w *sighting) later(first, second *record, firstLane, secondLane int, known bool) bool {
	if a, b := w.first.flags&isWrite, first.flags&isWrite; a != b {
		return b != 0 // the value that a write left says more than one that will be overwritten
	}
	if (w.firstValue != nil) != known {
		return known
	}
	return cmp.Or(
		cmp.Compare(w.second.block, second.block), cmp.Compare(w.first.block, first.block),
		cmp.Compare(w.second.warp, second.warp), cmp.Compare(w.secondLane, secondLane),
		cmp.Compare(w.first.warp, first.warp), cmp.Compare(w.firstLane, firstLane),
	) > 0
}

// sameValue says whether both accesses are plain writes of one value.
func (r *Check) sameValue(rec *record, lane int) bool {
	c := &r.cur
	return c.access != nil && rec.flags&c.record.flags&isWrite != 0 &&
		(rec.flags|c.record.flags)&(isAtomic|isCopy) == 0 &&
		bytes.Equal(c.access.Before(lane), c.access.Bytes(lane))
}

// cause names what is missing.
func (r *Check) cause(e entry, rec *record, lane int, rel relation) report.Cause {
	c := &r.cur
	flags, all := rec.flags|c.record.flags, rec.flags&c.record.flags
	if c.cause != report.NoCause {
		return c.cause
	}
	if cause := r.copyCause(e, rec, lane); cause != report.NoCause && rel != inInstruction {
		return cause
	}
	if r.initOf(rec) {
		return report.InitUnordered
	}
	if len(r.vars.vars) > 0 {
		for _, try := range []struct {
			over  leniency
			cause report.Cause
		}{
			{leniency{acquire: true}, report.NoAcquireFence},
			{leniency{acquire: true, poll: true}, report.NoFenceAtFlag},
			{leniency{scope: true}, report.ScopeTooNarrow},
			{leniency{acquire: true, poll: true, scope: true}, report.ScopeTooNarrow},
			{leniency{release: true, acquire: true, poll: true, scope: true}, report.NoReleaseFence},
		} {
			if try.cause == report.NoAcquireFence && (flags^all)&isAtomic != 0 {
				continue // the compare-and-swap is one of the two and takes no lock
			}
			if r.ask(e, rec, lane, try.over) == 0 {
				return try.cause
			}
		}
	}
	switch {
	case rel == inInstruction:
		return report.SameInstruction
	case all&isStrong != 0 && rel != inWarp:
		return report.ScopeTooNarrow
	case flags&isAtomic != 0:
		return report.AtomicWithPlain
	case (flags^all)&holdsLock != 0 && rel != inWarp:
		return report.LockNotHeld
	case rel == inCluster:
		return report.NoClusterBarrier
	case rel == inGrid:
		return report.BlocksUnordered
	case r.wrongPhase(e, rec, lane):
		return report.WrongPhase
	case (flags^all)&inLoop != 0 && r.tooLate(rec):
		return report.BarrierTooLate
	case rel == inWarp:
		return report.NoWarpSync
	}
	return report.NoBarrier
}

// tooLate reports whether the last barrier is between the two accesses in the code, and the access
// that went round the loop is above the other. Then another barrier is needed, at the loop's end or
// start.
func (r *Check) tooLate(rec *record) bool {
	above, below := r.run.SiteAt(rec.site), r.run.SiteAt(r.cur.record.site)
	if rec.flags&inLoop == 0 {
		above, below = below, above
	}
	return slices.ContainsFunc(r.cur.st.at, func(barrier *event.Site) bool {
		return above.Index < barrier.Index && barrier.Index < below.Index
	})
}

// sighting is the pair of accesses at hand, with their values as far as memory tells.
func (r *Check) sighting(e entry, rec *record, lane int, known bool) sighting {
	c := &r.cur
	w := sighting{
		first: *rec, second: c.record, firstLane: tool.LaneOf(e.lanes), secondLane: lane, addr: c.addr, size: c.size,
		seq: c.warp.Seq, order: r.run.Order, home: c.home.Index,
		other: rec.block != int32(c.home.Linear) || c.record.block != int32(c.home.Linear),
	}
	switch {
	case c.access != nil && c.access.Kind == event.Load:
		w.firstValue, w.secondValue = bytes.Clone(c.access.Bytes(lane)), bytes.Clone(c.access.Bytes(lane))
	case c.access != nil:
		w.firstValue, w.secondValue = bytes.Clone(c.access.Before(lane)), bytes.Clone(c.access.Bytes(lane))
	default:
		w.firstValue, w.secondValue = c.atomic.Found(lane), c.atomic.Left(lane)
	}
	if !known || rec.flags&isCopy != 0 {
		w.firstValue = nil // what memory holds is another's
	}
	if c.record.flags&isCopy != 0 {
		w.secondValue = nil // it has not arrived
	}
	return w
}
