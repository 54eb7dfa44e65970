package simdev

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
)

// gpu.Printf writes into a buffer of the stream (package abi), which is made before the first
// kernel that prints. When the program records an event or begins to wait, the stream takes the
// lines of the earlier kernels out of it. The lines are printed when the program has waited for
// that.

// printer prints the lines of a stream. The buffer and its users belong to the stream's worker. The
// rest needs stream.mu.
type printer struct {
	buffer uint64
	users  device.Printing

	queued bool    // a kernel that prints was queued since the lines were last taken
	late   bool    // the taking was put off
	taken  []taken // in their order
}

// taken has the contents of the print buffer.
type taken struct {
	lines []byte
	users device.Printing
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

// takeLines queues the taking of the lines of the kernels queued so far. It needs s.mu.
func (s *stream) takeLines() {
	if !s.print.queued && !s.print.late {
		return
	}
	if _, err := s.push(operation{call: always(s.take)}); err == nil {
		s.print.queued, s.print.late = false, false
	}
}

// take empties the buffer, unless too many lines that were taken are not printed yet. It belongs to
// the stream's worker.
func (s *stream) take() {
	if s.print.buffer == 0 {
		return
	}
	s.mu.Lock()
	late := len(s.print.taken) >= device.MaxTaken
	s.print.late = s.print.late || late
	s.mu.Unlock()
	if late {
		return
	}
	t := taken{users: slices.Clone(s.print.users)}
	_ = s.b.change(s.print.buffer, s.b.printer.BufferSize(), func(mem []byte) {
		used := min(binary.LittleEndian.Uint64(mem[abi.PrintOffUsed:]), uint64(s.b.printer.Size))
		t.lines = slices.Clone(mem[:abi.PrintHeader+used])
		clear(mem[:abi.PrintOffSize])
	})
	clear(s.print.users)
	s.print.users = s.print.users[:0]
	if t.lines != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.print.taken = append(s.print.taken, t)
	}
}

// printLines prints the lines that were taken. Where another call prints until ctx ends, they stay
// for the next time.
func (s *stream) printLines(ctx context.Context) {
	if !s.hasLines() || !s.b.printer.Lock(ctx) {
		return
	}
	defer s.b.printer.Unlock()
	s.mu.Lock()
	all := s.print.taken
	s.print.taken = nil
	s.mu.Unlock()
	for _, t := range all {
		s.b.printer.Print(t.lines, t.users)
	}
}

// hasLines reports whether lines were taken that are not printed.
func (s *stream) hasLines() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.print.taken) > 0
}

// endWait prints what kernels printed before the wait that has ended. Where that could not all be
// taken, it is now.
func (s *stream) endWait(ctx context.Context) {
	s.printLines(ctx)
	s.mu.Lock()
	late := s.print.late
	if late {
		s.takeLines()
	}
	op := s.queued
	s.mu.Unlock()
	if late && s.reach(ctx, op) == nil {
		s.printLines(ctx)
	}
}

// printRest prints the remaining lines at the end of the stream. It belongs to the worker.
func (s *stream) printRest() {
	s.printLines(context.Background())
	s.take()
	s.printLines(context.Background())
}
