package simdev

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
)

// What kernels print with gpu.Printf lies in a buffer of the stream (package abi), which is made
// before the first kernel that prints, and emptied when the program waits for the stream.

// printer is a stream's print buffer. All but queued belongs to the stream's worker.
type printer struct {
	queued bool // a kernel that prints was queued since the buffer was last emptied. It needs stream.mu
	buffer uint64
	users  device.Printing
}

// prepare has the record of the next launch say where its kernel prints.
func (s *stream) prepare(k *device.Kernel) error {
	if s.print.buffer == 0 {
		mem := s.b.printer.NewBuffer()
		addr, err := s.b.Alloc(int64(len(mem)))
		if err == nil {
			err = s.b.Write(addr, mem)
		}
		if err != nil {
			return err
		}
		s.print.buffer = addr
	}
	number := s.print.users.Number(k)
	return s.b.change(s.fault+abi.FaultOffPrint, abi.FaultOffTag+4-abi.FaultOffPrint, func(mem []byte) {
		binary.LittleEndian.PutUint64(mem, s.print.buffer)
		binary.LittleEndian.PutUint32(mem[abi.FaultOffTag-abi.FaultOffPrint:], uint32(number))
	})
}

// flush prints what is in the buffer when the work queued so far has run.
func (s *stream) flush(ctx context.Context) {
	s.mu.Lock()
	queued := s.print.queued
	s.print.queued = false
	s.mu.Unlock()
	if !queued {
		return
	}
	if op, err := s.enqueue(s.empty); err == nil {
		_ = s.reach(ctx, op)
	}
}

// empty prints what is in the buffer and empties it.
func (s *stream) empty() {
	if s.print.buffer == 0 {
		return
	}
	var held []byte
	_ = s.b.change(s.print.buffer, s.b.printer.BufferSize(), func(mem []byte) {
		used := min(binary.LittleEndian.Uint64(mem[abi.PrintOffUsed:]), uint64(s.b.printer.Size))
		held = slices.Clone(mem[:abi.PrintHeader+used])
		clear(mem[:abi.PrintOffSize])
	})
	if held != nil {
		s.b.printer.Print(held, s.print.users)
	}
	clear(s.print.users)
	s.print.users = s.print.users[:0]
}
