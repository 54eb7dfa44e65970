package gridstride

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gridstride/gridstride/internal/cuda"
	"github.com/gridstride/gridstride/internal/fault"
	"github.com/gridstride/gridstride/internal/ptx"
)

// A failed check writes a fault record (package fault), and the next wait on the stream returns it.
//
// Records are in pinned host memory that kernels address. A kernel without a failure never touches its record, and a wait looks at it with one
// load of the host's own memory. A record in device memory would have to be copied back by every wait, some microseconds each; what it would save is
// bus traffic of threads that fail, and a failing launch is not one to be fast. docs/measurements has both figures.
//
// A stream has a record for each kernel that runs on it, because a record does not say which kernel wrote it.

// use is a kernel on a stream.
type use struct {
	kernel *Kernel // as it was last launched; guarded by the stream's lock
	record []byte  // nil where the kernel has no check that can fail
	addr   uint64  // of the record, for the device
	// first and last are the operations of the stream that were launches of the kernel: the first since a wait that found all of them ended
	// well, 0 for none, and the last.
	first, last atomic.Uint64
}

// use finds or makes what the stream keeps for a kernel.
func (s *gpuStream) use(k *Kernel, e *gpuEntry) (*use, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u, ok := s.uses[e]; ok {
		u.kernel = k
		return u, nil
	}
	u := &use{kernel: k}
	if k.faultAt >= 0 {
		var err error
		if u.record, u.addr, err = s.b.records.get(s.b); err != nil {
			return nil, s.b.failed(err)
		}
	}
	s.uses[e] = u
	return u, nil
}

// launched notes that operation n was a launch.
func (u *use) launched(n uint64) {
	u.last.Store(n)
	u.first.CompareAndSwap(0, n)
}

// takeFailure returns the first failure among the first n operations, which have run, that no wait has returned.
func (s *gpuStream) takeFailure(n uint64) *KernelError {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collect(n)
	failure := s.failed
	s.failed = nil
	return failure
}

// failure is takeFailure for a wait to return.
func (s *gpuStream) failure(n uint64) error {
	if failure := s.takeFailure(n); failure != nil {
		return failure
	}
	return nil
}

// collect reads the records that the first n operations may have written, keeps the first failure, and forgets the others: what fails behind a failure
// is mostly its consequence. It needs s.mu.
func (s *gpuStream) collect(n uint64) {
	var failed *use
	for _, u := range s.uses {
		first := u.first.Load()
		if u.record == nil || first > n {
			continue
		}
		if recordState(u.record).Load() == fault.Written {
			if failed == nil || first < failed.first.Load() {
				failed = u
			}
		} else if u.last.Load() <= n {
			u.first.CompareAndSwap(first, 0)
		}
	}
	if failed == nil {
		return
	}
	if s.failed == nil {
		r := fault.Decode(failed.record)
		s.failed = failed.kernel.failure(r, failed.kernel.mod.loaded.(*gpuModule).text(r.Msg))
	}
	for _, u := range s.uses {
		if u.record != nil && u.first.Load() <= n {
			recordState(u.record).CompareAndSwap(fault.Written, fault.Free)
		}
	}
}

// forget drops the uses of a module's kernels, whose work has run. A failure is kept for the next wait.
func (s *gpuStream) forget(entries map[string]*gpuEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collect(s.queued.Load())
	for _, e := range entries {
		u, ok := s.uses[e]
		if !ok {
			continue
		}
		delete(s.uses, e)
		if u.record != nil {
			s.b.records.put(u.record, u.addr)
		}
	}
}

// recordState is the state of a record, which the device may be writing.
func recordState(record []byte) *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Pointer(&record[fault.OffState]))
}

// text is the NUL-terminated string at an address that a kernel of the module left in its record, 0 for none: in one of the module's
// variables.
func (m *gpuModule) text(addr uint64) string {
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

// recordPool hands out fault records from blocks of pinned memory.
type recordPool struct {
	mu     sync.Mutex
	blocks [][]byte
	free   []freeRecord
}

type freeRecord struct {
	record []byte
	addr   uint64
}

func (p *recordPool) get(b *gpu) ([]byte, uint64, error) {
	const block, stride = 16 << 10, 128 // a record has its cache lines to itself
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == 0 {
		mem, err := b.ctx.AllocHost(block)
		if err != nil {
			return nil, 0, err
		}
		p.blocks = append(p.blocks, mem)
		addr, err := b.ctx.HostDevicePtr(mem)
		if err != nil {
			return nil, 0, err
		}
		for i := 0; i < block; i += stride {
			p.free = append(p.free, freeRecord{mem[i : i+stride : i+stride], uint64(addr) + uint64(i)})
		}
	}
	r := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	clear(r.record)
	return r.record, r.addr, nil
}

func (p *recordPool) put(record []byte, addr uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, freeRecord{record, addr})
}

func (p *recordPool) close(b *gpu) {
	for _, mem := range p.blocks {
		_ = b.ctx.FreeHost(mem)
	}
	p.blocks, p.free = nil, nil
}
