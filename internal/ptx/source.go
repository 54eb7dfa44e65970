package ptx

import (
	"iter"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
)

// Files are the names of the source files, by the number of their .file directive.
func (m *Module) Files() map[int]string {
	files := map[int]string{}
	for _, d := range m.Decls {
		if f, ok := d.(*File); ok {
			files[f.Index] = f.Name
		}
	}
	return files
}

// Kernels are the kernels that the module defines, in the order of the text.
func (m *Module) Kernels() []*Func {
	var all []*Func
	for _, d := range m.Decls {
		if f, ok := d.(*Func); ok && f.Entry && f.Body != nil {
			all = append(all, f)
		}
	}
	return all
}

// Kernel is the kernel of a name, nil where the module defines none.
func (m *Module) Kernel(name string) *Func {
	for _, f := range m.Kernels() {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// SharedParts are the extern arrays that are variables of a kernel in dynamic shared memory, in the
// order of the text. A kernel has them if it declares more than a block may have statically.
func (m *Module) SharedParts(kernel string) []*Var {
	var parts []*Var
	for _, d := range m.Decls {
		if v, ok := d.(*Var); ok && v.Part != nil && v.Part.Kernel == kernel {
			parts = append(parts, v)
		}
	}
	return parts
}

// DeclaredShared is how many bytes of dynamic shared memory the variables of a kernel take. A
// launch gives the block these bytes, and the bytes that the launch asks for after them.
func (m *Module) DeclaredShared(kernel string) int {
	end := 0
	for _, v := range m.SharedParts(kernel) {
		end = max(end, v.Part.Offset+v.Part.Size)
	}
	return abi.SharedEnd(end)
}

// Formats are the formats of the lines that the module's kernels print, by number: see
// abi.FormatVar.
func (m *Module) Formats() map[int]abi.Format {
	formats := map[int]abi.Format{}
	for _, d := range m.Decls {
		v, ok := d.(*Var)
		if !ok || !strings.HasPrefix(v.Name, abi.FormatVar) {
			continue
		}
		list, _ := v.Init.(List)
		var mem []byte
		for _, x := range list {
			if b, ok := x.(Int); ok {
				mem = append(mem, byte(b.Bits))
			}
		}
		if n, f, ok := abi.FormatOf(v.Name, mem); ok {
			formats[n] = f
		}
	}
	return formats
}

// Prints reports whether the function prints as abi.Line says.
func (f *Func) Prints() bool {
	return f.Body != nil && slices.ContainsFunc(f.Body.Stmts, func(s Stmt) bool {
		l, ok := s.(*Label)
		return ok && strings.HasPrefix(l.Name, abi.PrintLabel)
	})
}

// Calls reports whether the function calls one of that name.
func (f *Func) Calls(name string) bool {
	for in := range f.Instrs() {
		if in.Op != "call" {
			continue
		}
		if c, err := in.Call(); err == nil && c.Target == Name(name) {
			return true
		}
	}
	return false
}

// Instrs are the instructions of the function, also those in its blocks.
func (f *Func) Instrs() iter.Seq[*Instr] {
	return func(yield func(*Instr) bool) {
		var within func(b *Block) bool
		within = func(b *Block) bool {
			if b == nil {
				return true
			}
			for _, s := range b.Stmts {
				switch s := s.(type) {
				case *Block:
					if !within(s) {
						return false
					}
				case *Instr:
					if !yield(s) {
						return false
					}
				}
			}
			return true
		}
		within(f.Body)
	}
}

// LocAt is the .loc directive that holds for a line of the module's text, which says what line of
// the source it was made from; nil where the module does not say.
func (m *Module) LocAt(line int) *Loc {
	var at *Loc
	for _, d := range m.Decls {
		if f, ok := d.(*Func); ok && f.Body != nil && f.Body.Pos.Line <= line {
			at = lastLoc(f.Body, line, nil)
		}
	}
	if at == nil || at.Line == 0 {
		return nil
	}
	return at
}

// lastLoc is the last .loc of a block up to a line, else loc.
func lastLoc(b *Block, line int, loc *Loc) *Loc {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *Loc:
			if s.Pos.Line <= line {
				loc = s
			}
		case *Block:
			if s.Pos.Line <= line {
				loc = lastLoc(s, line, loc)
			}
		}
	}
	return loc
}
