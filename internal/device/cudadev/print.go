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
	if !s.print.queued.Swap(false) {
		return
	}
	s.order.Lock()
	defer s.order.Unlock()
	held, err := s.take(ctx)
	if err != nil {
		s.print.queued.Store(true)
		return
	}
	s.b.printer.Print(held, s.print.users)
	s.print.forget()
}

// take empties the buffer. It needs s.order.
func (s *stream) take(ctx context.Context) ([]byte, error) {
	held := make([]byte, abi.PrintHeader)
	if err := s.b.ctx.CopyOut(held, s.print.buffer, s.handle); err != nil {
		return nil, err
	}
	if err := s.b.ctx.WaitStream(ctx, s.handle); err != nil {
		return nil, err
	}
	used := min(binary.LittleEndian.Uint64(held[abi.PrintOffUsed:]), uint64(s.b.printer.Size))
	held = slices.Grow(held, int(used))[:abi.PrintHeader+int(used)]
	if err := s.b.ctx.CopyOut(held[abi.PrintHeader:], s.print.buffer+abi.PrintHeader, s.handle); err != nil {
		return nil, err
	}
	if err := s.b.ctx.Fill(s.print.buffer, 0, abi.PrintOffSize, s.handle); err != nil {
		return nil, err
	}
	return held, s.b.ctx.WaitStream(context.WithoutCancel(ctx), s.handle)
}
