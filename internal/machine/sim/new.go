package sim

import (
	"os"
	"runtime"

	"github.com/gridstride/gridstride/internal/abi"
)

// New makes a machine with empty memory. An engine that there is not is an error of Err and Load.
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
	m.engine, m.err = engineOf(cfg.Engine)
	m.Init(cfg.Memory, cfg.Device)
	return m
}

// Err says why the machine cannot run kernels: an *EngineError, which Load returns, or nil.
func (m *Machine) Err() error { return m.err }
