package gridstride

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/option"
	"github.com/gridstride/gridstride/internal/machine/checked"
)

// Option is a choice for Open. This package makes them.
type Option func(*option.Settings)

// sourceEnv is the variable that chooses a device.
const sourceEnv = "GRIDSTRIDE_DEVICE"

// Use chooses the device: "sim", "sim:sm_80", "cuda" or "cuda:1", as GRIDSTRIDE_DEVICE does. It
// goes before the environment.
func Use(device string) Option {
	return func(s *option.Settings) { s.Device, s.Source = device, "gridstride.Use" }
}

// SimMemory sets the size of a simulated device's memory in bytes. It is a limit: host memory is
// allocated when buffers are made. It does not change a GPU's memory.
func SimMemory(bytes int64) Option { return func(s *option.Settings) { s.Sim.Memory = bytes } }

// SimTarget makes a simulated device play a PTX target, "sm_80" or "sm_90a": its compute
// capability's limits, and PTX that runs there and no other. Without it the device plays sm_90a,
// the newest target whose instructions the simulator knows, and [Device.Load] takes PTX of any
// target. It does not change a GPU.
func SimTarget(target string) Option {
	return func(s *option.Settings) { s.SimTarget = target }
}

// Output makes what kernels print with gpu.Printf, or with printf of CUDA C++ on a simulated
// device, go to w. Without it that is os.Stdout. The text of what kernels of a stream have printed
// is written while the program waits for the stream or an event of it, and by one goroutine at a
// time. An error that w returns is dropped, as fmt.Print's mostly is: a writer that may fail keeps
// its error, for the program to ask for.
func Output(w io.Writer) Option { return func(s *option.Settings) { s.Printer.Output = w } }

// PrintThreads begins the text of each call of gpu.Printf with the block and the thread: "block
// (1,0,0) thread (33,0,0): ".
func PrintThreads() Option { return func(s *option.Settings) { s.Printer.Threads = true } }

// PrintBuffer sets how many bytes of device memory a stream whose kernels call gpu.Printf has for
// what they print until the program records an event or waits. A call takes 40 bytes, and 8 for
// each value. Without it there are 1 MiB. A GPU's stream takes twice that memory, and up to nine
// times where the program records events and does not wait.
func PrintBuffer(bytes int) Option { return func(s *option.Settings) { s.Printer.Size = bytes } }

// Stale chooses what happens to a kernel whose Go code has changed since it was compiled to PTX, as
// GRIDSTRIDE_STALE does. It goes before the environment.
//
//	refuse   loading it returns a *StaleError, which says what to do; the default
//	rebuild  it is compiled again, by gridstride build in the folder of its sources, and loaded
//	off      its PTX runs as it is
//
// It is compared when a kernel of its package is first loaded, once in a program, if the package
// belongs to the main module or to another module of the workspace, and the program runs where its
// sources are. Packages of other modules are not compared, nor is any package of a program that was
// built with -trimpath. Launches do not look.
//
// With rebuild the first load takes as long as the command does, up to minutes where Go has to
// build it first. The kernels are loaded at once if the program's launchers and Go code fit them.
// Else the error says that the program must be built again. gridstride build writes to the folder.
func Stale(action string) Option {
	return func(s *option.Settings) { s.Stale, s.StaleSource = action, "gridstride.Stale" }
}

// choice is the device that is meant.
type choice struct {
	option.Settings
	kind   string // "sim", "cuda", or "" for the first GPU there is, else the simulator
	number int    // of the GPU
}

// resolve decides which device is meant.
func resolve(options []Option) (choice, error) {
	c := choice{Settings: option.Settings{
		Device: os.Getenv(sourceEnv), Source: sourceEnv, Printer: device.NewPrinter(1<<20, os.Stdout),
		Stale: cmp.Or(os.Getenv(staleEnv), refuseStale), StaleSource: staleEnv,
	}}
	for _, o := range options {
		o(&c.Settings)
	}
	if c.Sim.Checks == nil {
		checks, err := checked.FromEnv()
		if err != nil {
			return c, fmt.Errorf("open: %w", err)
		}
		if checks != nil {
			option.Checks(checks)(&c.Settings)
		}
	}
	if err := c.chooseStale(); err != nil {
		return c, err
	}
	kind, index, indexed := strings.Cut(c.Device, ":")
	n, err := strconv.Atoi(index)
	switch {
	case c.Printer.Size < 0 || c.Printer.Size > 1<<30:
		return c, device.Errorf(ErrRange, "open: a print buffer of %d bytes; want 0 to %d", c.Printer.Size, 1<<30)
	case c.Printer.Output == nil:
		return c, device.Errorf(ErrArgument, "open: gridstride.Output: the writer is nil; io.Discard throws away what it gets")
	case c.Sim.Memory < 0:
		return c, device.Errorf(ErrRange, "open: a device memory of %d bytes", c.Sim.Memory)
	case c.Device == "", c.Device == "sim":
		c.kind = c.Device
		return c, c.playTarget()
	case kind == "sim" && isTarget(index):
		c.kind = kind
		c.SimTarget = cmp.Or(c.SimTarget, index)
		return c, c.playTarget()
	case kind == "cuda" && (!indexed || err == nil && n >= 0):
		c.kind, c.number = kind, max(n, 0)
		return c, nil
	}
	return c, device.Errorf(ErrNoDevice, "open: %s asks for %q; a device is sim, sim:sm_80, cuda or cuda:1", c.Source, c.Device)
}

func isTarget(s string) bool {
	t, ok := abi.ParseTarget(s)
	return ok && t.Has(abi.OldestTarget)
}

// playTarget reads the target that the simulator is to play.
func (c *choice) playTarget() error {
	if c.SimTarget == "" {
		return nil
	}
	if !isTarget(c.SimTarget) {
		return device.Errorf(ErrNoDevice, "open: gridstride.SimTarget asks for %q; a target is %v or a newer one, such as sm_80 or sm_90a", c.SimTarget, abi.OldestTarget)
	}
	c.Sim.Target, _ = abi.ParseTarget(c.SimTarget)
	return nil
}
