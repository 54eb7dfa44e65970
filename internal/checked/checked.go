// Package checked makes a simulated device run its launches under the checks of internal/check. It
// stands between package gridstride, whose simulator calls it, and those who want to know what was
// found: gputest and the command.
package checked

import (
	"context"
	"sync"

	"github.com/gridstride/gridstride/internal/check"
	"github.com/gridstride/gridstride/internal/check/initcheck"
	"github.com/gridstride/gridstride/internal/report"
	"github.com/gridstride/gridstride/internal/sim"
)

// Config says what a device checks, and who is told.
type Config struct {
	// Options are the tools, orders, seed, level, budget, text and progress. The rest of them is
	// each launch's own.
	Options check.Options
	// Report gets the report of each launch, from a goroutine of the device, before the launch
	// counts as done. Its error is the launch's: what was found in it is lost.
	Report func(*report.Report) error
	// Folder, when not nil, is how the command that has started the program hears of launches under
	// way, and ends them when it is interrupted.
	Folder *Folder
	// Finish makes the device's Close wait for the launches under way instead of ending them: what
	// is found in them is wanted. The budget of the Options ends those that would not end.
	Finish bool
}

// Device is the checks of one simulated device: what they know of its memory. While a launch runs
// under them nothing else may use that memory.
type Device struct {
	cfg *Config

	mu    sync.Mutex
	init  initcheck.Init
	sizes map[uint64]int64 // of allocations, by address
}

// Finishes reports whether launches under way come to their end when the device is closed.
func (d *Device) Finishes() bool { return d.cfg.Finish }

// NewDevice makes the checks for a device with empty memory.
func NewDevice(cfg *Config) *Device {
	return &Device{cfg: cfg, sizes: map[uint64]int64{}}
}

// Allocated tells of an allocation, whose contents are undefined.
func (d *Device) Allocated(addr uint64, size int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sizes[addr] = size
	d.init.Fresh(addr, size)
}

// Free calls f while no launch runs: to free an allocation.
func (d *Device) Free(addr uint64, f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
	d.init.Wrote(addr, d.sizes[addr])
	delete(d.sizes, addr)
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

// Launch runs a launch as machine.Launch does, with the same errors, but under the checks. kernel
// is the kernel's name for reports, from the host's source position.
func (d *Device) Launch(ctx context.Context, m *sim.Machine, e *sim.Entry, l sim.Launch, kernel, from string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cfg.Folder != nil {
		both, done, err := d.cfg.Folder.begin(ctx)
		if err != nil {
			return err
		}
		defer done()
		ctx = both
	}
	o := d.cfg.Options
	o.Kernel, o.LaunchedFrom, o.Init = kernel, from, &d.init
	r, err := check.Run(ctx, m, e, l, o)
	if r == nil {
		return err
	}
	if lost := d.cfg.Report(r); lost != nil {
		return lost
	}
	if err == nil && len(r.Orders) > 0 {
		err = r.Orders[0].Cause
	}
	return err
}
