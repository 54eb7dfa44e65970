package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A random program is a list of steps. After each there is something that orders threads, or
// nothing. In a step some threads read one cell each and write one each, of arrays in shared and
// global memory, or add to cells with atomics, or the lanes of a warp shuffle. No two threads of
// one step conflict. Whether threads of different steps do is decided by vector clocks, thread by
// thread: the oracle.

// ordering is the statement after a step.
type ordering int

const (
	nothing   ordering = iota
	halfWarp           // gpu.SyncWarp of 16 lanes
	fullWarp           // gpu.SyncWarp of all lanes
	blockwide          // gpu.SyncThreads
)

// orderings are the statements.
var orderings = [...]string{"", "gpu.SyncWarp(0xffff << (gpu.LaneID() / 16 * 16))", "gpu.SyncWarp(0xffffffff)", "gpu.SyncThreads()"}

// group is the threads that an ordering orders, by number.
func (o ordering) group(thread int) int {
	switch o {
	case halfWarp:
		return thread / 16
	case fullWarp:
		return thread / 32
	case blockwide:
		return 0
	}
	return thread
}

// step is the work of threads lo to hi: they read cell (ra*t+rb)%n of one array and write cell
// (wa*t+wb)%n of another, or add to that one, or shuffle.
type step struct {
	kind           stepKind
	read, write    int
	ra, rb, wa, wb int
	lo, hi         int
	after          ordering
}

type stepKind int

const (
	plainStep stepKind = iota
	atomicStep
	shuffleStep
)

// program is the steps. First all cells are written, and a barrier follows. Then the steps run,
// and those from loop[0] to loop[1] are repeated loops times.
type program struct {
	threads int
	elems   [3]string // of arrays 0 and 1, in shared memory, and 2, in global
	steps   []step
	loop    [2]int
	loops   int
	hands   handOver
}

// handOver is the program's end: the last block to come there reads what the other one has written,
// as in a reduction in one launch.
type handOver struct {
	on bool
	// before and between are the barriers before and after the ticket is taken. fence is the fence
	// before it.
	before, fence, between bool
}

var elemTypes = []string{"int8", "int16", "int32", "int32", "int64"}

func randomProgram(rnd *rand.Rand) *program {
	n := []int{32, 33, 64, 96, 100, 128}[rnd.IntN(6)]
	p := &program{threads: n, loops: 1 + rnd.IntN(3)}
	for i := range p.elems {
		p.elems[i] = elemTypes[rnd.IntN(len(elemTypes))]
	}
	for range 3 + rnd.IntN(5) {
		p.steps = append(p.steps, p.randomStep(rnd))
	}
	p.loop[0] = rnd.IntN(len(p.steps))
	p.loop[1] = p.loop[0] + 1 + rnd.IntN(len(p.steps)-p.loop[0])
	if rnd.IntN(3) == 0 {
		p.hands = handOver{true, true, true, true}
	}
	return p
}

func (p *program) randomStep(rnd *rand.Rand) step {
	n := p.threads
	s := step{read: rnd.IntN(3), ra: rnd.IntN(n), rb: rnd.IntN(n), wb: rnd.IntN(n), hi: n, after: ordering(rnd.IntN(int(blockwide) + 1))}
	s.write = (s.read + 1 + rnd.IntN(2)) % 3
	for s.wa = rnd.IntN(n); gcd(s.wa, n) != 1; {
		s.wa = rnd.IntN(n)
	}
	if rnd.IntN(2) == 0 { // neighbours access neighbouring cells, or all read one
		s.ra, s.wa = rnd.IntN(2), 1
	}
	if rnd.IntN(3) == 0 { // within a warp, so that less than a barrier is enough
		s.ra, s.wa = 1, 1
		s.rb, s.wb = rnd.IntN(3), 0
	}
	if rnd.IntN(3) == 0 {
		s.lo, s.hi = rnd.IntN(n/2), n/2+rnd.IntN(n/2)
	}
	switch rnd.IntN(6) {
	case 0:
		s.kind = shuffleStep
	case 1:
		if e := p.elems[s.write]; e == "int32" || e == "int64" {
			s.kind, s.wa = atomicStep, rnd.IntN(n)
		}
	}
	return s
}

// makeCorrect strengthens what orders the steps until nothing races.
func (p *program) makeCorrect() {
	for {
		at := p.race()
		if at < 0 {
			return
		}
		p.steps[at].after++
	}
}

// order is the steps as they run, by number.
func (p *program) order() []int {
	var list []int
	for i := range p.steps {
		if i != p.loop[0] {
			if i < p.loop[0] || i >= p.loop[1] {
				list = append(list, i)
			}
			continue
		}
		for range p.loops {
			for k := p.loop[0]; k < p.loop[1]; k++ {
				list = append(list, k)
			}
		}
	}
	return list
}

// clocks has for each thread how many steps of each other thread it knows of.
type clocks [][]int

func (c clocks) join(o ordering) {
	groups := map[int][]int{}
	for t, known := range c {
		g := o.group(t)
		if groups[g] == nil {
			groups[g] = make([]int, len(c))
		}
		for u, n := range known {
			groups[g][u] = max(groups[g][u], n)
		}
	}
	for t := range c {
		copy(c[t], groups[o.group(t)])
	}
}

// use is an access of a cell.
type use struct {
	thread, step  int // of the steps as they run
	write, atomic bool
}

// race is the first step that could be strengthened to keep two threads from racing, -1 when none
// race.
func (p *program) race() int {
	c := make(clocks, p.threads)
	for t := range c {
		c[t] = make([]int, p.threads)
	}
	uses := map[[2]int][]use{}
	order := p.order()
	for now, i := range order {
		for t := range c {
			c[t][t] = now + 1
		}
		for _, u := range p.steps[i].uses(p.threads) {
			cell := u.cell
			for _, old := range uses[cell] {
				if old.thread != u.thread && (old.write || u.write) && !(old.atomic && u.atomic) && c[u.thread][old.thread] <= old.step {
					return order[now-1]
				}
			}
			uses[cell] = append(uses[cell], use{u.thread, now, u.write, u.atomic})
		}
		c.join(p.steps[i].after)
	}
	if p.hands.on && p.handsOverTooMuch(c, uses) {
		return order[len(order)-1]
	}
	return -1
}

// handsOverTooMuch says whether the last block reads what the thread that took the ticket did not
// know of.
func (p *program) handsOverTooMuch(c clocks, uses map[[2]int][]use) bool {
	h := p.hands
	if !h.fence || !h.between {
		return true
	}
	for cell, list := range uses {
		for _, u := range list {
			if !h.before && cell[0] == 2 && u.write && u.thread != 0 && c[0][u.thread] <= u.step {
				return true
			}
		}
	}
	return false
}

// cellUse is an access to a cell: array and index.
type cellUse struct {
	use
	cell [2]int
}

func (s *step) uses(n int) []cellUse {
	var list []cellUse
	for t := s.lo; t < s.hi && s.kind != shuffleStep; t++ {
		if s.kind == plainStep {
			list = append(list, cellUse{use{thread: t}, [2]int{s.read, (s.ra*t + s.rb) % n}})
		}
		list = append(list, cellUse{use{thread: t, write: true, atomic: s.kind == atomicStep}, [2]int{s.write, (s.wa*t + s.wb) % n}})
	}
	return list
}

// mutants are the program with one of what orders its threads left out, or weaker.
func (p *program) mutants() []*program {
	var list []*program
	add := func(change func(q *program)) {
		q := *p
		q.steps = slices.Clone(p.steps)
		change(&q)
		list = append(list, &q)
	}
	for i, s := range p.steps {
		for o := nothing; o < s.after; o++ {
			add(func(q *program) { q.steps[i].after = o })
		}
	}
	if p.hands.on {
		add(func(q *program) { q.hands.before = false })
		add(func(q *program) { q.hands.fence = false })
		add(func(q *program) { q.hands.between = false })
	}
	return list
}

// kernel is the program in Go.
func (p *program) kernel(name string) string {
	var s strings.Builder
	n := p.threads
	fmt.Fprintf(&s, "//gpu:kernel\n//gpu:nobounds\nfunc %s(g []%s, count []uint32, out []int64) {\n", name, p.elems[2])
	fmt.Fprintf(&s, "\ta0, a1 := gpu.Shared[[%d]%s](), gpu.Shared[[%d]%s]()\n", n, p.elems[0], n, p.elems[1])
	fmt.Fprintf(&s, "\tt := gpu.ThreadIdx.X\n\ta2 := g[%d*gpu.BlockIdx.X:]\n\tv := int64(t)\n", n)
	fmt.Fprintf(&s, "\ta0[t], a1[t], a2[t] = %s(v), %s(v), %s(v)\n\tgpu.SyncThreads()\n", p.elems[0], p.elems[1], p.elems[2])
	for i := range p.steps {
		if i == p.loop[0] {
			fmt.Fprintf(&s, "\tfor range %d {\n", p.loops)
		}
		p.statement(&s, i)
		if i+1 == p.loop[1] {
			fmt.Fprint(&s, "\t}\n")
		}
	}
	if p.hands.on {
		p.handOver(&s)
	}
	fmt.Fprintf(&s, "\tout[%d*gpu.BlockIdx.X+t] = v\n}\n", n)
	return s.String()
}

func (p *program) statement(s *strings.Builder, i int) {
	st, n := &p.steps[i], p.threads
	if st.kind == shuffleStep {
		fmt.Fprintf(s, "\tif w := gpu.ShflXorSync(0xffffffff, v, %[1]d); t^%[1]d < %[2]d {\n\t\tv += w\n\t}\n", 1+st.ra%31, n)
	} else {
		fmt.Fprintf(s, "\tif t >= %d && t < %d {\n", st.lo, st.hi)
		if st.kind == atomicStep {
			fmt.Fprintf(s, "\t\tgpu.AtomicAdd(&a%d[(%d*t+%d)%%%d], 1)\n", st.write, st.wa, st.wb, n)
		} else {
			fmt.Fprintf(s, "\t\tv += int64(a%d[(%d*t+%d)%%%d])\n", st.read, st.ra, st.rb, n)
			fmt.Fprintf(s, "\t\ta%d[(%d*t+%d)%%%d] = %s(v*131 + int64(t)*7 + %d)\n", st.write, st.wa, st.wb, n, p.elems[st.write], i)
		}
		fmt.Fprint(s, "\t}\n")
	}
	if st.after != nothing {
		fmt.Fprintf(s, "\t%s\n", orderings[st.after])
	}
}

// handOver has the last of two blocks read what the other one left in global memory.
func (p *program) handOver(s *strings.Builder) {
	line := func(on bool, text string) {
		if on {
			fmt.Fprintf(s, "\t%s\n", text)
		}
	}
	line(true, "last := gpu.Shared[bool]()")
	line(p.hands.before, "gpu.SyncThreads()")
	line(true, "if t == 0 {")
	line(p.hands.fence, "\tgpu.ThreadFence()")
	line(true, "\t*last = gpu.AtomicInc(&count[0], 1) == 1")
	line(true, "}")
	line(p.hands.between, "gpu.SyncThreads()")
	line(true, "if *last {")
	line(true, fmt.Sprintf("\tv += int64(g[%d*(1-gpu.BlockIdx.X)+t])", p.threads))
	line(true, "}")
}
