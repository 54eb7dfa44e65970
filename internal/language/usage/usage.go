// Package usage says what compiled kernels take of a GPU's multiprocessors, registers, stack and shared
// memory, and how many of their blocks run at a time. NVIDIA's assembler, ptxas, knows registers.
// Without it they are estimated.
package usage

import (
	"context"
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Usage counts what a kernel takes of a multiprocessor.
type Usage struct {
	Registers int // of a thread
	Stack     int // bytes of local memory of a thread, spilled registers included
	Spilled   int // bytes that a thread stores since it has too few registers
	Shared    int // bytes of shared memory of a block, without what a launch adds
}

// Notes says for each instance of a package's kernels what it takes, at the kernel's position, in the
// order of the source. An instance for several targets is measured for the first. a may be nil.
//
// Errors: ctx's, and what an assembler that cannot be run says.
func Notes(ctx context.Context, r *compile.Result, a *Assembler) ([]compile.Note, error) {
	var notes []compile.Note
	measured := map[*ptx.Module]map[string]Usage{}
	for _, k := range r.Kernels {
		module := r.Module(k)
		if measured[module] == nil && a != nil {
			var err error
			if measured[module], err = a.Measure(ctx, module); err != nil {
				return nil, err
			}
		}
		for _, i := range k.Instances {
			fn := module.Kernel(i.PTXName)
			u, ok := measured[module][i.PTXName]
			how := ""
			if ok {
				u.Shared = max(u.Shared, fn.Footprint.Shared) // ptxas counts no dynamic shared memory
			} else {
				u, how = estimate(fn), "about "
			}
			text := how + u.String() + "; " + occupancy(u, blockOf(fn), assembledFor(module))
			notes = append(notes, compile.Note{Pos: k.Pos, Kernel: i.GoName, Text: text})
		}
	}
	return notes, nil
}

// String is like "30 registers, 16 bytes of stack (8 spilled), 1024 bytes of shared memory".
func (u Usage) String() string {
	parts := []string{fmt.Sprintf("%d registers", u.Registers)}
	switch {
	case u.Spilled > 0:
		parts = append(parts, fmt.Sprintf("%d bytes of stack (%d spilled)", u.Stack, u.Spilled))
	case u.Stack > 0:
		parts = append(parts, fmt.Sprintf("%d bytes of stack", u.Stack))
	}
	if u.Shared > 0 {
		parts = append(parts, fmt.Sprintf("%d bytes of shared memory", u.Shared))
	}
	return strings.Join(parts, ", ")
}

// The estimate of registers is a line through what ptxas 12.4 makes of the kernels of this module
// (docs/measurements/2026-11-28-registers.json), between what it takes where registers limit nothing
// and what a thread can have.
const (
	liveShare     = 0.9
	besides       = 8
	usualLeast    = 32
	mostRegisters = abi.MostRegisters - 1
)

// estimate is a kernel's usage without an assembler.
func estimate(fn *ptx.Func) Usage {
	most := mostRegisters
	if threads := blockOf(fn); threads > 0 {
		blocks := max(1, directive(fn, "minnctapersm"))
		most = min(most, abi.MostRegistersOf(threads*blocks))
	}
	registers := int(liveShare*float64(fn.Footprint.Live)) + besides
	return Usage{
		Registers: min(max(registers, usualLeast), most), Stack: fn.Footprint.Local, Shared: fn.Footprint.Shared,
	}
}

// blockOf is the number of threads of a kernel's blocks, 0 if a launch chooses it.
func blockOf(fn *ptx.Func) int {
	threads := 0
	for _, d := range fn.Perf {
		if d.Name == "reqntid" {
			threads = 1
			for _, n := range d.Args {
				threads *= n
			}
		}
	}
	return threads
}

// directive is the first number of a directive, 0 where the kernel does not have it.
func directive(fn *ptx.Func, name string) int {
	for _, d := range fn.Perf {
		if d.Name == name {
			return d.Args[0]
		}
	}
	return 0
}
