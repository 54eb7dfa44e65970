package debugger

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/timeline"
	"github.com/gridstride/gridstride/internal/ptx"
)

// mostShown is how many elements of an array are printed.
const mostShown = 64

// numberText is a number in memory.
func numberText(t ptx.Type, b []byte) string {
	if text := tool.FormatValue(t, b); text != "" && t != ptx.B8 {
		return text
	}
	return fmt.Sprintf("%#x", word(b))
}

// memoryText is memory as its type says: a number, "[1 2 3]", "{mass 4}".
func memoryText(elem ptx.Type, of *abi.Shape, b []byte) string {
	switch {
	case of == nil:
		return sequence(int(elem.Bytes()), len(b), func(at int) string { return numberText(elem, b[at:]) })
	case of.Number != "":
		return numberText(tool.NumberType(of.Number), b)
	case of.Elem != nil:
		return "[" + sequence(int(of.Elem.Size), len(b), func(at int) string {
			return memoryText(elem, of.Elem, b[at:at+int(of.Elem.Size)])
		}) + "]"
	}
	var parts []string
	for _, f := range of.Fields {
		if f.Name != "_" {
			parts = append(parts, f.Name+" "+memoryText(elem, f.Shape, b[f.Offset:f.Offset+f.Shape.Size]))
		}
	}
	return "{" + strings.Join(parts, " ") + "}"
}

// sequence writes elements of a size in bytes.
func sequence(size, bytes int, text func(at int) string) string {
	if size <= 0 {
		return ""
	}
	var parts []string
	n := bytes / size
	for i := range min(n, mostShown) {
		parts = append(parts, text(i*size))
	}
	if n > mostShown {
		parts = append(parts, fmt.Sprintf("… (%d elements)", n))
	}
	return strings.Join(parts, " ")
}

// registerText writes the contents of a register of a type.
func (s *Session) registerText(t ptx.Type, low, high uint64, bits int) string {
	switch {
	case bits == 1:
		return strconv.FormatBool(low != 0)
	case bits == 128:
		return fmt.Sprintf("%#x%016x", high, low)
	case t == ptx.F32:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(low))), 'g', -1, 32)
	case t == ptx.F64:
		return strconv.FormatFloat(math.Float64frombits(low), 'g', -1, 64)
	case t.Bits() == 16:
		return fmt.Sprintf("%d (%#x)", int16(low), low)
	case bits == 32:
		return integerText(int64(int32(low)), low)
	}
	if p := (timeline.Place{Space: ptx.GlobalSpace, Addr: low, Size: 1}); low >= 1<<40 {
		for _, b := range s.buffers {
			if low >= b.addr && low < b.addr+b.size {
				return fmt.Sprintf("%#x, &%s", low, s.placeText(p))
			}
		}
	}
	return integerText(int64(low), low)
}

func integerText(signed int64, bits uint64) string {
	if signed >= -9 && signed <= 9 {
		return strconv.FormatInt(signed, 10)
	}
	return fmt.Sprintf("%d (%#x)", signed, bits)
}

// scope finds names of a function.
func (s *Session) scope(fn string) *ptx.Scope {
	m := s.launch.Entry.Module
	for _, d := range m.Decls {
		if f, ok := d.(*ptx.Func); ok && f.Name == fn && f.Body != nil {
			return ptx.NewScope(m).Func(f)
		}
	}
	return nil
}

// value returns the contents, in a lane, of a register of the innermost call of the thread in focus.
func (s *Session) value(g *sim.GroupView, name string, lane int) (string, error) {
	f := &g.Frames[0]
	scope := s.scope(f.Func)
	if scope == nil {
		return "", fmt.Errorf("%s has no code", f.Func)
	}
	sym, ok := scope.Lookup(name)
	if !ok || sym.Kind != ptx.RegisterSymbol {
		return "", fmt.Errorf("%s has no register %s", f.Func, name)
	}
	low, high, bits, ok := f.Register(sym.Reg, lane)
	if !ok {
		return "", fmt.Errorf("no instruction uses %s", name)
	}
	return s.registerText(sym.Type, low, high, bits), nil
}

// accessText says who did what to which memory, and where.
func (s *Session) accessText(a *timeline.Access) string {
	p := timeline.Place{Space: a.Space, Block: a.Index, Addr: a.Addr, Size: uint64(len(a.Bytes))}
	elem := s.typed(p, tool.AccessType(a.Site.Instr))
	was, is := memoryText(elem, nil, a.Before), memoryText(elem, nil, a.Bytes)
	did := fmt.Sprintf("read %s, %s", s.placeText(p), is)
	switch {
	case a.Agent:
		did = fmt.Sprintf("asked for a copy to %s", s.placeText(p))
	case a.Op != "":
		did = fmt.Sprintf("did an atomic %s on %s, which was %s and became %s", a.Op, s.placeText(p), was, is)
	case a.Kind == "write":
		did = fmt.Sprintf("wrote %s to %s, which was %s", is, s.placeText(p), was)
	}
	return fmt.Sprintf("thread %s of block %s %s, at %v (time %d)", dims(a.Thread), dims(a.Block), did, placeOf(a.Site), a.At)
}

func dims(d [3]int) string { return fmt.Sprintf("(%d,%d,%d)", d[0], d[1], d[2]) }

// threadText is a thread in focus: "(33,0,0) of block (1,0,0)".
func threadText(s *Session, f Focus) string {
	l := &s.launch.Launch
	at := func(i int, d [3]int) string { return dims([3]int{i % d[0], i / d[0] % d[1], i / (d[0] * d[1])}) }
	return fmt.Sprintf("%s of block %s", at(f.Warp*abi.WarpSize+f.Lane, l.Block), at(f.Block, l.Grid))
}
