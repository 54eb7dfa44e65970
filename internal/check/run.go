package check

import (
	"context"

	"github.com/gridstride/gridstride/internal/sim"
)

// Run runs a launch under the checks, once for each order and each time from the memory it found, and reports. It leaves memory as the
// ascending order makes it. Order, Seed, Budget, Observer, Steps and KeepGoing of l are its own to set.
//
// The error is only of a launch that could not start (a *sim.LimitError, say), or of ctx: then the report has what was found so
// far. Nothing else may use the machine meanwhile.
func Run(ctx context.Context, m *sim.Machine, e *sim.Entry, l sim.Launch, o Options) (*Report, error) {
	panic("BUG: being built")
}
