//go:build linux

package simdriver

import (
	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/machine/check/streamcheck"
)

// end is one end of a copy: memory of a context's device, or of the host if c is nil.
type end struct {
	c    *context
	addr uintptr
	held []byte // a copy of the host's memory, if that may change before the copy runs; else nil
}

// transfer is a copy of rows.
type transfer struct {
	dst, src end
	rows     []row
}

// row is a row of a copy, by its offsets at both ends.
type row struct{ dst, src, n uintptr }

func line(dst, src end, n uintptr) *transfer { return &transfer{dst, src, []row{{0, 0, n}}} }

// endAt is the end that an address means where one address space holds all memory.
func (c *context) endAt(addr uintptr) end {
	if c.machine.Find(uint64(addr)) != nil {
		return end{c: c, addr: addr}
	}
	if other := c.dev.d.elsewhere(addr); other != nil {
		return end{c: other, addr: addr}
	}
	return end{addr: addr}
}

// elsewhere is a context of a device that has memory at an address, nil for none.
func (d *driver) elsewhere(addr uintptr) *context {
	if len(d.devices) == 1 || !d.cfg.guest {
		return nil
	}
	if p := d.pointee(addr); p != nil {
		return p.c
	}
	return nil
}

// valid says whether all rows are memory, as far as the device can know.
func (t *transfer) valid() cuda.Result {
	for _, r := range t.rows {
		if r.n == 0 {
			continue
		}
		if t.dst.bytes(r.dst, r.n) == nil || t.src.bytes(r.src, r.n) == nil {
			return cuda.InvalidValue
		}
	}
	return cuda.Success
}

// bytes are n bytes of an end, or nil if some of them are not its memory.
func (e end) bytes(offset, n uintptr) []byte {
	switch {
	case e.held != nil:
		return e.held[offset:][:n]
	case e.c == nil:
		if e.addr+offset == 0 {
			return nil
		}
		return memoryAt(e.addr+offset, n)
	}
	mem, err := e.c.machine.Bytes(uint64(e.addr+offset), int64(n))
	if err != nil {
		return nil
	}
	return mem
}

// run copies.
func (t *transfer) run() cuda.Result {
	for _, r := range t.rows {
		if r.n == 0 {
			continue
		}
		bad := false
		move := func() {
			to, from := t.dst.bytes(r.dst, r.n), t.src.bytes(r.src, r.n)
			if bad = to == nil || from == nil; !bad {
				copy(to, from)
			}
		}
		t.checked(r, move)
		if bad {
			return cuda.IllegalAddress
		}
	}
	return cuda.Success
}

// checked moves a row, and tells the checks.
func (t *transfer) checked(r row, move func()) {
	to, from := t.dst.c, t.src.c
	switch {
	case to != nil && to.checks != nil && from != nil && from.board == to.board:
		to.checks.Copy(uint64(t.dst.addr+r.dst), uint64(t.src.addr+r.src), int(r.n), move)
	case to != nil && to.checks != nil:
		to.checks.Write(uint64(t.dst.addr+r.dst), int(r.n), move)
	case from != nil && from.checks != nil:
		from.checks.Read(move)
	default:
		move()
	}
}

// operation is the copy as work of a stream.
func (t *transfer) operation() *operation {
	o := &operation{name: "copy", kind: copyNode, params: t, run: t.run}
	for _, r := range t.rows {
		if t.src.c != nil && t.src.c.checks != nil {
			o.uses = append(o.uses, use{t.src.c, streamcheck.Read, t.src.addr + r.src, r.n})
		}
		if t.dst.c != nil && t.dst.c.checks != nil {
			o.uses = append(o.uses, use{t.dst.c, streamcheck.Write, t.dst.addr + r.dst, r.n})
		}
	}
	return o
}

// hold replaces a source in ordinary host memory by a copy, as the program may change it at once.
func (t *transfer) hold(s *stream) {
	if t.src.c != nil || s.capture.Load() != nil {
		return
	}
	var held []byte
	for i := range t.rows {
		r := &t.rows[i]
		from := t.src.bytes(r.src, r.n)
		if s.c.memory.has(from) {
			return
		}
		r.src = uintptr(len(held))
		held = append(held, from...)
	}
	t.src.held = held
}

// host is an end in the host's memory, and device one in the current context's.
func host(addr uintptr) end { return end{addr: addr} }

// device is an end on the current context's device, or on another that the address is of.
func (c *context) device(addr uintptr) end {
	if c.machine.Find(uint64(addr)) == nil {
		if other := c.dev.d.elsewhere(addr); other != nil {
			return end{c: other, addr: addr}
		}
	}
	return end{c: c, addr: addr}
}

func (d *driver) copyFunctions() map[string]any {
	return map[string]any{
		"cuMemcpyHtoDAsync_v2": d.copyIn,
		"cuMemcpyDtoHAsync_v2": d.copyOut,
		"cuMemcpyDtoDAsync_v2": d.copy,
		"cuMemcpyAsync": func(dst, src, n, s uintptr) uintptr {
			return d.transfer(s, false, func(c *context) *transfer { return line(c.endAt(dst), c.endAt(src), n) })
		},
		"cuMemcpy": func(dst, src, n uintptr) uintptr {
			return d.transfer(0, true, func(c *context) *transfer { return line(c.endAt(dst), c.endAt(src), n) })
		},
		"cuMemcpyHtoD_v2": func(dst, src, n uintptr) uintptr {
			return d.transfer(0, true, func(c *context) *transfer { return line(c.device(dst), host(src), n) })
		},
		"cuMemcpyDtoH_v2": func(dst, src, n uintptr) uintptr {
			return d.transfer(0, true, func(c *context) *transfer { return line(host(dst), c.device(src), n) })
		},
		"cuMemcpyDtoD_v2": func(dst, src, n uintptr) uintptr {
			return d.transfer(0, true, func(c *context) *transfer { return line(c.device(dst), c.device(src), n) })
		},
		"cuMemcpyPeerAsync": d.copyPeer,
		"cuMemcpyPeer": func(dst, to, src, from, n uintptr) uintptr {
			return d.peer(0, true, line(end{addr: dst}, end{addr: src}, n), to, from)
		},
		"cuMemcpy2D_v2":          func(what uintptr) uintptr { return d.box2(what, 0, true) },
		"cuMemcpy2DUnaligned_v2": func(what uintptr) uintptr { return d.box2(what, 0, true) },
		"cuMemcpy2DAsync_v2":     func(what, s uintptr) uintptr { return d.box2(what, s, false) },
		"cuMemcpy3D_v2":          func(what uintptr) uintptr { return d.box3(what, 0, true) },
		"cuMemcpy3DAsync_v2":     func(what, s uintptr) uintptr { return d.box3(what, s, false) },
	}
}

// transfer makes a copy of what the context is given, at once or in the order of a stream.
func (d *driver) transfer(s uintptr, wait bool, of func(*context) *transfer) uintptr {
	c, x, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	t := of(c)
	if t == nil {
		return code(cuda.InvalidValue)
	}
	if d.cfg.guest {
		if r := t.valid(); r != cuda.Success {
			return code(r)
		}
	}
	if wait || t.waits(x) {
		r := x.perform(t.operation())
		// From pageable memory the driver may return before the device has the bytes, and no program
		// known counts with that: a copy that the host asks for and waits for orders what it does next.
		if t.dst.c == nil || t.src.c == nil {
			x.reached()
		}
		if lost := c.lost(); lost != cuda.Success {
			return code(lost)
		}
		return code(r)
	}
	t.hold(x)
	x.submit(t.operation())
	return 0
}

// waits reports whether a copy is done before the call returns: to ordinary host memory it is.
func (t *transfer) waits(s *stream) bool {
	if t.dst.c != nil || s.capture.Load() != nil {
		return false
	}
	for _, r := range t.rows {
		if r.n > 0 && !s.c.memory.has(t.dst.bytes(r.dst, r.n)) {
			return true
		}
	}
	return false
}

// copyIn copies from pinned memory when the stream gets there, and from ordinary memory what it held
// at the call.
func (d *driver) copyIn(dst, src, n, s uintptr) uintptr {
	return d.transfer(s, false, func(c *context) *transfer { return line(c.device(dst), host(src), n) })
}

// copyOut copies to pinned memory when the stream gets there. For ordinary memory it waits.
func (d *driver) copyOut(dst, src, n, s uintptr) uintptr {
	return d.transfer(s, false, func(c *context) *transfer { return line(host(dst), c.device(src), n) })
}

// copy copies device memory to device memory.
func (d *driver) copy(dst, src, n, s uintptr) uintptr {
	return d.transfer(s, false, func(c *context) *transfer { return line(c.device(dst), c.device(src), n) })
}

// copyPeer copies memory of one context to another's. Both GPUs are of one machine.
func (d *driver) copyPeer(dst, dstContext, src, srcContext, n, s uintptr) uintptr {
	return d.peer(s, false, line(end{addr: dst}, end{addr: src}, n), dstContext, srcContext)
}

func (d *driver) peer(s uintptr, wait bool, t *transfer, to, from uintptr) uintptr {
	var ok, too bool
	if t.dst.c, ok = find[*context](d, to); ok {
		t.src.c, too = find[*context](d, from)
	}
	if !too {
		return code(cuda.InvalidContext)
	}
	return d.transfer(s, wait, func(*context) *transfer { return t })
}
