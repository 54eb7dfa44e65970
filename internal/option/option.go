// Package option is what Open of package gridstride can be told. An Option of that package is a
// function on Settings, which only this module can name: gputest and the command make one that users
// would see half of, the checks.
package option

import (
	"github.com/gridstride/gridstride/internal/checked"
	"github.com/gridstride/gridstride/internal/device/simdev"
)

// Settings are the choices of an Open.
type Settings struct {
	Device string // as in GRIDSTRIDE_DEVICE
	Source string // who chose it, for messages
	// SimTarget is the PTX target that the simulator plays, "" for its own choice.
	SimTarget string
	Sim       simdev.Config
}

// Checks makes a simulated device check its launches.
func Checks(c *checked.Config) func(*Settings) {
	return func(s *Settings) { s.Sim.Checks = c }
}
