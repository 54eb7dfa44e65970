package gridstride

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
)

// memory is one allocation, which any number of buffers view.
type memory struct {
	dev  *Device
	addr uint64 // 0 when size is 0
	size int64
	// made and freed are the calls of the program that made and freed it, for messages.
	made  callers
	freed atomic.Pointer[callers]
	life  lifetime
	// bad is the error of a view that does not exist; such a memory belongs to no device.
	bad error
}

// free ends the memory's life. Its block goes back to the device once queued work no longer uses
// it.
func (m *memory) free() error {
	at := here()
	first, now := m.life.end()
	if !first {
		return errorf(ErrFreed, "free: %s", m.whenFreed())
	}
	m.freed.Store(&at)
	m.dev.forget(m)
	if now {
		m.give()
	}
	return nil
}

// release ends a hold on the memory.
func (m *memory) release() {
	if m.life.release() {
		m.give()
	}
}

// give returns the block to the device.
func (m *memory) give() {
	if m.size > 0 {
		m.dev.backend.retire(m.addr)
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

// callers is a call of this package, as program counters: cheap to take, resolved only when
// printed.
type callers [6]uintptr

func here() (c callers) {
	runtime.Callers(2, c[:])
	return c
}

// String is the place outside this package: "main.go:12", or "an unknown place".
func (c *callers) String() string {
	const us = "github.com/gridstride/gridstride."
	n := 0
	for n < len(c) && c[n] != 0 {
		n++
	}
	frames := runtime.CallersFrames(c[:n])
	for {
		f, more := frames.Next()
		if f.PC != 0 && !strings.HasPrefix(f.Function, us) {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}
