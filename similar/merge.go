package similar

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/gridstride/gridstride/similar/internal/segment"
)

// Segments are merged by size, eight of about the same size at a time, as in a log-structured merge
// tree (O'Neil and others, 1996). A segment with many deletions is written anew. One merge runs at
// a time.
const (
	mergeWidth = 8
	maxParts   = 64      // with this many parts Add waits for merges
	maxMerged  = 1 << 28 // a segment with more postings is not merged further
)

// sizeClass is the same for segments that are merged with each other.
func sizeClass(p *part) int { return bits.Len64(uint64(p.live().Documents)) / 3 }

// due returns the parts to merge next, nil where none are. Of broken segments none is merged.
func due(parts []*part, broken map[*segment.Segment]bool) []*part {
	classes := map[int][]*part{}
	for _, p := range parts {
		if broken[p.Segment] {
			continue
		}
		if p.dead.Documents*2 > int64(p.Len()) && p.Len() > 1 {
			return []*part{p}
		}
		c := sizeClass(p)
		if p.Postings() > maxMerged {
			continue
		}
		if classes[c] = append(classes[c], p); len(classes[c]) == mergeWidth {
			return classes[c]
		}
	}
	return nil
}

// mergeSoon starts a merge in the background if due and none runs. The caller holds the lock.
func (x *Index) mergeSoon() {
	if x.merging || x.closed || due(x.view.Load().parts, x.broken) == nil {
		return
	}
	x.merging = true
	x.merges.Go(func() {
		for x.mergeDue() {
		}
	})
}

// mergeDue does one merge, and reports whether there was one to do.
func (x *Index) mergeDue() bool {
	x.mu.Lock()
	old := due(x.view.Load().parts, x.broken)
	if x.closed || old == nil {
		x.merging = false
		x.signal()
		x.mu.Unlock()
		return false
	}
	x.mu.Unlock()
	err := guarded(old, func() error { return x.merge(x.running, old) })
	x.mu.Lock()
	defer x.mu.Unlock()
	x.signal()
	if errors.Is(err, ErrDamaged) { // a search that reads what is damaged says so, and so does Compact
		for _, p := range old {
			x.broken[p.Segment] = true
		}
		return true
	}
	if err != nil { // the parts stay as they are: they are whole, and only many
		x.merging = false
	}
	return err == nil
}

// signal tells those that wait that a merge has ended. The caller holds the lock.
func (x *Index) signal() {
	close(x.changed)
	x.changed = make(chan struct{})
}

// merge puts one part in the place of several.
func (x *Index) merge(ctx context.Context, old []*part) error {
	sources := make([]segment.Source, len(old))
	for i, p := range old {
		sources[i] = segment.Source{Segment: p.Segment, Dead: p.isDead, Whole: wholeBody}
	}
	s, ords, err := segment.Merge(ctx, sources)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return ErrClosed
	}
	merged := newPart(s)
	parts := slices.Clone(x.view.Load().parts)
	var dead []int // deleted since the merge began
	for i, o := range old {
		at := slices.IndexFunc(parts, func(p *part) bool { return p.Segment == o.Segment })
		for ord, n := range ords[i] {
			if n != segment.Gone && (at < 0 || parts[at].isDead(ord)) { // a part is dropped when its last document is deleted
				dead = append(dead, int(n))
			}
		}
		if at >= 0 {
			parts = slices.Delete(parts, at, at+1)
		}
	}
	if len(dead) > 0 {
		if merged, err = merged.without(dead); err != nil {
			return err
		}
	}
	x.publish(append(parts, merged))
	return nil
}

// waitForMerges waits while there are too many parts.
func (x *Index) waitForMerges(ctx context.Context) error {
	for {
		x.mu.Lock()
		wait := x.merging && len(x.view.Load().parts) >= maxParts
		changed, closed := x.changed, x.closed
		x.mu.Unlock()
		if closed {
			return ErrClosed
		}
		if !wait {
			return ctx.Err()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Compact merges all segments to one, which is searched fastest. It is never needed.
func (x *Index) Compact(ctx context.Context) error {
	for {
		x.mu.Lock()
		busy, changed, closed, parts := x.merging, x.changed, x.closed, x.view.Load().parts
		whole := len(parts) == 0 || len(parts) == 1 && parts[0].dead.Documents == 0
		if !busy && !closed && !whole {
			x.merging = true
		}
		x.mu.Unlock()
		switch {
		case closed:
			return ErrClosed
		case whole:
			return ctx.Err()
		case !busy:
			return x.compact(ctx, parts)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// compact merges parts while no other merge runs.
func (x *Index) compact(ctx context.Context, parts []*part) error {
	err := guarded(parts, func() error { return x.merge(ctx, parts) })
	if errors.Is(err, ErrDamaged) {
		err = fmt.Errorf("similar: %w", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.merging = false
	x.signal()
	x.mergeSoon()
	return err
}
