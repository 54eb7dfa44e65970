package lower

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

const gpuPath = frontend.GPUPath

// registers are the special registers of package gpu, with their X.
var registers = func() map[string]ir.Sub {
	m := map[string]ir.Sub{}
	for _, r := range abi.Registers {
		m[r.Name] = resolve(r.Op, "").sub
	}
	return m
}()

// registerRow is the row of the special register whose X is sub.
func registerRow(sub ir.Sub) *abi.Register {
	for i := range abi.Registers {
		if row := &abi.Registers[i]; registers[row.Name] == sub {
			return row
		}
	}
	panic("BUG: no special register begins there")
}

// temp makes a variable in local memory, whose contents are undefined.
func (l *lowerer) temp(t types.Type, name string) *ir.Value {
	return l.b.Alloca(max(l.layout(t).size, 1), varAlign(t), name)
}

// alloc makes a variable: one in local memory, zero each time its declaration is executed.
func (f *frame) alloc(in *ssa.Alloc) value {
	l := f.l
	t := in.Type().Underlying().(*types.Pointer).Elem()
	if isFunc(t) {
		cell := &funcCell{name: in.Comment}
		l.cells = append(l.cells, cell)
		return value{leaves: []leaf{{cell: cell, nonNil: true}}}
	}
	if isArgList(in) {
		return newArgList(in)
	}
	v := f.loopVars[in]
	if v == nil {
		v = l.temp(t, variableComment(in.Comment))
	}
	if size := l.layout(t).size; size > 0 {
		l.decls[v] = append(l.decls[v], declared{l.b.MemZero(v, size, v.Align), f.messagePos(in)})
	}
	return value{leaves: []leaf{{v: v, nonNil: true}}}
}

// variableComment is the name of the variable in an Alloc's comment, "" if it is one of go/ssa's
// own words.
func variableComment(comment string) string {
	switch comment {
	case "complit", "varargs", "slicelit", "makeslice", "new":
		return ""
	}
	return strings.TrimSuffix(comment, "'")
}

// at is the address off bytes after p, with its known alignment.
func (l *lowerer) at(p *ir.Value, off int64) *ir.Value {
	q := l.b.PtrAddConst(p, off)
	if q != p {
		q.Align = alignAfter(p.Align, off)
	}
	return q
}

// alignAfter is the alignment of an address aligned to align plus a multiple of step.
func alignAfter(align int, step int64) int {
	for align > 1 && step%int64(align) != 0 {
		align /= 2
	}
	return align
}

// scale is i*size.
func (l *lowerer) scale(i *ir.Value, size int64) *ir.Value {
	if c, ok := i.IntConst(); ok {
		return l.b.Int(ir.I64, c*size)
	}
	if size == 1 {
		return i
	}
	return l.b.Emit(ir.Mul, ir.I64, i, l.b.Int(ir.I64, size))
}

// elem is the address of element i of elements of the given size.
func (l *lowerer) elem(p, i *ir.Value, size int64) *ir.Value {
	off := l.scale(i, size)
	if c, ok := off.IntConst(); ok {
		return l.at(p, c)
	}
	q := l.b.PtrAdd(p, off)
	q.Align = alignAfter(p.Align, size)
	return q
}

// checkNil makes sure that a pointer is not nil before it is followed.
func (l *lowerer) checkNil(p leaf) {
	if !p.nonNil && p.v != nil {
		l.b.Check(ir.CheckNil, p.v)
	}
}

// loadFrom lowers *p.
func (f *frame) loadFrom(in *ssa.UnOp) value {
	l := f.l
	p := f.value(in.X).leaves[0]
	switch {
	case p.reg != nil:
		return f.readRegister(in, p.reg)
	case p.cell != nil:
		return value{leaves: []leaf{{fn: l.readFunc(p.cell, f.messagePos(in))}}}
	}
	l.checkNil(p)
	return l.load(in.Type(), p)
}

// readRegister reads one special register, or its three fields.
func (f *frame) readRegister(in *ssa.UnOp, r *register) value {
	l := f.l
	if row := registerRow(r.first); !l.target.Has(row.Needs) {
		l.errorf(f.messagePos(in), "gpu.%s needs %v or newer: write //gpu:kernel target=%v", row.Name, row.Needs, row.Needs)
		return l.undefined(in.Type())
	}
	read := func(i int) leaf {
		if n := l.f.BlockDim[i]; r.first == ir.NTidX && n > 0 {
			return leaf{v: l.b.Int(ir.I64, int64(n))} // the directive fixes it
		}
		if n := l.f.Cluster[i]; r.first == ir.NCTAInClusterX && n > 0 {
			return leaf{v: l.b.Int(ir.I64, int64(n))}
		}
		return leaf{v: l.b.Emit(ir.Zext32, ir.I64, l.b.SReg(r.first+ir.Sub(i)))}
	}
	if r.field >= 0 {
		return value{leaves: []leaf{read(r.field)}}
	}
	return value{leaves: []leaf{read(0), read(1), read(2)}}
}

// load reads a value of type t.
func (l *lowerer) load(t types.Type, p leaf) value {
	lay := l.layout(t)
	if lay.large {
		tmp := l.temp(t, "")
		l.b.MemCopy(tmp, p.v, lay.size, min(tmp.Align, max(p.v.Align, lay.align)))
		return value{mem: tmp}
	}
	if n := frontend.VectorLanes(t); n > 0 && int64(p.v.Align) >= lay.size && !frontend.IsHalfPair(t) {
		s := lay.scalars[0]
		v := value{}
		for _, x := range l.b.LoadVector(s.typ, s.mem, p.v, n) {
			v.leaves = append(v.leaves, leaf{v: x})
		}
		return v
	}
	if vec := vectorParts(t); vec != nil {
		return l.loadParts(t, vec, p)
	}
	v := value{leaves: make([]leaf, len(lay.scalars))}
	for i, s := range lay.scalars {
		if s.typ == ir.Void {
			v.leaves[i].fn = l.functionInMemory()
			continue
		}
		v.leaves[i].v = l.loadScalar(s, l.at(p.v, s.off))
	}
	return v
}

// functionInMemory refuses a function stored in memory: the compiler does not know there which
// function it is.
func (l *lowerer) functionInMemory() *closure {
	l.errorf(l.here(), "a kernel cannot keep a function in a struct or an array: which one is called must be known "+
		"when the kernel is compiled, use a variable or a parameter")
	return reported
}

// A part is a field or element of a type that has vectors among its parts.
type part struct {
	typ types.Type
	off int64
}

// vectorParts are the parts of a struct or array that contains vectors of package gpu; nil for
// other types.
func vectorParts(t types.Type) []part {
	var parts []part
	found := false
	add := func(t types.Type, off int64) {
		parts = append(parts, part{t, off})
		found = found || frontend.VectorLanes(t) > 0 || vectorParts(t) != nil
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i, off := range frontend.Offsets(u) {
			add(u.Field(i).Type(), off)
		}
	case *types.Array:
		if u.Len() > maxScalars {
			return nil
		}
		for i := range u.Len() {
			add(u.Elem(), i*frontend.Sizes.Sizeof(u.Elem()))
		}
	}
	if !found {
		return nil
	}
	return parts
}

func (l *lowerer) loadParts(t types.Type, parts []part, p leaf) value {
	var v value
	for _, q := range parts {
		v.leaves = append(v.leaves, l.load(q.typ, leaf{v: l.at(p.v, q.off), nonNil: true}).leaves...)
	}
	return v
}

func (f *frame) store(in *ssa.Store) {
	l := f.l
	p := f.value(in.Addr).leaves[0]
	switch {
	case p.reg != nil:
		l.errorf(f.messagePos(in), "the special registers of package gpu are read-only")
		return
	case p.cell != nil:
		f.storeFunc(in, p.cell)
		return
	case p.arg != nil:
		p.arg.set(f, in.Val)
		return
	}
	t := in.Val.Type()
	if c, ok := in.Val.(*ssa.Const); ok && c.Value == nil && l.layout(t).large {
		l.checkNil(p)
		l.b.MemZero(p.v, l.layout(t).size, max(p.v.Align, l.layout(t).align))
		return
	}
	v := f.value(in.Val)
	l.checkNil(p)
	l.storeValue(t, p.v, v)
}

// storeFunc assigns a variable of function type. After a second assignment it would not be known
// which function is called.
func (f *frame) storeFunc(in *ssa.Store, cell *funcCell) {
	fn := f.value(in.Val).leaves[0].fn
	switch {
	case cell.set == nil && !cell.unset:
		at := f.l.point()
		cell.fn, cell.set = fn, &at
	case cell.set == nil || !cell.fn.same(fn):
		f.l.errorf(f.messagePos(in), "%s is assigned a second function: which function is called must be known "+
			"when the kernel is compiled", cell.name)
		cell.fn = reported
	}
}

// readFunc is the function in a variable.
func (l *lowerer) readFunc(cell *funcCell, pos token.Pos) *closure {
	if cell.set == nil {
		cell.unset = true // nil, unless it is assigned later
		return cell.fn
	}
	cell.uses = append(cell.uses, cellUse{l.point(), pos})
	return cell.fn
}

// checkCells makes sure that variables of function type are assigned on every way to their uses.
func (l *lowerer) checkCells() {
	dom := l.f.Dominators()
	for _, cell := range l.cells {
		for _, use := range cell.uses {
			set, at := cell.set, use.at
			before := set.block == at.block && set.n <= at.n
			if !before && (set.block == at.block || !dom.Dominates(set.block, at.block)) && dom.Reachable(at.block) {
				l.errorf(use.pos, "%s may not be assigned yet here: which function is called must be known when "+
					"the kernel is compiled", cell.name)
			}
		}
	}
}

// storeValue writes a value of type t.
func (l *lowerer) storeValue(t types.Type, p *ir.Value, v value) {
	lay := l.layout(t)
	if lay.large {
		l.b.MemCopy(p, v.mem, lay.size, min(v.mem.Align, max(p.Align, lay.align)))
		return
	}
	if n := frontend.VectorLanes(t); n > 0 && int64(p.Align) >= lay.size && !frontend.IsHalfPair(t) {
		lanes := make([]*ir.Value, n)
		for i := range lanes {
			lanes[i] = v.leaves[i].v
		}
		l.b.Store(lay.scalars[0].mem, p, lanes...)
		return
	}
	if parts := vectorParts(t); parts != nil {
		first := int64(0)
		for _, q := range parts {
			n := countScalars(q.typ)
			l.storeValue(q.typ, l.at(p, q.off), value{leaves: v.leaves[first : first+n]})
			first += n
		}
		return
	}
	for i, s := range lay.scalars {
		if s.typ == ir.Void || v.leaves[i].v == nil {
			l.functionInMemory()
			return
		}
		l.storeScalar(s, l.at(p, s.off), v.leaves[i].v)
	}
}

func (f *frame) fieldAddr(in *ssa.FieldAddr) value {
	l := f.l
	p := f.value(in.X).leaves[0]
	if p.reg != nil {
		return value{leaves: []leaf{{reg: &register{first: p.reg.first, field: in.Field}}}}
	}
	l.checkNil(p)
	s := in.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	return value{leaves: []leaf{{v: l.at(p.v, l.offsets(s)[in.Field]), nonNil: true}}}
}

// indexAddr is the address of an element of a slice or of an array that a pointer points to.
func (f *frame) indexAddr(in *ssa.IndexAddr) value {
	l := f.l
	x := f.value(in.X)
	var length *ir.Value
	var elem types.Type
	p := x.leaves[0]
	if p.list != nil {
		return p.list.element(in)
	}
	switch t := in.X.Type().Underlying().(type) {
	case *types.Slice:
		length, elem = x.len(), t.Elem()
	case *types.Pointer:
		l.checkNil(p)
		arr := t.Elem().Underlying().(*types.Array)
		length, elem = l.b.Int(ir.I64, arr.Len()), arr.Elem()
	}
	i := l.toI64(f.value(in.Index).one(), in.Index.Type())
	l.checkIndex(i, length, in.Index.Type())
	return value{leaves: []leaf{{v: l.elem(p.v, i, l.layout(elem).size), nonNil: true}}}
}

// checkIndex checks 0 <= i < length, where Go's type of i is t. It makes no check where the index
// is plainly in range, or where the kernel asks for no checks.
func (l *lowerer) checkIndex(i, length *ir.Value, t types.Type) {
	c, ok := i.IntConst()
	n, ok2 := length.IntConst()
	if ok && ok2 && 0 <= c && c < n {
		return
	}
	l.checkBounds(ir.CheckIndex, i, length, t)
}

// checkBounds makes the check of an index x of Go's type t, unless the kernel asks for no checks.
func (l *lowerer) checkBounds(check ir.Sub, x, limit *ir.Value, t types.Type) {
	if l.f.NoBounds {
		return
	}
	k, _ := kindOf(t)
	l.b.Check(check, x, limit).Unsigned = k.typ == ir.I64 && !k.signed
}

// index is an element of an array value.
func (f *frame) index(in *ssa.Index) value {
	l := f.l
	if isString(in.X.Type()) {
		return f.indexString(in)
	}
	arr, ok := in.X.Type().Underlying().(*types.Array)
	if !ok {
		f.unsupported(in)
		return l.undefined(in.Type())
	}
	x := f.value(in.X)
	i := l.toI64(f.value(in.Index).one(), in.Index.Type())
	l.checkIndex(i, l.b.Int(ir.I64, arr.Len()), in.Index.Type())
	if c, ok := i.IntConst(); ok && 0 <= c && c < arr.Len() {
		return l.part(x, in.X.Type(), int(c))
	}
	if x.mem == nil {
		tmp := l.temp(in.X.Type(), "")
		l.storeValue(in.X.Type(), tmp, x)
		x.mem = tmp
	}
	return l.load(in.Type(), leaf{v: l.elem(x.mem, i, l.layout(arr.Elem()).size), nonNil: true})
}
