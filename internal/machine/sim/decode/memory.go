package decode

import (
	"slices"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// address is where an access of a state space goes.
func (d *decoder) address(o ptx.Operand, space ptx.Space) code.Address {
	addr, ok := o.(ptx.Addr)
	if !ok {
		d.failf("%s is no address", ptx.OperandString(o))
	}
	a := code.Address{Space: space, Offset: uint64(addr.Offset), Cluster: d.d.Mod("space") == "shared::cluster", Memo: -1}
	switch base := addr.Base.(type) {
	case ptx.Int:
		a.Base = d.constant(ptx.B64, base.Bits)
	case ptx.Name:
		if sym := d.lookup(string(base)); sym.Kind == ptx.VarSymbol {
			a.Base, a.Space = d.variable(sym.Var, space)
		} else {
			a.Base = d.named(sym)
		}
	}
	if a.Space != ptx.SharedSpace {
		a.Memo = d.kernel.Memos
		d.kernel.Memos++
	}
	return a
}

// variable is the address of a variable that an access names, in the state space of the access, and
// that space. For a generic access it is the generic address. Parameters of functions are in local
// memory.
func (d *decoder) variable(v *ptx.Var, space ptx.Space) (code.Slot, ptx.Space) {
	if _, kernel := d.params[v]; v.Space == ptx.ParamSpace && !kernel {
		return d.localAddress(v, 0), ptx.LocalSpace
	}
	if space == ptx.GenericSpace {
		return d.genericAddress(v), space
	}
	return d.addressOf(v, 0), space
}

func (d *decoder) load() {
	regs := d.registers(d.in.Args[0], d.d.Type, true)
	in := d.inst()
	in.Mem = []code.Address{d.address(d.in.Args[1], d.d.Space)}
	in.Width = d.registerBits(d.in.Args[0])
	d.emit(in, d.elements(regs))
	if d.ordered() {
		d.cut()
	}
	if in.Width == 16 && d.d.Type == ptx.S8 && !d.ordered() { // sign-extended to 16 bits, not to the slot's 32
		for _, r := range regs {
			d.emit(step(ptx.OpAnd, ptx.B32), to(r), r, d.constant(ptx.B32, 0xffff))
		}
	}
}

// ordered says whether the load or store at hand has another memory order than weak.
func (d *decoder) ordered() bool {
	sem := d.d.Mod("sem")
	return d.d.Has("volatile") || sem != "" && sem != "weak"
}

// elements are the registers of a vector, with the two halves of each that has 128 bits.
func (d *decoder) elements(regs []code.Slot) []code.Slot {
	if d.d.Type != ptx.B128 {
		return regs
	}
	var list []code.Slot
	for _, r := range regs {
		list = append(list, r.Half(0), r.Half(1))
	}
	return list
}

func (d *decoder) store() {
	regs := d.registers(d.in.Args[1], d.d.Type, false)
	in := d.inst()
	in.Mem = []code.Address{d.address(d.in.Args[0], d.d.Space)}
	d.emit(in, nil, d.elements(regs)...)
	if d.ordered() {
		d.cut()
	}
}

// atomic decodes atom and red. The result is the old value. red and "_" have none. The
// compare-and-swap of a word that is meant for a byte has the byte's address as its second address.
func (d *decoder) atomic() {
	i := d.site.Does.Operand(d.in, ptx.Address)
	if d.d.Lanes > 0 {
		d.atomicVector(i)
		return
	}
	in := d.inst()
	in.Mem = []code.Address{d.address(d.in.Args[i], d.d.Space)}
	t := d.d.Type
	args := []code.Slot{d.operand(d.in.Args[i+1], t)}
	if d.site.Does.Operand(d.in, ptx.Compared) >= 0 {
		args = append(args, d.operand(d.in.Args[i+2], t))
	}
	if d.in.Byte != "" && d.d.Mod("op") == "cas" && t == ptx.B32 {
		in.Mem = append(in.Mem, d.address(ptx.Addr{Base: ptx.Name(d.in.Byte)}, d.d.Space))
	}
	d.emit(in, d.elements(d.oldValue(i, t)), d.elements(args)...)
	d.cut()
}

// atomicVector decodes an atomic on a vector, whose address is its i-th operand: one atomic for
// each element. The address is a multiple of the whole vector's size.
func (d *decoder) atomicVector(i int) {
	t, n := d.d.Type, d.d.Lanes
	values := d.registers(d.in.Args[i+1], t, false)
	var old []code.Slot
	if i > 0 && d.in.Args[0] != ptx.Operand(ptx.Name("_")) {
		old = d.registers(d.in.Args[0], t, true)
	}
	for k, v := range values { // a later element may need what an earlier one's result replaces
		if k > 0 && slices.Contains(old[:min(k, len(old))], v) {
			values[k] = d.fn.File.Alloc(v.Bits)
			d.copy(values[k], v)
		}
	}
	at := d.address(d.in.Args[i], d.d.Space)
	at.Align = uint64(t.Bytes() * n)
	for k := range n {
		in := d.inst()
		in.Element, in.Elements = k, n
		in.Mem = []code.Address{at}
		var result []code.Slot
		if old != nil {
			result = to(old[k])
		}
		d.emit(in, result, values[k])
		at.Offset += uint64(t.Bytes())
		at.Align = 0
	}
	d.cut()
}

// oldValue is the result of an atomic whose address is its i-th operand, if it has one.
func (d *decoder) oldValue(i int, t ptx.Type) []code.Slot {
	if i == 0 || d.in.Args[0] == ptx.Operand(ptx.Name("_")) {
		return nil
	}
	return to(d.dest(d.in.Args[0], t))
}

// fence decodes membar and fence. Addresses that are aliases of each other are not known here, so
// that the fence of their proxy orders nothing.
func (d *decoder) fence() {
	if !slices.Contains(d.in.Mods, "alias") {
		d.emit(d.inst(), nil)
		d.cut()
	}
}

// asyncCopy decodes cp.async: copies, the groups that a thread makes of them and waits for, and the
// arrival at an mbarrier that follows copies.
func (d *decoder) asyncCopy() {
	in := d.inst()
	switch {
	case d.d.Has("bulk"):
		d.bulkCopy(in)
	case d.d.Has("mbarrier"):
		in.Mem = []code.Address{d.address(d.in.Args[0], d.d.Space)}
		d.emit(in, nil)
	case d.d.Has("wait_group"):
		in.Imm = d.in.Args[0].(ptx.Int).Bits
		d.emit(in, nil)
	case d.d.Has("ca"), d.d.Has("cg"):
		size := d.in.Args[2].(ptx.Int).Bits
		from := d.address(d.in.Args[1], ptx.GlobalSpace)
		in.Mem = []code.Address{d.address(d.in.Args[0], ptx.SharedSpace), from}
		in.Imm = size
		d.emit(in, nil, d.copied(size))
	default:
		d.emit(in, nil)
	}
}

// bulkCopy decodes cp.async.bulk. Mem has the addresses, except the address of a tensor map. Args
// are the other operands: the map and the coordinates of a tensor, and the blocks of a multicast.
// Hints are dropped.
func (d *decoder) bulkCopy(in code.Inst) {
	var args []code.Slot
	for i, o := range d.in.Args {
		switch form := d.d.Operands[i]; {
		case form.Kind == ptx.ImmOperand:
			in.Imm = o.(ptx.Int).Bits
		case form.Kind == ptx.AddressOperand:
			at := d.address(o, form.Space)
			at.Cluster = d.d.Has("shared::cluster") && form.Space == ptx.SharedSpace
			in.Mem = append(in.Mem, at)
		case form.Kind == ptx.TensorOperand:
			tensor := o.(ptx.Texel)
			args = append(args, d.narrowed(d.operand(tensor[0], ptx.U64), ptx.U64))
			for _, x := range tensor[1].(ptx.Vec) {
				args = append(args, d.operand(x, ptx.S32))
			}
		case form.Type == ptx.B64:
			d.operand(o, ptx.B64)
		default:
			args = append(args, d.operand(o, form.Type))
		}
	}
	d.emit(in, nil, args...)
}

// copied is how many bytes a copy reads, of a size in all: the rest becomes zero. A predicate says
// that it reads none.
func (d *decoder) copied(size uint64) code.Slot {
	all := d.constant(ptx.U32, size)
	if len(d.in.Args) > 3 {
		switch arg := d.in.Args[3]; d.d.Operands[3].Type {
		case ptx.U32:
			return d.operand(arg, ptx.U32)
		case ptx.Pred:
			n := d.fn.File.Alloc(32)
			d.emit(step(ptx.OpSelp, ptx.B32), to(n), d.constant(ptx.U32, 0), all, d.operand(arg, ptx.Pred))
			return n
		}
	}
	return all
}

// mbarrier decodes the operations on an mbarrier, which is a word in shared memory: arrivals and
// the like have a count, 1 where none is written. Of arrive.expect_tx the count is of bytes.
func (d *decoder) mbarrier() {
	if d.site.Does.Kind == ptx.Awaits {
		d.testWait()
		return
	}
	i := d.site.Does.Operand(d.in, ptx.Address)
	in := d.inst()
	in.Mem = []code.Address{d.address(d.in.Args[i], d.d.Space)}
	count := d.constant(ptx.U64, 1)
	if at := d.site.Does.Operand(d.in, ptx.Count); at >= 0 {
		count = d.narrowed(d.operand(d.in.Args[at], ptx.U32), ptx.U64)
	}
	d.emit(in, d.oldValue(i, ptx.B64), count)
}

// testWait decodes test_wait and try_wait, which say whether the phase of a token, or of a parity,
// is over.
func (d *decoder) testWait() {
	in := d.inst()
	in.Mem = []code.Address{d.address(d.in.Args[1], d.d.Space)}
	t := ptx.B64
	if d.d.Has("parity") {
		t = ptx.U32
	}
	d.emit(in, to(d.dest(d.in.Args[0], ptx.Pred)), d.operand(d.in.Args[2], t))
}

// replaceField decodes tensormap.replace. Imm is the dimension whose field is replaced.
func (d *decoder) replaceField() {
	in := d.inst()
	in.Mem = []code.Address{d.address(d.in.Args[0], d.d.Space)}
	value := d.in.Args[len(d.in.Args)-1]
	if len(d.in.Args) > 2 {
		in.Imm = d.in.Args[1].(ptx.Int).Bits
	}
	d.emit(in, nil, d.narrowed(d.operand(value, d.d.Type), ptx.U64))
}
