package sim

import "github.com/gridstride/gridstride/internal/ptx"

// memory are the instructions that access memory.
var memory = map[string]func(*decoder){
	"ld":   (*decoder).load,
	"ldu":  (*decoder).load,
	"st":   (*decoder).store,
	"atom": (*decoder).atom,
	"red":  (*decoder).atom,
	"cp":   (*decoder).cpAsync,

	"mbarrier": (*decoder).mbarrier,
}

// accessors are the execs for one combination of register width, memory type and address width.
type accessors struct {
	load, loadVector, loadLocal, store, storeVector, storeLocal exec
}

func accessorsOf[R, T, A interface{ word | element }]() accessors {
	return accessors{
		load[R, T, A], loadVector[R, T, A], loadLocal[R, T, A], store[R, T, A], storeVector[R, T, A], storeLocal[R, T, A],
	}
}

// accessKey selects accessors: bits of the register slot, memory type by its integer name, 32-bit
// address register.
type accessKey struct {
	bits   int
	t      ptx.Type
	addr32 bool
}

var accessTable = map[accessKey]accessors{
	{32, ptx.U8, false}: accessorsOf[uint32, uint8, uint64](), {32, ptx.U8, true}: accessorsOf[uint32, uint8, uint32](),
	{32, ptx.S8, false}: accessorsOf[uint32, int8, uint64](), {32, ptx.S8, true}: accessorsOf[uint32, int8, uint32](),
	{32, ptx.U16, false}: accessorsOf[uint32, uint16, uint64](), {32, ptx.U16, true}: accessorsOf[uint32, uint16, uint32](),
	{32, ptx.S16, false}: accessorsOf[uint32, int16, uint64](), {32, ptx.S16, true}: accessorsOf[uint32, int16, uint32](),
	{32, ptx.U32, false}: accessorsOf[uint32, uint32, uint64](), {32, ptx.U32, true}: accessorsOf[uint32, uint32, uint32](),
	{64, ptx.U8, false}: accessorsOf[uint64, uint8, uint64](), {64, ptx.U8, true}: accessorsOf[uint64, uint8, uint32](),
	{64, ptx.S8, false}: accessorsOf[uint64, int8, uint64](), {64, ptx.S8, true}: accessorsOf[uint64, int8, uint32](),
	{64, ptx.U16, false}: accessorsOf[uint64, uint16, uint64](), {64, ptx.U16, true}: accessorsOf[uint64, uint16, uint32](),
	{64, ptx.S16, false}: accessorsOf[uint64, int16, uint64](), {64, ptx.S16, true}: accessorsOf[uint64, int16, uint32](),
	{64, ptx.U32, false}: accessorsOf[uint64, uint32, uint64](), {64, ptx.U32, true}: accessorsOf[uint64, uint32, uint32](),
	{64, ptx.S32, false}: accessorsOf[uint64, int32, uint64](), {64, ptx.S32, true}: accessorsOf[uint64, int32, uint32](),
	{64, ptx.U64, false}: accessorsOf[uint64, uint64, uint64](), {64, ptx.U64, true}: accessorsOf[uint64, uint64, uint32](),
}

// rows are the execs with a short way for consecutive elements, by register width and address
// width.
var rows = map[accessKey][2]exec{
	{bits: 32}: {loadRow[uint32, uint64], storeRow[uint32, uint64]}, {bits: 32, addr32: true}: {loadRow[uint32, uint32], storeRow[uint32, uint32]},
	{bits: 64}: {loadRow[uint64, uint64], storeRow[uint64, uint64]}, {bits: 64, addr32: true}: {loadRow[uint64, uint32], storeRow[uint64, uint32]},
}

// memoryType is the integer type under whose name a type's accessors are found.
func memoryType(t ptx.Type, bits int) ptx.Type {
	switch t {
	case ptx.B8:
		return ptx.U8
	case ptx.B16, ptx.F16, ptx.BF16:
		return ptx.U16
	case ptx.B32, ptx.F32:
		return ptx.U32
	case ptx.S32:
		if bits == 32 {
			return ptx.U32
		}
	case ptx.B64, ptx.F64, ptx.S64, ptx.B128:
		return ptx.U64
	}
	return t
}

// access is what the decoding of loads, stores and atomics begins with: an instruction with its
// address and memOp.
func (d *decoder) access(kind AccessKind, addr ptx.Operand, elements int) inst {
	elem := uint64(d.d.Type.Bytes())
	op := &memOp{kind: kind, space: d.d.Space, size: elem * uint64(elements), elem: elem}
	op.order, op.scope = d.ordering()
	in := inst{ext: op, observed: watchAccess}
	d.addressOf(&in, op, addr)
	return in
}

// ordering is the memory order and scope of the instruction at hand.
func (d *decoder) ordering() (MemOrder, Scope) {
	switch {
	case d.d.Has("volatile"):
		return Volatile, System
	case d.d.Mod("sem") != "":
		return MemOrder(d.d.Mod("sem")), scopeOf(d.d.Mod("scope"))
	case d.in.Op == "atom" || d.in.Op == "red":
		return Relaxed, scopeOf(d.d.Mod("scope"))
	}
	return Weak, NoScope
}

// scopeOf is a scope modifier; atomics without one have GPU scope.
func scopeOf(s string) Scope {
	if s == "" {
		return GPU
	}
	return Scope(s)
}

// addressOf sets the address of an access, and where it looks for memory first.
func (d *decoder) addressOf(in *inst, op *memOp, o ptx.Operand) {
	addr, ok := o.(ptx.Addr)
	if !ok {
		d.failf("%s is no address", ptx.OperandString(o))
	}
	in.imm = uint64(addr.Offset)
	switch base := addr.Base.(type) {
	case ptx.Int:
		in.a = d.constant(ptx.B64, base.Bits).off
	case ptx.Name:
		sym := d.lookup(string(base))
		if sym.Kind == ptx.VarSymbol {
			in.a = d.variable(op, sym.Var).off
			break
		}
		s := d.named(sym)
		in.a, op.addr32 = s.off, s.bits == 32
	}
	switch op.space {
	case ptx.SharedSpace:
		in.seg = segShared
	default:
		in.seg = uint32(segCache + d.accesses)
		d.accesses++
	}
}

// variable is the address of a variable that an access names. In a generic access that is its
// generic address. Parameters of functions lie in local memory.
func (d *decoder) variable(op *memOp, v *ptx.Var) slot {
	if _, kernel := d.params[v]; v.Space == ptx.ParamSpace && !kernel {
		op.space = ptx.LocalSpace
		return d.localAddress(v, 0)
	}
	if op.space == ptx.GenericSpace {
		return d.genericAddress(v)
	}
	return d.address(v, 0)
}

// execs finds the accessors of a type in memory for registers of one width.
func (d *decoder) execs(op *memOp, t ptx.Type, bits int) accessors {
	a, ok := accessTable[accessKey{min(bits, 64), memoryType(t, bits), op.addr32}]
	if !ok {
		d.failf("no access of .%s with registers of %d bits", t, bits)
	}
	return a
}

func (d *decoder) load() {
	regs := d.registers(d.in.Args[0], d.d.Type, true)
	in := d.access(Load, d.in.Args[1], len(regs))
	op := in.ext.(*memOp)
	bits := regs[0].bits
	if d.d.Type == ptx.B128 {
		regs = words(regs)
		op.elem = 8
	}
	narrow := d.registerBits(d.in.Args[0])
	op.wide = bits >= 64
	for _, r := range regs {
		op.regs = append(op.regs, r.off)
	}
	in.d = regs[0].off
	t := d.d.Type
	if narrow > 0 && t.Bits() >= narrow { // nothing to extend
		t = bitsType(t.Bits())
	}
	a := d.execs(op, t, bits)
	row, hasRow := rows[accessKey{bits: bits, addr32: op.addr32}]
	switch {
	case op.order != Weak:
		op.extend = extender(d.d.Type, narrow)
		in.run = loadOrdered
	case len(regs) > 1:
		in.run = a.loadVector
	case op.space == ptx.LocalSpace:
		in.run = a.loadLocal
	case hasRow && d.d.Type.Bits() == bits:
		in.run = row[0]
	default:
		in.run = a.load
	}
	d.emit(in)
	if narrow == 16 && t == ptx.S8 && op.order == Weak { // sign-extended to 16 bits, not to the slot's 32
		for _, r := range regs {
			d.compute(inst{run: and[uint32], a: r.off, b: d.constant(ptx.B32, 0xffff).off}, r)
		}
	}
}

// words are the two 64-bit halves of each 128-bit slot.
func words(regs []slot) []slot {
	var list []slot
	for _, r := range regs {
		list = append(list, slot{r.off, 64}, slot{r.off + slot64, 64})
	}
	return list
}

// extender extends what memory holds to a register of a width.
func extender(t ptx.Type, width int) func(uint64) uint64 {
	it := intType{t.Bits(), t.Signed()}
	keep := ^uint64(0)
	if width > 0 && width < 64 {
		keep = 1<<width - 1
	}
	if it.bits > 64 {
		it.bits = 64
	}
	return func(x uint64) uint64 { return it.read(x) & keep }
}

func (d *decoder) store() {
	regs := d.registers(d.in.Args[1], d.d.Type, false)
	in := d.access(Store, d.in.Args[0], len(regs))
	op := in.ext.(*memOp)
	bits := regs[0].bits
	if d.d.Type == ptx.B128 {
		regs = words(regs)
		op.elem = 8
	}
	op.wide = bits >= 64
	for _, r := range regs {
		op.regs = append(op.regs, r.off)
	}
	in.b = regs[0].off
	a := d.execs(op, d.d.Type, bits)
	row, hasRow := rows[accessKey{bits: bits, addr32: op.addr32}]
	switch {
	case op.order != Weak:
		in.run = storeOrdered
	case len(regs) > 1:
		in.run = a.storeVector
	case op.space == ptx.LocalSpace:
		in.run = a.storeLocal
	case hasRow && d.d.Type.Bits() == bits:
		in.run = row[1]
	default:
		in.run = a.store
	}
	d.emit(in)
}

// atom decodes atom and red: the old value into slot d, operands in b and c.
func (d *decoder) atom() {
	i := 0
	if d.in.Op == "atom" {
		i = 1
	}
	in := d.access(AtomicRMW, d.in.Args[i], 1)
	op := in.ext.(*memOp)
	op.atom = newAtomOp(d.d)
	t := d.d.Type
	if t == ptx.B128 {
		d.failf("the simulator does not know 128-bit atomics")
	}
	in.b = d.source(d.in.Args[i+1], t).off
	in.c = in.b
	if op.atom.name == "cas" {
		in.c = d.source(d.in.Args[i+2], t).off
	}
	if i == 1 {
		if name, ok := d.in.Args[0].(ptx.Name); ok && name == "_" {
			op.atom.red = true
		} else {
			in.d = d.dest(d.in.Args[0], t).off
		}
	}
	switch t.Bits() {
	case 16:
		in.run = atom16
	case 32:
		in.run = atom32
	default:
		in.run = atom64
	}
	in.observed = watchAtomic
	d.emit(in)
}

// fence decodes membar and fence. A proxy fence orders kinds of access that are one here.
func (d *decoder) fence() {
	if d.d.Has("proxy") || d.d.Mod("proxy") != "" {
		return
	}
	op := &fenceOp{order: SeqCst, scope: Scope(d.d.Mod("scope"))}
	switch d.d.Mod("level") {
	case "cta":
		op.scope = CTA
	case "gl":
		op.scope = GPU
	case "sys":
		op.scope = System
	}
	if sem := d.d.Mod("sem"); sem != "" {
		op.order = MemOrder(sem)
	} else if d.in.Op == "fence" {
		op.order = AcqRel
	}
	d.emit(inst{run: fence, observed: watchFence, ext: op})
}

type fenceOp struct {
	order MemOrder
	scope Scope
}
