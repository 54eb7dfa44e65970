package debugger

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/timeline"
	"github.com/gridstride/gridstride/internal/ptx"
)

// buffer is global memory that a parameter points to.
type buffer struct {
	name string
	addr uint64
	size uint64
	elem ptx.Type
	of   *abi.Shape // nil for elements of type elem
}

func (s *Session) findBuffers() (list []buffer) {
	e := s.launch.Entry
	tool.Pointers(&e.Kernel, s.launch.Launch.Params, func(name string, i int, addr uint64) {
		for _, x := range s.launch.Machine.Extents() {
			if addr < x.Addr || addr-x.Addr >= uint64(x.Size) || name == abi.FaultParam {
				continue
			}
			b := buffer{name: name, addr: addr, size: uint64(x.Size) - (addr - x.Addr), elem: s.launch.Elems[e.Params[i].Name]}
			for _, v := range e.Func.Params {
				if v.Name == e.Params[i].Name {
					b.of = v.Shape
				}
			}
			if b.elem == "" {
				b.elem = ptx.U32
			}
			list = append(list, b)
		}
	})
	return list
}

// object is memory that a person names: a variable, an element, bytes at an address.
type object struct {
	name string
	timeline.Place
	elem ptx.Type
	of   *abi.Shape // nil for numbers of type elem, one after the other
}

// object finds what a text names: "cache", "x[5]", "tile[2][3]", "bodies[1].mass", "0x7000…:f32",
// "shared+16:f32". ok is false if its first word is no memory.
func (s *Session) object(text string) (o object, ok bool, err error) {
	base := text
	if i := strings.IndexAny(text, "[."); i >= 0 && !strings.HasPrefix(text, "0x") {
		base = text[:i]
	}
	if o, ok, err = s.address(text); ok || err != nil {
		return o, ok, err
	}
	if o, ok = s.named(base); !ok {
		return o, false, nil
	}
	for rest := text[len(base):]; rest != ""; {
		if rest, err = o.part(rest); err != nil {
			return o, true, err
		}
	}
	return o, true, nil
}

// named is a variable in shared memory, or the memory that a parameter points to.
func (s *Session) named(name string) (object, bool) {
	e := s.launch.Entry
	for i := range e.Shared {
		v := &e.Shared[i]
		if v.Name != name {
			continue
		}
		o := object{name: name, elem: v.Var.Type, of: v.Var.Shape}
		o.Place = timeline.Place{Space: ptx.SharedSpace, Block: s.focus.Block, Addr: uint64(v.Offset), Size: uint64(v.Size)}
		if v.Dynamic {
			o.Size = uint64(e.StaticShared+s.launch.Launch.Shared) - o.Addr
		}
		return o, true
	}
	for _, b := range s.buffers {
		if b.name == name {
			return object{name, timeline.Place{Space: ptx.GlobalSpace, Addr: b.addr, Size: b.size}, b.elem, b.of}, true
		}
	}
	return object{}, false
}

// address is memory at an address: "0x7000…:f32", "shared+16:f32".
func (s *Session) address(text string) (o object, ok bool, err error) {
	at, typ, _ := strings.Cut(text, ":")
	o = object{name: text, elem: ptx.Type(typ)}
	if typ == "" {
		o.elem = ptx.U32
	}
	offset, shared := strings.CutPrefix(at, "shared+")
	switch {
	case shared:
		o.Space, o.Block = ptx.SharedSpace, s.focus.Block
		o.Addr, err = strconv.ParseUint(offset, 0, 64)
	case strings.HasPrefix(text, "0x"):
		o.Space = ptx.GlobalSpace
		o.Addr, err = strconv.ParseUint(at, 0, 64)
	default:
		return o, false, nil
	}
	if o.Size = uint64(o.elem.Bytes()); err == nil && (o.Size == 0 || o.elem == ptx.Pred) {
		err = fmt.Errorf("%s is no type of PTX; want f32, say", typ)
	}
	if err != nil {
		return o, true, fmt.Errorf("%s: %w", text, err)
	}
	return o, true, nil
}

// part makes o the part of itself that rest begins with, "[3]" or ".mass", and returns what follows.
func (o *object) part(rest string) (string, error) {
	if field, ok := strings.CutPrefix(rest, "."); ok {
		end := strings.IndexAny(field, "[.")
		if end < 0 {
			end = len(field)
		}
		for _, f := range fieldsOf(o.of) {
			if f.Name == field[:end] {
				o.name, o.of = o.name+"."+f.Name, f.Shape
				o.Addr, o.Size = o.Addr+uint64(f.Offset), uint64(f.Shape.Size)
				return field[end:], nil
			}
		}
		return "", fmt.Errorf("%s has no field %s", o.name, field[:end])
	}
	end := strings.IndexByte(rest, ']')
	if !strings.HasPrefix(rest, "[") || end < 0 {
		return "", fmt.Errorf("%s is no part of %s; want [N] or .FIELD", rest, o.name)
	}
	i, err := strconv.ParseUint(rest[1:end], 0, 63)
	if err != nil {
		return "", fmt.Errorf("%s is no index; want [N]", rest[:end+1])
	}
	size := o.step()
	if size == 0 {
		return "", fmt.Errorf("%s is no array", o.name)
	}
	if n := o.Size / size; i >= n {
		return "", fmt.Errorf("%s has %d elements; there is none at %d", o.name, n, i)
	}
	o.name, o.Addr, o.Size = fmt.Sprintf("%s[%d]", o.name, i), o.Addr+i*size, size
	if o.of != nil {
		o.of = o.of.Elem
	}
	return rest[end+1:], nil
}

func fieldsOf(of *abi.Shape) []abi.Field {
	if of == nil {
		return nil
	}
	return of.Fields
}

// step is the size of an element of an array, 0 if the object is none.
func (o *object) step() uint64 {
	switch {
	case o.of == nil:
		return uint64(o.elem.Bytes())
	case o.of.Elem != nil:
		return uint64(o.of.Elem.Size)
	}
	return 0
}

// read is the object's bytes.
func (s *Session) read(p timeline.Place) ([]byte, error) {
	if p.Space != ptx.SharedSpace {
		if p.Size > 1<<40 {
			return nil, fmt.Errorf("%d bytes are too many", p.Size)
		}
		return s.launch.Machine.Bytes(p.Addr, int64(p.Size))
	}
	for _, b := range s.line.Blocks() {
		if b.Linear != p.Block {
			continue
		}
		if p.Addr > uint64(len(b.Memory)) || p.Size > uint64(len(b.Memory))-p.Addr {
			return nil, fmt.Errorf("the block has %d bytes of shared memory; there are none at %d..%d", len(b.Memory), p.Addr, p.Addr+p.Size-1)
		}
		return b.Memory[p.Addr : p.Addr+p.Size], nil
	}
	return nil, fmt.Errorf("block %d is not running, and has no shared memory", p.Block)
}

// typed is the type of numbers at a place, which an access has as type t.
func (s *Session) typed(p timeline.Place, t ptx.Type) ptx.Type {
	for _, b := range s.buffers {
		if p.Space == ptx.GlobalSpace && p.Addr >= b.addr && p.Addr < b.addr+b.size && b.elem.Bytes() == t.Bytes() {
			return b.elem
		}
	}
	if t == "" {
		return ptx.U32
	}
	return t
}

// placeText is a place as a person knows it: "cache[128]", "x[5]", or its address.
func (s *Session) placeText(p timeline.Place) string {
	name := func(o object) string {
		off := p.Addr - o.Addr
		if size := o.step(); o.of == nil && size > 0 {
			if size == 1 && p.Size > 1 && off%p.Size == 0 { // declared as bytes
				size = p.Size
			}
			return fmt.Sprintf("%s[%d]", o.name, off/size)
		}
		path, _ := o.of.At(int64(off), int64(min(p.Size, 16)))
		return o.name + path
	}
	if p.Space == ptx.SharedSpace {
		for i := range s.launch.Entry.Shared {
			o, ok := s.named(s.launch.Entry.Shared[i].Name)
			if ok && p.Addr >= o.Addr && p.Addr < o.Addr+o.Size {
				return name(o)
			}
		}
		return fmt.Sprintf("shared+%d", p.Addr)
	}
	for _, b := range s.buffers {
		if p.Space == ptx.GlobalSpace && p.Addr >= b.addr && p.Addr < b.addr+b.size {
			return name(object{b.name, timeline.Place{Addr: b.addr}, b.elem, b.of})
		}
	}
	return fmt.Sprintf("%s memory at %#x", p.Space, p.Addr)
}

// raced is the memory that the finding is about.
func (s *Session) raced() (timeline.Place, error) {
	if s.finding == nil || s.finding.Object == nil || len(s.finding.Witnesses) < 2 {
		return timeline.Place{}, fmt.Errorf("there is no race in view; go to one with finding racecheck")
	}
	f := s.finding
	o, ok := s.named(f.Object.Name)
	if !ok {
		return timeline.Place{}, fmt.Errorf("%s is no variable or buffer of the launch", f.Object.Name)
	}
	p := o.Place
	p.Addr, p.Size = p.Addr+uint64(f.Object.From), uint64(f.Object.To-f.Object.From+1)
	if t, ok := s.side(&f.Witnesses[1]); ok {
		p.Block = t.Block
	}
	return p, nil
}

// by is a watch for the accesses of one thread alone.
func by(f Focus, watch timeline.Watch, a *timeline.Access) timeline.Watch {
	return func(at timeline.Time, e event.Event) timeline.Hit {
		before := *a
		h := watch(at, e)
		if h != timeline.Miss && (a.Index != f.Block || a.Warp != f.Warp || a.Lane != f.Lane) {
			*a = before
			return timeline.Miss
		}
		return h
	}
}

// parameter is the bytes of a parameter of the kernel.
func (s *Session) parameter(p *event.Param) []byte {
	return s.launch.Launch.Params[p.Offset : p.Offset+p.Size]
}

// word is up to 8 bytes as a number.
func word(b []byte) uint64 {
	var w [8]byte
	copy(w[:], b)
	return binary.LittleEndian.Uint64(w[:])
}
