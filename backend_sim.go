package gridstride

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/checked"
	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/sim"
)

// simulator is the backend that runs kernels on internal/sim. Device memory is the machine's;
// nothing is kept back when a block is freed, so that the machine knows every access to freed
// memory.
type simulator struct {
	machine atomic.Pointer[sim.Machine] // nil once closed
	device  Info
	checks  *checked.Device // nil where launches are not checked
	// ctx ends when the device is closed.
	ctx    context.Context
	cancel context.CancelFunc
	// workers counts the goroutines that run queues.
	workers sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	streams map[*simStream]struct{}
	failed  []*simStream // streams that were closed with a failure
}

func newSimulator(s settings) *simulator {
	b := &simulator{streams: map[*simStream]struct{}{}}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	m := sim.New(sim.Config{Memory: s.memory})
	b.machine.Store(m)
	b.device = simInfo(m)
	if s.checks != nil {
		b.checks = checked.NewDevice(s.checks)
	}
	return b
}

func (b *simulator) info() Info { return b.device }

func (b *simulator) alloc(size int64) (uint64, error) {
	m := b.machine.Load()
	if m == nil {
		return 0, ErrClosed
	}
	addr, err := m.Alloc(size)
	if err == nil && b.checks != nil {
		b.checks.Allocated(addr, size)
	}
	return addr, b.outOfMemory(m, err)
}

// outOfMemory is ErrOutOfMemory, saying what is in use, where err is the machine's.
func (b *simulator) outOfMemory(m *sim.Machine, err error) error {
	if !errors.Is(err, sim.ErrOutOfMemory) {
		return err
	}
	used, _ := m.Used()
	return fmt.Errorf("%w: %d of %d bytes are in use", ErrOutOfMemory, used, b.device.Memory)
}

func (b *simulator) write(dst uint64, src []byte) error {
	return b.change(dst, len(src), func(mem []byte) { copy(mem, src) })
}

func (b *simulator) read(dst []byte, src uint64) error {
	return b.access(src, len(dst), func(mem []byte) { copy(dst, mem) })
}

// access calls f with n bytes of device memory, to read them.
func (b *simulator) access(addr uint64, n int, f func([]byte)) (err error) {
	if b.checks == nil {
		return b.bytes(addr, n, f)
	}
	b.checks.Read(func() { err = b.bytes(addr, n, f) })
	return err
}

// change calls f with n bytes of device memory, to write all of them.
func (b *simulator) change(addr uint64, n int, f func([]byte)) (err error) {
	if b.checks == nil {
		return b.bytes(addr, n, f)
	}
	b.checks.Write(addr, n, func() { err = b.bytes(addr, n, f) })
	return err
}

// bytes calls f with n bytes of device memory.
func (b *simulator) bytes(addr uint64, n int, f func([]byte)) error {
	m := b.machine.Load()
	if m == nil {
		return ErrClosed
	}
	if n == 0 {
		return nil
	}
	mem, err := m.Bytes(addr, int64(n))
	if err != nil {
		return err
	}
	f(mem)
	return nil
}

func (b *simulator) retire(addr uint64) {
	b.afterQueued(func(m *sim.Machine) { b.free(m, addr) })
}

func (b *simulator) free(m *sim.Machine, addr uint64) {
	free := func() { _ = m.Free(addr) }
	if b.checks == nil {
		free()
		return
	}
	b.checks.Free(addr, free)
}

// afterQueued calls f once all work that is queued now has run, at once where there is none.
func (b *simulator) afterQueued(f func(*sim.Machine)) {
	m := b.machine.Load()
	if m == nil {
		return
	}
	var busy atomic.Int64
	busy.Store(1)
	last := func() {
		if busy.Add(-1) == 0 {
			f(m)
		}
	}
	for _, s := range b.allStreams() {
		s.whenBusy(func() { busy.Add(1) }, last)
	}
	last()
}

func (b *simulator) load(tree *ptx.Module, _ string) (backendModule, error) {
	m := b.machine.Load()
	if m == nil {
		return nil, ErrClosed
	}
	p, err := m.Load(tree)
	if err != nil {
		return nil, b.outOfMemory(m, err)
	}
	return &simModule{b, p, m.Config().Limits}, nil
}

// pin and unpin do nothing: a simulated device can read all of the host's memory.
func (b *simulator) pin([]byte) error { return nil }
func (b *simulator) unpin([]byte)     {}

func (b *simulator) stream() (backendStream, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, ErrClosed
	}
	s, err := newSimStream(b)
	if err != nil {
		return nil, err
	}
	b.streams[s] = struct{}{}
	return s, nil
}

func (b *simulator) allStreams() []*simStream {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Keys(b.streams))
}

// drop takes a stream out whose work has all run.
func (b *simulator) drop(s *simStream) {
	b.free(b.machine.Load(), s.fault)
	s.mu.Lock()
	failed := s.failed != nil
	s.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.streams, s)
	if failed {
		b.failed = append(b.failed, s)
	}
}

func (b *simulator) close() []*KernelError {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	if b.checks == nil || !b.checks.Finishes() {
		b.cancel()
	}
	b.workers.Wait()
	b.cancel()
	b.machine.Store(nil)

	var unseen []*KernelError
	for _, s := range append(b.allStreams(), b.failed...) {
		s.mu.Lock()
		if s.failed != nil {
			unseen = append(unseen, s.failed)
		}
		s.mu.Unlock()
	}
	return unseen
}

// startWorker runs f on a goroutine that close waits for, unless the device is closed.
func (b *simulator) startWorker(f func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.workers.Add(1)
	go f()
	return true
}

// simModule is a program of the machine.
type simModule struct {
	b       *simulator
	program *sim.Program
	limits  sim.Limits
}

func (m *simModule) entry(name string) (backendEntry, error) {
	e, err := m.program.Entry(name)
	if err != nil {
		return nil, err
	}
	return simEntry{e, m.limits}, nil
}

func (m *simModule) retire() {
	m.b.afterQueued(func(*sim.Machine) {
		if m.b.checks == nil {
			m.program.Unload()
			return
		}
		m.b.checks.Read(m.program.Unload)
	})
}

// simEntry is a kernel of a program.
type simEntry struct {
	entry  *sim.Entry
	limits sim.Limits
}

func (e simEntry) attributes() attributes {
	return attributes{maxThreads: e.limits.ThreadsPerBlock, sharedBytes: e.entry.StaticShared}
}

// simInfo describes the device that a machine plays.
func simInfo(m *sim.Machine) Info {
	c := m.Config()
	dim := func(d [3]int) Dim3 { return Dim3{d[0], d[1], d[2]} }
	return Info{
		Name: "simulator", Backend: "sim", Memory: c.Memory, Multiprocessors: c.Workers, WarpSize: sim.WarpSize,
		MaxThreads: c.Limits.ThreadsPerBlock, MaxBlock: dim(c.Limits.BlockDim), MaxGrid: dim(c.Limits.GridDim),
		MaxShared: c.Limits.Shared,
	}
}

// text is the NUL-terminated string at addr, which may be 0 for none.
func (b *simulator) text(addr uint64) string {
	const longest = 4096
	var s []byte
	for addr != 0 && len(s) < longest {
		var c [1]byte
		if b.read(c[:], addr) != nil || c[0] == 0 {
			break
		}
		s = append(s, c[0])
		addr++
	}
	return string(s)
}

// simFailure makes the error of a launch that the machine ended.
func simFailure(k *Kernel, err error) *KernelError {
	text := strings.TrimPrefix(err.Error(), k.entry.(simEntry).entry.Name+": ")
	e := &KernelError{Kernel: k.name, Message: text, Err: err}
	var f *sim.Fault
	if errors.As(err, &f) {
		e.Message = f.What()
		e.Located = true
		e.Block = Dim3{f.Block[0], f.Block[1], f.Block[2]}
		e.Thread = Dim3{f.Thread[0], f.Thread[1], f.Thread[2]}
		switch {
		case f.Site == nil:
		case f.Site.Source.Line > 0:
			e.File, e.Line, e.Col = f.Site.Source.File, f.Site.Source.Line, f.Site.Source.Col
		default: // PTX that names no source
			e.File, e.Line, e.Col = k.mod.name, f.Site.Instr.Pos.Line, f.Site.Instr.Pos.Col
		}
	}
	return e
}
