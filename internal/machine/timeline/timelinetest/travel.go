// Package timelinetest holds timelines to going through one and the same execution, whichever way they
// go.
package timelinetest

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/machine/timeline"
)

// places is how many times of an execution Travel looks at, and jumps how often it goes to one of them.
const (
	places = 24
	jumps  = 40
)

// Travel goes to times of an execution on the way to its end, then to the same in any order, and
// compares all that there is to see. It goes back to the start, where memory is as the launch found it.
func Travel(tb testing.TB, t *timeline.Timeline, m *memory.Space, seed uint64) {
	tb.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	seek := func(at timeline.Time) string {
		if err := t.Seek(tb.Context(), at); err != nil {
			tb.Fatal(err)
		}
		return Digest(t, m)
	}
	start := seek(0)
	end := seek(1 << 40)
	total := t.Now()
	sites := steps(tb, t)
	if len(sites) != int(total) {
		tb.Fatalf("%d instructions, and the end is at %d", len(sites), total)
	}
	var times []timeline.Time
	var seen []string
	for i := range timeline.Time(places) {
		times = append(times, total*i/places)
		seen = append(seen, seek(times[i]))
		if next := t.Next(); total > 0 && next.Site != sites[times[i]] {
			tb.Fatalf("at %d the next instruction is %v, and %v ran", times[i], next.Site, sites[times[i]])
		}
	}
	for range jumps {
		i := random.IntN(places)
		if got := seek(times[i]); got != seen[i] {
			tb.Fatalf("order %d: time %d of %d looks otherwise the second time:\n%s\n%s", seed, times[i], total, seen[i], got)
		}
		if random.IntN(4) == 0 {
			back(tb, t, sites)
		}
	}
	if got := seek(1 << 40); got != end {
		tb.Fatalf("the end looks otherwise the second time:\n%s\n%s", end, got)
	}
	if got := seek(0); got != start {
		tb.Fatalf("the start looks otherwise the second time:\n%s\n%s", start, got)
	}
}

// steps are the instructions of the execution in their order, by a search from its start.
func steps(tb testing.TB, t *timeline.Timeline) (sites []*event.Site) {
	if err := t.Seek(tb.Context(), 0); err != nil {
		tb.Fatal(err)
	}
	found, err := t.Forward(tb.Context(), func(at timeline.Time, e event.Event) timeline.Hit {
		if s, ok := e.(*event.Step); ok && at == timeline.Time(len(sites)) {
			sites = append(sites, s.Site)
		}
		return timeline.Miss
	})
	if err != nil || found {
		tb.Fatal(found, err)
	}
	return sites
}

// back goes back to where the next instruction ran last.
func back(tb testing.TB, t *timeline.Timeline, sites []*event.Site) {
	now := t.Now()
	want := int64(now) - 1
	for want >= 0 && sites[want] != t.Next().Site {
		want--
	}
	site := t.Next().Site
	found, err := t.Backward(tb.Context(), func(_ timeline.Time, e event.Event) timeline.Hit {
		if s, ok := e.(*event.Step); ok && s.Site == site {
			return timeline.At
		}
		return timeline.Miss
	})
	if err != nil || found != (want >= 0) || found && int64(t.Now()) != want || !found && t.Now() != now {
		tb.Fatalf("back from %d: at %d, %v %v, want %d", now, t.Now(), found, err, want)
	}
}

// Digest is a short text of all that there is to see of an execution at a time.
func Digest(t *timeline.Timeline, m *memory.Space) string {
	next := t.Next()
	text := fmt.Sprintf("%d: ", t.Now())
	if next.Block != nil {
		text += fmt.Sprintf("block %d warp %d lanes %#x frame %d at %v; ", next.Block.Linear, next.Warp, next.Mask, next.Frame, next.Site)
	}
	ended, why := t.Ended()
	text += fmt.Sprintf("ended %v %v; ", ended, why)
	for _, b := range t.Blocks() {
		text += fmt.Sprintf("block %d shared %s", b.Linear, sum(b.Memory))
		for _, w := range b.Warps {
			text += fmt.Sprintf(" warp %d %#x", w.Index, w.Live)
			for i := range w.Groups {
				text += group(&w.Groups[i])
			}
			for _, f := range w.Flight {
				text += fmt.Sprintf(" flight %d %#x", f.Number, f.Lanes)
			}
		}
	}
	for _, x := range m.Extents() {
		data, err := m.Bytes(x.Addr, x.Size)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		text += fmt.Sprintf("; %#x %s", x.Addr, sum(data))
	}
	return text
}

// group is a group of lanes, with their registers and local memory.
func group(g *sim.GroupView) string {
	h := fnv.New64a()
	for i := range g.Frames {
		f := &g.Frames[i]
		for _, number := range f.Registers() {
			for lane := range abi.WarpSize {
				low, high, _, _ := f.Register(number, lane)
				word(h, low)
				word(h, high)
			}
		}
		for lane := range abi.WarpSize {
			h.Write(f.Local(lane))
		}
	}
	return fmt.Sprintf(" %s %#x %v %d %s %x", g.State, g.Mask, g.Site, len(g.Frames), g.Detail, h.Sum64())
}

func word(w io.Writer, x uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], x)
	_, _ = w.Write(b[:])
}

func sum(b []byte) string {
	h := fnv.New64a()
	_, _ = h.Write(b)
	return fmt.Sprintf("%x", h.Sum64())
}
