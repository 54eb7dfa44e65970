package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// maxRotate is how many instructions of a loop's test are copied in front of it.
const maxRotate = 12

// Rotate moves the test of a while loop after its body and puts a copy of it before the loop (loop
// inversion: Muchnick 18.5). Then an iteration has one branch instead of two. The first
// instructions of the body certainly run once the loop is entered, so they can be hoisted. Only
// pure instructions are copied.
//
// Local variables carry what the test computed to its users, and Registers makes phis of them.
func Rotate(f *ir.Func) {
	loops := f.Loops(f.Dominators())
	done := false
	users := newBlockUsers(f)
	for _, l := range loops.All {
		if exit := rotatable(loops, l); exit >= 0 {
			rotate(f, loops, l, users)
			done = true
		}
	}
	if !done {
		return
	}
	Registers(f)
	Fold(f)
	DeadCode(f)
	SimplifyCFG(f)
}

// rotatable is the successor by which the header's test leaves the loop. It is -1 where the loop
// stays as it is.
func rotatable(loops *ir.Loops, l *ir.Loop) int {
	h := l.Header
	if h.Term().Op != ir.Branch || slices.Contains(l.Latches, h) {
		return -1
	}
	in := [2]bool{loops.Contains(l, h.Succs[0]), loops.Contains(l, h.Succs[1])}
	if in[0] == in[1] {
		return -1
	}
	for _, latch := range l.Latches {
		for _, s := range latch.Succs {
			if !loops.Contains(l, s) {
				return -1 // its test is at the end already
			}
		}
	}
	phis := len(h.Phis())
	if len(h.Instrs)-phis > maxRotate {
		return -1
	}
	for _, v := range h.Instrs[phis : len(h.Instrs)-1] {
		if !v.Op.Pure() {
			return -1
		}
	}
	if in[0] {
		return 1
	}
	return 0
}

// rotate copies the header into the block before the loop, which then branches as the header does.
func rotate(f *ir.Func, loops *ir.Loops, l *ir.Loop, users *blockUsers) {
	h := l.Header
	pre, made := preheader(f, loops, l)
	if made {
		users.add(pre)
	}
	at := slices.Index(h.Preds, pre)
	values := map[*ir.Value]*ir.Value{}
	phis := slices.Clone(h.Phis())
	for _, phi := range phis {
		values[phi] = phi.Args[at]
	}
	term := pre.Term()
	pre.Instrs = pre.Instrs[:len(pre.Instrs)-1]
	for _, v := range h.Instrs[len(phis):] {
		w := f.NewValue(v.Op, v.Type)
		id := w.ID
		*w = *v
		w.ID, w.Args = id, slices.Clone(v.Args)
		for i, a := range w.Args {
			w.Args[i] = get(values, a)
		}
		values[v] = w
		pre.Append(w)
	}
	term.Block = nil
	pre.RemoveEdge(0) // with the phi arguments from pre
	for k, s := range h.Succs {
		from := h.PredIndex(k)
		ir.AddEdge(pre, s)
		for _, phi := range s.Phis() {
			phi.Args = append(phi.Args, get(values, phi.Args[from]))
		}
	}
	users.addWithNext(pre)
	carryTest(f, h, pre, values, users)
	users.add(pre)
}

// carryTest puts each value of the header that is used elsewhere into a local variable, written by
// the header and by its copy.
func carryTest(f *ir.Func, h, pre *ir.Block, values map[*ir.Value]*ir.Value, users *blockUsers) {
	copied := map[*ir.Value]bool{}
	for _, w := range pre.Instrs {
		copied[w] = true
	}
	c := newCarrier(f)
	for _, b := range users.of([]*ir.Block{h}) {
		if b != h {
			c.readAll(b, func(a *ir.Value) bool { return a.Block == h }, func(p *ir.Block) bool { return p == h })
		}
	}
	for _, v := range h.Phis() { // an argument from a latch that is a value of the header of the round before
		for i, a := range v.Args {
			if a.Block == h && h.Preds[i] != h {
				p := h.Preds[i]
				v.Args[i] = c.read(a, p, len(p.Instrs)-1)
			}
		}
	}
	for _, a := range c.carried {
		c.write(a, a, h)
		c.write(a, values[a], pre)
	}
}
