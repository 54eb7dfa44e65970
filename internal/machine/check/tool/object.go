package tool

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// AccessType is the type of the element that an instruction accesses: of "ld.global.v4.f32", f32.
func AccessType(in *ptx.Instr) ptx.Type {
	switch {
	case in == nil:
	case in.Byte != "":
		return ptx.U8
	default:
		for i := len(in.Mods) - 1; i >= 0; i-- {
			if t := ptx.Type(in.Mods[i]); t.Bytes() > 0 {
				return t
			}
		}
	}
	return ""
}

// IsC says whether a source file is C or C++, whose names for things reports then use.
func IsC(file string) bool {
	switch path.Ext(file) {
	case ".cu", ".cuh", ".c", ".cc", ".cpp", ".h", ".hpp":
		return true
	}
	return false
}

// typeName is a PTX type as the source language calls it.
func typeName(t ptx.Type, c bool) string {
	names := map[ptx.Type][2]string{
		ptx.F32: {"float32", "float"}, ptx.F64: {"float64", "double"}, ptx.F16: {"float16", "half"},
		ptx.U8: {"uint8", "unsigned char"}, ptx.S8: {"int8", "signed char"}, ptx.B8: {"byte", "char"},
		ptx.U16: {"uint16", "unsigned short"}, ptx.S16: {"int16", "short"}, ptx.B16: {"2-byte integer",
			"2-byte integer"},
		ptx.U32: {"uint32", "unsigned"}, ptx.S32: {"int32", "int"}, ptx.B32: {"4-byte integer", "4-byte integer"},
		ptx.U64: {"uint64", "unsigned long"}, ptx.S64: {"int64", "long"}, ptx.B64: {"8-byte integer", "8-byte integer"},
	}
	n, ok := names[t]
	switch {
	case !ok:
		return string(t)
	case c:
		return n[1]
	}
	return n[0]
}

// FormatValue shows the first element of an access's bytes.
func FormatValue(t ptx.Type, b []byte) string {
	size := int(t.Bytes())
	if size == 0 || len(b) < size || size > 8 {
		return ""
	}
	var buf [8]byte
	copy(buf[:], b[:size])
	v := binary.LittleEndian.Uint64(buf[:])
	switch t {
	case ptx.F32:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
	case ptx.F64:
		return strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
	case ptx.F16, ptx.B8:
		return fmt.Sprintf("%#x", v)
	case ptx.U8, ptx.U16, ptx.U32, ptx.U64:
		return strconv.FormatUint(v, 10)
	}
	shift := 64 - 8*size
	return strconv.FormatInt(int64(v<<shift)>>shift, 10)
}

// Object describes the memory at an address, with the element range from low to high (the last
// byte), as an access of type t sees it.
func (b *Book) Object(space ptx.Space, addr uint64, size int, low, high uint64, t ptx.Type, c bool) *report.Object {
	if space == ptx.SharedSpace {
		return b.sharedObject(int64(addr), size, int64(low), int64(high), t, c)
	}
	x := b.buffer(addr)
	if x.Name == "" {
		return nil
	}
	o := &report.Object{Name: x.Name, Size: x.Size, Type: x.Type}
	if x.Elem != "" {
		t = x.Elem
	}
	b.elements(o, t, int64(addr-x.Addr), size, int64(low-x.Addr), int64(high-x.Addr), c)
	b.shaped(o, x.of, int64(low-x.Addr), int64(high-x.Addr))
	return o
}

// elements fills in the elements of an object.
func (b *Book) elements(o *report.Object, t ptx.Type, off int64, size int, low, high int64, c bool) {
	width := int64(t.Bytes())
	if width == 0 {
		t, width = ptx.B8, 1
	}
	if o.Type == "" {
		o.Type = typeName(t, c)
	}
	o.From, o.To = off, off+int64(size)-1
	o.Index, o.First, o.Last = off/width, low/width, high/width
	if o.Size == width {
		o.Index = -1
	}
}

// SharedArray is a variable in a block's shared memory: its bytes From up to To.
type SharedArray struct {
	Name     string // in reports
	From, To int64
	of       *event.Variable
}

// SharedAt is the variable that has a byte of a block's shared memory; nil for none.
func (b *Book) SharedAt(off uint64) *SharedArray {
	for i := range b.Entry.Shared {
		v := &b.Entry.Shared[i]
		a := &SharedArray{Name: v.Name, From: int64(v.Offset), To: int64(v.Offset + v.Size), of: v}
		if v.Dynamic {
			a.To = int64(b.Entry.StaticShared + b.Shared)
			if strings.HasPrefix(v.Name, abi.DynamicShared) {
				a.Name = "dynamic shared memory"
			}
		}
		if int64(off) >= a.From && int64(off) < a.To {
			return a
		}
	}
	return nil
}

// Beside describes bytes of a block's shared memory as elements of an array, as an access of type t
// sees them. The bytes may be outside of the array.
func (b *Book) Beside(a *SharedArray, off int64, size int, t ptx.Type, c bool) *report.Object {
	o := &report.Object{Name: a.Name, Size: a.To - a.From, Declared: b.declared(a.of.Var.Name)}
	b.elements(o, a.typeOr(t), off-a.From, size, off-a.From, off-a.From, c)
	return o
}

// typeOr is the type of the array's elements, or t if the array is declared as plain bytes (.b8).
func (a *SharedArray) typeOr(t ptx.Type) ptx.Type {
	if vt := a.of.Var.Type; vt.Bytes() > 1 || t.Bytes() == 0 {
		return vt
	}
	return t
}

// sharedObject finds the shared variable.
func (b *Book) sharedObject(off int64, size int, low, high int64, t ptx.Type, c bool) *report.Object {
	a := b.SharedAt(uint64(off))
	if a == nil {
		return nil
	}
	o := b.Beside(a, off, size, t, c)
	low, high = max(low, a.From)-a.From, min(high, a.To-1)-a.From
	b.elements(o, a.typeOr(t), off-a.From, size, low, high, c)
	b.shaped(o, a.of.Var, low, high)
	return o
}

// declared is where the source declares a shared variable: the position of the first instruction
// that names it.
func (b *Book) declared(name string) event.Position {
	if b.declarations == nil {
		b.declarations = map[string]event.Position{}
		vars := map[string]bool{}
		for _, v := range b.Module.SharedParts(b.Entry.Name) {
			vars[v.Name] = true
		}
		collectDeclared(b.Entry.Func.Body, vars, b.Module.Files(), b.declarations)
	}
	return b.declarations[name]
}

// collectDeclared notes where a body first names each variable. The variables are those in vars and
// those that the body declares.
func collectDeclared(body *ptx.Block, vars map[string]bool, files map[int]string, to map[string]event.Position) {
	if body == nil {
		return
	}
	vars = maps.Clone(vars)
	var loc *ptx.Loc
	for _, stmt := range body.Stmts {
		switch s := stmt.(type) {
		case *ptx.Var:
			vars[s.Name] = true
		case *ptx.Loc:
			loc = s
		case *ptx.Block:
			collectDeclared(s, vars, files, to)
		case *ptx.Instr:
			if s.Op != "mov" || len(s.Args) != 2 || loc == nil {
				continue
			}
			if name, ok := s.Args[1].(ptx.Name); ok && vars[string(name)] {
				if _, have := to[string(name)]; !have {
					to[string(name)] = event.Position{File: files[loc.File], Line: loc.Line, Col: loc.Col}
				}
			}
		}
	}
}

// place is global memory that has a name. If a parameter of the kernel gives it, of declares it.
type place struct {
	Buffer
	of *ptx.Var
}

// buffer finds what has an address of global memory; without a name where nothing does.
func (b *Book) buffer(addr uint64) (found place) {
	for _, x := range b.Buffers {
		if addr-x.Addr < uint64(x.Size) {
			return place{Buffer: x}
		}
	}
	x := b.Extent(addr)
	if x == nil {
		return place{}
	}
	if x.Name != "" {
		return place{Buffer: Buffer{Name: x.Name, Addr: x.Addr, Size: x.Size}}
	}
	Pointers(b.Entry, b.Params, func(name string, i int, v uint64) {
		if v <= addr && v >= x.Addr && v-x.Addr < uint64(x.Size) && (found.Name == "" || v > found.Addr) {
			found = place{Buffer{Name: name, Addr: v, Size: x.Size - int64(v-x.Addr)}, b.Entry.Func.Params[i]}
		}
	})
	if found.Name == "" {
		return place{Buffer: Buffer{Name: fmt.Sprintf("memory at %#x", x.Addr), Addr: x.Addr, Size: x.Size}}
	}
	return found
}

// Pointers calls do with each parameter of a launch that may be an address: its name in reports, and
// its number.
func Pointers(e *event.Kernel, params []byte, do func(name string, i int, v uint64)) {
	for i, p := range e.Params {
		length := i > 0 && p.Name == abi.LengthParam(e.Params[i-1].Name)
		if p.Size == 8 && p.Type.Bytes() == 8 && p.Offset+8 <= len(params) && !length {
			do(paramName(p.Name, i), i, binary.LittleEndian.Uint64(params[p.Offset:]))
		}
	}
}

// paramName is the parameter's name. nvcc's names for parameters, "kernel_param_3", say no more
// than their number.
func paramName(name string, i int) string {
	if _, num, ok := strings.Cut(name, "_param_"); ok && num == strconv.Itoa(i) {
		return fmt.Sprintf("parameter %d", i)
	}
	return name
}

// nearObject is the buffer that a bad access of global memory just missed.
func (b *Book) nearObject(e *event.Fault) *report.Object {
	if e.Near == nil || e.Near.Freed || e.Near.Size == 0 {
		return nil
	}
	x := b.buffer(e.Near.Addr)
	if x.Name == "" {
		return nil
	}
	t := x.Elem
	if t == "" {
		t = AccessType(e.Site.Instr)
	}
	o := &report.Object{Name: x.Name, Size: x.Size, Type: x.Type}
	off := int64(e.Addr - x.Addr)
	b.elements(o, t, off, e.Size, off, off, IsC(e.Site.Source.File))
	return o
}
