package cudadev

import (
	"context"
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/cuda"
)

// gpu.Printf writes into a buffer of the stream in device memory (package abi), which is allocated
// before the first kernel that prints, and freed with the device.
//
// When the program records an event or begins to wait, the stream copies the buffer to another and
// empties it, between the kernels before and after. When the program has waited for that copy its
// lines are printed. So no kernel waits for the program, and no wait for another.

// printer prints the lines of a stream. All but queued and pending needs stream.order.
type printer struct {
	queued atomic.Bool // a kernel that prints was queued since the lines were last taken

	buffer cuda.DevicePtr
	users  device.Printing
	gone   []int // of users, those whose module is unloaded: their numbers are free when the buffer is empty

	copies  []cuda.DevicePtr // for taken lines: every one there is, of the buffer's size
	free    []cuda.DevicePtr // empty buffers for lines
	taken   []taken          // in their order
	pending atomic.Int32     // how many taken there are
}

// taken is a copy of the print buffer.
type taken struct {
	by     *stream // that has made it
	number uint64  // of its operation that made it
	at     cuda.DevicePtr
	users  device.Printing
}

// prepare has the record of a kernel on the stream say which buffer it prints to. It needs s.mu.
func (s *stream) prepare(u *use, k *device.Kernel) error {
	s.order.Lock()
	defer s.order.Unlock()
	ctx, home := s.b.ctx, s.b.home
	if s.print.buffer == 0 {
		if err := s.makeBuffer(); err != nil {
			return err
		}
	}
	u.number = s.print.users.Number(k)
	words := binary.LittleEndian.AppendUint64(nil, uint64(s.print.buffer))
	words = binary.LittleEndian.AppendUint32(words, uint32(u.number))
	if err := ctx.CopyIn(cuda.DevicePtr(u.record.addr+abi.FaultOffPrint), words, home); err != nil {
		return err
	}
	return ctx.WaitStream(context.Background(), home)
}

// makeBuffer makes the buffer, and the first copy: without one its lines could not be printed. It
// needs s.order.
func (s *stream) makeBuffer() error {
	if len(s.print.copies) == 0 {
		if err := s.addCopy(); err != nil {
			return err
		}
	}
	addr, err := s.b.ctx.Alloc(int64(s.b.printer.BufferSize()))
	if err != nil {
		return err
	}
	if err := s.b.ctx.CopyIn(addr, s.b.printer.NewBuffer()[:abi.PrintHeader], s.b.home); err != nil {
		_ = s.b.ctx.Free(addr)
		return err
	}
	s.print.buffer = addr
	return nil
}

// addCopy makes one more free copy. It needs s.order.
func (s *stream) addCopy() error {
	addr, err := s.b.ctx.Alloc(int64(s.b.printer.BufferSize()))
	if err != nil {
		return err
	}
	s.print.copies, s.print.free = append(s.print.copies, addr), append(s.print.free, addr)
	return nil
}

// unprint gives the number of a kernel back that runs on the stream no more.
func (s *stream) unprint(u *use) {
	s.order.Lock()
	defer s.order.Unlock()
	s.print.gone = append(s.print.gone, u.number)
	if !s.print.queued.Load() {
		s.print.forget()
	}
}

// forget frees the numbers of kernels that are gone.
func (p *printer) forget() {
	for _, n := range p.gone {
		p.users[n] = nil
	}
	p.gone = p.gone[:0]
}

// takeLines has the stream take the lines of the kernels queued so far. It reports false if it
// delays that, because too many taken buffers are not printed yet, or there is no memory.
func (s *stream) takeLines() bool {
	all := s.takeLinesBy(s)
	for _, x := range s.printing() {
		all = x.own.takeLinesBy(s) && all
	}
	return all
}

// takeLinesBy has another stream take the lines of s.
func (s *stream) takeLinesBy(by *stream) bool {
	if !s.print.queued.Load() {
		return true
	}
	s.order.Lock()
	defer s.order.Unlock()
	p := &s.print
	if !p.queued.Load() { // another call has taken them
		return true
	}
	if len(p.free) == 0 && (len(p.taken) >= device.MaxTaken || s.addCopy() != nil) {
		return false
	}
	to := p.free[len(p.free)-1]
	if s.b.ctx.Copy(to, p.buffer, int64(s.b.printer.BufferSize()), by.handle) != nil ||
		s.b.ctx.Fill(p.buffer, 0, abi.PrintOffSize, by.handle) != nil {
		return true // the device is lost, and its lines with it
	}
	p.free = p.free[:len(p.free)-1]
	p.taken = append(p.taken, taken{by, by.queued.Add(1), to, slices.Clone(p.users)})
	p.pending.Add(1)
	p.forget()
	p.queued.Store(false)
	return true
}

// printLines prints the lines that were taken by operations known to have run. Where another call
// prints until ctx ends, they stay for the next time.
func (s *stream) printLines(ctx context.Context) {
	s.printOwn(ctx)
	for _, x := range s.printing() {
		x.own.printOwn(ctx)
	}
}

// printOwn is printLines without the graphs of the stream.
func (s *stream) printOwn(ctx context.Context) {
	if s.print.pending.Load() == 0 || !s.b.printer.Lock(ctx) {
		return
	}
	defer s.b.printer.Unlock()
	for {
		t, ok := s.firstTaken()
		if !ok {
			return
		}
		lines, err := s.fetch(t.at)
		if err != nil { // the device is lost
			return
		}
		s.b.printer.Print(lines, t.users)
		s.dropTaken()
	}
}

// firstTaken is the oldest copy with lines, if it is known to have been made.
func (s *stream) firstTaken() (taken, bool) {
	s.order.Lock()
	defer s.order.Unlock()
	if len(s.print.taken) == 0 || s.print.taken[0].number > s.print.taken[0].by.done.Load() {
		return taken{}, false
	}
	return s.print.taken[0], true
}

// dropTaken makes the oldest copy with lines free.
func (s *stream) dropTaken() {
	s.order.Lock()
	defer s.order.Unlock()
	p := &s.print
	p.free = append(p.free, p.taken[0].at)
	p.taken = slices.Delete(p.taken, 0, 1)
	p.pending.Add(-1)
}

// fetch copies a print buffer, as far as there are lines, to the host.
func (s *stream) fetch(at cuda.DevicePtr) ([]byte, error) {
	c, home := s.b.ctx, s.b.home
	held := make([]byte, abi.PrintHeader)
	if err := copyOut(c, held, at, home); err != nil {
		return nil, err
	}
	used := min(binary.LittleEndian.Uint64(held[abi.PrintOffUsed:]), uint64(s.b.printer.Size))
	held = slices.Grow(held, int(used))[:abi.PrintHeader+int(used)]
	return held, copyOut(c, held[abi.PrintHeader:], at+abi.PrintHeader, home)
}

// copyOut copies from the device and waits for it.
func copyOut(c *cuda.Context, dst []byte, src cuda.DevicePtr, s cuda.Stream) error {
	if err := c.CopyOut(dst, src, s); err != nil {
		return err
	}
	return c.WaitStream(context.Background(), s)
}

// flush prints the lines of all kernels queued so far when they have run, or until ctx ends.
func (s *stream) flush(ctx context.Context) {
	for all := false; !all && ctx.Err() == nil; {
		all = s.takeLines()
		queued := s.queued.Load()
		if s.arrive(ctx) != nil {
			return
		}
		s.ran(queued)
		s.printLines(ctx)
	}
}

// freeBuffers gives the buffers back. Nothing uses the stream any more.
func (s *stream) freeBuffers() {
	for _, addr := range append(s.print.copies, s.print.buffer) {
		if addr != 0 {
			_ = s.b.ctx.Free(addr)
		}
	}
}
