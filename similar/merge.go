package similar

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"slices"

	"github.com/gridstride/gridstride/similar/internal/segment"
)

// Segments are merged by size, eight of about the same size at a time, as in a log-structured merge
// tree (O'Neil and others, 1996). A segment with many deletions is written anew. Several merges, of
// different segments, run at a time, on half of the processors, and one where the memory is limited.
const (
	mergeWidth = 8
	bulkWidth  = 32      // of SetBulk
	maxParts   = 64      // with this many parts Add waits for merges
	maxMerged  = 1 << 28 // a segment with more postings is not merged further
)

// sizeClass is the same for segments that are merged with each other.
func sizeClass(p *part) int { return bits.Len64(uint64(p.live().Documents)) / 3 }

// SetBulk says that nobody searches the index before it is compacted or WriteSegment writes it. It is
// merged more rarely then, many segments at a time, so that most postings are written three times and
// not four. Searches work, and take longer.
func (x *Index) SetBulk() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.width = bulkWidth
}

// due returns the parts to merge next, nil where none are. Of segments that are broken, or are being
// merged, none is merged. The caller holds the lock.
func (x *Index) due() []*part {
	memory := x.memory.Load()
	parts := slices.DeleteFunc(slices.Clone(x.view.Load().parts), func(p *part) bool {
		return x.broken[p.Segment] || x.merging[p.Segment]
	})
	if memory > 0 && held(parts) > memory/heldShare {
		return slices.DeleteFunc(parts, func(p *part) bool { return !inMemory(p) })
	}
	type class struct {
		size int
		file bool
	}
	classes := map[class][]*part{}
	for _, p := range parts {
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
		if classes[c] = append(classes[c], p); len(classes[c]) == x.width {
			return classes[c]
		}
	}
	return nil
}

// mergersAtMost returns how many merges may run at a time.
func (x *Index) mergersAtMost() int {
	if x.memory.Load() > 0 {
		return 1
	}
	return max(1, runtime.GOMAXPROCS(0)/2)
}

// mergeSoon starts merges in the background that are due. The caller holds the lock.
func (x *Index) mergeSoon() {
	for !x.closed && x.compact == 0 && x.running < x.mergersAtMost() {
		old := x.due()
		if old == nil {
			return
		}
		x.begin(old)
		x.merges.Go(func() {
			err := guarded(old, func() error { return x.merge(x.open, old) })
			x.mu.Lock()
			defer x.mu.Unlock()
			x.end(old)
			switch {
			case errors.Is(err, ErrDamaged): // a search that reads what is damaged says so, and so does Compact
				for _, p := range old {
					x.broken[p.Segment] = true
				}
			case err != nil:
				x.full = err // the parts stay as they are: they are whole, and only many
				return
			default:
				x.full = nil
			}
			x.mergeSoon()
		})
	}
}

// begin notes that a merge of parts runs, and end that it has ended. The caller holds the lock.
func (x *Index) begin(parts []*part) {
	x.running++
	for _, p := range parts {
		x.merging[p.Segment] = true
	}
}

func (x *Index) end(parts []*part) {
	x.running--
	for _, p := range parts {
		delete(x.merging, p.Segment)
	}
	x.signal()
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
		wait := x.running > 0 && (full || len(parts) >= maxParts)
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
	x.mu.Lock()
	x.compact++ // no other merge begins
	x.mu.Unlock()
	defer func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.compact--
		x.mergeSoon()
	}()
	for {
		x.mu.Lock()
		busy, changed, closed, parts := x.running > 0, x.changed, x.closed, x.view.Load().parts
		whole := len(parts) == 0 || len(parts) == 1 && parts[0].dead.Documents == 0
		if !busy && !closed && !whole {
			x.begin(parts)
		}
		x.mu.Unlock()
		switch {
		case closed:
			return ErrClosed
		case whole:
			return ctx.Err()
		case !busy:
			return x.mergeAll(ctx, parts)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// mergeAll merges parts while no other merge runs.
func (x *Index) mergeAll(ctx context.Context, parts []*part) error {
	err := guarded(parts, func() error { return x.merge(ctx, parts) })
	if errors.Is(err, ErrDamaged) {
		err = fmt.Errorf("similar: %w", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.end(parts)
	return err
}
