package lower

import (
	"encoding/binary"
	"go/ast"
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Tables are the package-level variables of a program, which nothing changes, as constant data.
type Tables struct {
	prog  *frontend.Program
	byVar map[*types.Var]*table
	errs  frontend.ErrorList
}

// A table is constant data in the layout of the device.
type table struct {
	name  string
	align int
	elem  ir.Mem
	data  []byte
	refs  []tableRef
}

// tableRef is the address of a table in another, of 8 bytes.
type tableRef struct {
	off int64
	to  *table
}

// NewTables makes the tables of a program, and computes those whose initial values are no literals.
// The error is a frontend.ErrorList.
func NewTables(prog *frontend.Program) (*Tables, error) {
	t := &Tables{prog: prog, byVar: map[*types.Var]*table{}}
	computed := false
	for v, decl := range prog.Variables {
		if decl.Computed {
			computed = true
			continue
		}
		tab := newTable(decl.Name, v.Type())
		if decl.Expr != nil {
			(&encoder{t, v, decl.Info}).value(tab, 0, v.Type(), decl.Expr)
		}
		t.byVar[v] = tab
	}
	if err := t.errs.Err(); err != nil {
		return nil, err
	}
	if computed {
		if err := t.compute(); err != nil {
			return nil, err
		}
	}
	return t, t.errs.Err()
}

// fits refuses a variable with a slice that is too large for a table.
func (t *Tables) fits(v *types.Var, elem types.Type, n int64) bool {
	size := frontend.Sizes.Sizeof(elem)
	if size == 0 || 0 <= n && size > 0 && n <= frontend.MaxTable/size {
		return true
	}
	t.errs.Add(t.prog.Fset.Position(v.Pos()), "%s cannot be read by a kernel: its %d elements have more than %d bytes, "+
		"pass it as a slice", v.Name(), n, int64(frontend.MaxTable))
	return false
}

// newTable makes a table of zeros for values of a type.
func newTable(name string, t types.Type) *table {
	return &table{
		name: name, align: varAlign(t), elem: elemMem(t), data: make([]byte, max(frontend.Sizes.Sizeof(t), 1)),
	}
}

// An encoder writes literals of constants into tables.
type encoder struct {
	tables *Tables
	v      *types.Var // whose initial value it is
	info   *types.Info
}

// value writes the value of x, of type t, at an offset.
func (e *encoder) value(tab *table, off int64, t types.Type, x ast.Expr) {
	x = ast.Unparen(x)
	if c := e.info.Types[x].Value; c != nil {
		e.constant(tab, off, t, c)
		return
	}
	lit := x.(*ast.CompositeLit)
	switch u := t.Underlying().(type) {
	case *types.Struct:
		offsets := frontend.Offsets(u)
		for i, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				i, elt = fieldIndex(u, kv.Key.(*ast.Ident).Name), kv.Value
			}
			e.value(tab, off+offsets[i], u.Field(i).Type(), elt)
		}
	case *types.Array:
		e.elements(tab, off, u.Elem(), lit)
	case *types.Slice:
		n := e.elements(nil, 0, u.Elem(), lit)
		if n == 0 || !e.tables.fits(e.v, u.Elem(), n) {
			break
		}
		data := newTable(tab.name, types.NewArray(u.Elem(), n))
		e.elements(data, 0, u.Elem(), lit)
		tab.refer(off, data, n)
		binary.LittleEndian.PutUint64(tab.data[off+16:], uint64(n))
	}
}

// elements writes the elements of an array, and counts them up to the last. Without a table it only
// counts.
func (e *encoder) elements(tab *table, off int64, elem types.Type, lit *ast.CompositeLit) int64 {
	i, n := int64(0), int64(0)
	size := frontend.Sizes.Sizeof(elem)
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			i, _ = constant.Int64Val(constant.ToInt(e.info.Types[kv.Key].Value))
			elt = kv.Value
		}
		if tab != nil {
			e.value(tab, off+i*size, elem, elt)
		}
		i++
		n = max(n, i)
	}
	return n
}

func fieldIndex(s *types.Struct, name string) int {
	for i := range s.NumFields() {
		if s.Field(i).Name() == name {
			return i
		}
	}
	panic("BUG: no field " + name)
}

// constant writes a constant of a basic type.
func (e *encoder) constant(tab *table, off int64, t types.Type, c constant.Value) {
	if c.Kind() == constant.String {
		if s := constant.StringVal(c); s != "" {
			tab.refer(off, stringTable(s), int64(len(s)))
		}
		return
	}
	if k, ok := complexPart(t); ok {
		part := types.Typ[types.Float32]
		if k.typ == ir.F64 {
			part = types.Typ[types.Float64]
		}
		e.constant(tab, off, part, constant.Real(c))
		e.constant(tab, off+int64(k.mem.Size()), part, constant.Imag(c))
		return
	}
	k, _ := kindOf(t)
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], constBits(c, k))
	copy(tab.data[off:off+int64(k.mem.Size())], word[:])
}

// stringTable is the bytes of a string.
func stringTable(s string) *table {
	return &table{name: "text", align: 1, elem: ir.U8, data: []byte(s)}
}

// refer writes the address and the length of another table.
func (tab *table) refer(off int64, to *table, n int64) {
	tab.refs = append(tab.refs, tableRef{off, to})
	binary.LittleEndian.PutUint64(tab.data[off+8:], uint64(n))
}

// tableVar is a table as a variable of the function being made.
func (l *lowerer) tableVar(tab *table) *ir.Var {
	if v := l.tableVars[tab]; v != nil {
		return v
	}
	var refs []ir.Ref
	for _, r := range tab.refs {
		refs = append(refs, ir.Ref{Off: r.off, Var: l.tableVar(r.to)})
	}
	v := l.f.AddVar(&ir.Var{
		Name: l.f.VarName(tab.name), Space: ir.Constant, Size: int64(len(tab.data)), Align: tab.align, Elem: tab.elem,
		Init: tab.data, Refs: refs, Pos: l.b.Pos,
	})
	l.tableVars[tab] = v
	return v
}

// global is the address of a package-level variable.
func (l *lowerer) global(x *ssa.Global) value {
	if v, ok := x.Object().(*types.Var); ok {
		if tab := l.tables.byVar[v]; tab != nil {
			return value{leaves: []leaf{{v: l.b.VarAddr(l.tableVar(tab)), nonNil: true}}}
		}
	}
	v := l.computed[x]
	if v == nil { // only while the variables are computed
		t := x.Type().Underlying().(*types.Pointer).Elem()
		v = l.f.AddVar(&ir.Var{
			Name: l.f.VarName(frontend.Mangle(x.Name())), Space: ir.Global, Size: max(l.layout(t).size, 1),
			Align: varAlign(t), Pos: l.b.Pos,
		})
		l.computed[x] = v
	}
	return value{leaves: []leaf{{v: l.b.VarAddr(v), nonNil: true}}}
}
