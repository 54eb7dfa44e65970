package lower

import (
	"encoding/binary"
	"errors"
	"go/token"
	"go/types"

	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/interp"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// compute runs the initialisers of the packages, as a kernel of one thread would, and takes the
// variables from memory after them.
func (t *Tables) compute() error {
	l := newLowerer(t, ir.NewFunc("init"))
	l.exact = true // no device computes them
	l.inline(&closure{fn: t.prog.Init}, nil)
	l.b.Return()
	l.checkCells()
	if len(l.errs) == 0 {
		l.checkEscapes()
	}
	if err := l.errs.Err(); err != nil {
		return err
	}
	ir.RemoveUnreachable(l.f)
	mem, err := interp.Run(l.f)
	if err != nil {
		return t.failed(l.f, err)
	}
	for g, v := range l.computed {
		obj, ok := g.Object().(*types.Var)
		if !ok {
			continue // whether a package is initialised
		}
		tab := newTable(t.prog.Variables[obj].Name, obj.Type())
		t.take(&taker{mem, obj}, tab, 0, obj.Type(), mem.Var(v).Data)
		t.byVar[obj] = tab
	}
	return nil
}

// failed reports an initialiser that cannot be run to its end.
func (t *Tables) failed(f *ir.Func, err error) error {
	var stop *interp.Error
	if !errors.As(err, &stop) {
		panic("BUG: " + err.Error())
	}
	pos := token.Position{Line: int(stop.Pos.Line), Column: int(stop.Pos.Col)}
	if pos.Line > 0 {
		pos.Filename = t.prog.ShownName(f.Files[stop.Pos.File])
	}
	var errs frontend.ErrorList
	errs.Add(pos, "the initial value of a variable that a kernel reads cannot be computed: %s", stop.Msg)
	return errs.Err()
}

// taker is the source of a variable's value.
type taker struct {
	mem *interp.Memory
	v   *types.Var
}

// take copies a value of type u from memory into a table. What it points to becomes tables as well.
func (t *Tables) take(from *taker, tab *table, off int64, typ types.Type, data []byte) {
	switch u := typ.Underlying().(type) {
	case *types.Struct:
		offsets := frontend.Offsets(u)
		for i := range u.NumFields() {
			t.take(from, tab, off+offsets[i], u.Field(i).Type(), data[offsets[i]:])
		}
	case *types.Array:
		if holdsAddresses(u.Elem()) {
			size := frontend.Sizes.Sizeof(u.Elem())
			for i := range u.Len() {
				t.take(from, tab, off+i*size, u.Elem(), data[i*size:])
			}
			return
		}
		copy(tab.data[off:], data[:frontend.Sizes.Sizeof(typ)])
	case *types.Slice:
		n := binary.LittleEndian.Uint64(data[8:])
		if ptr := binary.LittleEndian.Uint64(data); ptr != 0 && t.fits(from.v, u.Elem(), int64(n)) {
			t.takeElements(from, tab, off, types.NewArray(u.Elem(), int64(n)), ptr)
			binary.LittleEndian.PutUint64(tab.data[off+16:], n)
		}
	case *types.Basic:
		if u.Info()&types.IsString == 0 {
			copy(tab.data[off:], data[:frontend.Sizes.Sizeof(typ)])
			return
		}
		if ptr := binary.LittleEndian.Uint64(data); ptr != 0 {
			n := int64(binary.LittleEndian.Uint64(data[8:]))
			t.takeElements(from, tab, off, types.NewArray(types.Typ[types.Uint8], n), ptr)
		}
	}
}

// takeElements makes a table of the elements of a slice or a string, to which the one at hand
// refers.
func (t *Tables) takeElements(from *taker, tab *table, off int64, arr *types.Array, ptr uint64) {
	to := newTable(tab.name, arr)
	if obj, at, ok := from.mem.Find(ptr); ok {
		t.take(from, to, 0, arr, obj.Data[at:])
	}
	tab.refer(off, to, arr.Len())
}

// holdsAddresses reports whether values of a type have addresses in them.
func holdsAddresses(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if holdsAddresses(f.Type()) {
				return true
			}
		}
		return false
	case *types.Array:
		return holdsAddresses(u.Elem())
	case *types.Basic:
		return u.Info()&types.IsString != 0
	}
	return true
}
