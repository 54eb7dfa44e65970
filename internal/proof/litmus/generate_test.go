package litmus

// Programs are numbered. A number is read as digits of mixed radix, a digit for each choice, so
// that consecutive multiples of a large odd number spread over all shapes, placements and
// instructions.

// digits are the choices that a number makes.
type digits uint64

// pick chooses one of n.
func (d *digits) pick(n int) int {
	i := int(*d % digits(n))
	*d /= digits(n)
	return i
}

func (d *digits) of(list []instr) instr { return list[d.pick(len(list))] }

// stride takes the numbers of programs apart from each other: an odd number near 2^64 divided by
// the golden ratio.
const stride = 0x9E3779B97F4A7C15

// numbered is program i.
func numbered(i uint64) *program {
	d := digits(i * stride >> 4)
	shapes := []func(*digits) *program{message, message, both, chain, tickets, lock, idiom}
	p := shapes[d.pick(len(shapes))](&d)
	p.tidy()
	return p
}

// placements of two and of three threads: block, warp, lane.
var (
	pairs = [][][3]int{
		{{0, 0, 0}, {0, 0, 1}},
		{{0, 0, 0}, {0, 1, 0}},
		{{0, 0, 0}, {1, 0, 0}},
	}
	triples = [][][3]int{
		{{0, 0, 0}, {0, 0, 1}, {0, 0, 2}},
		{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}},
		{{0, 0, 0}, {0, 1, 0}, {0, 2, 0}},
		{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}},
		{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}},
		{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}},
		{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}},
	}
)

func placed(d *digits, where [][][3]int, code ...[]instr) *program {
	at := where[d.pick(len(where))]
	p := &program{space: "global"}
	for i, c := range code {
		p.threads = append(p.threads, thread{block: at[i][0], warp: at[i][1], lane: at[i][2], code: c})
	}
	if p.blocks() == 1 && d.pick(3) == 0 {
		p.space = "shared"
	}
	return p
}

var scopes = []scope{cta, gpu}

// nothing is no instruction. tidy takes it out.
var nothing = instr{kind: fence, order: weak}

var meetings = []instr{{kind: barrier}, {kind: warpSync}}

// data are accesses of a location that threads hand to each other.
func data(loc int) (list []instr) {
	list = append(list, st(loc, weak, gpu), st(loc, weak, gpu), ld(loc, weak, gpu), st(loc, volatile, gpu), ld(loc, volatile, gpu))
	for _, s := range scopes {
		list = append(list, st(loc, relaxed, s), ld(loc, relaxed, s), rmw(loc, relaxed, s))
	}
	return list
}

func fences() (list []instr) {
	for _, s := range scopes {
		list = append(list, fenceOf(acqRel, s), fenceOf(seqCst, s))
	}
	return list
}

var atomicOrders = []order{relaxed, acquire, release, acqRel}

// publishing are the instructions that say of a flag that it is set.
func publishing(loc int) (list []instr) {
	list = append(list, st(loc, weak, gpu), st(loc, volatile, gpu))
	for _, s := range scopes {
		list = append(list, st(loc, relaxed, s), st(loc, release, s))
		for _, o := range atomicOrders {
			list = append(list, rmw(loc, o, s),
				instr{kind: exch, loc: loc, order: o, scope: s, val: 1},
				instr{kind: cas, loc: loc, order: o, scope: s, val: 1})
		}
	}
	return list
}

// observing are the instructions that look whether a flag is set, and go on if it is.
func observing(loc int) (list []instr) {
	list = append(list, then(ld(loc, weak, gpu)), then(ld(loc, volatile, gpu)), until(ld(loc, volatile, gpu)))
	for _, s := range scopes {
		for _, o := range []order{relaxed, acquire} {
			list = append(list, then(ld(loc, o, s)), until(ld(loc, o, s)))
		}
		for _, o := range atomicOrders {
			list = append(list, then(rmw(loc, o, s)),
				then(instr{kind: exch, loc: loc, order: o, scope: s, val: 2}))
		}
	}
	return list
}

func perhaps(list []instr) []instr { return append([]instr{nothing, nothing}, list...) }

// message is data handed over by a flag, a barrier or nothing: up to three instructions a thread.
func message(d *digits) *program {
	return placed(d, pairs,
		[]instr{d.of(data(locX)), d.of(perhaps(append(fences(), meetings...))), d.of(publishing(locF))},
		[]instr{d.of(observing(locF)), d.of(perhaps(append(fences(), meetings...))), d.of(data(locX))})
}

// both is two threads that each do anything, three instructions each.
func both(d *digits) *program {
	any := append(append(append(data(locX), publishing(locF)...), observing(locF)...), append(fences(), meetings...)...)
	side := func() []instr { return []instr{d.of(any), d.of(any), d.of(any)} }
	return placed(d, pairs, side(), side())
}

// chain is data handed on by one thread to another.
func chain(d *digits) *program {
	return placed(d, triples,
		[]instr{d.of(data(locX)), d.of(publishing(locF))},
		[]instr{d.of(append(observing(locF), meetings...)), d.of(append(publishing(locG), meetings...))},
		[]instr{d.of(append(observing(locG), meetings...)), d.of(data(locX))})
}

// tickets is two or three threads that write and take a ticket. The last reads.
func tickets(d *digits) *program {
	n := 2 + d.pick(2)
	publish, look := d.of(perhaps(fences())), d.of(perhaps(fences()))
	o, s := atomicOrders[d.pick(len(atomicOrders))], scopes[d.pick(2)]
	var code [][]instr
	for i := range n {
		ticket := rmw(locF, o, s)
		ticket.use, ticket.want = branch, uint32(n-1)
		code = append(code, []instr{st([]int{locX, locY, locZ}[i], weak, gpu), publish, ticket, look, ld(locX, weak, gpu)})
	}
	if n == 2 {
		return placed(d, pairs, code...)
	}
	return placed(d, triples, code...)
}

// idiom is the code of libraries at the end of a block: a thread writes and fences, another of the
// block takes the ticket after a barrier, and a third thread sees it.
func idiom(d *digits) *program {
	block := pairs[d.pick(2)]
	p := &program{space: "global"}
	for i, code := range [][]instr{
		{d.of(data(locX)), d.of(perhaps(fences())), {kind: barrier}},
		{{kind: barrier}, d.of(publishing(locF))},
		{d.of(observing(locF)), d.of(perhaps(fences())), d.of(data(locX))},
	} {
		t := thread{code: code}
		if i < 2 {
			t.warp, t.lane = block[i][1], block[i][2]
		} else if d.pick(2) == 0 {
			t.block = 1
		} else {
			t.warp = 2
			t.code = append([]instr{{kind: barrier}}, code...)
		}
		p.threads = append(p.threads, t)
	}
	return p
}

// lock is two threads that take a lock, change data, and give it back.
func lock(d *digits) *program {
	take := instr{kind: cas, loc: locF, order: atomicOrders[d.pick(4)], scope: scopes[d.pick(2)], val: 1, use: []use{poll, branch}[d.pick(2)]}
	behind, before := d.of(perhaps(fences())), d.of(perhaps(fences()))
	give := d.of(append(publishing(locF)[:6:6], instr{kind: exch, loc: locF, order: atomicOrders[d.pick(4)], scope: scopes[d.pick(2)]}))
	give.val = 0
	code := []instr{take, behind, d.of(data(locX)), before, give}
	return placed(d, pairs, code, code)
}

// tidy makes a program one that ends: it leaves nothing out that was chosen to be nothing, no
// barrier that only some of its threads come to, and gives stores values that tell them apart.
func (p *program) tidy() {
	for i := range p.threads {
		t := &p.threads[i]
		var code []instr
		for _, in := range t.code {
			if in != nothing {
				code = append(code, in)
			}
		}
		t.code = code
	}
	for _, k := range []kind{barrier, warpSync} {
		p.evenOut(k)
	}
	next := uint32(10)
	for _, t := range p.threads {
		for j := range t.code {
			if in := &t.code[j]; in.kind == store && in.loc <= locZ {
				in.val = next
				next++
			}
		}
	}
}

// evenOut takes barriers away that not all threads they are for come to.
func (p *program) evenOut(k kind) {
	for i := range p.threads {
		for j := range p.threads[i].code {
			if p.threads[i].code[j].kind == k && !p.shared(i, j, k) {
				p.threads[i].code[j] = fenceOf(acqRel, cta)
			}
		}
	}
}

// shared reports that the barrier at j of thread i, the only one there, has one like it in every
// thread that it is for, with no branch before any of them.
func (p *program) shared(i, j int, k kind) bool {
	own := p.threads[i]
	others := 0
	for _, t := range p.threads {
		if t.block != own.block || k == warpSync && t.warp != own.warp {
			continue
		}
		n, branched := 0, false
		for _, in := range t.code {
			if in.kind == k {
				n++
				branched = branched || n == 1 && in.use != ignore
			}
			if in.use != ignore && n == 0 {
				branched = true
			}
		}
		if n != 1 || branched {
			return false
		}
		others++
	}
	return others > 1
}
