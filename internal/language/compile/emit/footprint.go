package emit

import (
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// footprint is what the kernel takes of a multiprocessor, as far as the compiler knows. live is the
// kernel's pressure.
func (e *emitter) footprint(live int) ptx.Footprint {
	p := ptx.Footprint{Live: live}
	for v := range usedVars(e.f) {
		if v.Space == ir.Shared && !v.Dynamic {
			p.Shared += int(v.Size)
		}
	}
	for _, d := range e.varDecls {
		if v, ok := d.(*ptx.Var); ok && v.Space == ptx.LocalSpace {
			size := v.Type.Bytes()
			for _, n := range v.Dims {
				size *= n
			}
			p.Local += size
		}
	}
	return p
}

// pressure is the largest number of registers of 32 bits whose values are needed at one point.
// Predicates have registers of their own. It follows liveness, and comes before assign, which
// changes the blocks.
func (e *emitter) pressure() int {
	most := 0
	for _, b := range e.f.Blocks {
		n := e.neededAfter(b)
		for i := len(b.Instrs) - 1; i >= 0; i-- {
			v := b.Instrs[i]
			if v.Op == ir.Phi || v.Op == ir.Extract || !e.needed[v.ID] {
				continue
			}
			most = max(most, n.words)
			n.drop(v)
			for _, lane := range e.lanes[v] {
				n.drop(lane)
			}
			for _, a := range e.operands(v) {
				n.add(a)
			}
			most = max(most, n.words)
		}
	}
	return most
}

// needs is what is needed at a point, as a walk back through a block finds it.
type needs struct {
	e      *emitter
	values map[int]bool // by value ID
	words  int
}

// neededAfter is what is needed at the end of a block, also by the phis of the next ones.
func (e *emitter) neededAfter(b *ir.Block) *needs {
	n := &needs{e: e, values: map[int]bool{}}
	for _, id := range e.live.liveOut[b.ID] {
		n.add(e.live.value[id])
	}
	for _, s := range b.Succs {
		for k, pred := range s.Preds {
			if pred != b {
				continue
			}
			for _, phi := range s.Phis() {
				for _, a := range e.registers(phi.Args[k]) {
					n.add(a)
				}
			}
		}
	}
	return n
}

func (n *needs) add(v *ir.Value) {
	if !n.values[v.ID] {
		n.values[v.ID] = true
		n.words += n.e.words(v)
	}
}

// drop takes out a value, which may be nil.
func (n *needs) drop(v *ir.Value) {
	if v != nil && n.values[v.ID] {
		delete(n.values, v.ID)
		n.words -= n.e.words(v)
	}
}

// words is how many registers of 32 bits a thread has for a value. An integer that is the same in all
// threads of a block is in a register of the warp, or is read from the parameters where it is used.
func (e *emitter) words(v *ir.Value) int {
	if v.ID < len(e.f.Alike) && e.f.Alike[v.ID] && v.Type.IsInt() {
		return 0
	}
	c := classOf(v)
	if c == predClass {
		return 0
	}
	return max(1, c.typ.Bytes()/4)
}
