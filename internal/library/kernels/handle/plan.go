package handle

import (
	"sync"

	"github.com/gridstride/gridstride"
)

// PlanOf is a core's plan of type P: the kernels of a package, for one element type if the package
// is generic. The first call makes it, and its error is the error of all calls.
//
// A Core names no type of a plan, so that a program links only the kernels of the functions that it
// calls, for the element types that it calls them with.
func PlanOf[P any](c *Core, make func(dev *gridstride.Device) (*P, error)) (*P, error) {
	key := (*P)(nil) // its type tells plans apart
	load, ok := c.plans.Load(key)
	if !ok {
		load, _ = c.plans.LoadOrStore(key, sync.OnceValues(func() (*P, error) { return make(c.stream.Device()) }))
	}
	return load.(func() (*P, error))()
}
