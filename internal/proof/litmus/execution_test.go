package litmus

// event is something that happens in an execution: an instruction that ran, or the initial write of
// a location.
type event struct {
	instr
	thread int // -1 for an initial write
	wrote  bool
	number int // of a barrier among its thread's barriers
}

// writes reports that the event wrote memory.
func (e event) writes() bool { return e.wrote }

// path is one way of a thread through its code: which branches were taken, which compare-and-swaps
// succeeded.
type path struct {
	events []event
	// value is what each event must read for the thread to come this way: -1 for anything, -2 for
	// anything but 0, -3-v for anything but v.
	value []int
}

// paths are all ways of thread number i.
func (p program) paths(i int) []path {
	var list []path
	var extend func(at int, so path, barriers int)
	extend = func(at int, so path, barriers int) {
		if at == len(p.threads[i].code) {
			list = append(list, so)
			return
		}
		in := p.threads[i].code[at]
		add := func(want int, wrote, goesOn bool) {
			e := event{instr: in, thread: i, wrote: wrote, number: barriers}
			next := path{append(so.events[:len(so.events):len(so.events)], e), append(so.value[:len(so.value):len(so.value)], want)}
			n := barriers
			if in.kind == barrier || in.kind == warpSync {
				n++
			}
			if goesOn {
				extend(at+1, next, n)
			} else {
				list = append(list, next)
			}
		}
		switch {
		case in.kind == cas: // it succeeds, or not; its use wants success
			add(0, true, true)
			if in.use != poll {
				add(-2, false, in.use != branch)
			}
		case in.use == poll:
			add(-2, in.kind != load, true)
		case in.use == branch:
			add(int(in.want), in.kind != load, true)
			add(-3-int(in.want), in.kind != load, false)
		default:
			add(-1, in.kind == store || in.atomic(), true)
		}
	}
	extend(0, path{}, 0)
	return list
}

// execution is one candidate of what a program may do.
type execution struct {
	p      *program
	events []event
	n      int
	want   []int // as in path
	from   []int // the write that each read reads, -1 for others
	value  []uint32

	po, ms relation // program order, morally strong
}

// each calls f with every execution in which values agree with what is read and nothing comes out
// of thin air, until it returns false. The orders of the model are f's to find.
func (p *program) each(f func(x *execution) bool) {
	ways := make([][]path, len(p.threads))
	for i := range p.threads {
		ways[i] = p.paths(i)
	}
	chosen := make([]int, len(ways))
	for {
		if !p.eachOf(ways, chosen, f) {
			return
		}
		i := 0
		for ; i < len(chosen); i++ {
			if chosen[i]++; chosen[i] < len(ways[i]) {
				break
			}
			chosen[i] = 0
		}
		if i == len(chosen) {
			return
		}
	}
}

// eachOf is each for one way of every thread.
func (p *program) eachOf(ways [][]path, chosen []int, f func(x *execution) bool) bool {
	x := &execution{p: p}
	for loc := range locations {
		x.events = append(x.events, event{instr: instr{kind: store, loc: loc}, thread: -1, wrote: true})
		x.want = append(x.want, -1)
	}
	for i, w := range ways {
		x.events = append(x.events, w[chosen[i]].events...)
		x.want = append(x.want, w[chosen[i]].value...)
	}
	x.n = len(x.events)
	x.from, x.value = make([]int, x.n), make([]uint32, x.n)
	x.findProgramOrder()
	x.findMorallyStrong()
	return x.read(0, f)
}

func (x *execution) findProgramOrder() {
	for a := range x.n {
		for b := a + 1; b < x.n; b++ {
			if x.events[a].thread >= 0 && x.events[a].thread == x.events[b].thread {
				x.po.set(a, b)
			}
		}
	}
}

// findMorallyStrong relates operations that the model lets synchronise and take turns: of one
// thread, or both strong and each of a scope that has the other's thread; and where both access
// memory, the same.
func (x *execution) findMorallyStrong() {
	for a := range x.n {
		for b := range x.n {
			if a != b && x.together(a, b) {
				x.ms.set(a, b)
			}
		}
	}
}

func (x *execution) together(a, b int) bool {
	e, f := &x.events[a], &x.events[b]
	if e.thread < 0 || f.thread < 0 || e.memory() && f.memory() && e.loc != f.loc {
		return false
	}
	if e.thread == f.thread {
		return true
	}
	return e.strong() && f.strong() && x.includes(e, f) && x.includes(f, e)
}

// includes reports that e's scope has f's thread.
func (x *execution) includes(e, f *event) bool {
	return e.order == volatile || e.scope == gpu || x.p.threads[e.thread].block == x.p.threads[f.thread].block
}

// read chooses a write for every read from event i on.
func (x *execution) read(i int, f func(x *execution) bool) bool {
	if i == x.n {
		return !x.valued() || !x.grounded() || f(x)
	}
	x.from[i] = -1
	e := &x.events[i]
	if e.thread < 0 || !e.reads() {
		return x.read(i+1, f)
	}
	for w := range x.n {
		if w != i && x.events[w].writes() && x.events[w].loc == e.loc && !x.po.has(i, w) {
			x.from[i] = w
			if !x.read(i+1, f) {
				return false
			}
		}
	}
	return true
}

// valued computes the values read and written, and reports whether the threads' ways need these.
func (x *execution) valued() bool {
	for i := range x.n {
		v, ok := x.valueRead(i, 0)
		if !ok {
			return false
		}
		switch want := x.want[i]; {
		case want >= 0 && v != uint32(want), want == -2 && v == 0, want <= -3 && v == uint32(-3-want):
			return false
		}
		x.value[i] = v
	}
	return true
}

// valueRead is the value that event i reads, or false if atomics read from each other in a circle.
func (x *execution) valueRead(i, depth int) (uint32, bool) {
	if x.from[i] < 0 {
		return 0, true
	}
	if depth > x.n {
		return 0, false
	}
	w := x.from[i]
	e := &x.events[w]
	if e.thread < 0 {
		return 0, true
	}
	if e.kind != add {
		return e.val, true
	}
	v, ok := x.valueRead(w, depth+1)
	return v + 1, ok
}

// grounded reports that no value depends on itself: a thread's actions after a branch depend on the
// value read there.
func (x *execution) grounded() bool {
	var r relation
	for i := range x.n {
		if x.from[i] >= 0 {
			r.set(x.from[i], i)
		}
		if x.events[i].use == ignore {
			continue
		}
		for j := range x.n {
			if x.po.has(i, j) {
				r.set(i, j)
			}
		}
	}
	return !r.cyclic(x.n)
}
