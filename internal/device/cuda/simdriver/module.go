//go:build linux

package simdriver

import (
	stdctx "context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// module is a loaded module.
type module struct {
	c       *context
	program *sim.Program
}

func (m *module) owner() *context { return m.c }

// function is a kernel.
type function struct {
	c       *context
	entry   *sim.Entry
	dynamic atomic.Int64 // bytes of dynamic shared memory that a launch may have
}

func (f *function) owner() *context { return f.c }

func (d *driver) moduleLoad(to, text, n, options, values uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	tree, err := ptx.Parse("ptx", cString(text))
	if err == nil {
		var p *sim.Program
		if p, err = c.machine.Load(tree); err == nil {
			d.mu.Lock()
			defer d.mu.Unlock()
			*at[uintptr](to) = d.handle(&module{c, p})
			return 0
		}
	}
	writeLog(err, n, options, values)
	return code(cuda.InvalidPTX)
}

// writeLog writes an error as the driver's compiler does, where the options give a buffer for it.
func writeLog(err error, n, options, values uintptr) {
	const errorLog, errorLogSize = 5, 6
	var log, size uintptr
	for i := range n {
		value := *at[uintptr](values + 8*i)
		switch *at[int32](options + 4*i) {
		case errorLog:
			log = value
		case errorLogSize:
			size = value
		}
	}
	line := 1
	var parse *ptx.Error
	var load *sim.LoadError
	switch {
	case errors.As(err, &parse):
		line = parse.Line
	case errors.As(err, &load):
		line = load.Pos.Line
	}
	if log != 0 && size > 0 {
		copy(memoryAt(log, size-1), fmt.Sprintf("ptxas application ptx input, line %d; error   : %v\x00", line, err))
	}
}

func (d *driver) moduleUnload(m uintptr) uintptr {
	_, x, r := on[*module](d, m)
	if r != cuda.Success {
		return code(r)
	}
	x.program.Unload()
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.handles, m)
	return 0
}

func (d *driver) moduleFunction(to, m, name uintptr) uintptr {
	c, x, r := on[*module](d, m)
	if r != cuda.Success {
		return code(r)
	}
	e, err := x.program.Entry(cString(name))
	if err != nil {
		return code(cuda.NotFound)
	}
	f := &function{c: c, entry: e}
	f.dynamic.Store(int64(c.dev.limits().StaticShared - e.StaticShared)) // more has to be asked for
	d.mu.Lock()
	defer d.mu.Unlock()
	*at[uintptr](to) = d.handle(f)
	return 0
}

func (d *driver) moduleGlobal(to, size, m, name uintptr) uintptr {
	_, x, r := on[*module](d, m)
	if r != cuda.Success {
		return code(r)
	}
	addr, n, err := x.program.Global(cString(name))
	if err != nil {
		return code(cuda.NotFound)
	}
	*at[uint64](to), *at[uint64](size) = addr, uint64(n)
	return 0
}

func (d *driver) functionGet(to, attribute, f uintptr) uintptr {
	_, x, r := on[*function](d, f)
	if r != cuda.Success {
		return code(r)
	}
	v := 0
	switch cuda.FunctionAttribute(attribute) {
	case cuda.FuncMaxThreadsPerBlock:
		v = x.c.dev.limits().Threads
	case cuda.FuncSharedSizeBytes:
		v = x.entry.StaticShared
	case cuda.FuncLocalSizeBytes:
		v = x.entry.LocalBytes
	case cuda.FuncRegisters:
		v = 16
	case cuda.FuncMaxDynamicShared:
		v = int(x.dynamic.Load())
	}
	*at[int32](to) = int32(v)
	return 0
}

func (d *driver) functionSet(f, attribute, value uintptr) uintptr {
	_, x, r := on[*function](d, f)
	if r != cuda.Success {
		return code(r)
	}
	if cuda.FunctionAttribute(attribute) != cuda.FuncMaxDynamicShared ||
		int(value)+x.entry.StaticShared > x.c.dev.limits().Shared {
		return code(cuda.InvalidValue)
	}
	x.dynamic.Store(int64(value))
	return 0
}

// launch is cuLaunchKernel with its parameters in one block.
func (d *driver) launch(f, gx, gy, gz, bx, by, bz, shared, s, params, extra uintptr) uintptr {
	return d.launchAs(sim.Launch{
		Grid: [3]int{int(gx), int(gy), int(gz)}, Block: [3]int{int(bx), int(by), int(bz)}, Shared: int(shared),
	}, f, s, params, extra)
}

// launchEx is cuLaunchKernelEx.
func (d *driver) launchEx(config, f, params, extra uintptr) uintptr {
	c := at[cuda.LaunchConfig](config)
	l := sim.Launch{Grid: size3(c.Grid), Block: size3(c.Block), Shared: int(c.Shared)}
	for i := range uintptr(c.Count) {
		a := at[cuda.LaunchAttribute](c.Attributes + i*unsafe.Sizeof(cuda.LaunchAttribute{}))
		switch uint32(a.ID) {
		case cuda.LaunchClusterDimension:
			l.Cluster = size3([3]uint32(a.Value[:3]))
		case cuda.LaunchIsCooperative:
			if r := d.allAtOnce(f, l); r != cuda.Success {
				return code(r)
			}
		default:
			return code(cuda.InvalidValue)
		}
	}
	return d.launchAs(l, f, uintptr(c.Stream), params, extra)
}

func size3(n [3]uint32) [3]int { return [3]int{int(n[0]), int(n[1]), int(n[2])} }

// launchAs queues a launch of a kernel with parameters.
func (d *driver) launchAs(l sim.Launch, f, s, params, extra uintptr) uintptr {
	c, k, r := on[*function](d, f)
	if r != cuda.Success {
		return code(r)
	}
	_, x, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	if int64(l.Shared) > k.dynamic.Load() {
		return code(cuda.InvalidValue)
	}
	l.Output = os.Stdout
	switch {
	case params != 0: // their addresses
		l.Params = make([]byte, k.entry.ParamSize)
		for i, p := range k.entry.Params {
			copy(l.Params[p.Offset:], memoryAt(*at[uintptr](params + 8*uintptr(i)), uintptr(p.Size)))
		}
	case slices.ContainsFunc(k.entry.Params, func(p event.Param) bool { return p.Align > 16 }):
		return code(cuda.InvalidValue) // as the block lacks the gap that a GPU's code has
	case extra != 0:
		// Where the driver's description of the block has its address, and the address of its size.
		const block, size = 1, 1 + 2
		n := *at[uintptr](*at[uintptr](extra + 8*size))
		l.Params = slices.Clone(memoryAt(*at[uintptr](extra + 8*block), n))
	}
	x.push(func() cuda.Result {
		if c.lost() != cuda.Success {
			return c.lost()
		}
		_, err := c.machine.Launch(stdctx.Background(), k.entry, l)
		return ended(err)
	})
	return 0
}

// launchCooperative is cuLaunchCooperativeKernel.
func (d *driver) launchCooperative(f, gx, gy, gz, bx, by, bz, shared, s, params uintptr) uintptr {
	l := sim.Launch{Grid: [3]int{int(gx), int(gy), int(gz)}, Block: [3]int{int(bx), int(by), int(bz)}, Shared: int(shared)}
	if r := d.allAtOnce(f, l); r != cuda.Success {
		return code(r)
	}
	return d.launchAs(l, f, s, params, 0)
}

// allAtOnce says whether all blocks of a launch of a kernel run at once.
func (d *driver) allAtOnce(f uintptr, l sim.Launch) cuda.Result {
	_, k, r := on[*function](d, f)
	if r != cuda.Success {
		return r
	}
	g, b := l.Grid, l.Block
	if g[0]*g[1]*g[2] > multiprocessors*k.c.dev.limits().ActiveBlocks(b[0]*b[1]*b[2], l.Shared+k.entry.StaticShared) {
		return cuda.CooperativeLaunchTooLarge
	}
	return cuda.Success
}

// ended returns the driver's result for the end of a launch.
func ended(err error) cuda.Result {
	var fault *event.Fault
	switch {
	case err == nil:
		return cuda.Success
	case !errors.As(err, &fault):
		return cuda.LaunchFailed
	}
	switch fault.Kind {
	case event.Misaligned:
		return cuda.MisalignedAddress
	case event.Trap:
		return cuda.LaunchFailed
	}
	return cuda.IllegalAddress
}

// cString is the text at an address.
func cString(addr uintptr) string {
	var b strings.Builder
	for ; *at[byte](addr) != 0; addr++ {
		b.WriteByte(*at[byte](addr))
	}
	return b.String()
}

func (d *driver) activeBlocks(to, f, threads, shared uintptr) uintptr {
	_, x, r := on[*function](d, f)
	if r != cuda.Success {
		return code(r)
	}
	*at[int32](to) = 0
	if int64(shared) <= x.dynamic.Load() { // more has to be asked for
		*at[int32](to) = int32(x.c.dev.limits().ActiveBlocks(int(threads), int(shared)+x.entry.StaticShared))
	}
	return 0
}

func (d *driver) potentialBlock(blocks, threads, f, sharedOf, shared, most uintptr) uintptr {
	_, x, r := on[*function](d, f)
	if r != cuda.Success {
		return code(r)
	}
	*at[int32](threads) = int32(x.c.dev.limits().PotentialBlock(int(shared)+x.entry.StaticShared, int(most)))
	return d.activeBlocks(blocks, f, uintptr(*at[int32](threads)), shared)
}
