package litmus

import (
	"flag"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/ptx"
)

var (
	programs = flag.Uint64("programs", 2000, "how many programs to compare")
	first    = flag.Uint64("first", 0, "the number of the first")
)

// runs are the numbers of orders in which racecheck sees a program, and a racy program without a
// finding so far: a race that shows in one interleaving of many needs luck.
var runs = []int{8, 128, 4096}

// checked is racecheck's verdict on a program: whether it races.
func checked(tb testing.TB, p *program, orders int, pedantic bool) (bool, *report.Report) {
	tb.Helper()
	mod, err := ptx.Parse("litmus.ptx", p.ptx())
	if err == nil {
		err = ptx.Verify(mod)
	}
	if err != nil {
		tb.Fatalf("%v\n%s", err, p.ptx())
	}
	m := sim.New(sim.Config{Workers: 1})
	prog, err := m.Load(mod)
	if err != nil {
		tb.Fatal(err)
	}
	entry, err := prog.Entry("litmus")
	if err != nil {
		tb.Fatal(err)
	}
	addr, err := m.Alloc(4 * locations)
	if err != nil {
		tb.Fatal(err)
	}
	mem, err := m.Bytes(addr, 4*locations)
	if err != nil {
		tb.Fatal(err)
	}
	clear(mem)
	launch := sim.Launch{Grid: [3]int{p.blocks(), 1, 1}, Block: [3]int{p.blockSize(), 1, 1}, Params: make([]byte, 8)}
	for i := range launch.Params {
		launch.Params[i] = byte(addr >> (8 * i))
	}
	r, err := check.Run(tb.Context(), m, entry, launch, check.Options{
		Tools: []report.Tool{report.Racecheck}, Orders: orders, Pedantic: pedantic, Budget: 1 << 14,
	})
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Kind == report.Race || f.Kind == report.SameValue { // the model does not look at values
			return true, r
		}
	}
	return false, r
}

// ends reports that some consistent execution of the program comes to its end.
func (p *program) ends() bool {
	found := false
	p.each(func(x *execution) bool {
		return x.consistent(func(*orders) bool { found = true; return false })
	})
	return found
}

// TestAgree compares what racecheck, when pedantic, says of programs with what the model says.
func TestAgree(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	racy, found, wrong := 0, make([]int, len(runs)), 0
	for i := *first; i < *first+*programs; i++ {
		p := numbered(i)
		if seen[p.space+p.String()] || !p.ends() {
			continue
		}
		seen[p.space+p.String()] = true
		want, got := p.racy(), false
		for stage, orders := range runs {
			if got, _ = checked(t, p, orders, true); got {
				found[stage]++
			}
			if got || !want {
				break
			}
		}
		if want {
			racy++
		}
		if got == want {
			continue
		}
		if wrong++; wrong <= 20 {
			t.Errorf("program %d, %s memory: racecheck says race %v, the model %v\n%v", i, p.space, got, want, p)
		}
	}
	t.Logf("%d programs, %d of them racy; found in %v orders: %v; %d verdicts differ", len(seen), racy, runs, found, wrong)
}

// TestDefault has a litmus for each rule by which racecheck, when not pedantic, is silent of what
// the model calls a race. docs/checks.md states them.
func TestDefault(t *testing.T) {
	t.Parallel()
	x := st(locX, weak, gpu)
	handed := []instr{x, fenceOf(acqRel, gpu), st(locF, relaxed, gpu)}
	lock := instr{kind: cas, loc: locF, order: relaxed, scope: gpu, val: 1, use: poll}
	held := []instr{lock, x, fenceOf(acqRel, gpu), {kind: exch, loc: locF, order: relaxed, scope: gpu}}
	tests := []struct {
		name string
		p    *program
		want bool
	}{
		{"a poll acquires without a fence", threads(handed, []instr{until(ld(locF, relaxed, gpu)), x}), false},
		{"a ticket acquires without a fence", threads(
			[]instr{x, fenceOf(acqRel, gpu), rmw(locF, relaxed, gpu)}, []instr{then(rmw(locF, relaxed, gpu)), x}), false},
		{"a volatile poll is a flag", threads(
			[]instr{x, fenceOf(acqRel, gpu), st(locF, volatile, gpu)}, []instr{until(ld(locF, volatile, gpu)), x}), false},
		{"of strong accesses the last stands for those before", numbered(46368), false},
		{"a lock does not", threads(held, held), true},
		{"a release needs its fence", threads([]instr{x, st(locF, relaxed, gpu)}, []instr{until(ld(locF, relaxed, gpu)), x}), true},
	}
	for _, tt := range tests {
		if !tt.p.racy() {
			t.Errorf("%s: the model finds no race", tt.name)
		}
		if got, _ := checked(t, tt.p, runs[1], true); !got {
			t.Errorf("%s: no race when pedantic", tt.name)
		}
		if got, _ := checked(t, tt.p, runs[1], false); got != tt.want {
			t.Errorf("%s: race %v by default, want %v", tt.name, got, tt.want)
		}
	}
}

// TestHidden has programs in which a race is with an access that a later strong one, of its thread
// or of another, does not stand for.
func TestHidden(t *testing.T) {
	t.Parallel()
	for _, n := range []uint64{
		21509, 42513, 46368, 48561, 82069, 88200, 101369, 106375,
		142603, 148950, 171931, 192348, 198510, 210224, 211731, 237188,
	} {
		p := numbered(n)
		if got, _ := checked(t, p, runs[2], true); !got || !p.racy() {
			t.Errorf("program %d, %s memory: racecheck says race %v, the model %v\n%v", n, p.space, got, p.racy(), p)
		}
	}
}

// TestMissingFence has the most common mistake with fence.sc, a ticket without the second fence. It
// shows in every order of the fences, so the two orders that everybody runs have to find it.
func TestMissingFence(t *testing.T) {
	t.Parallel()
	side := func(loc int) []instr {
		return []instr{st(loc, weak, gpu), fenceOf(seqCst, gpu), then(rmw(locF, relaxed, gpu)), ld(locX, weak, gpu)}
	}
	p := threads(side(locX), side(locY))
	if got, _ := checked(t, p, 2, true); !got || !p.racy() {
		t.Errorf("racecheck says race %v, the model %v\n%v", got, p.racy(), p)
	}
}
