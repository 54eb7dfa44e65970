package cudadev

import (
	"context"
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/cuda"
	"github.com/gridstride/gridstride/internal/device"
)

// What kernels print with gpu.Printf lies in a buffer of the stream in device memory (package abi).
// It is made before the first kernel that prints, emptied when the program waits for the stream, and
// given back with the device.

// printer is a stream's print buffer.
type printer struct {
	queued atomic.Bool // a kernel that prints was queued since the buffer was last emptied

	// These need stream.order, which is held while two operations are queued that belong together.
	buffer cuda.DevicePtr
	users  device.Printing
	gone   []int // of users, those whose module is unloaded: their numbers are free when the buffer is empty
}

// prepare has the record of a kernel on the stream say where it prints. It needs s.mu.
func (s *stream) prepare(u *use, k *device.Kernel) error {
	s.order.Lock()
	defer s.order.Unlock()
	ctx, home := s.b.ctx, s.b.home
	if s.print.buffer == 0 {
		addr, err := ctx.Alloc(int64(s.b.printer.BufferSize()))
		if err != nil {
			return err
		}
		if err := ctx.CopyIn(addr, s.b.printer.NewBuffer()[:abi.PrintHeader], home); err != nil {
			_ = ctx.Free(addr)
			return err
		}
		s.print.buffer = addr
	}
	u.number = s.print.users.Number(k)
	words := binary.LittleEndian.AppendUint64(nil, uint64(s.print.buffer))
	words = binary.LittleEndian.AppendUint32(words, uint32(u.number))
	if err := ctx.CopyIn(cuda.DevicePtr(u.record.addr+abi.FaultOffPrint), words, home); err != nil {
		return err
	}
	return ctx.WaitStream(context.Background(), home)
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

// flush prints what is in the buffer when the work queued so far has run. What it cannot get, as ctx
// ends or the device is lost, stays for the next time.
func (s *stream) flush(ctx context.Context) {
	if !s.print.queued.Load() {
		return
	}
	s.order.Lock()
	defer s.order.Unlock()
	if !s.print.queued.Swap(false) { // with order held, so that unprint forgets no kernel in between
		return
	}
	held, err := s.take(ctx)
	if err != nil {
		s.print.queued.Store(true)
		return
	}
	s.b.printer.Print(held, s.print.users)
	s.print.forget()
}

// take empties the buffer when the work queued so far has run, which ctx can end the wait for. The
// copies go by the device's own stream: on the stream itself they would wait for what others queue
// meanwhile. It needs s.order.
func (s *stream) take(ctx context.Context) ([]byte, error) {
	c, home := s.b.ctx, s.b.home
	if err := c.WaitStream(ctx, s.handle); err != nil {
		return nil, err
	}
	held := make([]byte, abi.PrintHeader)
	if err := copyOut(c, held, s.print.buffer, home); err != nil {
		return nil, err
	}
	used := min(binary.LittleEndian.Uint64(held[abi.PrintOffUsed:]), uint64(s.b.printer.Size))
	held = slices.Grow(held, int(used))[:abi.PrintHeader+int(used)]
	if err := copyOut(c, held[abi.PrintHeader:], s.print.buffer+abi.PrintHeader, home); err != nil {
		return nil, err
	}
	if err := c.Fill(s.print.buffer, 0, abi.PrintOffSize, home); err != nil {
		return nil, err
	}
	return held, c.WaitStream(context.Background(), home)
}

// copyOut copies from the device and waits for it.
func copyOut(c *cuda.Context, dst []byte, src cuda.DevicePtr, s cuda.Stream) error {
	if err := c.CopyOut(dst, src, s); err != nil {
		return err
	}
	return c.WaitStream(context.Background(), s)
}
