package memcheck

import (
	"bytes"
	"encoding/binary"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/message"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
)

// Kernels that we compile check indices and divisors themselves: the first thread whose check fails
// leaves a record in memory, and ends (package abi).

// Recorder is the fault record of a launch.
type Recorder struct {
	m     *memory.Space
	addr  uint64 // 0 when the kernel leaves none
	owned bool
}

// NewRecorder finds the record of a launch with the given parameters, or makes one and puts its
// address into a copy of the parameters. It returns the parameters to launch with.
func NewRecorder(m *memory.Space, e *event.Kernel, params []byte) (*Recorder, []byte, error) {
	r := &Recorder{m: m}
	n := len(e.Params)
	if n == 0 || e.Params[n-1].Name != abi.FaultParam || len(params) < e.Params[n-1].Offset+8 {
		return r, params, nil
	}
	at := e.Params[n-1].Offset
	if r.addr = binary.LittleEndian.Uint64(params[at:]); r.addr != 0 {
		return r, params, nil
	}
	addr, err := m.Alloc(abi.FaultSize)
	if err != nil {
		return nil, nil, err
	}
	raw, err := m.Bytes(addr, abi.FaultSize)
	if err != nil {
		panic("BUG: the check's own memory: " + err.Error())
	}
	clear(raw)
	r.addr, r.owned = addr, true
	params = bytes.Clone(params)
	binary.LittleEndian.PutUint64(params[at:], addr)
	return r, params, nil
}

// Close frees the record, if it is ours.
func (r *Recorder) Close() {
	if r.owned {
		if err := r.m.Free(r.addr); err != nil {
			panic("BUG: the check's own memory: " + err.Error())
		}
	}
}

// Written reports whether a check of the kernel's own has failed.
func (r *Recorder) Written() bool {
	if r.addr == 0 {
		return false
	}
	raw, err := r.m.Bytes(r.addr, abi.FaultSize)
	return err == nil && binary.LittleEndian.Uint32(raw[abi.FaultOffState:]) == abi.FaultWritten
}

// Look makes a finding of what the record holds.
func (r *Recorder) Look(b *tool.Book) {
	if r.addr == 0 || !b.Has(report.Memcheck) {
		return
	}
	raw, err := r.m.Bytes(r.addr, abi.FaultSize)
	if err != nil {
		return // the caller's pointer is bad; writing to it was a fault
	}
	rec := abi.DecodeFault(raw)
	if rec.State != abi.FaultWritten {
		return
	}
	f := &report.Finding{Tool: report.Memcheck, Kind: report.FailedCheck, Level: report.Error,
		Summary: message.Of(rec, r.message(rec.Msg), b.Module.Formats()), Count: 1, Blocks: 1}
	switch {
	case rec.Kind >= abi.FaultIndex && rec.Kind <= abi.FaultSliceToArr, rec.Kind == abi.FaultSliceMaxLen,
		rec.Kind == abi.FaultSliceLow3:
		f.Kind = report.OutOfBounds
		f.Why = "Go's check of the index failed; the thread ended there"
	case rec.Kind == abi.FaultNil:
		f.Kind = report.NullPointer
		f.Why = "the pointer is nil; the thread ended there"
	default:
		f.Why = "the thread ended there"
	}
	p := report.Witness{Role: "check", Func: b.Entry.Name}
	p.Source = event.Position{File: b.Module.Files()[rec.File], Line: rec.Line, Col: rec.Col}
	p.Text = b.Line(p.Source)
	linear := rec.Thread[0] + b.Block[0]*(rec.Thread[1]+b.Block[1]*rec.Thread[2])
	p.Thread = &report.Thread{Thread: rec.Thread, Block: rec.Block, Warp: linear / abi.WarpSize,
		Lane: linear % abi.WarpSize}
	f.Witnesses = []report.Witness{p}
	b.Add(f, 0, 0)
}

// message reads a message of the kernel's, which ends with a NUL.
func (r *Recorder) message(addr uint64) string {
	for _, x := range r.m.Extents() {
		if addr == 0 || addr < x.Addr || addr-x.Addr >= uint64(x.Size) {
			continue
		}
		if raw, err := r.m.Bytes(addr, x.Size-int64(addr-x.Addr)); err == nil {
			text, _, _ := bytes.Cut(raw, []byte{0})
			return string(text)
		}
	}
	return ""
}
