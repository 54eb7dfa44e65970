//go:build linux

package simdriver

import (
	"sync"

	"github.com/ebitengine/purego"

	"github.com/gridstride/gridstride/internal/device/cuda"
)

// userObject is a CUuserObject: something of the program's that lives as long as references to it.
type userObject struct {
	of, destroy uintptr

	mu   sync.Mutex
	refs int64
}

// change adds references, and destroys the object when there are none left. It reports whether there were
// as many as were taken.
func (u *userObject) change(n int64) bool {
	u.mu.Lock()
	if u.refs+n < 0 {
		u.mu.Unlock()
		return false
	}
	u.refs += n
	last := u.refs == 0
	u.mu.Unlock()
	if last {
		purego.SyscallN(u.destroy, u.of)
	}
	return true
}

func (d *driver) userObjectFunctions() map[string]any {
	change := func(h, n uintptr, sign int64) uintptr {
		u, ok := find[*userObject](d, h)
		count := int64(int32(n))
		if !ok || count < 1 || !u.change(sign*count) {
			return code(cuda.InvalidValue)
		}
		return 0
	}
	return map[string]any{
		"cuUserObjectCreate": func(to, of, destroy, n, flags uintptr) uintptr {
			if destroy == 0 || int32(n) < 1 || flags != 1 {
				return code(cuda.InvalidValue)
			}
			return d.add(to, &userObject{of: of, destroy: destroy, refs: int64(int32(n))})
		},
		"cuUserObjectRetain":       func(h, n uintptr) uintptr { return change(h, n, 1) },
		"cuUserObjectRelease":      func(h, n uintptr) uintptr { return change(h, n, -1) },
		"cuGraphRetainUserObject":  d.graphRetain,
		"cuGraphReleaseUserObject": d.graphRelease,
	}
}

// graphRetain gives a graph references to an object: new ones, or with flag 1 the program's.
func (d *driver) graphRetain(g, h, n, flags uintptr) uintptr {
	const move = 1
	u, ok := find[*userObject](d, h)
	count := int64(int32(n))
	if !ok || count < 1 || flags > move {
		return code(cuda.InvalidValue)
	}
	return d.withGraph(g, func(g *graph) uintptr {
		if flags != move {
			u.change(count)
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.objects == nil {
			g.objects = map[*userObject]int64{}
		}
		g.objects[u] += count
		return 0
	})
}

func (d *driver) graphRelease(g, h, n uintptr) uintptr {
	u, ok := find[*userObject](d, h)
	count := int64(int32(n))
	if !ok || count < 1 {
		return code(cuda.InvalidValue)
	}
	return d.withGraph(g, func(g *graph) uintptr {
		g.mu.Lock()
		enough := g.objects[u] >= count
		if enough {
			g.objects[u] -= count
		}
		g.mu.Unlock()
		if !enough {
			return code(cuda.InvalidValue)
		}
		u.change(-count)
		return 0
	})
}

// retained takes references for what runs a graph.
func (g *graph) retained() []*userObject {
	g.mu.Lock()
	defer g.mu.Unlock()
	var list []*userObject
	for u, n := range g.objects {
		if n > 0 {
			u.change(1)
			list = append(list, u)
		}
	}
	return list
}
