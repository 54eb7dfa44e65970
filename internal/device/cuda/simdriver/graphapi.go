//go:build linux

package simdriver

import (
	"maps"
	"slices"
	"unsafe"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// kernelParams is CUDA_KERNEL_NODE_PARAMS.
type kernelParams struct {
	function      uintptr
	grid, block   [3]uint32
	shared        uint32
	_             uint32
	params, extra uintptr
}

// fillParams is CUDA_MEMSET_NODE_PARAMS.
type fillParams struct {
	dst, pitch    uint64
	value, size   uint32
	width, height uint64
}

func (d *driver) graphFunctions() map[string]any {
	m := d.captureFunctions()
	maps.Copy(m, d.graphMakers())
	maps.Copy(m, d.userObjectFunctions())
	maps.Copy(m, d.nodeFunctions())
	maps.Copy(m, d.execFunctions())
	return m
}

// graphMakers are the functions that make graphs and add nodes to them.
func (d *driver) graphMakers() map[string]any {
	kernel := func(to, g, deps, n, params uintptr) uintptr {
		return d.addNode(to, g, deps, n, func(c *context, x *node) uintptr { return d.kernelOp(x, params) })
	}
	return map[string]any{
		"cuGraphCreate": func(to, flags uintptr) uintptr {
			if to == 0 || flags != 0 {
				return code(cuda.InvalidValue)
			}
			*at[uintptr](to) = d.newGraph().handle
			return 0
		},
		"cuGraphDestroy": d.graphDestroy,
		"cuGraphClone": func(to, h uintptr) uintptr {
			return d.withGraph(h, func(g *graph) uintptr { store(to, g.clone().handle); return 0 })
		},
		"cuGraphAddKernelNode":    kernel,
		"cuGraphAddKernelNode_v2": kernel,
		"cuGraphAddMemcpyNode": func(to, g, deps, n, params, h uintptr) uintptr {
			return d.addNode(to, g, deps, n, func(c *context, x *node) uintptr { return d.copyOp(c, x, params) })
		},
		"cuGraphAddMemsetNode": func(to, g, deps, n, params, h uintptr) uintptr {
			return d.addNode(to, g, deps, n, func(c *context, x *node) uintptr { return fillOp(c, x, params) })
		},
		"cuGraphAddHostNode": func(to, g, deps, n, params uintptr) uintptr {
			return d.addNode(to, g, deps, n, func(c *context, x *node) uintptr { return hostOp(x, params) })
		},
		"cuGraphAddEmptyNode": func(to, g, deps, n uintptr) uintptr {
			return d.addNode(to, g, deps, n, func(*context, *node) uintptr { return 0 })
		},
		"cuGraphAddChildGraphNode": func(to, g, deps, n, child uintptr) uintptr {
			return d.addNode(to, g, deps, n, func(c *context, x *node) uintptr {
				return d.withGraph(child, func(g *graph) uintptr { x.kind, x.child = graphNode, g.clone(); return 0 })
			})
		},
		"cuGraphAddEventRecordNode":    func(to, g, deps, n, e uintptr) uintptr { return d.addEvent(to, g, deps, n, e, recordNode) },
		"cuGraphAddEventWaitNode":      func(to, g, deps, n, e uintptr) uintptr { return d.addEvent(to, g, deps, n, e, waitNode) },
		"cuGraphAddDependencies":       func(g, from, to, n uintptr) uintptr { return d.connect(g, from, to, n, true) },
		"cuGraphAddDependencies_v2":    func(g, from, to, edges, n uintptr) uintptr { return d.connect(g, from, to, n, true) },
		"cuGraphRemoveDependencies":    func(g, from, to, n uintptr) uintptr { return d.connect(g, from, to, n, false) },
		"cuGraphRemoveDependencies_v2": func(g, from, to, edges, n uintptr) uintptr { return d.connect(g, from, to, n, false) },
		"cuGraphDestroyNode":           d.destroyNode,
	}
}

// withGraph calls f with a graph.
func (d *driver) withGraph(h uintptr, f func(*graph) uintptr) uintptr {
	g, ok := find[*graph](d, h)
	if !ok {
		return code(cuda.InvalidValue)
	}
	return f(g)
}

func (d *driver) graphDestroy(h uintptr) uintptr {
	return d.withGraph(h, func(g *graph) uintptr {
		d.remove(h)
		g.mu.Lock()
		objects := g.objects
		g.objects = nil
		for _, n := range g.nodes {
			d.remove(n.handle)
		}
		g.mu.Unlock()
		for u, n := range objects {
			if n > 0 {
				u.change(-n)
			}
		}
		return 0
	})
}

// addNode adds a node that fill gives its work.
func (d *driver) addNode(to, h, deps, n uintptr, fill func(*context, *node) uintptr) uintptr {
	return d.inContext(func(c *context) uintptr {
		return d.withGraph(h, func(g *graph) uintptr {
			list, ok := d.nodesAt(deps, n)
			if to == 0 || !ok || slices.ContainsFunc(list, func(x *node) bool { return x.g != g }) {
				return code(cuda.InvalidValue)
			}
			x := &node{kind: emptyNode}
			if r := fill(c, x); r != 0 {
				return r
			}
			made := g.add(x.op, list)
			made.kind, made.child, made.event = x.kind, x.child, x.event
			*at[uintptr](to) = made.handle
			return 0
		})
	})
}

func (d *driver) addEvent(to, g, deps, n, e uintptr, kind uint32) uintptr {
	return d.addNode(to, g, deps, n, func(c *context, x *node) uintptr {
		var ok bool
		if x.event, ok = find[*streamEvent](d, e); !ok {
			return code(cuda.InvalidHandle)
		}
		x.kind = kind
		return 0
	})
}

// kernelOp gives a node a launch.
func (d *driver) kernelOp(x *node, params uintptr) uintptr {
	if params == 0 {
		return code(cuda.InvalidValue)
	}
	k := *at[kernelParams](params)
	_, f, r := on[*function](d, k.function)
	if r != cuda.Success {
		return code(r)
	}
	p := &launchParams{f: f, params: k.params, extra: k.extra,
		Launch: sim.Launch{Grid: size3(k.grid), Block: size3(k.block), Shared: int(k.shared)}}
	// A node may wait for its grid until it is given parameters where it runs.
	if r := p.check(); r != cuda.Success && !slices.Contains(k.grid[:], 0) {
		return code(r)
	}
	if r := p.gather(); r != cuda.Success {
		return code(r)
	}
	x.op, x.kind = p.operation(), kernelNode
	return 0
}

// copyOp gives a node a copy.
func (d *driver) copyOp(c *context, x *node, params uintptr) uintptr {
	if params == 0 {
		return code(cuda.InvalidValue)
	}
	t := d.boxOf(c, at[cuda.Memcpy3D](params))
	if t == nil || t.valid() != cuda.Success {
		return code(cuda.InvalidValue)
	}
	x.op, x.kind = t.operation(), copyNode
	return 0
}

// fillOp gives a node a filling.
func fillOp(c *context, x *node, params uintptr) uintptr {
	if params == 0 {
		return code(cuda.InvalidValue)
	}
	p := *at[fillParams](params)
	f := filling{c.device(uintptr(p.dst)), uintptr(p.pitch), uintptr(p.value), uintptr(p.size), uintptr(p.width), uintptr(p.height)}
	if p.size != 1 && p.size != 2 && p.size != 4 {
		return code(cuda.InvalidValue)
	}
	o := f.operation()
	if o == nil || f.valid() != cuda.Success {
		return code(cuda.InvalidValue)
	}
	x.op, x.kind = o, fillNode
	return 0
}

// hostOp gives a node a call of the host's.
func hostOp(x *node, params uintptr) uintptr {
	if params == 0 {
		return code(cuda.InvalidValue)
	}
	p := *at[[2]uintptr](params)
	x.op, x.kind = hostCall(p[0], p[1]), hostNode
	return 0
}

// connect adds dependencies, or takes them away.
func (d *driver) connect(h, from, to, n uintptr, add bool) uintptr {
	return d.withGraph(h, func(g *graph) uintptr {
		first, ok := d.nodesAt(from, n)
		second, too := d.nodesAt(to, n)
		if !ok || !too {
			return code(cuda.InvalidValue)
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		for i := range first {
			has := slices.Contains(second[i].deps, first[i])
			switch {
			case first[i].g != g || second[i].g != g || first[i] == second[i] || has == add:
				return code(cuda.InvalidValue)
			case add:
				second[i].deps = append(second[i].deps, first[i])
			default:
				second[i].deps = slices.DeleteFunc(second[i].deps, func(x *node) bool { return x == first[i] })
			}
		}
		return 0
	})
}

func (d *driver) destroyNode(h uintptr) uintptr {
	x, ok := find[*node](d, h)
	if !ok {
		return code(cuda.InvalidValue)
	}
	d.remove(h)
	same := func(y *node) bool { return y == x }
	x.g.mu.Lock()
	defer x.g.mu.Unlock()
	x.g.nodes = slices.DeleteFunc(x.g.nodes, same)
	for _, y := range x.g.nodes {
		y.deps = slices.DeleteFunc(y.deps, same)
	}
	return 0
}

// nodeFunctions are the functions that ask about nodes and change them.
func (d *driver) nodeFunctions() map[string]any {
	set := func(h uintptr, fill func(*context, *node) uintptr) uintptr {
		return d.inContext(func(c *context) uintptr {
			x, ok := find[*node](d, h)
			if !ok {
				return code(cuda.InvalidValue)
			}
			return fill(c, x)
		})
	}
	kernelGet, kernelSet := d.kernelNodeParams, func(h, params uintptr) uintptr {
		return set(h, func(c *context, x *node) uintptr { return d.kernelOp(x, params) })
	}
	deps := func(h, to, n uintptr) uintptr {
		return d.aboutNode(h, func(x *node) uintptr { return listNodes(to, n, x.deps) })
	}
	dependents := func(h, to, n uintptr) uintptr {
		return d.aboutNode(h, func(x *node) uintptr { return listNodes(to, n, x.dependents()) })
	}
	return map[string]any{
		"cuGraphKernelNodeGetParams":    kernelGet,
		"cuGraphKernelNodeGetParams_v2": kernelGet,
		"cuGraphKernelNodeSetParams":    kernelSet,
		"cuGraphKernelNodeSetParams_v2": kernelSet,
		"cuGraphMemcpyNodeSetParams": func(h, params uintptr) uintptr {
			return set(h, func(c *context, x *node) uintptr { return d.copyOp(c, x, params) })
		},
		"cuGraphMemsetNodeSetParams": func(h, params uintptr) uintptr {
			return set(h, func(c *context, x *node) uintptr { return fillOp(c, x, params) })
		},
		"cuGraphHostNodeSetParams": func(h, params uintptr) uintptr {
			return set(h, func(c *context, x *node) uintptr { return hostOp(x, params) })
		},
		"cuGraphNodeGetType": func(h, to uintptr) uintptr {
			return d.aboutNode(h, func(x *node) uintptr { store(to, x.kind); return 0 })
		},
		"cuGraphNodeGetDependencies":      deps,
		"cuGraphNodeGetDependencies_v2":   func(h, to, edges, n uintptr) uintptr { return deps(h, to, n) },
		"cuGraphNodeGetDependentNodes":    dependents,
		"cuGraphNodeGetDependentNodes_v2": func(h, to, edges, n uintptr) uintptr { return dependents(h, to, n) },
		"cuGraphChildGraphNodeGetGraph": func(h, to uintptr) uintptr {
			return d.aboutNode(h, func(x *node) uintptr {
				if x.child == nil {
					return code(cuda.InvalidValue)
				}
				store(to, x.child.handle)
				return 0
			})
		},
		"cuGraphGetNodes": func(h, to, n uintptr) uintptr {
			return d.withGraph(h, func(g *graph) uintptr { return listNodes(to, n, g.all(nil)) })
		},
		"cuGraphGetRootNodes": func(h, to, n uintptr) uintptr {
			return d.withGraph(h, func(g *graph) uintptr {
				return listNodes(to, n, g.all(func(x *node) bool { return len(x.deps) == 0 }))
			})
		},
		"cuGraphGetEdges":    d.graphEdges,
		"cuGraphGetEdges_v2": func(h, from, to, edges, n uintptr) uintptr { return d.graphEdges(h, from, to, n) },
	}
}

// aboutNode calls f with a node.
func (d *driver) aboutNode(h uintptr, f func(*node) uintptr) uintptr {
	x, ok := find[*node](d, h)
	if !ok {
		return code(cuda.InvalidValue)
	}
	x.g.mu.Lock()
	defer x.g.mu.Unlock()
	return f(x)
}

// dependents are the nodes that depend on a node. It needs g.mu.
func (n *node) dependents() []*node {
	var list []*node
	for _, x := range n.g.nodes {
		if slices.Contains(x.deps, n) {
			list = append(list, x)
		}
	}
	return list
}

// all are the graph's nodes that a function wants.
func (g *graph) all(want func(*node) bool) []*node {
	g.mu.Lock()
	defer g.mu.Unlock()
	var list []*node
	for _, n := range g.nodes {
		if want == nil || want(n) {
			list = append(list, n)
		}
	}
	return list
}

// listNodes stores nodes in an array that has room for the number at n, or their number where there
// is none.
func listNodes(to, n uintptr, list []*node) uintptr {
	if n == 0 {
		return code(cuda.InvalidValue)
	}
	if to != 0 {
		room := *at[uint64](n)
		for i := range room {
			h := uintptr(0)
			if i < uint64(len(list)) {
				h = list[i].handle
			}
			*at[uintptr](to + 8*uintptr(i)) = h
		}
	}
	*at[uint64](n) = uint64(len(list))
	return 0
}

func (d *driver) graphEdges(h, from, to, n uintptr) uintptr {
	return d.withGraph(h, func(g *graph) uintptr {
		var first, second []*node
		for _, x := range g.all(nil) {
			for _, dep := range x.deps {
				first, second = append(first, dep), append(second, x)
			}
		}
		if n == 0 {
			return code(cuda.InvalidValue)
		}
		room := *at[uint64](n)
		if r := listNodes(from, n, first); r != 0 {
			return r
		}
		if to != 0 {
			*at[uint64](n) = room
		}
		return listNodes(to, n, second)
	})
}

func (d *driver) kernelNodeParams(h, to uintptr) uintptr {
	return d.aboutNode(h, func(x *node) uintptr {
		if x.op == nil || x.kind != kernelNode || to == 0 {
			return code(cuda.InvalidValue)
		}
		p := x.op.params.(*launchParams)
		k := kernelParams{function: p.f.handle, shared: uint32(p.Shared)}
		for i := range 3 {
			k.grid[i], k.block[i] = uint32(p.Grid[i]), uint32(p.Block[i])
		}
		p.addresses = nil
		for _, param := range p.f.entry.Params {
			p.addresses = append(p.addresses, uintptr(unsafe.Pointer(&p.Params[param.Offset])))
		}
		k.params = uintptr(unsafe.Pointer(unsafe.SliceData(p.addresses)))
		*at[kernelParams](to) = k
		return 0
	})
}
