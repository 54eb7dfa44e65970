package sim

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/gridstride/gridstride/internal/machine/sim/memory"
)

// imagePage is the unit in which a Replay remembers changes of global memory.
const imagePage = 4 << 10

// pageOf names a page: a segment, and where in it the page begins.
type pageOf struct {
	seg *memory.Segment
	off int
}

// pages are contents of pages that differ from those at the moment before.
type pages map[pageOf][]byte

// inherit adds the pages of the moment before, which is forgotten.
func (p pages) inherit(before pages) {
	for k, b := range before {
		if p[k] == nil {
			p[k] = b
		}
	}
}

// images has the contents of global memory at the noted moments. Pages are found to have changed by
// comparing, whoever changed them.
type images struct {
	// base is the contents at the moment that was noted, passed or returned to last.
	base map[*memory.Segment][]byte
	at   *Moment // that moment
	// first has every page that ever changed, as it was at the first moment; nil for memory that was not
	// there.
	first pages
}

// begin copies the writable memory.
func (i *images) begin(mark *memory.Mark) error {
	var total uint64
	for _, s := range mark.Live() {
		if !s.ReadOnly {
			total += s.Size
		}
	}
	if total > MaxReplayed {
		return fmt.Errorf("%w: the launch's memory has %d bytes; at most %d are copied", ErrTooMuchMemory, total, MaxReplayed)
	}
	i.base, i.first = map[*memory.Segment][]byte{}, pages{}
	for _, s := range mark.Live() {
		if !s.ReadOnly {
			i.base[s] = bytes.Clone(s.Mem)
		}
	}
	return nil
}

// note returns the pages that have changed since the base, which becomes the present.
func (i *images) note(mark *memory.Mark) pages {
	changed := pages{}
	for _, s := range mark.Live() {
		if s.ReadOnly {
			continue
		}
		base, old := i.base[s]
		if !old {
			base = make([]byte, len(s.Mem))
			i.base[s] = base
		}
		for off := 0; off < len(s.Mem); off += imagePage {
			end := min(off+imagePage, len(s.Mem))
			now, was := s.Mem[off:end], base[off:end]
			if old && bytes.Equal(now, was) {
				continue
			}
			k := pageOf{s, off}
			if _, known := i.first[k]; !known {
				i.first[k] = nil
				if old {
					i.first[k] = bytes.Clone(was)
				}
			}
			changed[k] = bytes.Clone(now)
			copy(was, now)
		}
	}
	return changed
}

// pass makes a moment the base that was noted before, where the base is the moment before it.
func (i *images) pass(t *Moment) {
	for k, b := range t.pages {
		i.set(k, b)
	}
	i.at = t
}

func (i *images) set(k pageOf, b []byte) {
	base := i.base[k.seg]
	if base == nil {
		base = make([]byte, len(k.seg.Mem))
		i.base[k.seg] = base
	}
	copy(base[k.off:], b)
}

// restore makes memory what it was at a moment, one of past.
func (i *images) restore(t *Moment, past []*Moment) {
	if i.at != t {
		n := slices.Index(past, t) + 1
		for k, first := range i.first {
			if b := version(k, past[:n], first); b != nil {
				i.set(k, b)
			}
		}
		i.at = t
	}
	for _, s := range t.heap.mark.Live() {
		if base := i.base[s]; !s.ReadOnly && base != nil {
			restorePages(s.Mem, base)
		}
	}
}

// version is the contents of a page at the last of moments.
func version(k pageOf, moments []*Moment, first []byte) []byte {
	for _, m := range slices.Backward(moments) {
		if b := m.pages[k]; b != nil {
			return b
		}
	}
	return first
}

// restorePages copies what differs: most pages are only read.
func restorePages(to, from []byte) {
	for off := 0; off < len(to); off += imagePage {
		end := min(off+imagePage, len(to))
		if !bytes.Equal(to[off:end], from[off:end]) {
			copy(to[off:end], from[off:end])
		}
	}
}

// heapMoment has the allocations at a moment, by the host and by malloc.
type heapMoment struct {
	used        int64
	blocks      map[uint64]int64
	made, freed []uint64
	mark        *memory.Mark
}

func (t *heapMoment) note(p *Replay) {
	h := &p.m.heap
	h.mu.Lock()
	defer h.mu.Unlock()
	t.used, t.blocks, t.mark = h.used, maps.Clone(h.blocks), p.m.Mark()
	t.made, t.freed = slices.Clone(p.heap.made), slices.Clone(p.heap.freed)
}

func (t *heapMoment) restore(p *Replay) {
	h := &p.m.heap
	h.mu.Lock()
	defer h.mu.Unlock()
	h.used, h.blocks = t.used, maps.Clone(t.blocks)
	p.heap.made, p.heap.freed = slices.Clone(t.made), slices.Clone(t.freed)
	p.m.Return(t.mark)
}
