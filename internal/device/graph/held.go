package graph

import "sync/atomic"

// Held is something that nodes use, and that is not given back while they may: memory, a module.
type Held interface {
	// Hold keeps it, until Release. It reports false when its end has come.
	Hold() bool
	Release()
	// Freed is the error for its use after its end, nil before.
	Freed() error
}

// ref is a hold that graphs and what is instantiated of them share: what was freed cannot be held
// again.
type ref struct {
	held  Held
	n     atomic.Int64
	owned atomic.Bool // by the graph, as it was freed while the graph was made
}

func (r *ref) letGo() {
	if r.n.Add(-1) == 0 {
		r.held.Release()
	}
}

func (r *ref) freed() error {
	if r.owned.Load() {
		return nil
	}
	return r.held.Freed()
}
