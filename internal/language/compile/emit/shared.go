package emit

import (
	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// sharedLayout is the layout of a kernel's shared variables that exceed static shared memory. They
// are in dynamic shared memory, one after the other, followed by the bytes that the launch asks
// for. It is empty if the variables fit static shared memory.
type sharedLayout struct {
	at    map[*ir.Var]int64
	bytes int
}

// placeShared lays out the shared variables that the kernel uses, and declares them if they exceed
// static shared memory. In PTX all arrays in dynamic shared memory have one address. The kernel
// adds the offset of each.
func (e *emitter) placeShared() {
	l := sharedLayout{at: map[*ir.Var]int64{}}
	used := usedVars(e.f)
	end := int64(0)
	for _, v := range e.f.Vars {
		if used[v] && v.Space == ir.Shared && !v.Dynamic {
			align := int64(max(v.Align, 1))
			l.at[v] = (end + align - 1) / align * align
			end = l.at[v] + v.Size
		}
	}
	if end <= int64(abi.AnyLimits().StaticShared) {
		return
	}
	l.bytes = abi.SharedEnd(int(end))
	e.shared = l
	for _, v := range e.f.Vars {
		if at, ok := l.at[v]; ok {
			e.symbols[v] = e.declarePart(v, at)
		}
	}
}

// usedVars are the variables whose addresses a kernel takes.
func usedVars(f *ir.Func) map[*ir.Var]bool {
	used := map[*ir.Var]bool{}
	for _, b := range f.Blocks {
		for _, v := range b.Instrs {
			if v.Op == ir.VarAddr {
				used[v.Var] = true
			}
		}
	}
	return used
}

// declarePart declares a variable in dynamic shared memory.
func (e *emitter) declarePart(v *ir.Var, at int64) (name string) {
	source := clean(v.Name, "shared")
	name = e.m.unique(e.f.Name + "_" + source)
	e.m.varDecls = append(e.m.varDecls, &ptx.Var{
		Linkage: ptx.Extern, Space: ptx.SharedSpace, Align: abi.SharedAlign, Type: elemType(v), Name: name, Dims: []int{-1}, Shape: v.Type,
		Part: &ptx.SharedPart{Kernel: e.f.Name, Size: int(v.Size), Offset: int(at), Name: source},
	})
	return name
}

// align is the alignment of the bytes that the launch asks for. All dynamic shared memory has the
// alignment of the variables in it, so that all symbols have one address.
func (l *sharedLayout) align(v *ir.Var) int {
	if l.bytes > 0 {
		return abi.SharedAlign
	}
	return v.Align
}

// inSymbol is the offset of a variable from its symbol, in bytes.
func (e *emitter) inSymbol(p *ir.Value) int64 {
	switch {
	case p.Op != ir.VarAddr || p.Var.Space != ir.Shared:
		return 0
	case p.Var.Dynamic:
		return int64(e.shared.bytes)
	}
	return e.shared.at[p.Var]
}
