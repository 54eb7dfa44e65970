package initcheck

import (
	"slices"

	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// usage says how an instruction uses its registers, by their numbers.
type usage struct {
	class   usageClass
	guard   int // -1 without
	decides []decision
	// values are the registers that the instruction computes with, or that a store or atomic
	// writes; -1 for a constant.
	values []int
	dests  []int
	signed bool // a load that extends the sign
	width  int  // of wmma's loads and stores, bytes of a register
	clears bool // the step writes dests: the accesses follow it, and there may be none

	parts [][]part // of each of dests, if they are known
	picks bool     // the result is bytes of the first two values, chosen by a register

	chooser int       // the predicate of a select between two values, else -1
	logic   []decider // of an and or an or of predicates
}

// decision is a register, or -1, by which an instruction decides what it does.
type decision struct {
	reg int
	how string
}

// The ways in which an instruction can decide by a register.
const (
	inBranch  = "in a branch"
	asAddress = "as an address"
	asSize    = "as the size of a copy"
	asStride  = "as the stride of a matrix"
	asCount   = "as the count of an mbarrier"
	asPhase   = "as the phase of an mbarrier"
	asTexel   = "as a coordinate"
)

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
	told                       // by the events of the instruction
)

// classOf is the class of the instructions with an effect.
func classOf(does *ptx.Effects) usageClass {
	switch does.Kind {
	case ptx.Moves:
		return copies
	case ptx.Loads, ptx.Stores, ptx.Updates, ptx.Fetches, ptx.Calls, ptx.Jumps, ptx.Switches:
		return told
	}
	switch does.Meets {
	case ptx.MeetMask, ptx.MeetWarp, ptx.MeetWarpgroup:
		return told
	}
	if does.Agent != ptx.NoAgent {
		return told
	}
	return computes
}

// decidesBy says how an instruction decides by an operand of a role.
var decidesBy = map[ptx.Role]string{
	ptx.Address: asAddress, ptx.Callee: asAddress, ptx.Index: inBranch, ptx.Stride: asStride,
	ptx.Count: asCount, ptx.Phase: asPhase, ptx.Bytes: asSize, ptx.Size: asSize, ptx.Blocks: asSize,
}

// usage works out an instruction's usage, once.
func (c *Check) usage(site *event.Site) *usage {
	id := c.run.Site(site)
	if u := c.uses[id]; u != nil {
		return u
	}
	in := site.Instr
	u := &usage{class: classOf(site.Does), guard: -1, chooser: -1, dests: site.Writes}
	reads := site.Reads
	if in.Guard != nil && len(reads) > 0 {
		u.guard, reads = reads[0], reads[1:]
		u.decides = []decision{{u.guard, inBranch}}
	}
	uses := site.Does.Uses(in)
	for i, o := range in.Args {
		if how := decidesBy[uses[i].Role]; how != "" {
			u.decides = append(u.decides, decision{c.deciding(site, o), how})
		}
		if uses[i].Role == ptx.Handle {
			u.decides = append(u.decides, c.coordinatesIn(site, o)...)
		}
	}
	t := tool.AccessType(in)
	if u.class != told {
		u.values = reads
		if u.parts = c.partsOf(site, t); u.parts != nil {
			u.class = copies
		}
		if u.picks = in.Op == "prmt" && u.parts == nil; u.picks {
			u.values = []int{c.register(site, in.Args[1]), c.register(site, in.Args[2])}
		}
		c.predicatesOf(u, site, uses)
		c.uses[id] = u
		return u
	}
	u.signed, u.width = t.Signed(), max(t.Bytes(), 4)
	for i, o := range in.Args {
		switch uses[i].Role {
		case ptx.Data, ptx.Compared:
			u.values = append(u.values, c.elementsOf(site, o)...)
		case ptx.Result:
			switch site.Does.Kind {
			case ptx.Updates:
				u.dests = c.written(site, o)
			case ptx.Fetches:
				u.dests, u.clears = c.written(site, o), true
			}
		}
	}
	c.uses[id] = u
	return u
}

// deciding is the register of an operand by which an instruction decides, -1 without.
func (c *Check) deciding(site *event.Site, o ptx.Operand) int {
	if _, ok := o.(ptx.Addr); ok {
		return c.addressIn(site, o)
	}
	return c.register(site, o)
}

// addressIn is the register that an address is in, -1 for a variable's or a number.
func (c *Check) addressIn(site *event.Site, o ptx.Operand) int {
	a, ok := o.(ptx.Addr)
	if !ok {
		return -1
	}
	return c.register(site, a.Base)
}

// coordinatesIn are the registers of a handle and of coordinates.
func (c *Check) coordinatesIn(site *event.Site, o ptx.Operand) []decision {
	texel, ok := o.(ptx.Texel)
	if !ok || len(texel) != 2 {
		return nil
	}
	list := []decision{{c.register(site, texel[0]), asAddress}}
	for _, reg := range c.elementsOf(site, texel[1]) {
		list = append(list, decision{reg, asTexel})
	}
	return list
}

// elementsOf are the registers of a store's operand, one an element, -1 for a constant.
func (c *Check) elementsOf(site *event.Site, o ptx.Operand) (list []int) {
	v, ok := o.(ptx.Vec)
	if !ok {
		if sym := c.symbol(site, o); sym.Vector > 0 {
			for k := range sym.Vector {
				list = append(list, sym.Reg+k)
			}
			return list
		}
		v = ptx.Vec{o}
	}
	for _, e := range v {
		list = append(list, c.register(site, e))
	}
	return list
}

// symbol is the register that an operand names, or the zero Symbol.
func (c *Check) symbol(site *event.Site, o ptx.Operand) ptx.Symbol {
	name, _ := o.(ptx.Name)
	sym, ok := c.run.Scope(site.Func).Lookup(string(name))
	if !ok || sym.Kind != ptx.RegisterSymbol {
		return ptx.Symbol{}
	}
	return sym
}

// written are the registers that an operand writes, one an element, -1 for "_".
func (c *Check) written(site *event.Site, o ptx.Operand) (list []int) {
	v, ok := o.(ptx.Vec)
	if !ok {
		return site.Writes
	}
	for _, e := range v {
		if sym := c.symbol(site, e); sym.Kind == ptx.RegisterSymbol {
			list = append(list, sym.Reg)
		} else {
			list = append(list, -1)
		}
	}
	return list
}

// predicatesOf finds the predicates of an instruction that say which of its operands matter.
func (c *Check) predicatesOf(u *usage, site *event.Site, uses []ptx.Uses) {
	in := site.Instr
	isOr := in.Op == "or" || slices.Contains(in.Mods, "or")
	for i, o := range in.Args {
		_, not := o.(ptx.Not)
		switch reg := c.register(site, o); uses[i].Role {
		case ptx.Chooser:
			u.chooser = reg
			u.values = []int{c.register(site, in.Args[1]), c.register(site, in.Args[2])}
			if not {
				slices.Reverse(u.values)
			}
		case ptx.Condition:
			if reg >= 0 {
				u.logic = append(u.logic, decider{reg, isOr != not})
			}
		}
	}
}

// register is the number of the register that an operand is, -1 if it is none.
func (c *Check) register(site *event.Site, o ptx.Operand) int {
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

// step takes unwritten data through an instruction that is about to run.
func (c *Check) step(st *blockState, e *event.Step) {
	w := &st.warps[e.Index]
	if len(w.regs) == 0 {
		return
	}
	u := c.usage(e.Site)
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		for _, d := range u.decides {
			c.use(st, &e.Warp, lane, d)
		}
		switch {
		case u.clears:
			c.setAll(w, e, u, lane, taint{})
		case u.parts != nil:
			c.move(w, e, u, lane)
		case u.class == computes || u.class == copies:
			c.flow(w, e, u, lane)
		}
	}
}

// skip is an instruction that its guard keeps some lanes from: they have decided by it too.
func (c *Check) skip(st *blockState, e *event.Skip) {
	if len(st.warps[e.Index].regs) == 0 {
		return
	}
	u := c.usage(e.Site)
	for m := e.Mask; m != 0; m &= m - 1 {
		c.use(st, &e.Warp, tool.LaneOf(m), decision{u.guard, inBranch})
	}
}

// use is a lane that decides. It is told of once.
func (c *Check) use(st *blockState, e *event.Warp, lane int, d decision) {
	w, k := &st.warps[e.Index], regKey{e.Frame, d.reg}
	if t := w.get(k, lane); d.reg >= 0 && t.bytes != 0 {
		c.used(st, e, lane, t.origin, d.how)
		c.set(w, k, lane, taint{})
	}
}

// move sets the destination registers of a lane, for an instruction whose parts are known.
func (c *Check) move(w *warpState, e *event.Step, u *usage, lane int) {
	var made [4]taint
	for k, parts := range u.parts {
		for _, p := range parts {
			if t := w.get(regKey{e.Frame, p.reg}, lane); p.reg >= 0 && t.bytes != 0 {
				if t = p.through(t); t.bytes != 0 {
					made[k] = taint{t.origin, made[k].bytes | t.bytes}
				}
			}
		}
	}
	for k, reg := range u.dests {
		c.set(w, regKey{e.Frame, reg}, lane, made[k])
	}
}

// matter lists the registers that make the result of a lane.
func (c *Check) matter(w *warpState, e *event.Step, u *usage, lane int) []int {
	for _, d := range u.logic {
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
func (c *Check) flow(w *warpState, e *event.Step, u *usage, lane int) {
	var t taint
	if u.picks { // taken for written, unless all there is to pick from is not
		const word = 0xf
		for _, reg := range u.values {
			if w.get(regKey{e.Frame, reg}, lane).bytes&word != word {
				c.setAll(w, e, u, lane, t)
				return
			}
		}
	}
	for _, reg := range c.matter(w, e, u, lane) {
		v := w.get(regKey{e.Frame, reg}, lane)
		if v.bytes == 0 {
			continue
		}
		if u.class == copies {
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
	c.setAll(w, e, u, lane, t)
}

// setAll gives the destinations of an instruction one taint.
func (c *Check) setAll(w *warpState, e *event.Step, u *usage, lane int, t taint) {
	for _, reg := range u.dests {
		if reg >= 0 {
			c.set(w, regKey{e.Frame, reg}, lane, t)
		}
	}
}
