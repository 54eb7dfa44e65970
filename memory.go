package gridstride

import (
	"fmt"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/device"
)

// memory is one allocation, which any number of buffers view.
type memory struct {
	dev  *Device
	addr uint64 // 0 when size is 0
	size int64
	// made and freed are the calls of the program that made and freed it, for messages.
	made  device.Caller
	freed atomic.Pointer[device.Caller]
	life  device.Lifetime
	// foreign is memory that another owns.
	foreign bool
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
	if m != nil && !m.life.Hold() {
		return device.Errorf(ErrFreed, "%s: %s", op, m.whenFreed())
	}
	return nil
}

// release ends a hold on the memory.
func (m *memory) release() {
	if m != nil && m.life.Release() {
		m.give()
	}
}

// give returns the block to the device.
func (m *memory) give() {
	if m.size > 0 && !m.foreign {
		m.dev.backend.Retire(m.addr)
	}
}

// whenFreed says where a freed memory was made and freed.
func (m *memory) whenFreed() string {
	s := fmt.Sprintf("the buffer made at %v was freed", &m.made)
	if at := m.freed.Load(); at != nil {
		s += fmt.Sprintf(" at %v", at)
	}
	return s
}
