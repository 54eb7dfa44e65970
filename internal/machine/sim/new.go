package sim

import (
	"os"
	"runtime"

	"github.com/gridstride/gridstride/internal/abi"
)

// New makes a machine with empty memory.
func New(cfg Config) *Machine {
	if cfg.Memory <= 0 {
		cfg.Memory = defaultMemory(os.ReadFile)
	}
	if cfg.Workers <= 0 {
		cfg.Workers = runtime.GOMAXPROCS(0)
	}
	if cfg.SM == 0 {
		cfg.SM = abi.SimTarget.SM
	}
	cfg.Limits.fill(DefaultLimits())
	m := &Machine{cfg: cfg, bind: bind}
	if os.Getenv("GRIDSTRIDE_ENGINE") != "interpreter" {
		m.engine = newCompiler()
	}
	m.Init(cfg.Memory)
	return m
}
