package cudadev

import (
	"bytes"
	"context"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/ptx"
)

// A failed check writes a fault record (package abi), and the next wait on the stream returns it.
//
// Records are in device memory, and each has a word in pinned host memory that says whether it was
// written: a wait looks at that word with one load, and copies the record only after a failure.
// Records in pinned memory would save that copy, but with them a launch in which 65,536 threads
// fail took 68 ms, a microsecond for each thread's compare-and-swap over the bus
// (docs/measurements/2026-11-21-h200-record-in-host-memory.json). Now the launch takes 39 µs. A copy
// of the record by every wait would add two microseconds to each.
//
// A stream has a record for each kernel that runs on it, because a record does not say which kernel
// wrote it.

// use is a kernel on a stream.
type use struct {
	kernel *kernel
	host   atomic.Pointer[device.Kernel] // as it was last launched
	record *faultRecord                  // nil where the kernel has no check that can fail
	// first and last are the operations of the stream that were launches of the kernel: the first
	// since a wait that found all of them ended well, 0 for none, and the last.
	first, last atomic.Uint64
	number      int // of the kernel, in lines of the print buffer
}

// faultRecord is where a kernel on a stream reports its failure.
type faultRecord struct {
	addr    uint64         // of the record, in device memory
	written *atomic.Uint32 // in pinned memory, set by the device
}

// use finds or makes what the stream keeps for a kernel. The error is the driver's.
func (s *stream) use(k *kernel, host *device.Kernel) (*use, error) {
	if u := s.recent.Load(); u != nil && u.kernel == k && u.host.Load() == host {
		return u, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if u, ok := s.uses[k]; ok {
		u.host.Store(host)
		s.recent.Store(u)
		return u, nil
	}
	u := &use{kernel: k}
	u.host.Store(host)
	if host.FaultAt >= 0 {
		var err error
		if u.record, err = s.b.records.get(s.b); err != nil {
			return nil, err
		}
	}
	if host.Prints {
		if err := s.prepare(u, host); err != nil {
			s.b.records.put(u.record)
			return nil, err
		}
	}
	s.uses[k] = u
	s.recent.Store(u)
	return u, nil
}

// launched notes that operation n was a launch.
func (u *use) launched(n uint64) {
	u.last.Store(n)
	if u.first.Load() == 0 {
		u.first.CompareAndSwap(0, n)
	}
}

// takeFailure returns the first failure among the first n operations, which have run, that no wait
// has returned.
func (s *stream) takeFailure(n uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collect(n)
	failure := s.failed
	s.failed = nil
	return failure
}

// collect reads the records that the first n operations may have written, keeps the first failure,
// and forgets the others: a later failure is mostly a consequence of the first. It needs s.mu.
func (s *stream) collect(n uint64) {
	var failed *use
	var first abi.FaultRecord
	for _, u := range s.uses {
		since := u.first.Load()
		switch {
		case u.record == nil || since > n:
		case u.record.written.Load() == 0:
			if u.last.Load() <= n {
				u.first.CompareAndSwap(since, 0)
			}
		default:
			r, ok := s.b.take(u.record)
			if ok && (failed == nil || since < failed.first.Load()) {
				failed, first = u, r
			}
		}
	}
	if failed != nil && s.failed == nil {
		s.failed = s.b.hostError(failed.host.Load().Failure(first, failed.kernel.m.text(first.Msg)))
	}
	s.collectGraphs(n)
}

// take reads a record and makes it free, if it is all written.
func (b *Backend) take(r *faultRecord) (abi.FaultRecord, bool) {
	ctx := context.Background()
	mem := make([]byte, abi.FaultSize)
	if b.ctx.CopyOut(mem, cuda.DevicePtr(r.addr), b.home) != nil || b.ctx.WaitStream(ctx, b.home) != nil {
		return abi.FaultRecord{}, false // the device is lost
	}
	record := abi.DecodeFault(mem)
	if record.State != abi.FaultWritten {
		return abi.FaultRecord{}, false
	}
	r.written.Store(0)
	if b.ctx.Fill(cuda.DevicePtr(r.addr+abi.FaultOffState), abi.FaultFree, 4, b.home) != nil || b.ctx.WaitStream(ctx, b.home) != nil {
		return abi.FaultRecord{}, false
	}
	return record, true
}

// forget drops the uses of a module's kernels, whose work has run. The next wait returns a failure.
func (s *stream) forget(kernels map[string]*kernel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collect(s.queued.Load())
	s.recent.Store(nil)
	for _, k := range kernels {
		u, ok := s.uses[k]
		if !ok {
			continue
		}
		delete(s.uses, k)
		if u.host.Load().Prints {
			s.unprint(u)
		}
		if u.record != nil {
			s.b.records.put(u.record)
		}
	}
}

// text is the NUL-terminated string at an address that a kernel of the module left in its record, 0
// for none: in one of the module's variables.
func (m *module) text(addr uint64) string {
	if addr == 0 {
		return ""
	}
	for _, d := range m.tree.Decls {
		v, ok := d.(*ptx.Var)
		if !ok || v.Space != ptx.GlobalSpace || v.Init == nil {
			continue
		}
		start, size, err := m.b.ctx.Global(m.handle, v.Name)
		if err != nil || addr < uint64(start) || addr >= uint64(start)+uint64(size) {
			continue
		}
		text := make([]byte, uint64(start)+uint64(size)-addr)
		if m.b.ctx.CopyOut(text, cuda.DevicePtr(addr), m.b.home) != nil || m.b.ctx.WaitStream(context.Background(), m.b.home) != nil {
			return ""
		}
		text, _, _ = bytes.Cut(text, []byte{0})
		return string(text)
	}
	return ""
}

// recordPool hands out free fault records.
type recordPool struct {
	mu     sync.Mutex
	free   []*faultRecord
	device []cuda.DevicePtr
	host   [][]byte
}

func (p *recordPool) get(b *Backend) (*faultRecord, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == 0 {
		if err := p.grow(b); err != nil {
			return nil, err
		}
	}
	r := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return r, nil
}

// grow makes records. It needs p.mu.
func (p *recordPool) grow(b *Backend) error {
	const count, stride, word = 256, 256, 64 // with separate cache lines
	device, err := b.ctx.Alloc(count * stride)
	if err != nil {
		return err
	}
	p.device = append(p.device, device)
	host, err := b.ctx.AllocHost(count * word)
	if err != nil {
		return err
	}
	p.host = append(p.host, host)
	words, err := b.ctx.HostDevicePtr(host)
	if err != nil {
		return err
	}
	clear(host)
	records := make([]byte, count*stride)
	var free []*faultRecord
	for i := range count {
		binary.LittleEndian.PutUint64(records[i*stride+abi.FaultOffHost:], uint64(words)+uint64(i*word))
		free = append(free, &faultRecord{uint64(device) + uint64(i*stride), (*atomic.Uint32)(unsafe.Pointer(&host[i*word]))})
	}
	if err := b.ctx.CopyIn(device, records, b.home); err != nil {
		return err
	}
	p.free = free
	return b.ctx.WaitStream(context.Background(), b.home)
}

func (p *recordPool) put(r *faultRecord) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, r)
}

func (p *recordPool) close(b *Backend) {
	for _, addr := range p.device {
		_ = b.ctx.Free(addr)
	}
	for _, mem := range p.host {
		_ = b.ctx.FreeHost(mem)
	}
}
