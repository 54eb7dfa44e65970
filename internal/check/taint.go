package check

import "github.com/gridstride/gridstride/internal/sim"

type initcheck struct {
	s        *session
	tracking bool
}
type initBlock struct{}
type initWarp struct{}

func newInitcheck(s *session) *initcheck                                { return &initcheck{s: s} }
func (c *initcheck) start(st *blockState)                               {}
func (c *initcheck) access(st *blockState, e *sim.Access, lanes uint32) {}
func (c *initcheck) atomic(st *blockState, e *sim.Atomic, lanes uint32) {}
func (c *initcheck) local(st *blockState, e *sim.Access)                {}
func (c *initcheck) step(st *blockState, e *sim.Step)                   {}
func (c *initcheck) branch(st *blockState, e *sim.Branch)               {}
func (c *initcheck) warpSync(st *blockState, e *sim.WarpSync)           {}
func (o *Options) adoptInit(s *session)                                 {}
