package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Limits of unrolling, in instructions of the copies together. A loop that indexes a local array is
// worth more: the array becomes registers. One that shuffles, votes or has barriers is worth less:
// it waits for that all the same. A loop with barriers is mostly a tree in shared memory, whose
// distances, masks and checks become constants.
const (
	maxUnrollTrips  = 1024
	maxUnrollArray  = 16384
	maxUnrollPlain  = 1024
	maxUnrollWarp   = 160
	maxUnrollSteps  = 400 // with barriers
	maxPlainTrips   = 64
	maxUnrollRounds = 8
)

// Unroll replaces a loop that runs a constant number of times by that many copies of its body,
// where
//
//   - the loop indexes a local array by a value that varies in the loop: with constant indices the
//     array becomes registers (such as register tiles of a matrix product), or
//   - it is small and has no loop inside: addresses become constant offsets, and distances of
//     shuffles constants, or
//   - it is small with all iterations of the loops inside, whose number its counter decides, as in a
//     sorting network: with a constant counter they are loops of the second kind.
//
// Inner loops go first. A copy runs once, under the condition of the iteration it replaces, so a
// convergent operation in a copy still meets the same threads. A loop of the second kind stays all
// the same if it has a convergent operation other than a shuffle, a vote, or a barrier that each
// round passes.
//
// Local memory carries a value of the loop that is used after it. Registers then turns the memory
// into phis. That mends SSA form without a special case for loops with several exits.
func Unroll(f *ir.Func) {
	for range maxUnrollRounds {
		dom := f.Dominators()
		loops := f.Loops(dom)
		remarks := newRemarker(f, loops)
		var todo []*unrolling
		around := map[*ir.Loop]bool{} // the loops with one to be unrolled inside
		for _, l := range loops.All {
			if around[l] {
				continue
			}
			u, o := plan(loops, l, dom)
			u.remark(remarks, o)
			if !u.fits {
				continue
			}
			todo = append(todo, u)
			for p := l.Parent; p != nil && !around[p]; p = p.Parent {
				around[p] = true
			}
		}
		if len(todo) == 0 {
			return
		}
		users := newBlockUsers(f)
		for _, u := range todo {
			carryOut(f, u.loop, nil, users)
		}
		for _, u := range todo {
			u.copy(f)
		}
		foldBranches(f)
		ir.RemoveUnreachable(f)
		trivialPhis(f)
		Fold(f)
		SimplifyCFG(f)
		Registers(f)
		Fold(f)
		DeadCode(f)
	}
}

// unrolling is one loop to be unrolled.
type unrolling struct {
	loop  *ir.Loop
	trips int  // how often the header runs
	test  test // the exit that counts
	array bool // it indexes a local array
	fits  bool // nothing stands in the way
}

// remark reports what becomes of the loop. A loop that runs another number of times than is known is
// for UnrollCounted to report.
func (u *unrolling) remark(remarks *remarker, o obstacle) {
	if remarks == nil {
		return
	}
	subject := loopUnrolled
	if u.array || o.why == becauseUnknown && indexesLocal(u.loop) {
		subject = arrayUnrolled
	}
	switch {
	case u.fits && u.array:
		remarks.did(u.loop, subject, nil, arrayDetail, u.iterations())
	case u.fits && hasBarrier(u.loop):
		remarks.did(u.loop, subject, nil, stepsDetail, u.iterations())
	case u.fits:
		remarks.did(u.loop, subject, nil, wholeDetail, u.iterations())
	case subject == arrayUnrolled || o.why != becauseUnknown:
		remarks.missed(u.loop, subject, nil, o)
	}
}

// iterations is how often the body runs: once less than the header, if that tests first.
func (u *unrolling) iterations() int {
	if u.test.block == u.loop.Header && u.test.block != u.loop.Latches[0] {
		return u.trips - 1
	}
	return u.trips
}

// test is a branch that leaves a loop or stays in it, by a comparison of a counter with a constant.
type test struct {
	block *ir.Block
	exit  int // which successor leaves the loop
	phi   *ir.Value
	cmp   *ir.Value
}

// plan decides whether to unroll l, or says why not.
func plan(loops *ir.Loops, l *ir.Loop, dom *ir.Dom) (*unrolling, obstacle) {
	u := &unrolling{loop: l}
	found := false
	for _, b := range l.Blocks {
		if len(l.Latches) != 1 || loops.Of(b) != l || !dom.Dominates(b, l.Latches[0]) {
			continue
		}
		if t, n, ok := countTrips(loops, l, b); ok && (!found || n < u.trips) {
			u.test, u.trips, found = t, n, true
		}
	}
	if !found {
		return u, obstacle{why: becauseUnknown}
	}
	size, convergent := loopSize(l)
	most, barrier := maxUnrollPlain, hasBarrier(l)
	switch {
	case barrier:
		most = maxUnrollSteps
	case convergent:
		most = maxUnrollWarp
	}
	u.array = indexesLocal(l)
	var o obstacle
	switch total := size * u.trips; {
	case u.array && total <= maxUnrollArray:
	case u.array && total > most:
		o = obstacle{becauseLargeWhole, [2]int{total, maxUnrollArray}, nil}
	case total > most:
		o = obstacle{becauseLargeWhole, [2]int{total, most}, nil}
	case u.trips > maxPlainTrips:
		o = obstacle{becauseOften, [2]int{u.trips, maxPlainTrips}, nil}
	case len(l.Children) > 0 && (barrier || !u.decidesInner(loops, dom)):
		o = obstacle{why: becauseLoopInside}
	case barrier && accessesBothWays(loops, l):
		o = obstacle{why: becauseBothWays}
	default:
		o = apart(l, dom)
	}
	u.fits = !o.blocks()
	return u, o
}

// loopSize counts the instructions of a loop.
func loopSize(l *ir.Loop) (size int, convergent bool) {
	for _, b := range l.Blocks {
		for _, v := range b.Instrs {
			if v.Op != ir.Phi && v.Op != ir.Const {
				size++
			}
			convergent = convergent || together(v)
		}
	}
	return size, convergent
}

// hasBarrier reports whether a loop has a barrier of the block.
func hasBarrier(l *ir.Loop) bool {
	return slices.ContainsFunc(l.Blocks, func(b *ir.Block) bool {
		return slices.ContainsFunc(b.Instrs, func(v *ir.Value) bool { return v.Op == ir.Barrier })
	})
}

// accessesBothWays reports whether a branch in a loop chooses between two blocks that both access
// memory. NVIDIA's assembler gives such blocks predicates where they follow each other without a
// loop, and then each warp issues the accesses of both. A scan took 1.03 times as long.
func accessesBothWays(loops *ir.Loops, l *ir.Loop) bool {
	accesses := func(b *ir.Block) bool {
		return loops.Contains(l, b) && len(b.Preds) == 1 && slices.ContainsFunc(b.Instrs, (*ir.Value).Accesses)
	}
	return slices.ContainsFunc(l.Blocks, func(b *ir.Block) bool {
		return len(b.Succs) == 2 && accesses(b.Succs[0]) && accesses(b.Succs[1])
	})
}

// apart is the obstacle that keeps a loop with convergent operations from being copied: an operation
// other than a shuffle, a vote, or a barrier that all threads in the loop pass in each round.
func apart(l *ir.Loop, dom *ir.Dom) obstacle {
	exits := exitsOf(l)
	for _, b := range l.Blocks {
		for _, v := range b.Instrs {
			switch {
			case !together(v) || v.Op == ir.Shfl || v.Op == ir.Vote:
			case v.Op != ir.Barrier:
				return convergent(v)
			case exits > 1 || !dom.Dominates(b, l.Latches[0]):
				return obstacle{why: becauseBarrier, at: v}
			}
		}
	}
	return obstacle{}
}

// togetherIn is the obstacle that the first operation of a loop is which threads execute together.
func togetherIn(l *ir.Loop) obstacle {
	for _, b := range l.Blocks {
		if i := slices.IndexFunc(b.Instrs, together); i >= 0 {
			return convergent(b.Instrs[i])
		}
	}
	return obstacle{}
}

// convergent is the obstacle that v is, which threads execute together.
func convergent(v *ir.Value) obstacle {
	if v.Op == ir.Barrier {
		return obstacle{why: becauseBarrierInside, at: v}
	}
	return obstacle{why: becauseConvergent, at: v}
}

// together reports whether threads execute v together. A thread copies asynchronously by itself.
func together(v *ir.Value) bool {
	return v.Op.Convergent() && (v.Op != ir.Machine || ir.MachineFormOf(v.Sub).Together())
}

// countTrips finds out how often the header runs before the branch at the end of b leaves the loop:
// by running its counter.
func countTrips(loops *ir.Loops, l *ir.Loop, b *ir.Block) (test, int, bool) {
	return countTripsFrom(loops, l, b, (*ir.Value).IsConst)
}

// countTripsFrom is countTrips where number says what the counter's first value and limit are.
func countTripsFrom(loops *ir.Loops, l *ir.Loop, b *ir.Block, number func(*ir.Value) (uint64, bool)) (test, int, bool) {
	t := test{block: b, exit: -1}
	term := b.Term()
	if term.Op != ir.Branch || term.Args[0].Op != ir.Cmp {
		return t, 0, false
	}
	for i, s := range b.Succs {
		if !loops.Contains(l, s) {
			if t.exit >= 0 {
				return t, 0, false
			}
			t.exit = i
		}
	}
	t.cmp = term.Args[0]
	counter, ok := fromPhi(t.cmp.Args[0], l.Header)
	limit, isConst := number(t.cmp.Args[1])
	if t.exit < 0 || !ok || !isConst {
		return t, 0, false
	}
	t.phi = counter.phi
	pre, latch := -1, -1
	for i, p := range l.Header.Preds {
		if loops.Contains(l, p) {
			latch = i
		} else if pre < 0 {
			pre = i
		} else if t.phi.Args[i] != t.phi.Args[pre] {
			return t, 0, false
		}
	}
	x, ok := number(t.phi.Args[pre])
	step, ok2 := fromPhi(t.phi.Args[latch], l.Header)
	if !ok || !ok2 || step.phi != t.phi || t.cmp.Args[0].Type != t.phi.Type {
		return t, 0, false
	}
	for n := 1; n <= maxUnrollTrips; n++ {
		c, ok := counter.at(x)
		if !ok {
			return t, 0, false
		}
		if holds, _ := ir.EvalCmp(t.cmp.Sub, t.phi.Type, c, limit); (holds != 0) == (t.exit == 0) {
			return t, n, true
		}
		if x, ok = step.at(x); !ok {
			return t, 0, false
		}
	}
	return t, 0, false
}

func wrap(t ir.Type, x int64) uint64 {
	if t == ir.I32 {
		return uint64(uint32(x))
	}
	return uint64(x)
}

// phiThen is an integer phi of a loop's header and what is computed from it with constants: i+1,
// i/2 of a loop that halves.
type phiThen struct {
	phi *ir.Value
	ops []*ir.Value // the last one first
}

// maxOps bounds the operations of a phiThen.
const maxOps = 4

// fromPhi sees v as a phi of the header and operations on it.
func fromPhi(v *ir.Value, header *ir.Block) (phiThen, bool) {
	var p phiThen
	for len(p.ops) < maxOps && v.Op != ir.Phi && v.Op.Pure() && v.Type.IsInt() && len(v.Args) == 2 &&
		v.Args[0].Type == v.Type && v.Args[1].Op == ir.Const {
		p.ops = append(p.ops, v)
		v = v.Args[0]
	}
	p.phi = v
	return p, v.Op == ir.Phi && v.Block == header && v.Type.IsInt()
}

// at computes the value where the phi is x.
func (p phiThen) at(x uint64) (uint64, bool) {
	for _, v := range slices.Backward(p.ops) {
		c, _ := v.Args[1].IsConst()
		var ok bool
		if x, ok = ir.Eval(v, []uint64{x, c}); !ok {
			return 0, false
		}
	}
	return x, true
}

// phiPlus is a phi plus a constant.
type phiPlus struct {
	phi *ir.Value
	add int64
}

// affine sees v as an integer phi of the header plus a constant.
func affine(v *ir.Value, header *ir.Block) (phiPlus, bool) {
	add := int64(0)
	for v.Op == ir.Add && v.Args[1].Op == ir.Const {
		c, _ := v.Args[1].IntConst()
		add += c
		v = v.Args[0]
	}
	return phiPlus{v, add}, v.Op == ir.Phi && v.Block == header && v.Type.IsInt()
}

// indexesLocal reports whether the address of an access to an Alloca varies in the loop.
func indexesLocal(l *ir.Loop) bool {
	varies := map[*ir.Value]bool{}
	for _, phi := range l.Header.Phis() {
		varies[phi] = phi.Type.IsInt()
	}
	for _, b := range l.Blocks {
		for _, v := range b.Instrs {
			if !v.Op.Pure() || v.Op == ir.Phi && !v.Type.IsInt() {
				continue
			}
			for _, a := range v.Args { // of the phi of a loop inside, what it begins with
				if varies[a] {
					varies[v] = true
				}
			}
			if v.Op == ir.PtrAdd && varies[v.Args[1]] && addressRoot(v).Op == ir.Alloca {
				return true
			}
		}
	}
	return false
}

// copy makes trips-1 copies of the loop and chains them after the original, which is the first
// iteration. In each the test is decided. The last one's back edge is then never taken: it leads to
// the last header until it is swept up.
func (u *unrolling) copy(f *ir.Func) {
	header, latch := u.loop.Header, u.loop.Latches[0]
	back := slices.Index(latch.Succs, header)
	t := newTemplate(u.loop)
	phis := slices.Clone(header.Phis())
	next := make([]*ir.Value, len(phis)) // the header's phis in the next iteration, in terms of the original
	for i, phi := range phis {
		next[i] = phi.Args[latch.PredIndex(back)]
	}
	values := map[*ir.Value]*ir.Value{} // the original's values in the latest copy
	lastLatch := latch
	tests := []*ir.Block{u.test.block}
	var made []*ir.Block
	for range u.trips - 1 {
		start := map[*ir.Value]*ir.Value{}
		for i, phi := range phis {
			start[phi] = get(values, next[i])
		}
		values = start
		blocks := t.copy(f, values)
		first := blocks[header]
		lastLatch.RedirectEdge(back, first, nil)
		lastLatch = blocks[latch]
		lastLatch.Succs[back] = first
		first.Preds = append(first.Preds, lastLatch)
		tests = append(tests, blocks[u.test.block])
		for _, b := range t.blocks {
			made = append(made, blocks[b])
		}
	}
	at := slices.Index(f.Blocks, t.blocks[len(t.blocks)-1]) + 1
	f.Blocks = slices.Insert(f.Blocks[:len(f.Blocks)-len(made)], at, made...)
	for i, b := range tests {
		leave := u.test.exit
		if i < len(tests)-1 {
			leave = 1 - leave
		}
		c := f.NewValue(ir.Const, ir.Bool)
		c.Int = b2i(leave == 0)
		f.Entry().Insert(0, c)
		b.Term().Args[0] = c
	}
}
