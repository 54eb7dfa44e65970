package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"path/filepath"

	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/tools/ptxpack"
)

// repository is where kernels and measurements are.
type repository struct{ root string }

// launch is a run of a kernel on the simulator, for its events.
type launch struct {
	file  string // kernels_gen.ptx, from the repository's root
	entry string
	grid  [3]int
	block [3]int
	// shared is the bytes of dynamic shared memory, where the kernel has more than 48 KB.
	shared int
	order  sim.Order
	steps  bool // whether each instruction is an event
	// args are the kernel's arguments in order: a slice of zeros, a []float32, or an int.
	args []any
}

// slice is a slice of n zeros of size bytes.
type slice struct{ n, size int }

// x is a size in one dimension.
func x(n int) [3]int { return [3]int{n, 1, 1} }

// buffer is the place of a slice in the machine's memory.
type buffer struct {
	slice
	addr uint64
}

// index is the number of the element at an address, if the buffer holds that.
func (b buffer) index(addr uint64) (int, bool) {
	if addr < b.addr || addr >= b.addr+uint64(b.n*b.size) {
		return 0, false
	}
	return int(addr-b.addr) / b.size, true
}

// observe calls a function for each event.
type observe func(event.Event)

func (f observe) Observe(e event.Event) { f(e) }

// run runs the launch. see gets the buffers of the slices among the arguments, in order, and
// returns what looks at the events.
func (r *repository) run(l launch, see func(buffers []buffer) observe) error {
	text, err := ptxpack.ReadFile(filepath.Join(r.root, filepath.FromSlash(l.file)))
	if err != nil {
		return err
	}
	module, err := ptx.Parse(l.file, text)
	if err != nil {
		return err
	}
	m := sim.New(sim.Config{Memory: 1 << 28})
	program, err := m.Load(module)
	if err != nil {
		return err
	}
	entry, err := program.Entry(l.entry)
	if err != nil {
		return err
	}
	params, buffers, err := l.params(m, entry)
	if err != nil {
		return err
	}
	_, err = m.Launch(context.Background(), entry,
		sim.Launch{Grid: l.grid, Block: l.block, Order: l.order, Params: params, Observer: see(buffers), Steps: l.steps, Shared: l.shared})
	return err
}

// params makes the arguments in the kernel's layout. A parameter for a failed check's record, after
// them, stays 0.
func (l *launch) params(m *sim.Machine, e *sim.Entry) (params []byte, buffers []buffer, err error) {
	params = make([]byte, e.ParamSize)
	at := e.Params
	put := func(v uint64) {
		binary.LittleEndian.PutUint64(params[at[0].Offset:], v)
		at = at[1:]
	}
	for _, arg := range l.args {
		switch arg := arg.(type) {
		case int:
			put(uint64(arg))
			continue
		case slice:
			buffers = append(buffers, buffer{slice: arg})
		case []float32:
			buffers = append(buffers, buffer{slice: slice{len(arg), 4}})
		default:
			panic(fmt.Sprintf("BUG: an argument of type %T", arg))
		}
		b := &buffers[len(buffers)-1]
		if b.addr, err = m.Alloc(int64(b.n * b.size)); err != nil {
			return nil, nil, err
		}
		if values, ok := arg.([]float32); ok {
			mem, err := m.Bytes(b.addr, int64(b.n*b.size))
			if err != nil {
				return nil, nil, err
			}
			for i, v := range values {
				binary.LittleEndian.PutUint32(mem[4*i:], math.Float32bits(v))
			}
		}
		put(b.addr)
		put(uint64(b.n))
	}
	return params, buffers, nil
}

// lanes are the lanes of a mask.
func lanes(mask uint32) iter.Seq[int] {
	return func(yield func(int) bool) {
		for m := mask; m != 0; m &= m - 1 {
			if !yield(bits.TrailingZeros32(m)) {
				return
			}
		}
	}
}
