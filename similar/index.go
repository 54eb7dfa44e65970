package similar

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gridstride/gridstride/similar/internal/segment"
)

// Index holds documents. Any number of goroutines may use it at once.
type Index struct {
	*Searcher // of the documents

	view     atomic.Pointer[view] // the present state
	analysts sync.Pool            // of *analyst, those that are not at work

	mu      sync.Mutex // held while a new state is made of the present one
	closed  bool
	width   int                       // how many segments are merged at a time
	merging map[*segment.Segment]bool // those that merges read which run
	running int                       // merges
	compact int                       // calls of Compact that wait for them
	broken  map[*segment.Segment]bool // those that a merge failed to read, which are not merged again
	changed chan struct{}             // closed, and made anew, when a merge has ended
	stop    context.CancelFunc
	open    context.Context // until Close
	merges  sync.WaitGroup

	memory  atomic.Int64  // Options.Memory
	full    error         // of the last merge into a file that failed; under mu
	catalog *catalogBytes // nil if there is none; under mu

	saving    sync.Mutex // held while the index is saved, with what follows
	home      home
	locked    string          // the folder that Lock took
	files     map[string]bool // paths of merges that no save has kept; see flush.go
	flushed   int             // how many files were named
	temporary string          // the folder of others
	release   func() error    // gives it back
}

// New returns an empty index in memory.
func New(o Options) (*Index, error) {
	if err := checkMemory(o.Memory); err != nil {
		return nil, err
	}
	x := &Index{width: mergeWidth, changed: make(chan struct{}), broken: map[*segment.Segment]bool{}, merging: map[*segment.Segment]bool{}, files: map[string]bool{}}
	var err error
	if x.Searcher, err = newSearcher(o, x.present); err != nil {
		return nil, err
	}
	x.memory.Store(o.Memory)
	x.open, x.stop = context.WithCancel(context.Background())
	x.view.Store(newView(nil, x.options))
	return x, nil
}

// Close stops merges and waits for them, and for a Save that runs. It gives back what Lock took.
// The index is of no use afterwards; searches that run end as they would have.
func (x *Index) Close() error {
	x.mu.Lock()
	x.closed = true
	x.stop()
	x.mu.Unlock()
	x.merges.Wait()
	x.view.Store(newView(nil, x.options))
	x.saving.Lock()
	defer x.saving.Unlock()
	err := x.dropTemporary()
	x.unlock()
	return err
}

// present returns the present state, and ErrClosed after Close.
func (x *Index) present() (*view, error) {
	v := x.view.Load()
	if x.open.Err() != nil {
		return nil, ErrClosed
	}
	return v, nil
}

// Delete deletes documents and returns how many of the ids it knew. With an error none was deleted.
//
// Errors: ErrClosed, ErrDamaged.
func (x *Index) Delete(ids ...string) (n int, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return 0, ErrClosed
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	v := x.view.Load()
	parts := slices.Clone(v.parts)
	for i, p := range parts {
		var dead []int
		for _, id := range ids {
			if ord, ok := p.find(id); ok {
				dead = append(dead, ord)
			}
		}
		if n += len(dead); len(dead) > 0 {
			if parts[i], err = p.without(dead); err != nil {
				return 0, fmt.Errorf("similar: %w", err)
			}
		}
	}
	if err := v.damage(); err != nil {
		return 0, err
	}
	if n > 0 {
		x.publish(parts)
	}
	return n, nil
}

// publish makes parts the present state, and begins a merge if due. The caller holds the lock.
func (x *Index) publish(parts []*part) {
	parts = slices.DeleteFunc(parts, func(p *part) bool { return p.live().Documents == 0 })
	x.view.Store(newView(parts, x.options))
	x.mergeSoon()
}
