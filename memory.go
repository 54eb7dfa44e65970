package gridstride

import (
	"fmt"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/device"
)

// memory is one allocation, which any number of buffers view. It is also an array, whose address is
// its number, or a texture or surface object, whose address is its handle.
type memory struct {
	dev  *Device
	kind memoryKind
	addr uint64 // 0 when size is 0
	size int64
	of   *memory // of an object, the memory or the array that it reads
	// made and freed are the calls of the program that made and freed it, for messages.
	made  device.Caller
	freed atomic.Pointer[device.Caller]
	life  device.Lifetime
	// foreign is memory that another owns.
	foreign bool
}

// memoryKind says how the device takes a memory back.
type memoryKind uint8

const (
	bufferMemory memoryKind = iota
	arrayMemory
	textureMemory
	surfaceMemory
)

func (k memoryKind) String() string {
	return [...]string{"buffer", "array", "texture object", "surface object"}[k]
}

// free ends the memory's life. Its block goes back to the device once queued work no longer uses
// it.
func (m *memory) free() error {
	at := device.FromHere()
	first, now := m.life.End()
	if !first {
		return device.Errorf(ErrFreed, "free: %s", m.whenFreed())
	}
	m.freed.Store(&at)
	m.dev.forget(m)
	if now {
		m.give()
	}
	return nil
}

// hold keeps the memory from being given back for the operation op until release, or says why op
// cannot use it. The memory of a zero Buffer, nil, can always be used.
func (m *memory) hold(op string) error {
	if gone := m.keep(); gone != nil {
		return device.Errorf(ErrFreed, "%s: %s", op, gone.whenFreed())
	}
	return nil
}

// keep is hold, and says which memory was freed: m, or what m is an object of. It is nil if none
// was.
func (m *memory) keep() (gone *memory) {
	switch {
	case m == nil:
		return nil
	case !m.life.Hold():
		return m
	}
	if gone = m.of.keep(); gone != nil && m.life.Release() {
		m.give()
	}
	return gone
}

// release ends a hold on the memory.
func (m *memory) release() {
	if m == nil {
		return
	}
	if m.life.Release() {
		m.give()
	}
	m.of.release()
}

// give returns the block to the device.
func (m *memory) give() {
	switch b := m.dev.backend; {
	case m.kind == arrayMemory:
		b.RetireArray(device.ArrayID(m.addr))
	case m.kind == textureMemory:
		b.RetireTexture(m.addr)
	case m.kind == surfaceMemory:
		b.RetireSurface(m.addr)
	case m.size > 0 && !m.foreign:
		b.Retire(m.addr)
	}
}

// whenFreed says where a freed memory was made and freed.
func (m *memory) whenFreed() string {
	s := fmt.Sprintf("the %v made at %v was freed", m.kind, &m.made)
	if at := m.freed.Load(); at != nil {
		s += fmt.Sprintf(" at %v", at)
	}
	return s
}
