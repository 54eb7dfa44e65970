package initcheck

import (
	"slices"

	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/ptx"
)

// usage says how an instruction uses its registers, by their numbers.
type usage struct {
	class   usageClass
	guard   int // -1 without
	decides []decision
	values  []int // what is computed with, or, of a store or atomic, written; -1 stands for a constant
	dests   []int
	signed  bool // a load that extends the sign
	width   int  // of wmma's loads and stores, bytes of a register
	clears  bool // the step writes dests: the accesses follow it, and there may be none

	parts [][]part // of each of dests, where they are known
	picks bool     // bytes of the first two values, by a register: which ones is not known

	chooser int       // of a select between two values, the predicate; -1 else
	logic   []decider // of an and or an or of predicates
}

// decision is a register, or -1, by which an instruction decides what it does.
type decision struct {
	reg int
	how string
}

// What a decision is.
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
	accesses                   // loads, stores and atomics: their events tell
	events                     // warp operations, branches and calls: their events tell
)

// byteOps are the instructions that move bytes and compute nothing.
var byteOps = map[string]usageClass{
	"mov": copies, "cvta": copies, "and": copies, "or": copies, "selp": copies,
	"ld": accesses, "ldu": accesses, "st": accesses, "atom": accesses, "red": accesses, "cp": accesses,
	"ldmatrix": accesses, "stmatrix": accesses, "wmma": accesses, "tensormap": accesses,
	"tex": accesses, "tld4": accesses, "suld": accesses, "sust": accesses,
	"shfl": events, "vote": events, "match": events, "redux": events, "elect": events, "mma": events,
	"setmaxnreg": events, "wgmma": events,
	"bra": events, "brx": events, "call": events,
}

// usage works out an instruction's usage, once.
func (c *Check) usage(site *sim.Site) *usage {
	id := c.run.Site(site)
	if u := c.uses[id]; u != nil {
		return u
	}
	in := site.Instr
	u := &usage{guard: -1, chooser: -1, dests: site.Writes}
	u.class = byteOps[in.Op]
	reads := site.Reads
	if in.Guard != nil && len(reads) > 0 {
		u.guard, reads = reads[0], reads[1:]
		u.decides = []decision{{u.guard, inBranch}}
	}
	decides := func(reg int, how string) { u.decides = append(u.decides, decision{reg, how}) }
	t := tool.AccessType(in)
	switch in.Op {
	case "ld", "ldu":
		decides(c.addressIn(site, in.Args[1]), asAddress)
		u.signed = t.Signed()
	case "st":
		decides(c.addressIn(site, in.Args[0]), asAddress)
		u.values = c.elementsOf(site, in.Args[1])
	case "atom", "red":
		at := 0
		if in.Op == "atom" {
			at = 1
		}
		decides(c.addressIn(site, in.Args[at]), asAddress)
		for _, o := range in.Args[at+1:] {
			u.values = append(u.values, c.elementsOf(site, o)...)
		}
		if at == 1 {
			u.dests = c.written(site, in.Args[0])
		}
	case "wmma":
		u.width = max(t.Bytes(), 4)
		for i, o := range in.Args {
			switch o.(type) {
			case ptx.Addr:
				decides(c.addressIn(site, o), asAddress)
			case ptx.Name:
				decides(c.register(site, o), asStride)
			default:
				if i == 1 {
					u.values = c.elementsOf(site, o)
				}
			}
		}
	case "ldmatrix":
		decides(c.addressIn(site, in.Args[1]), asAddress)
	case "stmatrix":
		decides(c.addressIn(site, in.Args[0]), asAddress)
		u.values = c.elementsOf(site, in.Args[1])
	case "call":
		for _, o := range in.Args {
			if reg := c.register(site, o); reg >= 0 { // of the function
				decides(reg, asAddress)
			}
		}
	case "brx":
		decides(c.register(site, in.Args[0]), inBranch)
	case "cp":
		for _, o := range in.Args {
			if _, ok := o.(ptx.Addr); ok {
				decides(c.addressIn(site, o), asAddress)
			} else {
				decides(c.register(site, o), asSize)
			}
		}
	case "tex", "tld4", "suld":
		c.coordinatesIn(site, in.Args[1], decides)
		u.dests, u.clears = c.written(site, in.Args[0]), true
	case "sust":
		c.coordinatesIn(site, in.Args[0], decides)
		u.values = c.elementsOf(site, in.Args[1])
	case "shfl", "vote", "match", "redux", "elect":
		u.values = []int{c.register(site, in.Args[1])}
	case "setmaxnreg", "wgmma", "tensormap":
	case "mma": // which registers are of which matrix, product knows
	default:
		u.values = reads
		c.operandsOf(site, decides)
		if u.parts = c.partsOf(site, t); u.parts != nil {
			u.class = copies
		}
		if u.picks = in.Op == "prmt" && u.parts == nil; u.picks {
			u.values = []int{c.register(site, in.Args[1]), c.register(site, in.Args[2])}
		}
		c.predicatesOf(u, site)
	}
	c.uses[id] = u
	return u
}

// operandsOf finds by what an instruction decides that no case of usage names: its addresses, and
// what an mbarrier counts or is asked for.
func (c *Check) operandsOf(site *sim.Site, decides func(reg int, how string)) {
	in, behind := site.Instr, false
	for _, o := range in.Args {
		switch _, ok := o.(ptx.Addr); {
		case ok:
			decides(c.addressIn(site, o), asAddress)
			behind = true
		case !behind || in.Op != "mbarrier":
		case slices.Contains(in.Mods, "test_wait") || slices.Contains(in.Mods, "try_wait"):
			decides(c.register(site, o), asPhase)
		default:
			decides(c.register(site, o), asCount)
		}
	}
}

// addressIn is the register that an address is in, -1 for a variable's or a number.
func (c *Check) addressIn(site *sim.Site, o ptx.Operand) int {
	a, ok := o.(ptx.Addr)
	if !ok {
		return -1
	}
	return c.register(site, a.Base)
}

// coordinatesIn finds the registers of a handle and of coordinates.
func (c *Check) coordinatesIn(site *sim.Site, o ptx.Operand, decides func(reg int, how string)) {
	texel, ok := o.(ptx.Texel)
	if !ok || len(texel) != 2 {
		return
	}
	decides(c.register(site, texel[0]), asAddress)
	for _, reg := range c.elementsOf(site, texel[1]) {
		decides(reg, asTexel)
	}
}

// elementsOf are the registers of a store's operand, one an element, -1 for a constant.
func (c *Check) elementsOf(site *sim.Site, o ptx.Operand) (list []int) {
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

// symbol is the register that an operand is, the zero Symbol where it is none.
func (c *Check) symbol(site *sim.Site, o ptx.Operand) ptx.Symbol {
	name, _ := o.(ptx.Name)
	sym, ok := c.run.Scope(site.Func).Lookup(string(name))
	if !ok || sym.Kind != ptx.RegisterSymbol {
		return ptx.Symbol{}
	}
	return sym
}

// written are the registers that an operand writes, one an element, -1 for "_".
func (c *Check) written(site *sim.Site, o ptx.Operand) (list []int) {
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
			u.logic = append(u.logic, decider{reg, isOr != not})
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

// step takes unwritten data through an instruction that is about to run.
func (c *Check) step(st *blockState, e *sim.Step) {
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
func (c *Check) skip(st *blockState, e *sim.Skip) {
	if len(st.warps[e.Index].regs) == 0 {
		return
	}
	u := c.usage(e.Site)
	for m := e.Mask; m != 0; m &= m - 1 {
		c.use(st, &e.Warp, tool.LaneOf(m), decision{u.guard, inBranch})
	}
}

// use is a lane that decides. It is told of once.
func (c *Check) use(st *blockState, e *sim.Warp, lane int, d decision) {
	w, k := &st.warps[e.Index], regKey{e.Frame, d.reg}
	if t := w.get(k, lane); d.reg >= 0 && t.bytes != 0 {
		c.used(st, e, lane, t.origin, d.how)
		c.set(w, k, lane, taint{})
	}
}

// move sets the destination registers of a lane of which it is known what they are made of.
func (c *Check) move(w *warpState, e *sim.Step, u *usage, lane int) {
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
func (c *Check) matter(w *warpState, e *sim.Step, u *usage, lane int) []int {
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
func (c *Check) flow(w *warpState, e *sim.Step, u *usage, lane int) {
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
func (c *Check) setAll(w *warpState, e *sim.Step, u *usage, lane int, t taint) {
	for _, reg := range u.dests {
		if reg >= 0 {
			c.set(w, regKey{e.Frame, reg}, lane, t)
		}
	}
}
