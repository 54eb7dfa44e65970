package difftest

import (
	"context"
	"encoding/binary"
	"fmt"
	"path"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/message"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/proof/difftest/host"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Simulator is the simulator itself, below package gridstride: blocks, warps and lanes go in an
// order that the program's seed decides, and every slice is between guard bytes.
type Simulator struct{}

// Name implements Machine.
func (Simulator) Name() string { return "simulator" }

// Load implements Machine.
func (Simulator) Load(text string) (Kernels, error) {
	mod, err := ptx.Parse("kernels.ptx", text)
	if err != nil {
		return nil, err
	}
	m := sim.New(sim.Config{Memory: 1 << 30, Workers: 1})
	prog, err := m.Load(mod)
	if err != nil {
		return nil, err
	}
	return &simulated{m, mod, prog}, nil
}

// simulated is a module loaded into a simulator.
type simulated struct {
	m    *sim.Machine
	mod  *ptx.Module
	prog *sim.Program
}

// Close implements Kernels.
func (s *simulated) Close() { s.prog.Unload() }

// Launch implements Kernels.
func (s *simulated) Launch(ctx context.Context, p *Program, name, file string) (o Outcome) {
	entry, err := s.prog.Entry(name)
	if err != nil {
		return Outcome{Err: err}
	}
	l := &launch{m: s.m, p: p, entry: entry}
	defer l.free()
	if err := l.arguments(); err != nil {
		return Outcome{Err: err}
	}
	_, err = s.m.Launch(ctx, entry, sim.Launch{
		Grid: p.Grid, Block: p.Block, Shared: s.mod.DeclaredShared(entry.Name), Params: l.params,
		Order: sim.Order(p.Seed % 3), Seed: p.Seed, Budget: 1 << 24,
	})
	if err != nil {
		return Outcome{Err: err}
	}
	o.Memory, o.Err = l.memory()
	if o.Err == nil {
		o.Failure, o.Err = l.failure(s.mod, file)
	}
	return o
}

// launch is the memory of one launch.
type launch struct {
	m         *sim.Machine
	p         *Program
	entry     *sim.Entry
	params    []byte
	next      int // PTX parameter
	areas     []area
	fault     []byte
	allocated []uint64
}

// area is the memory of a slice, with guard bytes before and after.
type area struct {
	all, data []byte
	addr      uint64
}

const (
	guardByte  = 0xa5
	guardBytes = 16 // after the data; before it are as many as the element's alignment
)

func (l *launch) arguments() error {
	l.params = make([]byte, l.entry.ParamSize)
	l.areas = make([]area, len(l.p.Params))
	for i, a := range l.p.Call().Args {
		q := l.p.Params[i]
		if !a.Slice {
			l.param(a.Data)
			continue
		}
		if a.Alias >= 0 {
			l.areas[i] = area{addr: l.areas[a.Alias].addr}
		} else if err := l.alloc(&l.areas[i], a.Data, q.Align); err != nil {
			return err
		}
		l.word(l.areas[i].addr)
		l.word(uint64(q.Len))
	}
	if l.next < len(l.entry.Params) && l.entry.Params[l.next].Name == abi.FaultParam {
		var record area
		if err := l.alloc(&record, make([]byte, abi.FaultSize), 8); err != nil {
			return err
		}
		l.fault = record.data
		l.word(record.addr)
	}
	if l.next != len(l.entry.Params) {
		return fmt.Errorf("the kernel has %d PTX parameters, its Go parameters make %d", len(l.entry.Params), l.next)
	}
	return nil
}

func (l *launch) word(x uint64) { l.param(binary.LittleEndian.AppendUint64(nil, x)) }

// param sets the next PTX parameter. That there are enough is checked at the end.
func (l *launch) param(data []byte) {
	if l.next < len(l.entry.Params) {
		q := l.entry.Params[l.next]
		copy(l.params[q.Offset:q.Offset+q.Size], data)
	}
	l.next++
}

// alloc puts data into memory, at an odd multiple of align.
func (l *launch) alloc(a *area, data []byte, align int) error {
	size := align + len(data) + guardBytes
	base, err := l.m.Alloc(int64(size))
	if err != nil {
		return err
	}
	l.allocated = append(l.allocated, base)
	if a.all, err = l.m.Bytes(base, int64(size)); err != nil {
		return err
	}
	for i := range a.all {
		a.all[i] = guardByte
	}
	a.addr, a.data = base+uint64(align), a.all[align:align+len(data)]
	copy(a.data, data)
	return nil
}

func (l *launch) free() {
	for _, addr := range l.allocated {
		if err := l.m.Free(addr); err != nil {
			panic("BUG: " + err.Error())
		}
	}
}

// memory reads back the slices.
func (l *launch) memory() ([][]byte, error) {
	memory := make([][]byte, len(l.areas))
	for i, a := range l.areas {
		if a.all == nil {
			continue
		}
		memory[i] = a.data
		front := len(a.all) - len(a.data) - guardBytes
		for j, b := range a.all {
			if (j < front || j >= front+len(a.data)) && b != guardByte {
				return nil, fmt.Errorf("a byte next to %s was written, at offset %d", l.p.Params[i].Name, j-front)
			}
		}
	}
	return memory, nil
}

// failure reads the fault record, nil if no thread wrote one.
func (l *launch) failure(mod *ptx.Module, file string) (*Failure, error) {
	if l.fault == nil {
		return nil, nil
	}
	r := abi.DecodeFault(l.fault)
	if r.State == abi.FaultFree {
		return nil, nil
	}
	if name := mod.Files()[r.File]; path.Base(name) != file {
		return nil, fmt.Errorf("the fault record names file %d (%s) line %d, the kernel is in %s", r.File, name, r.Line, file)
	}
	thread := flatten(r.Block, l.p.Grid)*host.Count(l.p.Block) + flatten(r.Thread, l.p.Block)
	return &Failure{Thread: thread, Message: message.Of(r, l.text(r.Msg), mod.Formats()), Line: r.Line}, nil
}

// flatten is the number of an index in dim, x fastest.
func flatten(index, dim [3]int) int { return index[0] + dim[0]*(index[1]+dim[1]*index[2]) }

// text reads a NUL-terminated string of the device.
func (l *launch) text(addr uint64) string {
	var s []byte
	for addr != 0 {
		b, err := l.m.Bytes(addr, 1)
		if err != nil || b[0] == 0 {
			break
		}
		s = append(s, b[0])
		addr++
	}
	return string(s)
}
