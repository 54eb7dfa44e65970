// Package checked makes a simulated device run its launches under the checks of
// internal/machine/check. It is between package gridstride, whose simulator calls it, and the
// readers of its findings: gputest and the command.
package checked

import (
	"context"
	"sync"

	"github.com/gridstride/gridstride/internal/abi/stamp"
	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/check/initcheck"
	"github.com/gridstride/gridstride/internal/machine/check/streamcheck"
	"github.com/gridstride/gridstride/internal/machine/checked/shown"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Config says what a device checks, and who is told.
type Config struct {
	// Options are the tools, orders, seed, level, budget, text and progress. The rest of them is
	// each launch's own.
	Options check.Options
	// Fresh is the error of PTX that is not to be loaded because it is stale; nil asks nothing.
	Fresh func(ptx string) error
	// Report gets the report of each launch, from a goroutine of the device, before the launch
	// counts as done. Its error is the launch's: what was found in it is lost.
	Report func(*report.Report) error
	// Folder, when not nil, is how the command that has started the program hears of launches under
	// way, and ends them when it is interrupted.
	Folder *Folder
	// Instead, when not nil, runs the launches instead of the checks, which options say how to run. It
	// is called on a goroutine of the device.
	Instead func(ctx context.Context, l Launch) error
	// Finish makes the device's Close wait for the launches under way instead of ending them: what
	// is found in them is wanted. The budget of the Options ends those that would not end.
	Finish bool
}

// Launch is a launch that Config.Instead runs.
type Launch struct {
	Machine *sim.Machine
	Entry   *sim.Entry
	Launch  sim.Launch
	// Options are the options of the checks, and find the sources.
	Options check.Options
	// Elems are the types of the elements of buffers, by the name of the parameter with their address. A
	// device does not know them.
	Elems map[string]ptx.Type
}

// Sources finds the sources of kernels by the names that PTX gives to files, as sourcetext.Finder
// does on disk and sourcetext.Texts in memory.
type Sources interface {
	// Line is a line of a file without its line end, counted from 1, or "" if it is not known.
	Line(file string, line int) string
	// Source is the text of a file. atHand is false if the sources of its package are not known. A
	// nil text with atHand is a file that has been removed.
	Source(file string) (text []byte, atHand bool)
}

// ReadSources makes s find the sources of the kernels, which PTX is compared with and reports
// quote. version is the ABI of the PTX that is not stale, "" any.
func (c *Config) ReadSources(s Sources, version string) {
	c.Options.Text = s.Line
	c.Fresh = func(ptx string) error { return stamp.Check(ptx, version, s.Source) }
}

// Device is the checks of one simulated device: what they know of its memory. While a launch runs
// under them nothing else may use that memory.
type Device struct {
	cfg *Config

	mu     sync.Mutex
	init   initcheck.Init
	memory streamcheck.Memory
	allocs map[uint64]*allocation // by address
}

// allocation is memory that the host has made.
type allocation struct {
	size   int64
	made   event.Position
	name   string        // the parameter of the last kernel that was given its address
	writer *check.Writer // the last launch that wrote there what nothing had written before
}

// Finishes reports whether launches under way come to their end when the device is closed.
func (d *Device) Finishes() bool { return d.cfg.Finish }

// NewDevice makes the checks for a device with empty memory.
func NewDevice(cfg *Config) *Device {
	return &Device{cfg: cfg, allocs: map[uint64]*allocation{}}
}

// Allocated tells of an allocation, whose contents are undefined, and of the host's call that made
// it.
func (d *Device) Allocated(addr uint64, size int64, made event.Position) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.allocs[addr] = &allocation{size: size, made: made}
	d.init.Fresh(addr, size)
}

// Free calls f while no launch runs: to free an allocation.
func (d *Device) Free(addr uint64, f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
	if a := d.allocs[addr]; a != nil {
		d.init.Wrote(addr, a.size)
		d.memory.Freed(addr, a.size)
		delete(d.allocs, addr)
	}
}

// Read calls f while no launch runs: to read memory, or to unload a module.
func (d *Device) Read(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

// Write calls f while no launch runs: to write n bytes of memory at addr.
func (d *Device) Write(addr uint64, n int, f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
	d.init.Wrote(addr, int64(n))
}

// Copy calls f while no launch runs: to copy n bytes of memory at src to dst. What src holds
// nothing in, dst then holds nothing in.
func (d *Device) Copy(dst, src uint64, n int, f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
	d.init.Copied(dst, src, int64(n))
}

// Run are bytes of a range, by offset.
type Run struct{ From, To int }

// Fetch calls f while no launch runs: to read n bytes at addr for another device. It returns those
// of them that hold nothing.
func (d *Device) Fetch(addr uint64, n int, f func()) (missing []Run) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
	d.init.EachMissing(addr, int64(n), func(at uint64) {
		i := int(at - addr)
		if last := len(missing) - 1; last >= 0 && missing[last].To == i {
			missing[last].To++
		} else {
			missing = append(missing, Run{i, i + 1})
		}
	})
	return missing
}

// Store calls f while no launch runs: to write n bytes at addr that Fetch has got from another
// device.
func (d *Device) Store(addr uint64, n int, missing []Run, f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
	d.init.Wrote(addr, int64(n))
	for _, r := range missing {
		d.init.Fresh(addr+uint64(r.From), int64(r.To-r.From))
	}
}

// Announce says that a launch is queued: if the program ends before done is called, the command knows
// that a launch has not been checked.
func (d *Device) Announce() (done func()) {
	if d.cfg.Folder == nil {
		return func() {}
	}
	return d.cfg.Folder.announce()
}

// Launch runs a launch as machine.Launch does, with the same errors, but under the checks. kernel
// is the kernel's name for reports, from the host's source position, and op the launch among the
// operations of streams, nil where these are not compared.
func (d *Device) Launch(ctx context.Context, m *sim.Machine, e *sim.Entry, l sim.Launch, kernel, from string, op *streamcheck.Op) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cfg.Folder != nil {
		both, done, err := d.cfg.Folder.begin(ctx)
		if err != nil {
			return err
		}
		defer done()
		ctx = both
		if d.cfg.Folder.show {
			if err := shown.Of(m, e, l, &d.init, kernel, from).Show(ctx, d.cfg.Folder.dir); err != nil {
				return err
			}
		}
	}
	o := d.cfg.Options
	o.Kernel, o.LaunchedFrom, o.Init = kernel, from, &d.init
	if op != nil {
		o.Touched = new(streamcheck.Touched)
	}
	if d.cfg.Instead != nil {
		return d.cfg.Instead(ctx, Launch{Machine: m, Entry: e, Launch: l, Options: o})
	}
	before := d.init
	r, err := check.Run(ctx, m, e, l, o)
	if r == nil {
		return err
	}
	if err == nil && len(r.Orders) > 0 {
		err = r.Orders[0].Cause
	}
	d.launched(m, e, l, &before, &check.Writer{Kernel: kernel, Grid: l.Grid, Block: l.Block, LaunchedFrom: from}, err, r)
	if lost := d.cfg.Report(r); lost != nil {
		return lost
	}
	if op != nil {
		if lost := d.unordered(m, d.memory.Launched(op, o.Touched)); lost != nil {
			return lost
		}
	}
	return err
}
