package device

// Node is an operation of a graph. Nodes are in a list, in which a node follows those it depends
// on.
type Node struct {
	Name   string  // "launch of scale", "copy"
	Launch *Launch // nil for any other operation
	At     Caller  // the call that made the node
	Deps   []int   // the nodes that it depends on, by their places in the list
	// Queue queues the operation on a stream. It does not wait, and may be called any number of
	// times. What the operation needs of the host's memory is the node's own, or pinned.
	Queue func(s Stream) error
}

// Exec is a graph that is ready to be launched. Its launches run one after the other, on whatever
// streams they are queued.
type Exec interface {
	// Launch queues a run of all nodes on a stream of the same backend.
	Launch(s Stream) error
	// Update replaces the nodes from the next launch on. If changed is not nil, it names the places of
	// the only nodes that differ, and these are of the same kinds as before.
	Update(nodes []Node, changed []int) error
	// Retire gives the graph back as soon as its launches have run.
	Retire()
}
