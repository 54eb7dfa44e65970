// Package option has the settings of package gridstride's Open. An Option of that package is a
// function on Settings, which only this module can name: gputest and the command make options for
// the checks, which users see only in part.
package option

import (
	"time"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/simdev"
	"github.com/gridstride/gridstride/internal/machine/checked"
)

// Settings are the choices of an Open.
type Settings struct {
	Device string // as in GRIDSTRIDE_DEVICE
	Source string // who chose it, for messages
	// SimTarget is the PTX target that the simulator plays, "" for its own choice.
	SimTarget string
	Sim       simdev.Config
	Printer   *device.Printer
	// Stale is what is done with kernels whose sources have changed: "refuse", "rebuild" or "off".
	Stale, StaleSource string // and who chose it
	// Fresh is the error of PTX that is not to be loaded because it is stale. nil asks nothing.
	Fresh func(ptx string) error
}

// Checks makes a simulated device check its launches.
func Checks(c *checked.Config) func(*Settings) {
	return func(s *Settings) { s.Sim.Checks, s.Fresh = c, c.Fresh }
}

// TimeLimit is how long a launch on a simulated device may take; below 0 as long as it likes.
func TimeLimit(d time.Duration) func(*Settings) {
	return func(s *Settings) { s.Sim.TimeLimit = d }
}

// Fresh makes a device refuse the PTX that f has an error for.
func Fresh(f func(ptx string) error) func(*Settings) {
	return func(s *Settings) { s.Fresh = f }
}
