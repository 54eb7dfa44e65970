//go:build linux

package simdriver

import (
	"slices"
	"sync"

	"github.com/gridstride/gridstride/internal/machine/check/streamcheck"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// The kinds of nodes, CUgraphNodeType.
const (
	kernelNode uint32 = iota
	copyNode
	fillNode
	hostNode
	graphNode
	emptyNode
	waitNode
	recordNode
	freeNode = 11
)

// graph is a CUgraph. Its nodes are in an order in which they can run: a node follows the nodes
// that it depends on.
type graph struct {
	d      *driver
	handle uintptr

	mu      sync.Mutex
	nodes   []*node
	objects map[*userObject]int64 // the references that it has
}

// node is a CUgraphNode.
type node struct {
	g      *graph
	handle uintptr
	kind   uint32
	op     *operation // nil for nodes that only order others
	child  *graph
	deps   []*node
	event  *streamEvent
}

// graphExec is a CUgraphExec: a graph as it was when it was instantiated.
type graphExec struct {
	flags uint64
	of    *graph

	mu      sync.Mutex
	steps   []step
	objects []*userObject // with a reference to each
	over    chan struct{} // closed when its last launch has run, as they run one after the other; nil for none

	branches *streamcheck.Graph // nil where nothing compares streams
	point    streamcheck.Clock  // that the stream of its last launch had reached
}

// step is a node of a graph that is run.
type step struct {
	of   *node
	op   *operation
	deps []int // the steps that it follows
}

func (d *driver) newGraph() *graph {
	g := &graph{d: d}
	d.mu.Lock()
	defer d.mu.Unlock()
	g.handle = d.handle(g)
	return g
}

// add adds a node for an operation, or for none.
func (g *graph) add(o *operation, deps []*node) *node {
	n := &node{g: g, op: o, kind: emptyNode, deps: slices.Clone(deps)}
	if o != nil {
		n.kind = o.kind
		if o.at == (event.Position{}) {
			o.at = g.d.from()
		}
	}
	g.d.mu.Lock()
	n.handle = g.d.handle(n)
	g.d.mu.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.nodes = append(g.nodes, n)
	return n
}

// reach reports whether all of some nodes are among others or precede them.
func (g *graph) reach(from, nodes []*node) bool {
	seen := map[*node]bool{}
	var visit func([]*node)
	visit = func(list []*node) {
		for _, n := range list {
			if !seen[n] {
				seen[n] = true
				visit(n.deps)
			}
		}
	}
	visit(from)
	return !slices.ContainsFunc(nodes, func(n *node) bool { return !seen[n] })
}

// sort puts the nodes in an order in which they can run. It reports whether there is one. It needs
// g.mu.
func (g *graph) sort() bool {
	var order []*node
	state := map[*node]int{} // 1 while its dependencies are visited, 2 after
	var visit func(*node) bool
	visit = func(n *node) bool {
		switch state[n] {
		case 1:
			return false
		case 2:
			return true
		}
		state[n] = 1
		for _, x := range n.deps {
			if !visit(x) {
				return false
			}
		}
		state[n] = 2
		order = append(order, n)
		return true
	}
	for _, n := range g.nodes {
		if !visit(n) {
			return false
		}
	}
	g.nodes = order
	return true
}

// steps are the graph's nodes, the nodes of its children in their places.
func (g *graph) steps() ([]step, bool) { return g.stepsAfter(nil, nil) }

// stepsAfter appends the graph's nodes to a list. Nodes without dependencies depend on some steps
// of that list. It reports false if the nodes have no order.
func (g *graph) stepsAfter(list []step, before []int) ([]step, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.sort() {
		return nil, false
	}
	ends := map[*node][]int{} // the steps that a node ends with
	for _, n := range g.nodes {
		deps := slices.Clone(before)
		if len(n.deps) > 0 {
			deps = nil
		}
		for _, d := range n.deps {
			deps = append(deps, ends[d]...)
		}
		if n.child == nil {
			ends[n] = []int{len(list)}
			list = append(list, step{n, n.op, deps})
			continue
		}
		first, ok := len(list), false
		if list, ok = n.child.stepsAfter(list, deps); !ok {
			return nil, false
		}
		if ends[n] = endsOf(list, first); len(list) == first {
			ends[n] = deps
		}
	}
	return list, true
}

// endsOf are the steps from one on that no later step depends on.
func endsOf(list []step, first int) []int {
	inner := make([]bool, len(list))
	for _, x := range list[first:] {
		for _, d := range x.deps {
			inner[d] = true
		}
	}
	var ends []int
	for i := first; i < len(list); i++ {
		if !inner[i] {
			ends = append(ends, i)
		}
	}
	return ends
}

// clone is a copy of a graph, and where its nodes are in it.
func (g *graph) clone() *graph {
	c := g.d.newGraph()
	g.mu.Lock()
	defer g.mu.Unlock()
	copies := map[*node]*node{}
	for _, n := range g.nodes {
		x := c.add(n.op, nil)
		x.kind, x.child, x.event = n.kind, n.child, n.event
		copies[n] = x
	}
	for _, n := range g.nodes {
		for _, dep := range n.deps {
			copies[n].deps = append(copies[n].deps, copies[dep])
		}
	}
	return c
}

// nodesAt are nodes whose handles C has in an array, all of one graph if g is not nil.
func (d *driver) nodesAt(addr, n uintptr) ([]*node, bool) {
	if n > 0 && addr == 0 || n > 1<<24 {
		return nil, false
	}
	var list []*node
	for i := range n {
		x, ok := find[*node](d, *at[uintptr](addr + 8*i))
		if !ok {
			return nil, false
		}
		list = append(list, x)
	}
	return list, true
}
