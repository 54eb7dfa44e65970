package sim

import (
	"fmt"
	"sync"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/texture"
)

// objects are the objects of a machine by their handles. The zero value has none.
type objects struct {
	mu   sync.RWMutex
	next uint64
	by   map[uint64]*object
}

// object is a texture, or a surface, and where its texels are.
type object struct {
	texture *texture.Texture // nil for a surface
	surface *texture.Surface // nil for a texture
	addr    uint64
}

// firstHandle is where handles begin, so that no handle is a plausible address or a small number.
const firstHandle = 0x7e00_0000_0001

// NewTexture makes a texture object of memory of the device, which kernels read by the handle that
// is returned. The texels are the bytes from addr on, in one allocation: t.Texels is set to them.
// The object lives until FreeObject, and the machine keeps t. Several goroutines may call it at
// once.
func (m *Machine) NewTexture(t *texture.Texture, addr uint64) (handle uint64, err error) {
	n, err := t.Bytes()
	if err != nil {
		return 0, err
	}
	if t.Texels, err = m.Bytes(addr, n); err != nil {
		return 0, err
	}
	return m.objects.add(&object{texture: t, addr: addr}), nil
}

// NewSurface makes a surface object of memory of the device, as NewTexture does of a texture.
func (m *Machine) NewSurface(s *texture.Surface, addr uint64) (handle uint64, err error) {
	n, err := s.Bytes()
	if err != nil {
		return 0, err
	}
	if _, err = m.Bytes(addr, n); err != nil {
		return 0, err
	}
	return m.objects.add(&object{surface: s, addr: addr}), nil
}

func (s *objects) add(o *object) (handle uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by = map[uint64]*object{}
	}
	handle = firstHandle + s.next
	s.next++
	s.by[handle] = o
	return handle
}

// FreeObject makes a handle one of no object. A launch that still uses it fails. The memory stays.
func (m *Machine) FreeObject(handle uint64) {
	m.objects.mu.Lock()
	defer m.objects.mu.Unlock()
	delete(m.objects.by, handle)
}

// object returns the object of a handle, and why it can not be used: "" if it can.
func (m *Machine) object(handle uint64, surface bool) (o *object, kind event.FaultKind, why string) {
	m.objects.mu.RLock()
	o = m.objects.by[handle]
	m.objects.mu.RUnlock()
	kind, name := event.BadTexture, "texture"
	if surface {
		kind, name = event.BadSurface, "surface"
	}
	switch {
	case o == nil:
		return nil, kind, fmt.Sprintf("%#x is the handle of no %s", handle, name)
	case (o.surface != nil) != surface:
		return nil, kind, fmt.Sprintf("%#x is the handle of a %s, and the instruction needs one of a %s", handle, o.name(), name)
	case m.Find(o.addr) == nil:
		return nil, event.UseAfterFree, fmt.Sprintf("the memory of the %s %#x is freed", name, handle)
	}
	return o, "", ""
}

// name says what the object is.
func (o *object) name() string {
	if o.surface != nil {
		return "surface"
	}
	return "texture"
}

// shape is the shape of the object.
func (o *object) shape() *texture.Shape {
	if o.surface != nil {
		return &o.surface.Shape
	}
	return &o.texture.Shape
}
