package gridstride

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/checked"
)

// Option is a choice for Open.
type Option func(*settings)

// settings are the choices of an Open.
type settings struct {
	device string // as in GRIDSTRIDE_DEVICE
	source string // who chose it, for messages
	kind   string // "sim", "cuda", or "" for the first GPU there is, else the simulator
	number int    // of the GPU
	memory int64
	checks *checked.Config // of a simulated device; nil for none
}

// The checks are for gputest and the command, which can name the type: an option of users would
// show them half of it.
func init() {
	checked.Option = func(c *checked.Config) any { return Option(func(s *settings) { s.checks = c }) }
}

// sourceEnv is the variable that chooses a device.
const sourceEnv = "GRIDSTRIDE_DEVICE"

// Use chooses the device: "sim", "cuda" or "cuda:1", as GRIDSTRIDE_DEVICE does. It goes before the
// environment.
func Use(device string) Option {
	return func(s *settings) { s.device, s.source = device, "gridstride.Use" }
}

// SimMemory sets the size of a simulated device's memory in bytes. It is a limit; host memory is
// taken as buffers are made. A GPU's memory is what it is.
func SimMemory(bytes int64) Option { return func(s *settings) { s.memory = bytes } }

// resolve decides which device is meant.
func resolve(options []Option) (settings, error) {
	s := settings{device: os.Getenv(sourceEnv), source: sourceEnv}
	for _, o := range options {
		o(&s)
	}
	if s.checks == nil {
		var err error
		if s.checks, err = checked.FromEnv(); err != nil {
			return s, fmt.Errorf("open: %w", err)
		}
	}
	kind, index, indexed := strings.Cut(s.device, ":")
	n, err := strconv.Atoi(index)
	switch {
	case s.memory < 0:
		return s, errorf(ErrRange, "open: a device memory of %d bytes", s.memory)
	case s.device == "", s.device == "sim":
		s.kind = s.device
		return s, nil
	case kind == "cuda" && (!indexed || err == nil && n >= 0):
		s.kind, s.number = kind, max(n, 0)
		return s, nil
	}
	return s, errorf(ErrNoDevice, "open: %s asks for %q; a device is sim, cuda or cuda:1", s.source, s.device)
}
