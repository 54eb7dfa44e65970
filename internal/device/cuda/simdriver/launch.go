//go:build linux

package simdriver

import (
	stdctx "context"
	"errors"
	"math/bits"
	"os"
	"slices"
	"unsafe"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/machine/check/streamcheck"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

const (
	launchOutOfResources cuda.Result = 701
	invalidClusterSize   cuda.Result = 912
)

func (d *driver) launchFunctions() map[string]any {
	return map[string]any{
		"cuLaunchKernel":                              d.launch,
		"cuLaunchHostFunc":                            d.launchHostFunc,
		"cuLaunchCooperativeKernel":                   d.launchCooperative,
		"cuLaunchKernelEx":                            d.launchEx,
		"cuOccupancyMaxActiveBlocksPerMultiprocessor": d.activeBlocks,
		"cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": func(to, f, threads, shared, flags uintptr) uintptr {
			return d.activeBlocks(to, f, threads, shared)
		},
		"cuOccupancyMaxPotentialBlockSize": d.potentialBlock,
		"cuOccupancyMaxPotentialBlockSizeWithFlags": func(blocks, threads, f, sharedOf, shared, most, flags uintptr) uintptr {
			return d.potentialBlock(blocks, threads, f, sharedOf, shared, most)
		},
		"cuOccupancyAvailableDynamicSMemPerBlock": d.availableShared,
		"cuOccupancyMaxPotentialClusterSize": func(to, f, config uintptr) uintptr {
			return d.aboutFunction(f, func(x *function) { store(to, int32(x.c.dev.limits().Cluster)) })
		},
		"cuOccupancyMaxActiveClusters": d.activeClusters,
	}
}

// launchParams are a launch of a kernel.
type launchParams struct {
	f *function
	sim.Launch
	params, extra uintptr        // as the program gave them
	addresses     []uintptr      // of Params' parts, where C was given them
	from          event.Position // of the program, empty where it is not known
}

// launch is cuLaunchKernel.
func (d *driver) launch(f, gx, gy, gz, bx, by, bz, shared, s, params, extra uintptr) uintptr {
	return d.launchAs(launchOf(gx, gy, gz, bx, by, bz, shared), f, s, params, extra)
}

func launchOf(gx, gy, gz, bx, by, bz, shared uintptr) sim.Launch {
	return sim.Launch{Grid: [3]int{int(gx), int(gy), int(gz)}, Block: [3]int{int(bx), int(by), int(bz)}, Shared: int(shared)}
}

// launchEx is cuLaunchKernelEx.
func (d *driver) launchEx(config, f, params, extra uintptr) uintptr {
	if config == 0 {
		return code(cuda.InvalidValue)
	}
	c := at[cuda.LaunchConfig](config)
	l := sim.Launch{Grid: size3(c.Grid), Block: size3(c.Block), Shared: int(c.Shared)}
	for i := range uintptr(c.Count) {
		a := at[cuda.LaunchAttribute](c.Attributes + i*unsafe.Sizeof(cuda.LaunchAttribute{}))
		switch id := uint32(a.ID); {
		case id == cuda.LaunchClusterDimension:
			l.Cluster = size3([3]uint32(a.Value[:3]))
		case id == cuda.LaunchIsCooperative && a.Value[0] != 0:
			if r := d.allAtOnce(f, l); r != cuda.Success {
				return code(r)
			}
		case id > lastLaunchAttribute:
			return code(cuda.InvalidValue)
		}
	}
	return d.launchAs(l, f, uintptr(c.Stream), params, extra)
}

// lastLaunchAttribute bounds CUlaunchAttributeID. The others say how fast a launch is to be.
const lastLaunchAttribute = 18

func size3(n [3]uint32) [3]int { return [3]int{int(n[0]), int(n[1]), int(n[2])} }

// launchAs queues a launch of a kernel with parameters.
func (d *driver) launchAs(l sim.Launch, f, s, params, extra uintptr) uintptr {
	_, k, r := on[*function](d, f)
	if r != cuda.Success {
		return code(r)
	}
	_, x, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	p := &launchParams{f: k, Launch: l, params: params, extra: extra}
	if r := p.check(); r != cuda.Success {
		return code(r)
	}
	if r := p.gather(); r != cuda.Success {
		return code(r)
	}
	p.from = d.from()
	x.submit(p.operation())
	return 0
}

// check refuses what the driver refuses when a launch is queued.
func (p *launchParams) check() cuda.Result {
	limits := p.f.c.dev.limits()
	threads := 1
	for i := range 3 {
		if p.Grid[i] < 1 || p.Grid[i] > limits.Grid[i] || p.Block[i] < 1 || p.Block[i] > limits.Block[i] {
			return cuda.InvalidValue
		}
		threads *= p.Block[i]
	}
	switch {
	case threads > limits.Threads, int64(p.Shared) > p.f.dynamic.Load():
		return cuda.InvalidValue
	case p.f.entry.ReqNTID != [3]int{} && p.Block != [3]int{p.f.entry.ReqNTID[0], max(p.f.entry.ReqNTID[1], 1), max(p.f.entry.ReqNTID[2], 1)}:
		return cuda.InvalidValue
	case threads > p.f.maxThreads():
		return launchOutOfResources
	}
	return p.checkCluster(limits.Cluster)
}

// checkCluster refuses clusters that do not divide the grid, or that are too large.
func (p *launchParams) checkCluster(most int) cuda.Result {
	if p.Cluster == [3]int{} {
		return cuda.Success
	}
	blocks := 1
	for i := range 3 {
		if p.Cluster[i] < 1 || p.Grid[i]%p.Cluster[i] != 0 {
			return invalidClusterSize
		}
		blocks *= p.Cluster[i]
	}
	if blocks > most {
		return invalidClusterSize
	}
	return cuda.Success
}

// gather copies the parameters, which the program may change once the launch is queued.
func (p *launchParams) gather() cuda.Result {
	k := p.f.entry
	switch {
	case p.params != 0: // their addresses
		p.Params = make([]byte, k.ParamSize)
		for i, param := range k.Params {
			from := *at[uintptr](p.params + 8*uintptr(i))
			if from == 0 {
				return cuda.InvalidValue
			}
			copy(p.Params[param.Offset:], memoryAt(from, uintptr(param.Size)))
		}
	case slices.ContainsFunc(k.Params, func(x event.Param) bool { return x.Align > 16 }):
		return cuda.InvalidValue // as the block lacks the gap that a GPU's code has
	case p.extra != 0:
		block, n := blockOf(p.extra)
		if block == 0 || n < uintptr(k.ParamSize) && p.f.c.dev.d.cfg.guest {
			return cuda.InvalidValue
		}
		if p.f.c.dev.d.cfg.guest { // which may round up
			n = uintptr(k.ParamSize)
		}
		p.Params = slices.Clone(memoryAt(block, n))
	case k.ParamSize > 0 && p.f.c.dev.d.cfg.guest:
		return cuda.InvalidValue
	}
	return cuda.Success
}

// blockOf is the block of parameters that a launch's extra describes, and its size.
func blockOf(extra uintptr) (block, n uintptr) {
	const end, pointer, size, longest = 0, 1, 2, 16 // CU_LAUNCH_PARAM_END, …
	for range longest {
		switch *at[uintptr](extra) {
		case end:
			return block, n
		case pointer:
			block = *at[uintptr](extra + 8)
		case size:
			n = *at[uintptr](*at[uintptr](extra + 8))
		}
		extra += 16
	}
	return 0, 0
}

// operation is the launch as work of a stream.
func (p *launchParams) operation() *operation {
	return &operation{name: "launch of " + p.f.entry.Name, kind: kernelNode, params: p, launch: p.run, at: p.from}
}

// run runs the kernel. op is the launch for the checks.
func (p *launchParams) run(op *streamcheck.Op) cuda.Result {
	c := p.f.c
	if lost := c.lost(); lost != cuda.Success {
		return lost
	}
	p.Output = os.Stdout
	var err error
	if c.checks == nil {
		_, err = c.machine.Launch(stdctx.Background(), p.f.entry, p.Launch)
	} else {
		err = c.checks.Launch(stdctx.Background(), c.machine, p.f.entry, p.Launch, plainName(p.f.entry.Name), positionText(p.from), op)
	}
	if r := ended(err); r != cuda.Success {
		c.dev.d.explain(plainName(p.f.entry.Name), err)
		return r
	}
	return cuda.Success
}

// launchCooperative is cuLaunchCooperativeKernel.
func (d *driver) launchCooperative(f, gx, gy, gz, bx, by, bz, shared, s, params uintptr) uintptr {
	l := launchOf(gx, gy, gz, bx, by, bz, shared)
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
	hi, blocks := bits.Mul64(uint64(g[0])*uint64(g[1]), uint64(g[2])) // the first two are below 2 to the 32
	if hi != 0 || blocks > uint64(multiprocessors*k.c.dev.limits().ActiveBlocks(b[0]*b[1]*b[2], l.Shared+k.entry.StaticShared)) {
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
	case errors.Is(err, event.ErrTimeLimit):
		return cuda.LaunchTimeout
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

// aboutFunction calls f with a function.
func (d *driver) aboutFunction(h uintptr, f func(*function)) uintptr {
	_, x, r := on[*function](d, h)
	if r == cuda.Success {
		f(x)
	}
	return code(r)
}

func (d *driver) activeBlocks(to, f, threads, shared uintptr) uintptr {
	return d.aboutFunction(f, func(x *function) {
		*at[int32](to) = 0
		if int64(shared) <= x.dynamic.Load() { // more has to be asked for
			*at[int32](to) = int32(x.c.dev.limits().ActiveBlocks(int(threads), int(shared)+x.entry.StaticShared))
		}
	})
}

func (d *driver) potentialBlock(blocks, threads, f, sharedOf, shared, most uintptr) uintptr {
	_, x, r := on[*function](d, f)
	if r != cuda.Success {
		return code(r)
	}
	limit := int(int32(most))
	if limit <= 0 {
		limit = x.maxThreads()
	}
	*at[int32](threads) = int32(x.c.dev.limits().PotentialBlock(int(shared)+x.entry.StaticShared, min(limit, x.maxThreads())))
	if r := d.activeBlocks(blocks, f, uintptr(*at[int32](threads)), shared); r != 0 || !d.cfg.guest {
		return r
	}
	*at[int32](blocks) *= multiprocessors // the least grid that fills the device
	return 0
}

func (d *driver) availableShared(to, f, blocks, threads uintptr) uintptr {
	return d.aboutFunction(f, func(x *function) {
		l := x.c.dev.limits()
		each := (l.Shared + l.Reserved) / max(int(int32(blocks)), 1)
		store(to, uint64(max(each-l.Reserved-x.entry.StaticShared, 0)))
	})
}

func (d *driver) activeClusters(to, f, config uintptr) uintptr {
	if config == 0 || to == 0 {
		return code(cuda.InvalidValue)
	}
	c := *at[cuda.LaunchConfig](config)
	size := 1
	for i := range uintptr(c.Count) {
		a := at[cuda.LaunchAttribute](c.Attributes + i*unsafe.Sizeof(cuda.LaunchAttribute{}))
		if uint32(a.ID) == cuda.LaunchClusterDimension {
			size = int(a.Value[0] * a.Value[1] * a.Value[2])
		}
	}
	return d.aboutFunction(f, func(x *function) {
		b := size3(c.Block)
		active := multiprocessors * x.c.dev.limits().ActiveBlocks(b[0]*b[1]*b[2], int(c.Shared)+x.entry.StaticShared)
		*at[int32](to) = int32(active / max(size, 1))
	})
}
