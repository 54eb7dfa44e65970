package check

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/compile"
)

// A random program is phases with a barrier behind each. In a phase some threads read one cell each and write one cell each, of arrays
// in shared and global memory; no two threads write one cell, and what is written is not read. So the program is correct. Without one
// of its barriers two phases run together, and brute force tells whether they conflict.

// phase is what threads from lo to hi do: read cell (ra*t+rb)%n of one array, write cell (wa*t+wb)%n of another.
type phase struct {
	read, write    int
	ra, rb, wa, wb int
	lo, hi         int
	atomic         bool // add to the cells (at*t)%n of array 3 instead, which is only for that
}

type program struct {
	threads int
	warp    bool // one warp, synchronised by SyncWarp
	phases  []phase
	loop    [2]int // phases from, to that are run loops times
	loops   int
	without int // number of the phase whose barrier is left out, -1 for none
}

const arrays = 3

func randomProgram(rnd *rand.Rand) *program {
	p := &program{threads: []int{32, 64, 96, 128}[rnd.IntN(4)], without: -1, loops: 1 + rnd.IntN(3)}
	if p.threads == 32 {
		p.warp = rnd.IntN(2) == 0
	}
	n := p.threads
	for range 3 + rnd.IntN(4) {
		ph := phase{read: rnd.IntN(arrays), ra: rnd.IntN(n), rb: rnd.IntN(n), wb: rnd.IntN(n), hi: n}
		ph.write = (ph.read + 1 + rnd.IntN(arrays-1)) % arrays
		for ph.wa = rnd.IntN(n); gcd(ph.wa, n) != 1; {
			ph.wa = rnd.IntN(n)
		}
		if rnd.IntN(3) == 0 {
			ph.lo, ph.hi = rnd.IntN(n/2), n/2+rnd.IntN(n/2)
		}
		ph.atomic = rnd.IntN(6) == 0
		p.phases = append(p.phases, ph)
	}
	p.loop[0] = rnd.IntN(len(p.phases))
	p.loop[1] = p.loop[0] + 1 + rnd.IntN(len(p.phases)-p.loop[0])
	return p
}

// kernel is the program in Go.
func (p *program) kernel(name string) string {
	var s strings.Builder
	n := p.threads
	fmt.Fprintf(&s, "//gpu:kernel\n//gpu:nobounds\nfunc %s(g, out []int32) {\n", name)
	fmt.Fprintf(&s, "\ta0 := gpu.Shared[[%d]int32]()\n\ta1 := gpu.Shared[[%d]int32]()\n\ta3 := gpu.Shared[[%d]int32]()\n", n, n, n)
	fmt.Fprintf(&s, "\tt := gpu.ThreadIdx.X\n\ta2 := g[%d*gpu.BlockIdx.X:]\n\tv := int32(t)\n", n)
	fmt.Fprintf(&s, "\ta0[t], a1[t], a2[t], a3[t] = v, v, v, v\n\t%s\n", p.sync())
	for i, ph := range p.phases {
		if i == p.loop[0] {
			fmt.Fprintf(&s, "\tfor range %d {\n", p.loops)
		}
		fmt.Fprintf(&s, "\tif t >= %d && t < %d {\n", ph.lo, ph.hi)
		if ph.atomic {
			fmt.Fprintf(&s, "\t\tgpu.AtomicAdd(&a3[(%d*t)%%%d], 1)\n", ph.ra, n)
		} else {
			fmt.Fprintf(&s, "\t\tv += a%d[(%d*t+%d)%%%d]\n\t\ta%d[(%d*t+%d)%%%d] = v*131 + int32(t)*7 + %d\n", ph.read, ph.ra, ph.rb, n, ph.write, ph.wa, ph.wb, n, i)
		}
		fmt.Fprint(&s, "\t}\n")
		if i != p.without {
			fmt.Fprintf(&s, "\t%s\n", p.sync())
		}
		if i+1 == p.loop[1] {
			fmt.Fprint(&s, "\t}\n")
		}
	}
	fmt.Fprintf(&s, "\tout[%d*gpu.BlockIdx.X+t] = v\n}\n", n)
	return s.String()
}

func (p *program) sync() string {
	if p.warp {
		return "gpu.SyncWarp(0xffffffff)"
	}
	return "gpu.SyncThreads()"
}

// conflicts says whether two threads access one cell between two barriers, and one of them writes.
func (p *program) conflicts() bool {
	type use struct {
		thread int
		write  bool
	}
	uses := map[[2]int][]use{}
	bad := false
	touch := func(array, cell, thread int, write bool) {
		for _, u := range uses[[2]int{array, cell}] {
			bad = bad || u.thread != thread && (u.write || write)
		}
		uses[[2]int{array, cell}] = append(uses[[2]int{array, cell}], use{thread, write})
	}
	run := func(from, to int) {
		for i := from; i < to; i++ {
			ph := p.phases[i]
			for t := ph.lo; t < ph.hi && !ph.atomic; t++ {
				touch(ph.read, (ph.ra*t+ph.rb)%p.threads, t, false)
				touch(ph.write, (ph.wa*t+ph.wb)%p.threads, t, true)
			}
			if i != p.without {
				clear(uses)
			}
		}
	}
	run(0, p.loop[0])
	for range p.loops {
		run(p.loop[0], p.loop[1])
	}
	run(p.loop[1], len(p.phases))
	return bad
}

// TestRandomPrograms checks random correct programs, which must be silent, and the same with each of their barriers left out, which must
// be found exactly when it makes two phases conflict.
func TestRandomPrograms(t *testing.T) {
	const programs = 25
	rnd := rand.New(rand.NewPCG(7, 7))
	var list []*program
	var text strings.Builder
	text.WriteString("package random\n\nimport \"github.com/gridstride/gridstride/gpu\"\n\n")
	for range programs {
		p := randomProgram(rnd)
		for without := -1; without < len(p.phases); without++ {
			q := *p
			q.without = without
			text.WriteString(q.kernel(fmt.Sprintf("K%d", len(list))) + "\n")
			list = append(list, &q)
		}
	}
	src := &compile.Source{Path: "example.com/random", Name: "random", Files: []compile.File{{Name: "random.go", Text: []byte(text.String())}}}
	b := compileSource(t, src)
	racy := 0
	for i, p := range list {
		const blocks = 2
		r := b.check(fmt.Sprintf("K%d", i), x(blocks), x(p.threads), Options{}, make([]int32, blocks*p.threads), make([]int32, blocks*p.threads))
		want := p.conflicts()
		if p.without < 0 && want {
			t.Fatalf("the generator made an incorrect program:\n%s", p.kernel("K"))
		}
		if want {
			racy++
		}
		if got := len(r.Findings) > 0; got != want {
			t.Errorf("found %v, want %v:\n%s\n%v", got, want, p.kernel("K"), r)
		}
		for _, f := range r.Findings {
			if f.Tool != Racecheck {
				t.Errorf("a finding of %s:\n%s\n%v", f.Tool, p.kernel("K"), r)
			}
		}
	}
	if racy < programs {
		t.Errorf("only %d of %d programs race: the test does not test", racy, len(list))
	}
}
