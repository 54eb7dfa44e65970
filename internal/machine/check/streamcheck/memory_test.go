package streamcheck

import (
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// TestMemory compares random operations of three streams, with events and waits between them, with
// a list of every use ever made.
func TestMemory(t *testing.T) {
	t.Parallel()
	type plain struct {
		op       *Op
		kind     Kind
		from, to uint64
	}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		streams := []*Stream{NewStream(), NewStream(), NewStream()}
		m := Memory{}
		var all []plain
		found := 0
		for range 60 {
			s := streams[r.IntN(3)]
			switch r.IntN(5) {
			case 0:
				s.After(streams[r.IntN(3)].Point())
				continue
			case 1:
				Reached(s.Point())
				continue
			}
			p := plain{op: s.Queue("op", event.Position{}), kind: Kind(r.IntN(int(kinds))), from: uint64(4000 + r.IntN(200))}
			p.to = p.from + uint64(1+r.IntN(200))
			want := false
			for _, o := range all {
				want = want || p.kind.conflicts(o.kind) && !p.op.behind(o.op) && p.from < o.to && o.from < p.to
			}
			m.Queued(p.op)
			got := m.Use(p.op, p.kind, p.from, int64(p.to-p.from))
			m.sweepAt = r.IntN(20)
			m.Ran(p.op)
			if (len(got) > 0) != want {
				t.Fatalf("seed %d: %d conflicts of %+v, want any: %t", seed, len(got), p, want)
			}
			all = append(all, p)
			found += len(got)
		}
		if found == 0 {
			t.Errorf("seed %d: nothing was in conflict", seed)
		}
		for _, s := range streams {
			s.End()
		}
		m.Freed(0, 8192)
		if m.uses != 0 || len(m.pages) != 0 {
			t.Errorf("seed %d: %d uses of freed memory are left", seed, m.uses)
		}
	}
}
