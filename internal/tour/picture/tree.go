package picture

// Tree says which thread's value was combined with which, by additions, minima and the like.
type Tree struct {
	// Nodes are the values, each after those that it is made of. Values that nothing is made of are
	// not among them, unless they are made of others.
	Nodes   []Node `json:"nodes"`
	Dropped int    `json:"dropped"` // combinations beyond MaxNodes
}

// Node is a value: a thread's own, or one that a thread has made of others.
type Node struct {
	Block  int `json:"block"`
	Thread int `json:"thread"` // the linear index in the block
	At     int `json:"at"`     // the warp's clock
	Line   int `json:"line"`
	// From are the nodes that it is made of, and Depth is how many combinations follow each other up
	// to it: 0 for a thread's own value.
	From  []int32 `json:"from,omitempty"`
	Depth int     `json:"depth"`
}

// MaxNodes is how many nodes a Tree has.
const MaxNodes = 4096

// newTree makes a tree whose node 0 is no node.
func newTree() Tree { return Tree{Nodes: make([]Node, 1)} }

func (t *Tree) node(n int32) *Node { return &t.Nodes[n] }

// leaf is a new node of a thread's own value; 0 if there is no room.
func (t *Tree) leaf(block, thread int) int32 { return t.add(Node{Block: block, Thread: thread}) }

func (t *Tree) add(n Node) int32 {
	if len(t.Nodes) > 4*MaxNodes {
		return 0
	}
	t.Nodes = append(t.Nodes, n)
	return int32(len(t.Nodes) - 1)
}

// join is a new node that is made of others.
func (t *Tree) join(n Node, from ...int32) int32 {
	for _, x := range from {
		if x == 0 {
			t.Dropped++
			return 0
		}
		n.From = append(n.From, x)
		n.Depth = max(n.Depth, t.node(x).Depth+1)
	}
	return t.add(n)
}

// pruned is the tree without node 0 and without values that nothing is made of. It is nil if nothing is
// combined.
func (t *Tree) pruned() *Tree {
	used := make([]bool, len(t.Nodes))
	for i := range t.Nodes {
		for _, x := range t.Nodes[i].From {
			used[x], used[i] = true, true
		}
	}
	number := make([]int32, len(t.Nodes))
	out := &Tree{Nodes: []Node{}, Dropped: t.Dropped}
	for i, n := range t.Nodes {
		if !used[i] {
			continue
		}
		if len(out.Nodes) == MaxNodes {
			if len(n.From) > 0 {
				out.Dropped++
			}
			continue
		}
		from := make([]int32, len(n.From))
		for k, x := range n.From {
			from[k] = number[x]
		}
		n.From = from
		number[i] = int32(len(out.Nodes))
		out.Nodes = append(out.Nodes, n)
	}
	if len(out.Nodes) == 0 {
		return nil
	}
	return out
}
