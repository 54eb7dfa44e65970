package check

import (
	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/sim"
)

type profiler struct{}

func newProfiler(s *session) *profiler { return &profiler{} }
func (p *profiler) access(w *sim.Warp, space ptx.Space, addrs *[sim.WarpSize]uint64, size int) {
}
func (p *profiler) atomic(e *sim.Atomic)        {}
func (p *profiler) step(e *sim.Step)            {}
func (p *profiler) branch(e *sim.Branch)        {}
func (p *profiler) arrive(e *sim.BarrierArrive) {}
func (r *Report) addProfile(p *profiler)        {}
