//go:build linux

package simdriver

import (
	"slices"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// execFunctions are the functions of graphs that run.
func (d *driver) execFunctions() map[string]any {
	instantiate := func(to, g, node, log, size uintptr) uintptr { return d.instantiate(to, g, 0) }
	kernel := func(x, h, params uintptr) uintptr {
		return d.setStep(x, h, func(c *context, n *node) uintptr { return d.kernelOp(n, params) })
	}
	return map[string]any{
		"cuGraphInstantiate":          instantiate,
		"cuGraphInstantiate_v2":       instantiate,
		"cuGraphInstantiateWithFlags": d.instantiate,
		"cuGraphInstantiateWithParams": func(to, g, params uintptr) uintptr {
			const node, result = 16, 24 // after flags and a stream
			if params == 0 {
				return code(cuda.InvalidValue)
			}
			store(params+node, uintptr(0))
			store(params+result, int32(0))
			return d.instantiate(to, g, uintptr(*at[uint64](params)))
		},
		"cuGraphExecDestroy": func(h uintptr) uintptr {
			return d.withExec(h, func(x *graphExec) uintptr {
				d.remove(h)
				for _, u := range x.objects {
					u.change(-1)
				}
				x.end()
				return 0
			})
		},
		"cuGraphLaunch": d.graphLaunch,
		"cuGraphUpload": func(h, s uintptr) uintptr { return d.withExec(h, func(*graphExec) uintptr { return 0 }) },
		"cuGraphExecGetFlags": func(h, to uintptr) uintptr {
			return d.withExec(h, func(x *graphExec) uintptr { store(to, x.flags); return 0 })
		},
		"cuGraphExecKernelNodeSetParams":    kernel,
		"cuGraphExecKernelNodeSetParams_v2": kernel,
		"cuGraphExecMemcpyNodeSetParams": func(x, h, params, c uintptr) uintptr {
			return d.setStep(x, h, func(c *context, n *node) uintptr { return d.copyOp(c, n, params) })
		},
		"cuGraphExecMemsetNodeSetParams": func(x, h, params, c uintptr) uintptr {
			return d.setStep(x, h, func(c *context, n *node) uintptr { return fillOp(c, n, params) })
		},
		"cuGraphExecHostNodeSetParams": func(x, h, params uintptr) uintptr {
			return d.setStep(x, h, func(c *context, n *node) uintptr { return hostOp(n, params) })
		},
		"cuGraphExecUpdate": func(h, g, node, result uintptr) uintptr {
			store(node, uintptr(0))
			return d.update(h, g, result)
		},
		"cuGraphExecUpdate_v2": func(h, g, info uintptr) uintptr { return d.update(h, g, info) },
	}
}

// withExec calls f with a graph that runs.
func (d *driver) withExec(h uintptr, f func(*graphExec) uintptr) uintptr {
	x, ok := find[*graphExec](d, h)
	if !ok {
		return code(cuda.InvalidValue)
	}
	return f(x)
}

func (d *driver) instantiate(to, h, flags uintptr) uintptr {
	return d.withGraph(h, func(g *graph) uintptr {
		steps, ok := g.steps()
		if !ok || to == 0 {
			return code(cuda.InvalidValue)
		}
		return d.add(to, &graphExec{of: g, steps: steps, flags: uint64(flags), objects: g.retained()})
	})
}

func (d *driver) graphLaunch(h, s uintptr) uintptr {
	_, x, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	return d.withExec(h, func(e *graphExec) uintptr {
		x.submit(e.operation(x))
		return 0
	})
}

// setStep gives a node other work where the graph runs, and leaves the node itself as it is.
func (d *driver) setStep(h, of uintptr, fill func(*context, *node) uintptr) uintptr {
	n, ok := find[*node](d, of)
	if !ok {
		return code(cuda.InvalidValue)
	}
	return d.inContext(func(c *context) uintptr {
		return d.withExec(h, func(e *graphExec) uintptr {
			e.mu.Lock()
			defer e.mu.Unlock()
			for i := range e.steps {
				if e.steps[i].of != n {
					continue
				}
				var other node
				r := fill(c, &other)
				if r == 0 && other.kind != n.kind {
					r = code(cuda.InvalidValue)
				}
				if r == 0 {
					if other.op != nil && other.op.at == (event.Position{}) {
						other.op.at = d.from()
					}
					e.steps[i].op = other.op
				}
				return r
			}
			return code(cuda.InvalidValue)
		})
	})
}

// update gives a graph that runs the work of another graph of the same shape.
func (d *driver) update(h, of, result uintptr) uintptr {
	const success, topologyChanged, typeChanged, failure = 0, 2, 3, 910 // the last is CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE
	return d.withGraph(of, func(g *graph) uintptr {
		return d.withExec(h, func(e *graphExec) uintptr {
			steps, ok := g.steps()
			e.mu.Lock()
			defer e.mu.Unlock()
			if !ok || len(steps) != len(e.steps) {
				store(result, int32(topologyChanged))
				return failure
			}
			for i := range steps {
				if steps[i].of.kind != e.steps[i].of.kind {
					store(result, int32(typeChanged))
					return failure
				}
				if !slices.Equal(steps[i].deps, e.steps[i].deps) {
					store(result, int32(topologyChanged))
					return failure
				}
			}
			for i := range steps {
				e.steps[i].op = steps[i].op
			}
			store(result, int32(success))
			return 0
		})
	})
}
