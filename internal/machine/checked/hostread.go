package checked

import (
	"reflect"

	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/check/initcheck"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// HostRead is a read of n bytes of memory at addr by the host, as elements of a type, from a call
// at a position.
type HostRead struct {
	Addr uint64
	N    int
	Elem reflect.Type
	At   event.Position
}

// HostRead calls f while no launch runs, to read memory for the host's program, and reports what of
// it nothing has written.
func (d *Device) HostRead(m *sim.Machine, h HostRead, f func()) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
	read := check.HostRead{
		Elements: initcheck.Elements{Addr: h.Addr, N: int64(h.N), Size: int64(h.Elem.Size()), Padding: paddingOf(h.Elem)},
		Name:     "buffer", Type: h.Elem.String(), At: h.At,
	}
	if base, a := d.allocation(m, h.Addr); a != nil {
		read.Made, read.Writer = a.made, a.writer
		if a.name != "" && base == h.Addr {
			read.Name = a.name
		}
	}
	o := d.cfg.Options
	o.Init = &d.init
	if r := check.Read(read, o); r != nil {
		return d.cfg.Report(r)
	}
	return nil
}

// allocation is the allocation that holds an address, and its address, or nil.
func (d *Device) allocation(m *sim.Machine, addr uint64) (base uint64, a *allocation) {
	s := m.Find(addr)
	if s == nil {
		return 0, nil
	}
	return s.Base, d.allocs[s.Base]
}

// launched learns from a launch which memory it was given and has written. If it failed, that is
// the finding, and not the memory that it then did not write: this counts as written.
func (d *Device) launched(m *sim.Machine, e *sim.Entry, l sim.Launch, before *initcheck.Init, w *check.Writer, err error, r *report.Report) {
	broken := err != nil
	for _, f := range r.Findings {
		broken = broken || f.Tool == report.Memcheck
	}
	tool.Pointers(&e.Kernel, l.Params, func(name string, _ int, addr uint64) {
		base, a := d.allocation(m, addr)
		if a == nil {
			return
		}
		if addr == base {
			a.name = name
		}
		if broken {
			d.init.Wrote(base, a.size)
		}
	})
	d.init.Since(before, func(addr uint64) {
		if _, a := d.allocation(m, addr); a != nil {
			a.writer = w
		}
	})
}

// paddingOf says which bytes of a type mean nothing: those between the fields of a struct, and
// fields without a name. It is nil where all mean something.
func paddingOf(t reflect.Type) []bool {
	padding := make([]bool, t.Size())
	for i := range padding {
		padding[i] = true
	}
	if markData(t, padding) == len(padding) {
		return nil
	}
	return padding
}

// markData marks the bytes of a type that hold data, and counts them.
func markData(t reflect.Type, padding []bool) (n int) {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				n += markData(f.Type, padding[f.Offset:])
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			n += markData(t.Elem(), padding[i*int(t.Elem().Size()):])
		}
	default:
		n = int(t.Size())
		clear(padding[:n])
	}
	return n
}
