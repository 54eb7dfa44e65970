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
func (x *Index) due(parts []*part) []*part {
	type class struct {
		size int
		file bool
	}
	memory := x.memory.Load()
	if memory > 0 && held(parts) > memory/heldShare {
		return slices.DeleteFunc(slices.Clone(parts), func(p *part) bool { return !inMemory(p) || x.broken[p.Segment] })
	}
	classes := map[class][]*part{}
	for _, p := range parts {
		if x.broken[p.Segment] {
			continue
		}
		if p.dead.Documents*2 > int64(p.Len()) && p.Len() > 1 {
			return []*part{p}
		}
		c := class{size: sizeClass(p)}
		if p.Postings() > maxMerged {
			continue
		}
		if memory > 0 {
			if c.file = !inMemory(p); !c.file && bytesOf(p) >= memory/smallShare {
				continue // it is flushed soon
			}
		}
		if classes[c] = append(classes[c], p); len(classes[c]) == mergeWidth {
			return classes[c]
		}
	}
	return nil
}

// mergeSoon starts a merge in the background if due and none runs. The caller holds the lock.
func (x *Index) mergeSoon() {
	if x.merging || x.closed || x.due(x.view.Load().parts) == nil {
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
	old := x.due(x.view.Load().parts)
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
	if x.full = err; err != nil { // the parts stay as they are: they are whole, and only many
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
	s, ords, err := x.mergeParts(ctx, old)
	if err != nil {
		return err
	}
	if err := x.replace(old, s, ords); err != nil {
		x.dropFiles(s.File())
		return err
	}
	var files []string
	for _, p := range old {
		files = append(files, p.File())
	}
	x.dropFiles(files...)
	return nil
}

// replace puts a segment in the place of parts, whose documents have the new ordinals in it.
func (x *Index) replace(old []*part, s *segment.Segment, ords [][]uint32) (err error) {
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

// waitForMerges waits while there are too many parts, or the memory is full.
func (x *Index) waitForMerges(ctx context.Context) error {
	for tried := false; ; {
		x.mu.Lock()
		parts, memory := x.view.Load().parts, x.memory.Load()
		full := memory > 0 && held(parts) > memory/fullShare
		if full && !tried {
			x.mergeSoon()
			tried = true
		}
		wait := x.merging && (full || len(parts) >= maxParts)
		changed, closed, err := x.changed, x.closed, x.full
		x.mu.Unlock()
		if closed {
			return ErrClosed
		}
		if full && !wait && err != nil {
			return fmt.Errorf("similar: the memory is full, and writing documents to files failed: %w", err)
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
