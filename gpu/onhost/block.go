package onhost

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/abi"
)

// A block has the threads of a block, their shared memory, and who has come to its barriers.
type block struct {
	launch  *launch
	index   gpu.Dim3
	threads []*thread
	shared  map[site]*shared
	dynamic []byte
	arrived [abi.Barriers]int // threads that came to a named barrier and did not wait
}

// newBlock makes a block none of whose threads has run.
func newBlock(l *launch, index gpu.Dim3) *block {
	size := l.cfg.BlockDim
	b := &block{launch: l, index: index, shared: map[site]*shared{}}
	for i := range size.X * size.Y * size.Z {
		at := gpu.Dim3{X: i % size.X, Y: i / size.X % size.Y, Z: i / size.X / size.Y}
		t := &thread{block: b, index: at, lane: i % gpu.WarpSize, warp: i / gpu.WarpSize}
		t.begin(l.kernel)
		b.threads = append(b.threads, t)
	}
	return b
}

// round lets the threads run and meet until all wait, spin or have ended. It reports whether one
// got on.
func (b *block) round() (moved bool, err error) {
	for {
		stepped, ran := false, false
		for _, t := range b.threads {
			if !t.runs() {
				continue
			}
			t.step()
			stepped = true
			if t.fault != nil {
				return false, t.fault
			}
			ran = ran || !t.spins
		}
		if !stepped {
			return moved, nil
		}
		met, err := b.meet()
		if err != nil {
			return false, err
		}
		if !ran && !met {
			return moved, nil
		}
		moved = true
	}
}

// ended reports whether all threads have ended.
func (b *block) ended() bool {
	return !slices.ContainsFunc(b.threads, func(t *thread) bool { return !t.ended })
}

// meet answers the calls for which all threads have come, and reports whether there were any.
func (b *block) meet() (bool, error) {
	met := false
	for warp := range slices.Chunk(b.threads, gpu.WarpSize) {
		met = meetWarp(warp) || met
	}
	for id := 1; id < abi.Barriers; id++ {
		met = b.meetNamed(id) || met
	}
	all, err := b.meetBlock()
	return all || met, err
}

// meetWarp answers the lanes that have made the same call with the same mask, once all lanes which
// the mask names and which have not ended have made it.
func meetWarp(warp []*thread) bool {
	met := false
	for _, t := range warp {
		if t.waits == nil || warpCalls[t.waits.name] == nil {
			continue
		}
		mask := t.waits.args[0].(uint32)
		call := lanes{}
		for _, other := range warp {
			switch w := other.waits; {
			case mask>>other.lane&1 == 0 || other.ended:
			case w == nil || w.name != t.waits.name || w.args[0] != t.waits.args[0]:
				call.missing = true
			default:
				call.threads[other.lane] = other
				call.mask |= 1 << other.lane
			}
		}
		if !call.missing {
			call.answer(t.waits.name)
			met = true
		}
	}
	return met
}

// lanes are threads of a warp that have made the same call.
type lanes struct {
	threads [gpu.WarpSize]*thread
	mask    uint32
	missing bool // a lane that others wait for has not come
}

// answer lets the threads go on, with what the call gives each of them.
func (c *lanes) answer(name string) {
	var results [gpu.WarpSize]any
	for m := c.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		results[lane] = warpCalls[name](c, lane)
	}
	for m := c.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		c.threads[lane].goOn(results[lane])
	}
}

// arg is argument i of a lane's call.
func (c *lanes) arg(lane, i int) any { return c.threads[lane].waits.args[i] }

// meetBlock answers the barrier of the block when all threads that have not ended have come, and
// fails if they have come to different lines.
func (b *block) meetBlock() (bool, error) {
	var first *wait
	trues, count := 0, 0
	for _, t := range b.threads {
		switch w := t.waits; {
		case t.ended:
		case w == nil || blockCalls[w.name] == nil:
			return false, nil
		case first != nil && position(w.place) != position(first.place):
			return false, b.launch.deadlock()
		default:
			first = w
			count++
			if len(w.args) > 0 && w.args[0].(bool) {
				trues++
			}
		}
	}
	for _, t := range b.threads {
		if t.waits != nil {
			t.goOn(blockCalls[t.waits.name](trues, count))
		}
	}
	return first != nil, nil
}

// blockCalls are the barriers of a block, and what they give when count threads have come, trues
// of them with a true condition.
var blockCalls = map[string]func(trues, count int) any{
	"SyncThreads":      func(int, int) any { return nil },
	"SyncThreadsAnd":   func(trues, count int) any { return trues == count },
	"SyncThreadsOr":    func(trues, _ int) any { return trues > 0 },
	"SyncThreadsCount": func(trues, _ int) any { return trues },
}

// meetNamed answers barrier id when as many threads have come as the callers say.
func (b *block) meetNamed(id int) bool {
	come, want := b.arrived[id], 0
	for _, t := range b.threads {
		if w := t.waits; w != nil && w.name == "SyncBarrier" && w.args[0] == id {
			come++
			want = w.args[1].(int)
		}
	}
	if want == 0 || come < want {
		return false
	}
	b.arrived[id] = 0
	for _, t := range b.threads {
		if w := t.waits; w != nil && w.name == "SyncBarrier" && w.args[0] == id {
			t.goOn(nil)
		}
	}
	return true
}

// meetGrid answers gpu.SyncGrid when all threads of the grid wait there.
func (l *launch) meetGrid() bool {
	if l.more() || len(l.live) < l.started { // one that has ended never comes
		return false
	}
	for _, b := range l.live {
		for _, t := range b.threads {
			if t.ended || t.waits == nil || t.waits.name != "SyncGrid" {
				return false
			}
		}
	}
	for _, b := range l.live {
		for _, t := range b.threads {
			t.goOn(nil)
		}
	}
	return true
}

// A Deadlock is a launch none of whose threads can go on: some wait where others do not come.
type Deadlock struct {
	// Waits has a line for each place where threads of a block wait: "block (0,0,0): 32 threads
	// wait at kernel.go:25 for gpu.SyncThreads, the first is (0,0,0)". At most 8 are listed.
	Waits []string
	Ended int // threads of the blocks which have started that have returned
}

// Error lists who waits where.
func (d *Deadlock) Error() string {
	return fmt.Sprintf("onhost: no thread can go on; %s; %d threads of these blocks have returned", strings.Join(d.Waits, "; "), d.Ended)
}

// deadlock says which threads wait where.
func (l *launch) deadlock() *Deadlock {
	const most = 8
	d := &Deadlock{}
	for _, b := range l.live {
		count := map[string]int{}
		first := map[string]string{}
		var order []string
		for _, t := range b.threads {
			if t.ended {
				d.Ended++
			}
			if t.waits == nil {
				continue
			}
			key := fmt.Sprintf("%s for gpu.%s", position(t.waits.place), t.waits.name)
			if count[key]++; count[key] == 1 {
				order = append(order, key)
				first[key] = dim(t.index)
			}
		}
		for _, key := range order {
			if len(d.Waits) < most {
				d.Waits = append(d.Waits, fmt.Sprintf("block %s: %d threads wait at %s, the first is %s",
					dim(b.index), count[key], key, first[key]))
			}
		}
	}
	return d
}
