package litmus

// orders are the relations of one execution that the model names.
type orders struct {
	*execution
	observed relation // observation order
	fenceSC  relation
	base     relation // base causality order
	cause    relation // causality order
	co       relation // coherence order
}

// consistent calls f with every choice of orders under which the execution satisfies the model's
// axioms, until it returns false.
func (x *execution) consistent(f func(o *orders) bool) bool {
	o := &orders{execution: x}
	o.observe()
	sync := o.synchronized()
	pairs := x.pairs(func(a, b int) bool {
		return x.events[a].order == seqCst && x.events[b].order == seqCst && x.ms.has(a, b)
	})
	return choose(pairs, &relation{}, func(fenceSC *relation) bool {
		if fenceSC.cyclic(x.n) {
			return true
		}
		o.fenceSC = *fenceSC
		o.findCausality(sync)
		if !o.fencesAgree() {
			return true
		}
		return o.cohere(f)
	})
}

// pairs are the unordered pairs of events with a property.
func (x *execution) pairs(has func(a, b int) bool) (list [][2]int) {
	for a := range x.n {
		for b := a + 1; b < x.n; b++ {
			if has(a, b) {
				list = append(list, [2]int{a, b})
			}
		}
	}
	return list
}

// choose calls f with r and a direction for each pair.
func choose(pairs [][2]int, r *relation, f func(*relation) bool) bool {
	if len(pairs) == 0 {
		return f(r)
	}
	a, b := pairs[0][0], pairs[0][1]
	forward, back := *r, *r
	forward.set(a, b)
	back.set(b, a)
	return choose(pairs[1:], &forward, f) && choose(pairs[1:], &back, f)
}

// observe finds observation order: from a write to the reads that are morally strong with it and
// read it, and on through atomics.
func (o *orders) observe() {
	for r, w := range o.from {
		if w >= 0 && o.ms.has(w, r) {
			o.observed.set(w, r)
		}
	}
	var through relation
	for i, e := range o.events {
		if e.atomic() && e.writes() {
			through[i] = o.observed[i]
		}
	}
	for range o.n {
		o.observed = o.observed.or(ptr(o.observed.compose(&through, o.n)))
	}
}

func ptr[T any](v T) *T { return &v }

// synchronized relates operations that synchronise, except fences by Fence-SC order: the first of a
// release pattern with the last of an acquire pattern that observes it, and barriers.
func (o *orders) synchronized() (sync relation) {
	for w := range o.n {
		for _, first := range o.releasing(w) {
			for r := range o.n {
				if !o.observed.has(w, r) {
					continue
				}
				for _, last := range o.acquiring(r) {
					if o.ms.has(first, last) {
						sync.set(first, last)
					}
				}
			}
		}
	}
	for a := range o.n {
		for b := range o.n {
			if a != b && o.meet(&o.events[a], &o.events[b]) {
				sync.set(a, b)
			}
		}
	}
	return sync
}

// meet reports that two barriers are one in which two threads take part.
func (o *orders) meet(e, f *event) bool {
	if e.thread < 0 || f.thread < 0 || e.kind != f.kind || e.number != f.number {
		return false
	}
	s, t := o.p.threads[e.thread], o.p.threads[f.thread]
	switch e.kind {
	case barrier:
		return s.block == t.block
	case warpSync:
		return s.block == t.block && s.warp == t.warp
	}
	return false
}

// releasing are the first operations of the release patterns whose write is w.
func (o *orders) releasing(w int) (list []int) {
	e := &o.events[w]
	if e.thread < 0 || !e.writes() || !e.strong() {
		return nil
	}
	if e.releases() {
		list = append(list, w)
	}
	for a := range o.n {
		before := &o.events[a]
		if o.po.has(a, w) && (before.kind == fence || before.releases() && before.writes() && before.loc == e.loc) {
			list = append(list, a)
		}
	}
	return list
}

// acquiring are the last operations of the acquire patterns whose read is r.
func (o *orders) acquiring(r int) (list []int) {
	e := &o.events[r]
	if !e.strong() {
		return nil
	}
	if e.acquires() {
		list = append(list, r)
	}
	for b := range o.n {
		behind := &o.events[b]
		if o.po.has(r, b) && (behind.kind == fence || behind.acquires() && behind.loc == e.loc) {
			list = append(list, b)
		}
	}
	return list
}

// findCausality finds base causality order and causality order. The initial writes precede all.
func (o *orders) findCausality(sync relation) {
	o.base = o.po.or(&sync)
	o.base = o.base.or(&o.fenceSC)
	for i := range locations {
		for j := locations; j < o.n; j++ {
			o.base.set(i, j)
		}
	}
	o.base.close(o.n)
	o.cause = o.base.or(ptr(o.observed.compose(&o.base, o.n)))
}

// fencesAgree is the axiom Fence-SC: its order does not contradict causality.
func (o *orders) fencesAgree() bool {
	for a := range o.n {
		for b := range o.n {
			if o.fenceSC.has(a, b) && o.cause.has(b, a) {
				return false
			}
		}
	}
	return true
}

// cohere tries the coherence orders. Overlapping writes are in it when causality orders them, which
// is the axiom Coherence, or when they are morally strong.
func (o *orders) cohere(f func(o *orders) bool) bool {
	var forced relation
	for a, e := range o.events {
		for b, g := range o.events {
			if a == b || !e.writes() || !g.writes() || e.loc != g.loc {
				continue
			}
			if o.cause.has(a, b) {
				if o.cause.has(b, a) {
					return true
				}
				forced.set(a, b)
			}
		}
	}
	open := o.pairs(func(a, b int) bool {
		e, g := &o.events[a], &o.events[b]
		return e.writes() && g.writes() && e.loc == g.loc && o.ms.has(a, b) && !forced.has(a, b) && !forced.has(b, a)
	})
	return choose(open, &forced, func(co *relation) bool {
		o.co = *co
		o.co.close(o.n)
		for i := range o.n {
			if o.co.has(i, i) {
				return true
			}
		}
		if !o.atomic() || !o.sequentialPerLocation() || !o.causal() {
			return true
		}
		return f(o)
	})
}

// atomic is the axiom Atomicity of read-modify-writes: no morally strong write comes between.
func (o *orders) atomic() bool {
	for a, e := range o.events {
		if !e.atomic() || !e.writes() {
			continue
		}
		for w, g := range o.events {
			if w != a && g.writes() && g.loc == e.loc && o.ms.has(a, w) && o.co.has(o.from[a], w) && o.co.has(w, a) {
				return false
			}
		}
	}
	return true
}

// communicates is communication order: which write a read reads, coherence, and from a read to the
// writes after the one it reads.
func (o *orders) communicates() (rf, fr relation) {
	for r, w := range o.from {
		if w < 0 {
			continue
		}
		rf.set(w, r)
		fr[r] = o.co[w] &^ (1 << r)
	}
	return rf, fr
}

// sequentialPerLocation is the axiom Sequential Consistency per Location, for operations that are
// morally strong with each other.
func (o *orders) sequentialPerLocation() bool {
	rf, fr := o.communicates()
	r := rf.or(&fr)
	r = r.or(&o.co)
	for a := range o.n {
		r[a] &= o.ms[a]
		for b := range o.n {
			if o.po.has(a, b) && o.events[a].memory() && o.events[b].memory() && o.events[a].loc == o.events[b].loc {
				r.set(a, b)
			}
		}
	}
	return !r.cyclic(o.n)
}

// causal is the axiom Causality: communication does not contradict causality order.
func (o *orders) causal() bool {
	rf, fr := o.communicates()
	both := rf.or(&fr)
	for a := range o.n {
		for b := range o.n {
			if both.has(a, b) && o.cause.has(b, a) {
				return false
			}
		}
	}
	return true
}

// race finds two operations that conflict and that neither causality nor their being morally strong
// keeps apart. A volatile access counts as a weak one here: no language that has threads promises
// anything of it.
func (o *orders) race() (a, b int, found bool) {
	for a, e := range o.events {
		for b := a + 1; b < o.n; b++ {
			g := &o.events[b]
			if e.thread < 0 || e.thread == g.thread || !e.memory() || !g.memory() || e.loc != g.loc || !e.writes() && !g.writes() {
				continue
			}
			apart := o.ms.has(a, b) && e.order != volatile && g.order != volatile
			if !apart && !o.cause.has(a, b) && !o.cause.has(b, a) {
				return a, b, true
			}
		}
	}
	return 0, 0, false
}

// racy reports that some consistent execution of the program has a data race.
func (p *program) racy() bool {
	found := false
	p.each(func(x *execution) bool {
		return x.consistent(func(o *orders) bool {
			_, _, found = o.race()
			return !found
		})
	})
	return found
}
