//go:build linux

package simdriver

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/device/cuda"
)

// Copies of boxes: of rows, and of slices of rows, between memory and arrays.

// side is one end of a copy of a box. Its first byte is x bytes, y rows and z slices from the
// memory's first, whose rows are a pitch apart and whose slices are some rows apart.
type side struct {
	end
	x, y, z, pitch, rows uint64
}

// most is the largest number of rows that one copy may have.
const most = 1 << 26

// sideOf is a side that a program has described. of is nil if it makes no sense.
func (d *driver) sideOf(c *context, e *cuda.Memcpy3DEnd, width, height, depth uint64) *side {
	s := &side{x: e.X, y: e.Y, z: e.Z, pitch: e.Pitch, rows: e.Rows}
	const hostKind, deviceKind, arrayKind, unifiedKind = 1, cuda.MemoryDevice, cuda.MemoryArray, 4
	switch e.Kind {
	case hostKind:
		s.end = host(uintptr(e.Host))
	case deviceKind:
		s.end = c.device(uintptr(e.Device))
	case unifiedKind:
		s.end = c.endAt(uintptr(e.Device))
	case arrayKind:
		a, ok := find[*array](d, uintptr(e.Array))
		if !ok {
			return nil
		}
		s.end = c.device(uintptr(a.addr))
		s.pitch, s.rows = uint64(a.abi.Width*a.abi.Size()), uint64(a.abi.Extent(1))
		if depths := uint64(a.abi.Extent(2) * a.abi.Images()); e.X+width > s.pitch || e.Y+height > s.rows || e.Z+depth > depths {
			return nil
		}
		return s
	default:
		return nil
	}
	if s.pitch == 0 {
		s.pitch = width
	}
	if s.rows == 0 {
		s.rows = height
	}
	if width+e.X > s.pitch && height*depth > 1 || s.rows < height && depth > 1 {
		return nil
	}
	return s
}

// offset is where a row begins, and whether there is such an address.
func (s *side) offset(y, z uint64) (uint64, bool) {
	hi, slices := bits.Mul64(s.z+z, s.rows)
	hi2, bytes := bits.Mul64(slices+s.y+y, s.pitch)
	return bytes + s.x, hi|hi2 == 0 && int64(bytes+s.x) >= 0
}

// box makes the copy of a box.
func (d *driver) box(m *cuda.Memcpy3D, stream uintptr, wait bool) uintptr {
	return d.transfer(stream, wait, func(c *context) *transfer { return d.boxOf(c, m) })
}

// boxOf is the copy of a box, nil if it makes no sense.
func (d *driver) boxOf(c *context, m *cuda.Memcpy3D) *transfer {
	hi, count := bits.Mul64(m.Height, m.Depth)
	if hi != 0 || count > most {
		return nil
	}
	dst, src := d.sideOf(c, &m.Dst, m.Width, m.Height, m.Depth), d.sideOf(c, &m.Src, m.Width, m.Height, m.Depth)
	if dst == nil || src == nil {
		return nil
	}
	t := &transfer{dst: dst.end, src: src.end}
	for z := range m.Depth {
		for y := range m.Height {
			to, ok := dst.offset(y, z)
			from, too := src.offset(y, z)
			if !ok || !too {
				return nil
			}
			t.row(uintptr(to), uintptr(from), uintptr(m.Width))
		}
	}
	return t
}

// row adds a row, to the last one where it follows it at both ends.
func (t *transfer) row(dst, src, n uintptr) {
	if last := len(t.rows) - 1; last >= 0 {
		if r := &t.rows[last]; r.dst+r.n == dst && r.src+r.n == src {
			r.n += n
			return
		}
	}
	t.rows = append(t.rows, row{dst, src, n})
}

func (d *driver) box3(what, stream uintptr, wait bool) uintptr {
	if what == 0 {
		return code(cuda.InvalidValue)
	}
	m := *at[cuda.Memcpy3D](what)
	return d.box(&m, stream, wait)
}

func (d *driver) box2(what, stream uintptr, wait bool) uintptr {
	if what == 0 {
		return code(cuda.InvalidValue)
	}
	m := at[cuda.Memcpy2D](what)
	return d.box(&cuda.Memcpy3D{
		Src:   cuda.Memcpy3DEnd{X: m.SrcX, Y: m.SrcY, Kind: m.SrcKind, Host: m.SrcHost, Device: m.Src, Array: cuda.Array(m.SrcArray), Pitch: m.SrcPitch},
		Dst:   cuda.Memcpy3DEnd{X: m.DstX, Y: m.DstY, Kind: m.DstKind, Host: m.DstHost, Device: m.Dst, Array: cuda.Array(m.DstArray), Pitch: m.DstPitch},
		Width: m.Width, Height: m.Height, Depth: 1,
	}, stream, wait)
}
