// Package graph makes graphs of what a program queues: the same for every backend, and without a
// word to it. A [Recorder] is a stream that runs nothing. It makes each operation a node of a
// [Graph], whose list of nodes a backend instantiates.
//
//	graph     the nodes
//	recorder  the stream that makes them
//	held      what the nodes keep from being given back
package graph

import (
	"slices"
	"sync"

	"github.com/gridstride/gridstride/internal/device"
)

// MaxNodes is the largest number of nodes of a graph.
const MaxNodes = 1 << 20

// Graph is a list of nodes, with what they use. It may be used by any number of goroutines.
type Graph struct {
	mu     sync.Mutex
	nodes  []device.Node
	uses   [][]*ref      // of each node
	refs   map[Held]*ref // holds that the graph has taken itself
	held   map[*ref]bool // all that it keeps
	closed bool
}

// New makes a graph without nodes.
func New() *Graph { return &Graph{refs: map[Held]*ref{}, held: map[*ref]bool{}} }

// Len is the number of nodes.
func (g *Graph) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.nodes)
}

// Node is the node at a place.
func (g *Graph) Node(i int) device.Node {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return device.Node{}
	}
	return g.nodes[i]
}

// add adds a node that uses some things, which it keeps, and returns its place.
func (g *Graph) add(n device.Node, held []Held) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	uses := make([]*ref, 0, len(held))
	for _, h := range held {
		r, err := g.refTo(h)
		if err != nil {
			return 0, err
		}
		uses = append(uses, r)
	}
	return g.push(n, uses)
}

// refTo is the graph's hold of something. It needs g.mu.
func (g *Graph) refTo(h Held) (*ref, error) {
	if r := g.refs[h]; r != nil {
		return r, nil
	}
	if g.closed {
		return nil, errClosed
	}
	if !h.Hold() {
		return nil, h.Freed()
	}
	r := &ref{held: h}
	r.n.Store(1)
	g.refs[h], g.held[r] = r, true
	return r, nil
}

// Append adds the nodes of a snapshot after some of the graph's. It returns the place of the first.
func (g *Graph) Append(s *Snapshot, after []int) (first int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	first = len(g.nodes)
	for i := range s.Nodes {
		n := s.Nodes[i]
		deps := make([]int, 0, max(len(n.Deps), len(after)))
		for _, d := range n.Deps {
			deps = append(deps, first+d)
		}
		if len(deps) == 0 {
			deps = append(deps, after...)
		}
		n.Deps = deps
		if _, err := g.push(n, s.uses[i]); err != nil {
			g.nodes, g.uses = g.nodes[:first], g.uses[:first]
			return 0, err
		}
	}
	for _, r := range s.held {
		if !g.held[r] {
			g.held[r] = true
			r.n.Add(1)
		}
	}
	return first, nil
}

// push adds a node. It needs g.mu.
func (g *Graph) push(n device.Node, uses []*ref) (int, error) {
	switch {
	case g.closed:
		return 0, errClosed
	case len(g.nodes) >= MaxNodes:
		return 0, device.Errorf(device.ErrLimit, "%s: a graph of more than %d nodes", n.Name, MaxNodes)
	}
	g.nodes, g.uses = append(g.nodes, n), append(g.uses, uses)
	return len(g.nodes) - 1, nil
}

var errClosed = device.Errorf(device.ErrClosed, "the graph is closed")

// adopt gives the graph the things that nodes from one on use and that were freed by now: working
// memory that was made and freed while they were recorded. The program must not free others later.
func (g *Graph) adopt(from int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, uses := range g.uses[min(from, len(g.uses)):] {
		for _, r := range uses {
			if r.held.Freed() != nil {
				r.owned.Store(true)
			}
		}
	}
}

// reaches marks the nodes that precede some nodes, themselves included.
func (g *Graph) reaches(from []int) []bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	reached := make([]bool, len(g.nodes))
	if g.closed {
		return reached
	}
	for _, i := range from {
		reached[i] = true
	}
	for i := len(g.nodes) - 1; i >= 0; i-- {
		if reached[i] {
			for _, d := range g.nodes[i].Deps {
				reached[d] = true
			}
		}
	}
	return reached
}

// Close lets go of the things that the graph keeps. Snapshots keep them further.
func (g *Graph) Close() {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return
	}
	g.closed = true
	held := g.held
	g.refs, g.held, g.nodes, g.uses = nil, nil, nil, nil
	g.mu.Unlock()
	for r := range held {
		r.letGo()
	}
}

// Snapshot is the nodes of a graph as they were at a time, with its own hold on the things that
// they use.
type Snapshot struct {
	Nodes []device.Node
	uses  [][]*ref
	held  []*ref // all of uses, each once
}

// Snapshot takes the graph's nodes.
//
// Errors: ErrClosed.
func (g *Graph) Snapshot() (*Snapshot, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, errClosed
	}
	s := &Snapshot{Nodes: slices.Clone(g.nodes), uses: slices.Clone(g.uses)}
	s.hold()
	return s, nil
}

// hold takes hold of what the nodes use.
func (s *Snapshot) hold() {
	seen := map[*ref]bool{}
	for _, uses := range s.uses {
		for _, r := range uses {
			if !seen[r] {
				seen[r] = true
				r.n.Add(1)
				s.held = append(s.held, r)
			}
		}
	}
}

// Freed is the error for what the program has freed though the nodes use it, nil if there is none.
func (s *Snapshot) Freed() error {
	for _, r := range s.held {
		if err := r.freed(); err != nil {
			return err
		}
	}
	return nil
}

// Ends are the nodes that no other depends on.
func (s *Snapshot) Ends() []int {
	inner := make([]bool, len(s.Nodes))
	for i := range s.Nodes {
		for _, d := range s.Nodes[i].Deps {
			inner[d] = true
		}
	}
	var list []int
	for i, in := range inner {
		if !in {
			list = append(list, i)
		}
	}
	return list
}

// Close lets go of what the nodes use.
func (s *Snapshot) Close() {
	for _, r := range s.held {
		r.letGo()
	}
	s.held = nil
}

// Replace is the snapshot with the operations of another at the places from first on. They depend
// on what those there depend on.
//
// Errors: ErrCapture for an operation of another kind, or in another order.
func (s *Snapshot) Replace(first int, by *Snapshot) (*Snapshot, error) {
	n := &Snapshot{Nodes: slices.Clone(s.Nodes), uses: slices.Clone(s.uses)}
	for i := range by.Nodes {
		old, node := &s.Nodes[first+i], by.Nodes[i]
		if old.Name != node.Name || old.Launch != nil && old.Launch.Kernel.ID != node.Launch.Kernel.ID {
			return nil, device.Errorf(device.ErrCapture, "the node is the %s, and cannot become the %s at %v: only arguments change", old.Name, node.Name, &node.At)
		}
		if !sameDeps(old.Deps, first, node.Deps) {
			return nil, device.Errorf(device.ErrCapture, "the %s at %v has other work before it than the node: only arguments change", node.Name, &node.At)
		}
		node.Deps = old.Deps
		n.Nodes[first+i], n.uses[first+i] = node, by.uses[i]
	}
	n.hold()
	return n, nil
}

// sameDeps reports whether dependencies, as far as they are on places from first on, are the same.
func sameDeps(old []int, first int, deps []int) bool {
	n := 0
	for _, d := range old {
		if d >= first {
			if !slices.Contains(deps, d-first) {
				return false
			}
			n++
		}
	}
	return n == len(deps)
}
