package debugger

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Value has a name and a text, and perhaps parts.
type Value struct {
	Name, Text string
	// Whole is the argument of Parts, "" for a value without parts. Evaluate takes it, too.
	Whole string
	// Elements and Fields count the parts of an array and of a struct.
	Elements, Fields int
}

// Evaluate is the value of what print takes: a variable, a register, a parameter or memory.
func (s *Session) Evaluate(name string) (Value, error) {
	text, ok, err := s.threadValue(name, s.focus.Lane)
	if ok || err != nil {
		return Value{Name: name, Text: text}, err
	}
	if text, ok = s.argument(name); ok {
		return Value{Name: name, Text: text}, nil
	}
	o, ok, err := s.object(name)
	if err == nil && !ok {
		err = fmt.Errorf("there is no %s here; see locals, args and regs", name)
	}
	if err != nil {
		return Value{}, err
	}
	b, err := s.read(o.Place)
	if err != nil {
		return Value{}, err
	}
	v := s.memoryValue(o)
	v.Text = memoryText(o.elem, o.of, b)
	return v, nil
}

// memoryValue is memory with the text of its beginning.
func (s *Session) memoryValue(o object) Value {
	v := Value{Name: o.name, Text: s.beginning(o)}
	switch step := o.step(); {
	case len(fieldsOf(o.of)) > 0:
		for _, f := range fieldsOf(o.of) {
			if f.Name != "_" {
				v.Fields++
			}
		}
	case step > 0 && (o.of != nil || o.Size > step):
		v.Elements = int(o.Size / step)
	}
	if v.Fields+v.Elements > 0 {
		v.Whole = o.name
	}
	return v
}

// mostParts is how many elements Parts returns at most.
const mostParts = 1000

// Parts are the parts of a value with parts: of an array count elements from start on, at most 1000,
// and those if count is 0.
func (s *Session) Parts(whole string, start, count int) (list []Value, err error) {
	o, err := s.placeOf(whole)
	if err != nil {
		return nil, err
	}
	var parts []string
	v := s.memoryValue(o)
	for _, f := range fieldsOf(o.of) {
		if f.Name != "_" {
			parts = append(parts, "."+f.Name)
		}
	}
	if count <= 0 || count > mostParts {
		count = mostParts
	}
	for i := max(start, 0); i < v.Elements && len(parts) < count && v.Fields == 0; i++ {
		parts = append(parts, fmt.Sprintf("[%d]", i))
	}
	for _, part := range parts {
		p := o
		if _, err := p.part(part); err != nil {
			return nil, err
		}
		value := s.memoryValue(p)
		value.Name = strings.TrimPrefix(part, ".")
		list = append(list, value)
	}
	return list, nil
}

// Lanes are a variable or register in every lane that is where the thread in focus is.
func (s *Session) Lanes(name string) (list []Value, err error) {
	_, g, ok := s.group()
	if !ok {
		return nil, errNoThread
	}
	for lane := range abi.WarpSize {
		if g.Mask>>lane&1 == 0 {
			continue
		}
		text, ok, err := s.threadValue(name, lane)
		if err == nil && !ok {
			err = fmt.Errorf("there is no %s here; see locals and regs", name)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, Value{Name: fmt.Sprintf("lane %2d", lane), Text: text})
	}
	return list, nil
}

// Locals are the Go variables of the thread in focus that are in registers.
func (s *Session) Locals() (list []Value, err error) {
	_, g, ok := s.group()
	if !ok {
		return nil, errNoThread
	}
	names := s.set.Variables.names(g.Frames[0].Func)
	if len(names) == 0 {
		return nil, errors.New("the names of the variables are not known: PTX has none; debug a package, or see regs")
	}
	for _, name := range names {
		if text, ok, err := s.threadValue(name, s.focus.Lane); ok && err == nil {
			list = append(list, Value{Name: name, Text: text})
		}
	}
	return list, nil
}

// Registers are the registers of the thread in focus that instructions use, with the Go variables in them.
func (s *Session) Registers() (list []Value, err error) {
	_, g, ok := s.group()
	if !ok {
		return nil, errNoThread
	}
	fn := g.Frames[0].Func
	for _, name := range s.registerNames(fn) {
		text, err := s.value(&g, name, s.focus.Lane)
		if err != nil {
			continue // no instruction uses it
		}
		if v := s.set.Variables[fn][name]; v != "" {
			text += "    " + v
		}
		list = append(list, Value{Name: name, Text: text})
	}
	return list, nil
}

// Arguments are the kernel's parameters.
func (s *Session) Arguments() (list []Value) {
	e := s.launch.Entry
	for i := range e.Params {
		p := &e.Params[i]
		if p.Name == abi.FaultParam || e.IsLength(i) {
			continue
		}
		if text, ok := s.argument(p.Name); ok {
			list = append(list, Value{Name: p.Name, Text: text})
			continue
		}
		v := Value{Name: p.Name, Text: fmt.Sprintf("%d bytes by value", p.Size)}
		if o, ok := s.named(p.Name); ok && o.Space == ptx.GlobalSpace {
			v = s.memoryValue(o)
			v.Text = fmt.Sprintf("%d bytes at %#x: %s", o.Size, o.Addr, v.Text)
		}
		list = append(list, v)
	}
	return list
}

// Shared is the variables in shared memory of the block in focus.
func (s *Session) Shared() (list []Value) {
	for i := range s.launch.Entry.Shared {
		if o, ok := s.named(s.launch.Entry.Shared[i].Name); ok && o.Space == ptx.SharedSpace {
			list = append(list, s.memoryValue(o))
		}
	}
	return list
}

// Buffers is the global memory that parameters point to.
func (s *Session) Buffers() (list []Value) {
	for _, b := range s.buffers {
		if o, ok := s.named(b.name); ok && o.Space == ptx.GlobalSpace {
			list = append(list, s.memoryValue(o))
		}
	}
	return list
}
