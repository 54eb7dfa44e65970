// Package simdev runs kernels on the simulator: the backend of package device over
// internal/machine/sim, and over internal/machine/checked where launches are checked.
package simdev

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/machine/check/streamcheck"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Config says what device is simulated.
type Config struct {
	// Memory is the size of its memory in bytes, 0 for the machine's own choice.
	Memory int64
	// Target is the target that the device plays. It sets the limits of its compute capability, and
	// the PTX that runs there. The zero Target is abi.SimTarget, and PTX for other targets that a
	// program loads is run too, as far as the simulator knows it.
	Target abi.Target
	// Checks say how launches are checked; nil for not at all.
	Checks *checked.Config
	// TimeLimit is how long a launch may take. 0 is no limit, or the Checks' limit. Below 0 there
	// is none in any case.
	TimeLimit time.Duration
}

// Backend is a simulated device. Device memory is the machine's. A freed block returns to it at
// once, so that the machine knows every access to freed memory.
type Backend struct {
	machine   atomic.Pointer[sim.Machine] // nil once closed
	about     device.Info
	strict    bool // PTX for other targets than the device's is refused
	hostError func(*device.Failure) error
	printer   *device.Printer
	timeLimit time.Duration
	checks    *checked.Device // nil where launches are not checked
	// ctx ends when the device is closed.
	ctx    context.Context
	cancel context.CancelFunc
	// workers counts the goroutines that run queues.
	workers sync.WaitGroup
	// gone is closed when none runs any more, as the device is closed.
	gone chan struct{}

	arrays  sync.Map // of device.ArrayID to *abi.Array
	kernels device.Table[device.KernelID, kernel]
	events  device.Table[device.EventID, streamEvent]

	mu      sync.Mutex
	closed  bool
	streams map[*stream]struct{}
	unseen  []error           // failures of streams that were closed
	ended   streamcheck.Clock // the points that closed streams have reached, for the checks
}

// New makes a device with empty memory, whose kernels print to printer. It returns the failures of
// kernels as the errors that hostError makes of them.
//
// The error is for a processor whose numbers are big endian: device memory is little endian, and a
// copy between it and the host keeps bytes as they are.
func New(c Config, printer *device.Printer, hostError func(*device.Failure) error) (*Backend, error) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, fmt.Errorf("the simulated device has little-endian memory, and %s/%s is big endian", runtime.GOOS, runtime.GOARCH)
	}
	m := newMachine(c)
	if err := m.Err(); err != nil {
		return nil, err
	}
	b := &Backend{hostError: hostError, printer: printer, timeLimit: c.TimeLimit, streams: map[*stream]struct{}{}, gone: make(chan struct{})}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	b.strict = c.Target != (abi.Target{})
	b.machine.Store(m)
	b.about = About(c)
	if c.Checks != nil {
		checks := *c.Checks
		checks.Options.TimeLimit = cmp.Or(c.TimeLimit, checks.Options.TimeLimit)
		b.checks = checked.NewDevice(&checks)
	}
	return b, nil
}

// Info implements device.Backend.
func (b *Backend) Info() device.Info { return b.about }

// Alloc implements device.Backend.
func (b *Backend) Alloc(size int64) (uint64, error) {
	m := b.machine.Load()
	if m == nil {
		return 0, device.ErrClosed
	}
	addr, err := m.Alloc(size)
	if err == nil && b.checks != nil {
		from := device.FromHere()
		b.checks.Allocated(addr, size, positionOf(&from))
	}
	return addr, b.outOfMemory(m, err)
}

// outOfMemory is device.ErrOutOfMemory, saying what is in use, where err is the machine's.
func (b *Backend) outOfMemory(m *sim.Machine, err error) error {
	if !errors.Is(err, sim.ErrOutOfMemory) {
		return err
	}
	used, _ := m.Used()
	return fmt.Errorf("%w: %d of %d bytes are in use", device.ErrOutOfMemory, used, b.about.Memory)
}

// EncodeTensorMap implements device.Backend.
func (b *Backend) EncodeTensorMap(m *abi.TensorMap) (code [abi.TensorMapSize]byte, err error) {
	if b.machine.Load() == nil {
		return code, device.ErrClosed
	}
	return m.Encode(), nil
}

// Write implements device.Backend.
func (b *Backend) Write(dst uint64, src []byte) error {
	return b.change(dst, len(src), func(mem []byte) { copy(mem, src) })
}

func (b *Backend) read(dst []byte, src uint64) error {
	return b.access(src, len(dst), func(mem []byte) { copy(dst, mem) })
}

// access calls f with n bytes of device memory, to read them.
func (b *Backend) access(addr uint64, n int, f func([]byte)) (err error) {
	if b.checks == nil {
		return b.bytes(addr, n, f)
	}
	b.checks.Read(func() { err = b.bytes(addr, n, f) })
	return err
}

// change calls f with n bytes of device memory, to write all of them.
func (b *Backend) change(addr uint64, n int, f func([]byte)) (err error) {
	if b.checks == nil {
		return b.bytes(addr, n, f)
	}
	b.checks.Write(addr, n, func() { err = b.bytes(addr, n, f) })
	return err
}

// move copies n bytes of device memory to others.
func (b *Backend) move(dst, src uint64, n int) (err error) {
	move := func() {
		var inner error
		err = b.bytes(src, n, func(from []byte) {
			inner = b.bytes(dst, n, func(to []byte) { copy(to, from) })
		})
		err = cmp.Or(err, inner)
	}
	if b.checks == nil {
		move()
		return err
	}
	b.checks.Copy(dst, src, n, move)
	return err
}

// carry copies n bytes from one device to another, by way of the host: so that one device is at it
// at a time.
func carry(to *Backend, dst uint64, from *Backend, src uint64, n int) error {
	const most = 1 << 20
	held := make([]byte, min(n, most))
	for done := 0; done < n; {
		part, at := held[:min(n-done, most)], uint64(done)
		var missing []checked.Run
		var err error
		take := func() { err = from.bytes(src+at, len(part), func(mem []byte) { copy(part, mem) }) }
		if from.checks == nil {
			take()
		} else {
			missing = from.checks.Fetch(src+at, len(part), take)
		}
		if err != nil {
			return err
		}
		put := func() { err = to.bytes(dst+at, len(part), func(mem []byte) { copy(mem, part) }) }
		if to.checks == nil {
			put()
		} else {
			to.checks.Store(dst+at, len(part), missing, put)
		}
		if err != nil {
			return err
		}
		done += len(part)
	}
	return nil
}

// bytes calls f with n bytes of device memory.
func (b *Backend) bytes(addr uint64, n int, f func([]byte)) error {
	m := b.machine.Load()
	if m == nil {
		return device.ErrClosed
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

// Retire implements device.Backend.
func (b *Backend) Retire(addr uint64) {
	b.afterQueued(func(m *sim.Machine) { b.free(m, addr) })
}

func (b *Backend) free(m *sim.Machine, addr uint64) {
	free := func() { _ = m.Free(addr) }
	if b.checks == nil {
		free()
		return
	}
	b.checks.Free(addr, free)
}

// afterQueued calls f once all work that is queued now has run, at once if there is none.
func (b *Backend) afterQueued(f func(*sim.Machine)) {
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

// Accepts implements device.Backend.
func (b *Backend) Accepts(tree *ptx.Module) error { return b.about.CheckTarget(tree.MainTarget()) }

// Refuses implements device.Backend. Only a device that plays a target refuses PTX for others.
func (b *Backend) Refuses(tree *ptx.Module) error {
	if !b.strict {
		return nil
	}
	return b.Accepts(tree)
}

// Load implements device.Backend.
func (b *Backend) Load(tree *ptx.Module) (device.Module, error) {
	m := b.machine.Load()
	if m == nil {
		return nil, device.ErrClosed
	}
	p, err := m.LoadVerified(tree)
	if err != nil {
		return nil, b.outOfMemory(m, err)
	}
	return &module{b: b, program: p, kernels: map[string]*kernel{}}, nil
}

// Pin implements device.Backend. A simulated device can read all of the host's memory.
func (b *Backend) Pin([]byte) error { return nil }

// Unpin implements device.Backend.
func (b *Backend) Unpin([]byte) {}

// NewStream implements device.Backend.
func (b *Backend) NewStream() (device.Stream, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, device.ErrClosed
	}
	s, err := newStream(b)
	if err != nil {
		return nil, err
	}
	b.streams[s] = struct{}{}
	return s, nil
}

func (b *Backend) allStreams() []*stream {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Keys(b.streams))
}

// drop takes a stream out whose work has all run.
func (b *Backend) drop(s *stream) {
	s.printRest()
	b.free(b.machine.Load(), s.fault)
	if s.print.buffer != 0 {
		b.free(b.machine.Load(), s.print.buffer)
	}
	s.mu.Lock()
	failure, point := s.failed, s.point()
	s.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended.Join(point)
	s.endLine()
	delete(b.streams, s)
	if failure != nil {
		b.unseen = append(b.unseen, failure)
	}
}

// Close implements device.Backend.
func (b *Backend) Close() []error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	if b.checks == nil || !b.checks.Finishes() {
		b.cancel()
	}
	b.workers.Wait()
	for _, s := range b.allStreams() {
		s.printRest()
	}
	b.cancel()
	b.machine.Store(nil)
	close(b.gone)

	unseen := b.unseen
	for _, s := range b.allStreams() {
		s.endLine()
		s.mu.Lock()
		if s.failed != nil {
			unseen = append(unseen, s.failed)
		}
		s.mu.Unlock()
	}
	return unseen
}

// startWorker runs f on a goroutine that close waits for, unless the device is closed.
func (b *Backend) startWorker(f func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.workers.Add(1)
	go f()
	return true
}

// module is a program of the machine.
type module struct {
	b       *Backend
	program *sim.Program

	mu      sync.Mutex
	kernels map[string]*kernel
}

// kernel is a kernel of a program.
type kernel struct {
	id    device.KernelID
	entry *sim.Entry
}

// Kernel implements device.Module.
func (m *module) Kernel(name string) (device.KernelID, device.Attributes, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.kernels[name]
	if !ok {
		e, err := m.program.Entry(name)
		if err != nil {
			return 0, device.Attributes{}, err
		}
		k = &kernel{entry: e}
		k.id = m.b.kernels.Add(k)
		m.kernels[name] = k
	}
	return k.id, device.Attributes{
		MaxThreads: m.b.about.MaxThreads, SharedBytes: k.entry.StaticShared, LocalBytes: k.entry.LocalBytes,
	}, nil
}

// Retire implements device.Module.
func (m *module) Retire() {
	m.b.afterQueued(func(*sim.Machine) {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, k := range m.kernels {
			m.b.kernels.Remove(k.id)
		}
		if m.b.checks == nil {
			m.program.Unload()
			return
		}
		m.b.checks.Read(m.program.Unload)
	})
}

// About describes the device that New makes.
func About(c Config) device.Info {
	m := newMachine(c).Config()
	return device.Info{
		Name: "simulator", Backend: "sim", Memory: m.Memory, Multiprocessors: m.Workers, WarpSize: abi.WarpSize,
		MaxThreads: m.Limits.ThreadsPerBlock, MaxBlock: m.Limits.BlockDim, MaxGrid: m.Limits.GridDim,
		MaxShared: m.Limits.Shared, SM: c.plays().SM,
	}
}

// plays is the target that the device plays.
func (c *Config) plays() abi.Target {
	if c.Target == (abi.Target{}) {
		return abi.SimTarget
	}
	return c.Target
}

func newMachine(c Config) *sim.Machine {
	return sim.New(sim.Config{Memory: c.Memory, Limits: sim.LimitsOf(c.plays().SM), SM: c.plays().SM})
}

// text is the NUL-terminated string at addr, which may be 0 for none.
func (b *Backend) text(addr uint64) string {
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

// failureOf is the failure of a launch that the machine ended.
func failureOf(k *device.Kernel, e *sim.Entry, err error) *device.Failure {
	failure := &device.Failure{Kernel: k.Name, Message: strings.TrimPrefix(err.Error(), e.Name+": "), Cause: err}
	if errors.Is(err, event.ErrTimeLimit) {
		failure.Cause = fmt.Errorf("%w: %w", device.ErrTimeLimit, err)
	}
	var f *event.Fault
	if errors.As(err, &f) {
		failure.Message, failure.Located, failure.Block, failure.Thread = f.What(), true, f.Block, f.Thread
		switch {
		case f.Site == nil:
		case f.Site.Source.Line > 0:
			failure.File, failure.Line, failure.Col = f.Site.Source.File, f.Site.Source.Line, f.Site.Source.Col
		default: // PTX that names no source
			failure.File, failure.Line, failure.Col = k.Module, f.Site.Instr.Pos.Line, f.Site.Instr.Pos.Col
		}
	}
	return failure
}
