//go:build linux

package simdriver

import (
	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/machine/check/streamcheck"
)

// filling sets rows of words.
type filling struct {
	dst           end
	pitch         uintptr // bytes from row to row
	value, size   uintptr // a word, and its bytes
	width, height uintptr // words, rows
}

// fillFunctions are cuMemsetD8 to cuMemsetD2D32Async.
func (d *driver) fillFunctions() map[string]any {
	m := map[string]any{}
	for name, size := range map[string]uintptr{"8": 1, "16": 2, "32": 4} {
		m["cuMemsetD"+name+"_v2"] = func(dst, value, n uintptr) uintptr {
			return d.fill(filling{end{addr: dst}, 0, value, size, n, 1}, 0, true)
		}
		m["cuMemsetD"+name+"Async"] = func(dst, value, n, s uintptr) uintptr {
			return d.fill(filling{end{addr: dst}, 0, value, size, n, 1}, s, false)
		}
		m["cuMemsetD2D"+name+"_v2"] = func(dst, pitch, value, n, rows uintptr) uintptr {
			return d.fill(filling{end{addr: dst}, pitch, value, size, n, rows}, 0, true)
		}
		m["cuMemsetD2D"+name+"Async"] = func(dst, pitch, value, n, rows, s uintptr) uintptr {
			return d.fill(filling{end{addr: dst}, pitch, value, size, n, rows}, s, false)
		}
	}
	return m
}

// fill makes a filling, at once or in the order of a stream.
func (d *driver) fill(f filling, s uintptr, wait bool) uintptr {
	c, x, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	f.dst.c = c
	o := f.operation()
	if o == nil || d.cfg.guest && f.valid() != cuda.Success {
		return code(cuda.InvalidValue)
	}
	if !wait {
		x.submit(o)
		return 0
	}
	r = x.perform(o)
	if lost := c.lost(); lost != cuda.Success {
		return code(lost)
	}
	return code(r)
}

// valid says whether what is to be filled is memory.
func (f *filling) valid() cuda.Result {
	n := f.width * f.size
	if n == 0 || f.height == 0 {
		return cuda.Success
	}
	if f.dst.bytes(0, (f.height-1)*f.pitch+n) == nil {
		return cuda.InvalidValue
	}
	return cuda.Success
}

// operation is the filling as work of a stream, nil if it makes no sense.
func (f *filling) operation() *operation {
	n := f.width * f.size
	if f.dst.addr%f.size != 0 || f.width > 1<<48 || f.height > most || f.height > 1 && (f.pitch < n || f.pitch > 1<<48/f.height) {
		return nil
	}
	o := &operation{name: "fill", kind: fillNode, params: f, run: f.run}
	if f.dst.c.checks != nil {
		for y := range f.height {
			o.uses = append(o.uses, use{f.dst.c, streamcheck.Write, f.dst.addr + y*f.pitch, n})
		}
	}
	return o
}

// run fills.
func (f *filling) run() cuda.Result {
	n := f.width * f.size
	if n == 0 {
		return cuda.Success
	}
	for y := range f.height {
		mem := f.dst.bytes(y*f.pitch, n)
		if mem == nil {
			return cuda.IllegalAddress
		}
		write := func() {
			for i := range f.size {
				mem[i] = byte(f.value >> (8 * i))
			}
			for done := int(f.size); done < len(mem); {
				done += copy(mem[done:], mem[:done])
			}
		}
		if f.dst.c.checks == nil {
			write()
		} else {
			f.dst.c.checks.Write(uint64(f.dst.addr+y*f.pitch), int(n), write)
		}
	}
	return cuda.Success
}
