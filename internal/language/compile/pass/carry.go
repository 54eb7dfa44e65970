package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// carrier carries values in local variables from their definitions to their uses. Then blocks can
// be copied without breaking SSA form. Registers makes phis of the variables.
type carrier struct {
	f       *ir.Func
	slot    map[*ir.Value]*ir.Value
	carried []*ir.Value
}

func newCarrier(f *ir.Func) *carrier { return &carrier{f: f, slot: map[*ir.Value]*ir.Value{}} }

// read puts a load of what carries a into b, before instruction i.
func (c *carrier) read(a *ir.Value, b *ir.Block, i int) *ir.Value {
	s := c.slot[a]
	if s == nil {
		s = c.f.NewValue(ir.Alloca, ir.Ptr)
		s.Size, s.Align, s.Space, s.Name = 8, 8, ir.Local, a.Name
		c.f.Entry().Insert(0, s)
		c.slot[a] = s
		c.carried = append(c.carried, a)
	}
	v := c.f.NewValue(ir.Load, a.Type, s)
	v.Mem, v.Pos = carrierMem[a.Type], a.Pos
	b.Insert(i, v)
	return v
}

// readAll replaces the arguments in b that are to be carried by loads. The argument of a phi is
// read at the end of the predecessor. If keep says so of a predecessor, the edge from there needs
// no reading.
func (c *carrier) readAll(b *ir.Block, carry func(a *ir.Value) bool, keep func(pred *ir.Block) bool) {
	for i := 0; i < len(b.Instrs); i++ {
		v := b.Instrs[i]
		for k, a := range v.Args {
			switch {
			case !carry(a):
			case v.Op != ir.Phi:
				v.Args[k] = c.read(a, b, i)
				i = slices.Index(b.Instrs, v)
			case !keep(b.Preds[k]):
				p := b.Preds[k]
				v.Args[k] = c.read(a, p, len(p.Instrs)-1)
				i = slices.Index(b.Instrs, v)
			}
		}
	}
}

// write stores x for a, after x's definition in b.
func (c *carrier) write(a, x *ir.Value, b *ir.Block) {
	s := c.f.NewValue(ir.Store, ir.Void, c.slot[a], x)
	s.Mem = carrierMem[a.Type]
	switch {
	case x.Block != b: // defined before b
		b.Insert(len(b.Instrs)-1, s)
	case x.Op == ir.Phi:
		b.Insert(len(b.Phis()), s)
	default:
		b.Insert(slices.Index(b.Instrs, x)+1, s)
	}
}

// carrierMem is the memory type in which a value is carried.
var carrierMem = map[ir.Type]ir.Mem{ir.Bool: ir.U8, ir.I32: ir.B32, ir.I64: ir.B64, ir.F32: ir.MF32,
	ir.F64: ir.MF64, ir.Ptr: ir.MPtr}

// carryOut puts every value of the loop that is used outside of it into a local variable. It leaves
// out what a phi takes on an edge that leaves the loop, which the caller handles. keep says for
// which predecessors that is so. nil means for all.
func carryOut(f *ir.Func, l *ir.Loop, keep func(pred *ir.Block) bool, users *blockUsers) {
	in := map[*ir.Block]bool{}
	for _, b := range l.Blocks {
		in[b] = true
	}
	if keep == nil {
		keep = func(p *ir.Block) bool { return in[p] }
	}
	c := newCarrier(f)
	for _, b := range users.of(l.Blocks) {
		if !in[b] {
			c.readAll(b, func(a *ir.Value) bool { return in[a.Block] }, keep)
		}
	}
	for _, a := range c.carried {
		c.write(a, a, a.Block)
	}
}

// blockUsers knows which blocks use the values of which, so that a pass that copies loop after loop
// need not look at the whole function for each.
type blockUsers struct {
	f     *ir.Func
	users [][]*ir.Block // by the ID of the block with the values; some no longer use one
	found []int         // by block ID: the last question whose answer has the block
	asked int
}

func newBlockUsers(f *ir.Func) *blockUsers {
	u := &blockUsers{f: f}
	u.add(f.Blocks...)
	return u
}

// add notes what the blocks use, which are new or have changed.
func (u *blockUsers) add(blocks ...*ir.Block) {
	if more := u.f.NumBlocks() - len(u.users); more > 0 {
		u.users = append(u.users, make([][]*ir.Block, more)...)
		u.found = append(u.found, make([]int, more)...)
	}
	for _, b := range blocks {
		for _, v := range b.Instrs {
			for _, a := range v.Args {
				if list := u.users[a.Block.ID]; len(list) == 0 || list[len(list)-1] != b {
					u.users[a.Block.ID] = append(list, b)
				}
			}
		}
	}
}

// addWithNext is add of the blocks and of those that follow them, whose phis have changed.
func (u *blockUsers) addWithNext(blocks ...*ir.Block) {
	u.add(blocks...)
	for _, b := range blocks {
		u.add(b.Succs...)
	}
}

// of lists the blocks that use values of some blocks, in the order of the text.
func (u *blockUsers) of(blocks []*ir.Block) (out []*ir.Block) {
	u.asked++
	n := 0
	for _, d := range blocks {
		if d.ID >= len(u.users) {
			continue // new, and used by no other block
		}
		for _, b := range u.users[d.ID] {
			if u.found[b.ID] != u.asked {
				u.found[b.ID] = u.asked
				n++
			}
		}
	}
	for _, b := range u.f.Blocks {
		if len(out) == n {
			break
		}
		if b.ID < len(u.found) && u.found[b.ID] == u.asked {
			out = append(out, b)
		}
	}
	return out
}
