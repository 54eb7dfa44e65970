package decode

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

func (d *decoder) bra() {
	sym := d.lookup(string(d.in.Args[0].(ptx.Name)))
	if sym.Label == nil {
		d.failf("%s is no label", sym.Name)
	}
	d.cur.N++
	target := d.label(sym.Label)
	if d.guard == nil {
		d.close(code.EndJump)
		d.cur.Target = target
		return
	}
	d.branch(target, d.behind, *d.guard)
}

// terminate ends the block with an operation that nothing follows.
func (d *decoder) terminate() {
	d.close(code.EndOp)
	d.cur.N++
	in := d.inst()
	in.Site = d.site
	d.cur.Op = &in
}

// brx branches by an index into a table of labels.
func (d *decoder) brx() {
	sym := d.lookup(string(d.in.Args[1].(ptx.Name)))
	if sym.Targets == nil {
		d.failf("%s is no table of branch targets", sym.Name)
	}
	var targets []*code.Block
	for _, name := range sym.Targets.Labels {
		l := d.lookup(name)
		if l.Label == nil {
			d.failf("%s is no label", name)
		}
		targets = append(targets, d.label(l.Label))
	}
	in := d.inst()
	in.Args = []code.Slot{d.operand(d.in.Args[0], ptx.U32)}
	d.operation(in)
	d.cur.Targets = targets
}

func (d *decoder) call() {
	c, err := d.in.Call()
	if err != nil {
		d.failf("%v", err)
	}
	passed := &code.Call{}
	target := d.lookup(string(c.Target.(ptx.Name)))
	var results, params []*ptx.Var
	switch {
	case target.Kind == ptx.FuncSymbol:
		if passed.Func = d.funcs[target.Func]; passed.Func == nil {
			passed.External = target.Name
		}
		results, params = target.Func.Results, target.Func.Params
	default:
		passed.Target = d.named(target)
		results, params = d.signature(c.Table)
	}
	passed.Args = d.arguments(c.Args, params, false)
	passed.Results = d.arguments(c.Results, results, true)
	in := d.inst()
	in.Call = passed
	if passed.Grid() {
		in.Args = []code.Slot{d.constant(ptx.U32, abi.BarrierOfGrid)}
	}
	d.operation(in)
}

// signature is the results and parameters of an indirect call.
func (d *decoder) signature(table string) (results, params []*ptx.Var) {
	sym := d.lookup(table)
	switch {
	case sym.Prototype != nil:
		return sym.Prototype.Results, sym.Prototype.Params
	case sym.Calls != nil && len(sym.Calls.Funcs) > 0:
		if f := d.lookup(sym.Calls.Funcs[0]).Func; f != nil {
			return f.Results, f.Params
		}
	}
	d.failf("%s is no call prototype or table of functions", table)
	return nil, nil
}

// arguments returns the places of a call's arguments or results in the caller. The formal
// parameters give their types.
func (d *decoder) arguments(list []ptx.Operand, formals []*ptx.Var, write bool) []code.Param {
	if len(list) != len(formals) {
		d.failf("the function has %d parameters or results here, not %d", len(formals), len(list))
	}
	var params []code.Param
	for i, o := range list {
		params = append(params, d.argument(o, formals[i].Type, write))
	}
	return params
}

func (d *decoder) argument(o ptx.Operand, t ptx.Type, write bool) code.Param {
	name, ok := o.(ptx.Name)
	if !ok {
		return code.Param{Reg: d.operand(o, t), Num: -1}
	}
	switch sym := d.lookup(string(name)); {
	case sym.Kind == ptx.SinkSymbol: // a result that is thrown away: into no bytes
		return code.Param{}
	case sym.Kind == ptx.VarSymbol:
		at, ok := d.locals[sym.Var]
		if !ok {
			d.failf("%s cannot be passed to a function", name)
		}
		return code.Param{Off: at, Size: uint32(sym.Var.Size())}
	case write:
		return code.Param{Reg: d.dest(o, sym.Type), Num: sym.Reg}
	case sym.Kind == ptx.RegisterSymbol:
		return code.Param{Reg: d.named(sym), Num: sym.Reg}
	default:
		return code.Param{Reg: d.named(sym), Num: -1}
	}
}

// barrier decodes bar and barrier: the number, the count if there is one, and for a reduction the
// predicate.
func (d *decoder) barrier() {
	if d.d.Has("warp") {
		d.sync(nil, nil, d.mask())
		return
	}
	in, args := d.inst(), d.in.Args
	var pred []code.Slot
	switch {
	case d.d.Has("cluster"):
		d.operation(in)
		return
	case d.d.Has("red"):
		t := ptx.Pred
		if d.d.Mod("op") == "popc" {
			t = ptx.U32
		}
		in.Dst = to(d.dest(args[0], t))
		pred = to(d.operand(args[len(args)-1], ptx.Pred))
		args = args[1 : len(args)-1]
	}
	for _, o := range args {
		in.Args = append(in.Args, d.operand(o, ptx.U32))
	}
	in.Args = append(in.Args, pred...)
	d.operation(in)
}

// sync ends the block with an operation for which the lanes of a mask wait for each other. No mask
// means whichever lanes are there.
func (d *decoder) sync(dst, args []code.Slot, mask ptx.Operand) {
	in := d.inst()
	in.Dst, in.Args = dst, args
	if mask != nil {
		in.Mask = d.operand(mask, ptx.U32)
	}
	d.operation(in)
}

// mask is the operand that names the lanes, nil without.
func (d *decoder) mask() ptx.Operand {
	if i := d.site.Does.Operand(d.in, ptx.Mask); i >= 0 {
		return d.in.Args[i]
	}
	return nil
}

func (d *decoder) shfl() {
	dst, p := d.destPair(d.in.Args[0], ptx.B32, ptx.Pred)
	var args []code.Slot
	for _, o := range d.in.Args[1:4] {
		args = append(args, d.operand(o, ptx.B32))
	}
	d.sync(to(dst, p), args, d.mask())
}

func (d *decoder) vote() {
	t := ptx.Pred
	if d.d.Mod("op") == "ballot" {
		t = ptx.B32
	}
	dst, a := d.dest(d.in.Args[0], t), d.operand(d.in.Args[1], ptx.Pred)
	d.sync(to(dst), to(a), d.mask())
}

func (d *decoder) match() {
	dst, p := d.destPair(d.in.Args[0], ptx.B32, ptx.Pred)
	d.sync(to(dst, p), to(d.operand(d.in.Args[1], d.d.Type)), d.mask())
}

func (d *decoder) redux() {
	dst, a := d.dest(d.in.Args[0], d.d.Type), d.operand(d.in.Args[1], d.d.Type)
	d.sync(to(dst), to(a), d.mask())
}

// mma decodes a product of matrices: the registers of A, B and C one after the other. All lanes of
// the warp take part.
func (d *decoder) mma() {
	form := d.d.Operands
	dst := d.registers(d.in.Args[0], form[0].Type, true)
	var args []code.Slot
	for i, o := range d.in.Args[1:] {
		args = append(args, d.registers(o, form[i+1].Type, false)...)
	}
	d.sync(dst, args, ptx.Int{Bits: 0xffffffff})
}

// wmma decodes products of matrices, and their loads and stores: the address, the stride, and what
// is stored. Without a stride the matrix has no gaps.
func (d *decoder) wmma() {
	if d.d.Has("mma") {
		d.mma()
		return
	}
	in, args := d.inst(), d.in.Args
	if d.d.Has("load") {
		in.Dst = d.registers(args[0], d.d.Operands[0].Type, true)
		args = args[1:]
	}
	addr := d.address(args[0], d.d.Space)
	in.Mem, in.Args = []code.Address{addr}, to(addr.Base)
	var values []code.Slot
	if d.d.Has("store") {
		values = d.registers(args[1], d.d.Operands[1].Type, false)
		args = args[1:]
	}
	if len(args) > 1 {
		in.Args = append(in.Args, d.operand(args[1], ptx.U32))
	} else {
		in.Args = append(in.Args, d.constant(ptx.U32, uint64(d.leading())))
	}
	in.Args = append(in.Args, values...)
	in.Mask = d.constant(ptx.U32, 0xffffffff)
	d.operation(in)
}

// leading is the number of elements of a row, or of a column if the matrix is stored by columns.
func (d *decoder) leading() int {
	var m, n, k int
	if _, err := fmt.Sscanf(d.d.Mod("shape"), "m%dn%dk%d", &m, &n, &k); err != nil {
		panic("BUG: wmma has shape " + d.d.Mod("shape"))
	}
	rows, cols := m, n
	switch {
	case d.d.Has("a"):
		cols = k
	case d.d.Has("b"):
		rows = k
	}
	if d.d.Mod("layout") == "row" {
		return cols
	}
	return rows
}

// wholeWarp decodes what all lanes of the warp do together and no register holds.
func (d *decoder) wholeWarp() { d.sync(nil, nil, ptx.Int{Bits: 0xffffffff}) }

// loadMatrix and storeMatrix decode accesses to matrices in shared memory, by all lanes of the
// warp. The address is the first operand.
func (d *decoder) loadMatrix() {
	d.matrix(d.in.Args[1], d.registers(d.in.Args[0], ptx.B32, true), nil)
}

func (d *decoder) storeMatrix() {
	d.matrix(d.in.Args[0], nil, d.registers(d.in.Args[1], ptx.B32, false))
}

func (d *decoder) matrix(at ptx.Operand, dst, values []code.Slot) {
	in, addr := d.inst(), d.address(at, d.d.Space)
	in.Mem = []code.Address{addr}
	in.Dst, in.Args = dst, append(to(addr.Base), values...)
	in.Mask = d.constant(ptx.U32, 0xffffffff)
	d.operation(in)
}

// tensorMap decodes the instructions with which kernels make their own tensor maps.
func (d *decoder) tensorMap() {
	if d.site.Does.Kind == ptx.Copies {
		d.copyMap()
		return
	}
	d.replaceField()
}

// copyMap decodes tensormap.cp_fenceproxy, which a warp does together.
func (d *decoder) copyMap() {
	in := d.inst()
	dst, src := d.address(d.in.Args[0], ptx.GlobalSpace), d.address(d.in.Args[1], ptx.SharedSpace)
	in.Mem, in.Args = []code.Address{dst, src}, to(dst.Base, src.Base)
	in.Mask = d.constant(ptx.U32, 0xffffffff)
	d.operation(in)
}

func (d *decoder) elect() {
	dst, p := d.destPair(d.in.Args[0], ptx.B32, ptx.Pred)
	d.sync(to(dst, p), nil, d.in.Args[1])
}

// wgmma decodes the instructions of a warp about products of its warpgroup. For a product, Dst are
// the registers of D. Args are the registers of A or its descriptor, the descriptor of B, and
// whether to add to D. Imm has a bit for each of the constants that follow, the first lowest: 1 if
// the constant is not the usual one. For a wait, Imm is the number of groups that may stay in
// flight.
func (d *decoder) wgmma() {
	in, args := d.inst(), d.in.Args
	in.Mask = d.constant(ptx.U32, 0xffffffff)
	switch {
	case d.d.Has("wait_group"):
		in.Imm = args[0].(ptx.Int).Bits
	case d.d.Has("mma_async"):
		form := d.d.Operands
		in.Dst = d.registers(args[0], form[0].Type, true)
		d.registers(args[0], form[0].Type, false) // D is read, too
		if form[1].Count > 0 {
			in.Args = d.registers(args[1], form[1].Type, false)
		} else {
			in.Args = to(d.operand(args[1], ptx.B64))
		}
		in.Args = append(in.Args, d.operand(args[2], ptx.B64), d.operand(args[3], ptx.Pred))
		for i, o := range args[4:] {
			if x := int64(o.(ptx.Int).Bits); x < 0 || i > 1 && x == 1 {
				in.Imm |= 1 << i
			}
		}
	}
	d.operation(in)
}
