package tool

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// The type of a shared variable or of a slice's elements is read in the line of Go that declares it:
// PTX has bytes. Only arrays of numbers are known, whose lengths but the first are written as numbers.
// go/parser would do better, and would make every program larger that may run the checks.

// shape is the type of an array, of arrays, of numbers.
type shape struct {
	name string  // of the number's type
	size int64   // of a number
	dims []int64 // the first is -1 if it is not known; none of a number alone
}

// numbers are the types that a shape may have, with what PTX calls them.
var numbers = map[string]ptx.Type{
	"int8": ptx.S8, "uint8": ptx.U8, "byte": ptx.U8, "int16": ptx.S16, "uint16": ptx.U16, "int32": ptx.S32, "uint32": ptx.U32,
	"int": ptx.S64, "int64": ptx.S64, "uint": ptx.U64, "uint64": ptx.U64, "float32": ptx.F32, "float64": ptx.F64,
}

// readShape reads a type, as far as its text goes.
func readShape(text string) (s shape, ok bool) {
	for strings.HasPrefix(text, "[") {
		dim, rest, closed := strings.Cut(text[1:], "]")
		n, err := strconv.ParseInt(strings.TrimSpace(dim), 10, 32)
		if err != nil && len(s.dims) == 0 {
			n = -1
		}
		if !closed || err != nil && len(s.dims) > 0 || n == 0 || strings.Contains(dim, "[") || len(s.dims) == 8 {
			return s, false
		}
		s.dims, text = append(s.dims, n), strings.TrimSpace(rest)
	}
	end := strings.IndexFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if end >= 0 {
		text = text[:end]
	}
	s.name, s.size = text, int64(numbers[text].Bytes())
	return s, s.size > 0
}

// of fits a shape to a variable's size, and reports whether it does.
func (s *shape) of(size int64) bool {
	inner := s.size
	for _, n := range s.dims[min(1, len(s.dims)):] {
		if inner > size/n {
			return false
		}
		inner *= n
	}
	if len(s.dims) == 0 || size%inner != 0 {
		return size == inner
	}
	if s.dims[0] < 0 {
		s.dims[0] = size / inner
	}
	return s.dims[0] == size/inner
}

// at names the element that has a byte: "tile[19][0]".
func (s *shape) at(name string, offset int64) string {
	i, list := offset/s.size, make([]int64, len(s.dims))
	for k := len(s.dims) - 1; k >= 0; k-- {
		list[k], i = i%s.dims[k], i/s.dims[k]
	}
	for _, i := range list {
		name += fmt.Sprintf("[%d]", i)
	}
	return name
}

// shapeOf reads the shape of a shared variable, or of the slice that is a parameter of the kernel.
func (b *Book) shapeOf(o *report.Object, shared bool) (s shape, ok bool) {
	line := o.Declared
	if line.Line == 0 {
		line = b.kernelAt()
	}
	if b.Text == nil || !strings.HasSuffix(line.File, ".go") || line.Line == 0 {
		return s, false
	}
	const most = 200 // lines that are looked at
	if shared && o.Declared.Line > 0 {
		return sharedIn(b.Line(line), o.Name)
	}
	first := line
	for ; first.Line > max(1, line.Line-most) && !strings.HasPrefix(b.Text(first.File, first.Line), "func "); first.Line-- {
	}
	if !shared {
		return sliceIn(b.Line(first), o.Name)
	}
	for end := first.Line + most; first.Line < end && b.Text(first.File, first.Line) != "}"; first.Line++ {
		if s, ok = sharedIn(b.Line(first), o.Name); ok {
			return s, true
		}
	}
	return s, false
}

// kernelAt is a position in the kernel's own text.
func (b *Book) kernelAt() (at event.Position) {
	for _, l := range b.Flow(b.Entry.Name).locs {
		if l != nil && l.InlinedAt == nil {
			return event.Position{File: b.Module.Files()[l.File], Line: l.Line}
		}
	}
	return at
}

// sharedIn reads "x, tile := gpu.Shared[T](), gpu.Shared[[32][33]int32]()".
func sharedIn(line, name string) (s shape, ok bool) {
	left, right, ok := strings.Cut(line, ":=")
	calls := strings.Split(right, "gpu.Shared[")
	names := strings.Split(left, ",")
	if !ok || len(calls) != len(names)+1 {
		return s, false
	}
	for i, n := range names {
		if strings.TrimSpace(n) == name {
			return readShape(calls[i+1])
		}
	}
	return s, false
}

// sliceIn reads "func K(a, out []int32, n int) {".
func sliceIn(line, name string) (s shape, ok bool) {
	_, list, _ := strings.Cut(line, "(")
	list, _, _ = strings.Cut(list, ")")
	found := false
	for _, param := range strings.Split(list, ",") {
		n, t, typed := strings.Cut(strings.TrimSpace(param), " ")
		if found = found || n == name; found && typed {
			t = strings.TrimSpace(t)
			s, ok = readShape(t)
			return s, ok && strings.HasPrefix(t, "[]")
		}
	}
	return s, false
}

// shaped gives an object the type that its source has.
func (b *Book) shaped(o *report.Object, shared bool) {
	s, ok := b.shapeOf(o, shared)
	if !ok || o.From < 0 || o.From >= o.Size || !s.of(o.Size) {
		return
	}
	b.shapes[o] = s
	o.Type = s.name
	if len(s.dims) > 1 {
		o.Path = s.at(o.Name, o.From)
	}
}

// ValueType is the type of an object's numbers; "" if it is not known.
func (b *Book) ValueType(o *report.Object) ptx.Type {
	if o == nil {
		return ""
	}
	return numbers[b.shapes[o].name]
}
