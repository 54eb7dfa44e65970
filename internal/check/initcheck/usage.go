package initcheck

import (
	"slices"

	"github.com/gridstride/gridstride/internal/check/tool"
	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/sim"
)

// usage says how an instruction uses its registers, by their numbers.
type usage struct {
	class   usageClass
	guard   int   // -1 without
	address int   // register of the address of an access, -1 without
	values  []int // what is computed with, or, of a store or atomic, written; -1 stands for a constant
	dests   []int
	signed  bool // a load that extends the sign

	and    uint64 // of a bitwise and with a constant, that; else all ones
	shift  int    // bits to the left, negative to the right
	aShift bool   // the sign comes in from the left
	limit  uint8  // bytes of the result

	chooser int       // of a select between two values, the predicate; -1 else
	decides []decider // of an and or an or of predicates
}

// decider is a predicate that alone makes the result when it has a value, as a false one does in an
// and.
type decider struct {
	reg   int
	value bool
}

// usageClass is how unwritten data goes through an instruction.
type usageClass uint8

const (
	computes usageClass = iota // any byte of a source spoils the result
	copies                     // byte by byte
	accesses                   // loads, stores and atomics: their events tell
	warps                      // warp operations: their events tell
	branches
)

// byteOps are the instructions that move bytes and compute nothing.
var byteOps = map[string]usageClass{
	"mov": copies, "cvta": copies, "and": copies, "or": copies, "selp": copies,
	"ld": accesses, "ldu": accesses, "st": accesses, "atom": accesses, "red": accesses, "cp": accesses,
	"shfl": warps, "vote": warps, "match": warps, "redux": warps, "elect": warps,
	"bra": branches, "brx": branches,
}

// usage works out an instruction's usage, once.
func (c *Check) usage(site *sim.Site) *usage {
	id := c.run.Site(site)
	if u := c.uses[id]; u != nil {
		return u
	}
	in := site.Instr
	u := &usage{guard: -1, address: -1, chooser: -1, dests: site.Writes, and: ^uint64(0), limit: 0xff}
	u.class = byteOps[in.Op]
	reads := site.Reads
	if in.Guard != nil && len(reads) > 0 {
		u.guard, reads = reads[0], reads[1:]
	}
	t := tool.AccessType(in)
	switch in.Op {
	case "ld", "ldu":
		if len(reads) > 0 {
			u.address = reads[len(reads)-1]
		}
		u.signed = t.Signed()
	case "st":
		if c.inRegister(in.Args[0]) && len(reads) > 0 {
			u.address, reads = reads[len(reads)-1], reads[:len(reads)-1]
		}
		u.values = elementsOf(in.Args[1], reads)
	case "atom", "red":
		at := 0
		if in.Op == "atom" {
			at = 1
		}
		if c.inRegister(in.Args[at]) && len(reads) > 0 {
			u.address, reads = reads[0], reads[1:]
		}
		u.values = reads
	case "shfl", "vote", "match", "redux", "elect":
		u.values = []int{c.register(site, in.Args[1])}
	default:
		u.values = reads
		u.bytesOf(in, t)
		c.predicatesOf(u, site)
	}
	c.uses[id] = u
	return u
}

// inRegister says whether an address is in a register, and not a variable's or a number.
func (c *Check) inRegister(o ptx.Operand) bool {
	a, ok := o.(ptx.Addr)
	if !ok {
		return false
	}
	name, ok := a.Base.(ptx.Name)
	return ok && !c.vars[string(name)]
}

// elementsOf are the registers of a store's operand, one an element. reads lists each register
// once, in the order of the operand.
func elementsOf(o ptx.Operand, reads []int) []int {
	elems := []ptx.Operand{o}
	if v, ok := o.(ptx.Vec); ok {
		elems = v
	}
	numbers := map[ptx.Name]int{}
	var list []int
	for _, e := range elems {
		name, ok := e.(ptx.Name)
		if !ok || len(numbers) == len(reads) && !has(numbers, name) {
			list = append(list, -1)
			continue
		}
		if !has(numbers, name) {
			numbers[name] = reads[len(numbers)]
		}
		list = append(list, numbers[name])
	}
	return list
}

func has(m map[ptx.Name]int, k ptx.Name) bool { _, ok := m[k]; return ok }

// bytesOf works out what shifts, masks and conversions do to bytes.
func (u *usage) bytesOf(in *ptx.Instr, t ptx.Type) {
	constant := func(i int) (uint64, bool) {
		if i >= len(in.Args) {
			return 0, false
		}
		k, ok := in.Args[i].(ptx.Int)
		return k.Bits, ok
	}
	switch in.Op {
	case "and":
		if k, ok := constant(2); ok {
			u.and = k
		}
	case "shl", "shr":
		if k, ok := constant(2); ok && k < 64 {
			u.class, u.shift, u.aShift = copies, int(k), t.Signed()
			if in.Op == "shr" {
				u.shift = -u.shift
			}
		}
	case "cvt":
		n := len(in.Mods)
		if n >= 2 && !ptx.Type(in.Mods[n-1]).IsFloat() && !ptx.Type(in.Mods[n-2]).IsFloat() &&
			!slices.Contains(in.Mods, "sat") {
			u.class = copies
			u.aShift = ptx.Type(in.Mods[n-1]).Signed() // extension copies the last byte
			u.limit = uint8(1<<min(ptx.Type(in.Mods[n-2]).Bytes(), 8) - 1)
		}
	}
}

// predicatesOf finds the predicates of an instruction that say which of its operands matter.
func (c *Check) predicatesOf(u *usage, site *sim.Site) {
	in := site.Instr
	isOr := slices.Contains(in.Mods, "or")
	var logic []ptx.Operand // of an and or an or
	switch {
	case in.Op == "selp" && len(in.Args) == 4:
		u.chooser = c.register(site, in.Args[3])
		u.values = []int{c.register(site, in.Args[1]), c.register(site, in.Args[2])}
		if _, not := in.Args[3].(ptx.Not); not {
			slices.Reverse(u.values)
		}
	case in.Op == "setp" && len(in.Args) == 4 && (isOr || slices.Contains(in.Mods, "and")):
		logic = in.Args[3:]
	case (in.Op == "and" || in.Op == "or") && slices.Contains(in.Mods, "pred"):
		isOr, logic = in.Op == "or", in.Args[1:]
	}
	for _, o := range logic {
		_, not := o.(ptx.Not)
		if reg := c.register(site, o); reg >= 0 {
			u.decides = append(u.decides, decider{reg, isOr != not})
		}
	}
}

// register is the number of the register that an operand is, -1 if it is none.
func (c *Check) register(site *sim.Site, o ptx.Operand) int {
	name, _ := o.(ptx.Name)
	if not, ok := o.(ptx.Not); ok {
		name = ptx.Name(not.Reg)
	}
	sym, ok := c.run.Scope(site.Func).Lookup(string(name))
	// one of a block within may have its name
	if !ok || sym.Kind != ptx.RegisterSymbol || !slices.Contains(site.Reads, sym.Reg) {
		return -1
	}
	return sym.Reg
}

// through is what comes out of an instruction that copies bytes.
func (u *usage) through(t taint) taint {
	var wide uint64
	for i := range 8 {
		if t.bytes>>i&1 != 0 {
			wide |= 0xff << (8 * i)
		}
	}
	if u.shift >= 0 {
		wide <<= u.shift
	} else {
		wide >>= -u.shift
	}
	wide &= u.and
	t.bytes = 0
	for i := range 8 {
		if wide>>(8*i)&0xff != 0 {
			t.bytes |= 1 << i
		}
	}
	if u.aShift && t.bytes != 0 {
		t.bytes |= t.bytes << 1
		t.bytes |= t.bytes << 2
		t.bytes |= t.bytes << 4
	}
	t.bytes &= u.limit
	return t
}

// step takes unwritten data through an instruction that is about to run.
func (c *Check) step(st *blockState, e *sim.Step) {
	w := &st.warps[e.Index]
	if len(w.regs) == 0 {
		return
	}
	u := c.usage(e.Site)
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		if t := w.get(regKey{e.Frame, u.guard}, lane); u.guard >= 0 && t.bytes != 0 {
			c.used(st, &e.Warp, lane, t.origin, "in a branch")
			c.set(w, regKey{e.Frame, u.guard}, lane, taint{})
		}
		if t := w.get(regKey{e.Frame, u.address}, lane); u.address >= 0 && t.bytes != 0 {
			c.used(st, &e.Warp, lane, t.origin, "as an address")
			c.set(w, regKey{e.Frame, u.address}, lane, taint{})
		}
		if u.class == computes || u.class == copies {
			c.flow(w, e, u, lane)
		}
	}
}

// matter lists the registers that make the result of a lane.
func (c *Check) matter(w *warpState, e *sim.Step, u *usage, lane int) []int {
	for _, d := range u.decides {
		if w.get(regKey{e.Frame, d.reg}, lane).bytes == 0 && e.Predicate(d.reg)>>lane&1 != 0 == d.value {
			return nil
		}
	}
	switch {
	case u.chooser < 0:
		return u.values
	case w.get(regKey{e.Frame, u.chooser}, lane).bytes != 0:
		return []int{u.chooser}
	case e.Predicate(u.chooser)>>lane&1 != 0:
		return u.values[:1]
	}
	return u.values[1:]
}

// flow sets the destination registers of a lane.
func (c *Check) flow(w *warpState, e *sim.Step, u *usage, lane int) {
	var t taint
	for _, reg := range c.matter(w, e, u, lane) {
		v := w.get(regKey{e.Frame, reg}, lane)
		if v.bytes == 0 {
			continue
		}
		if u.class == copies {
			v = u.through(v)
			t = taint{v.origin, t.bytes | v.bytes}
			continue
		}
		o := c.origins[v.origin]
		if o.use == 0 {
			o.use = c.run.Site(e.Site)
			v.origin = c.originOf(o)
		}
		t = taint{v.origin, 0xff}
		break
	}
	for _, reg := range u.dests {
		c.set(w, regKey{e.Frame, reg}, lane, t)
	}
}
