package report

import (
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// TestIdentity changes findings: what makes another one of them, and what does not.
func TestIdentity(t *testing.T) {
	t.Parallel()
	at := func(role string, line int, warp int) Witness {
		return Witness{Role: role, Source: event.Position{File: "k.go", Line: line}, Thread: &Thread{Warp: warp}}
	}
	race := func(witnesses ...Witness) Finding {
		return Finding{Tool: Racecheck, Kind: Race, Kernel: "k", Space: "shared", Cause: NoBarrier, Witnesses: witnesses}
	}
	barrier := func(witnesses ...Witness) Finding {
		return Finding{Tool: Synccheck, Kind: Barrier, Kernel: "k", Cause: BranchSplits, Witnesses: witnesses}
	}
	spin := func(witnesses ...Witness) Finding {
		return Finding{Tool: Synccheck, Kind: NoProgress, Kernel: "k", Witnesses: witnesses}
	}
	one, two := at("write", 1, 0), at("read", 2, 1)
	inlined, ptx := two, two
	inlined.Stack = []event.Position{{File: "k.go", Line: 9}}
	ptx.Source, ptx.PTX = event.Position{}, "ptx:2: ld"
	other := race(one, two)
	other.Cause = BarrierTooLate
	elsewhere := race(one, two)
	elsewhere.Space = "global"
	twoBarriers := barrier(at("wait at", 1, 0))
	twoBarriers.Cause = TwoBarriers
	for _, c := range []struct {
		what string
		x, y Finding
		same bool
	}{
		{"the pair the other way round", race(one, two), race(two, one), true},
		{"another cause of a race", race(one, two), other, true},
		{"another position", race(one, two), race(one, at("read", 3, 1)), false},
		{"inlined elsewhere", race(one, two), race(one, inlined), false},
		{"without a source", race(one, two), race(one, ptx), false},
		{"threads of one warp", race(one, two), race(one, at("read", 2, 0)), false},
		{"another space", race(one, two), elsewhere, false},
		{"other threads end", barrier(at("wait at", 1, 0), at("finished at", 8, 1)), barrier(at("wait at", 1, 0), at("finished at", 9, 1)), true},
		{"another cause of a barrier", barrier(at("wait at", 1, 0)), twoBarriers, false},
		{"two barriers, and one of them alone", barrier(at("wait at", 1, 0), at("wait at", 2, 1)), barrier(at("wait at", 1, 0)), false},
		{"other threads wait", spin(at("run at", 1, 0), at("wait at", 2, 1)), spin(at("wait at", 3, 1), at("run at", 1, 0)), true},
		{"other threads run", spin(at("run at", 1, 0)), spin(at("run at", 2, 0)), false},
		{"nobody", barrier(), barrier(at("finished at", 1, 0)), true},
	} {
		if got := c.x.Identity() == c.y.Identity(); got != c.same {
			t.Errorf("%s: one finding is %v, want %v\n%+v\n%+v", c.what, got, c.same, c.x.Identity(), c.y.Identity())
		}
	}
}
