package pass

import (
	"encoding/binary"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// GVN replaces a pure instruction by an equal one that dominates it: global value numbering by a
// walk of the dominator tree with a scoped table (Briggs, Cooper and Simpson, "Value Numbering",
// 1997). Instructions without arguments (parameters, special registers, addresses of variables) are
// first moved to the entry block, so that they are equal everywhere.
func GVN(f *ir.Func) {
	hoistLeaves(f)
	g := &gvn{rep: ir.NewReplacer(f), table: map[valueKey]*ir.Value{}, phis: map[string]*ir.Value{},
		dom: f.Dominators()}
	g.walk(f.Entry())
	g.rep.Apply()
}

// hoistLeaves moves pure instructions without arguments to the front of the entry block.
func hoistLeaves(f *ir.Func) {
	var leaves []*ir.Value
	for _, b := range f.Blocks {
		kept := b.Instrs[:0]
		for _, v := range b.Instrs {
			if len(v.Args) == 0 && v.Op.Pure() && v.Op != ir.Phi {
				leaves = append(leaves, v)
				v.Block = f.Entry()
			} else {
				kept = append(kept, v)
			}
		}
		clear(b.Instrs[len(kept):])
		b.Instrs = kept
	}
	f.Entry().Instrs = append(leaves, f.Entry().Instrs...)
}

// valueKey is equal for instructions that compute the same.
type valueKey struct {
	op   ir.Op
	t    ir.Type
	sub  ir.Sub
	n    int8
	fast bool
	num  uint64
	v    *ir.Var
	args [3]int32
}

type gvn struct {
	rep   *ir.Replacer
	table map[valueKey]*ir.Value
	phis  map[string]*ir.Value
	dom   *ir.Dom
}

// walk visits a block and what it dominates, without recursion. Entries made for a block go when
// its subtree is done.
func (g *gvn) walk(entry *ir.Block) {
	type frame struct {
		b    *ir.Block
		next int
		undo []valueKey
	}
	stack := []frame{{b: entry, undo: g.block(entry)}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if kids := g.dom.Children(top.b); top.next < len(kids) {
			kid := kids[top.next]
			top.next++
			stack = append(stack, frame{b: kid, undo: g.block(kid)})
			continue
		}
		for _, k := range top.undo {
			delete(g.table, k)
		}
		stack = stack[:len(stack)-1]
	}
}

// block numbers the instructions of a block and returns the keys it added.
func (g *gvn) block(b *ir.Block) (added []valueKey) {
	clear(g.phis)
	for _, v := range b.Instrs {
		if v.Op == ir.Phi {
			g.phi(v)
			continue
		}
		if !v.Op.Pure() || len(v.Args) > 3 {
			continue
		}
		k := g.key(v)
		if w := g.table[k]; w != nil {
			g.rep.Replace(v, w)
			if w.Name == "" {
				w.Name = v.Name
			}
			continue
		}
		g.table[k] = v
		added = append(added, k)
	}
	return added
}

func (g *gvn) key(v *ir.Value) valueKey {
	k := valueKey{op: v.Op, t: v.Type, sub: v.Sub, n: int8(len(v.Args)), fast: v.Fast, num: v.Int, v: v.Var}
	for i, a := range v.Args {
		k.args[i] = int32(g.rep.Get(a).ID)
	}
	if v.Op.Commutes() && k.args[0] > k.args[1] {
		k.args[0], k.args[1] = k.args[1], k.args[0]
	}
	if v.Op == ir.Cmp && k.args[0] > k.args[1] {
		k.args[0], k.args[1] = k.args[1], k.args[0]
		k.sub = mirrored(k.sub)
	}
	return k
}

// phi replaces a phi by an equal one of its block.
func (g *gvn) phi(v *ir.Value) {
	buf := []byte{byte(v.Type)}
	for _, a := range v.Args {
		buf = binary.AppendUvarint(buf, uint64(g.rep.Get(a).ID))
	}
	if w := g.phis[string(buf)]; w != nil {
		g.rep.Replace(v, w)
		return
	}
	g.phis[string(buf)] = v
}
