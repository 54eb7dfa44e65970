package streamcheck

// Graph is the branches of a graph: streams of the graph's own, on which each launch puts its
// nodes. Nodes of one branch follow each other. Nodes of two are ordered as far as dependencies
// order them.
type Graph struct {
	deps     [][]int
	branch   []int  // of each node
	watched  []bool // nodes on whose points another branch or the end waits
	branches []*Stream
}

// GraphRun is a launch of a graph.
type GraphRun struct {
	g      *Graph
	on     *Stream
	start  Clock
	points []Clock
}

// NewGraph begins the branches of a graph. deps are the nodes before each node, by their places.
// Launches of it follow each other.
func NewGraph(deps [][]int) *Graph {
	g := &Graph{deps: deps, branch: make([]int, len(deps)), watched: make([]bool, len(deps))}
	var tail []int                    // the last node of each branch
	spare := make([][]int, len(deps)) // branches that have ended before a node
	ends := make([]bool, len(deps))
	for i, before := range deps {
		g.branch[i] = -1
		for _, d := range before {
			ends[d] = false
			b := g.branch[d]
			switch {
			case tail[b] != d: // another node has taken the branch over
			case g.branch[i] < 0:
				g.branch[i] = b
			default:
				spare[i] = append(spare[i], b)
			}
			spare[i], spare[d] = append(spare[i], spare[d]...), nil
		}
		if n := len(spare[i]); g.branch[i] < 0 && n > 0 {
			g.branch[i], spare[i] = spare[i][n-1], spare[i][:n-1]
		}
		if g.branch[i] < 0 {
			g.branch[i], tail = len(tail), append(tail, i)
			s := NewStream()
			s.graph = g
			g.branches = append(g.branches, s)
		}
		tail[g.branch[i]], ends[i] = i, true
		for _, d := range before {
			g.watched[d] = g.watched[d] || g.branch[d] != g.branch[i]
		}
	}
	for i, end := range ends {
		g.watched[i] = g.watched[i] || end
	}
	return g
}

// Launch begins a launch on a stream.
func (g *Graph) Launch(on *Stream) *GraphRun {
	return &GraphRun{g: g, on: on, start: on.Point(), points: make([]Clock, len(g.deps))}
}

// Line is the branch to put a node on, after those that it depends on. They were put there before.
func (r *GraphRun) Line(i int) *Stream {
	s := r.g.branches[r.g.branch[i]]
	if len(r.g.deps[i]) == 0 {
		s.After(r.start)
	}
	for _, d := range r.g.deps[i] {
		if r.points[d] != nil {
			s.After(r.points[d])
		}
	}
	return s
}

// Queued tells that a node was put on its branch.
func (r *GraphRun) Queued(i int) {
	if r.g.watched[i] {
		r.points[i] = r.g.branches[r.g.branch[i]].Point()
	}
}

// End ends the launch: what the stream is given from now on follows all nodes.
func (r *GraphRun) End() {
	for _, p := range r.points {
		r.on.After(p)
	}
}

// End ends the branches.
func (g *Graph) End() {
	for _, s := range g.branches {
		s.End()
	}
}

// sameGraph reports whether two operations are nodes of one graph.
func (c *Conflict) sameGraph() bool { return c.First.graph != nil && c.First.graph == c.Second.graph }
