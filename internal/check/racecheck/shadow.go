package racecheck

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/check/tool"
	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/sim"
)

// Shadow memory of racecheck. Every accessed word of four bytes has a cell of eight: which access
// wrote it last, and which have read it since. Where accesses are narrower than a word, a page of
// memory has a cell for every byte instead, in two halves that are there while they hold anything:
// bytes that are only read, or only written, or written by the thread that read them, take four for
// each.
//
// An access is named by the number of its record, which all lanes of a warp share that run one
// instruction between two points at which the warp synchronises, and its lane. Record numbers only
// grow, so they are also the clock: an access is before a barrier when its record's number is below
// the next free one at that barrier (compare the epochs of C. Flanagan and S. N. Freund,
// "FastTrack: efficient and precise dynamic race detection", PLDI 2009).

// ref names an access: record<<5 | lane, or nodeBit and the number of a node with several. 0 is
// none.
type ref uint32

const (
	nodeBit    ref = 1 << 31
	maxRecords     = 1<<26 - 1
)

// cell is the history of a word or a byte.
type cell struct {
	write ref // the last write
	rest  ref // reads since then, and writes that race with the last
}

// entry is the lanes of a record.
type entry struct {
	rec, lanes uint32
}

// node is a short list of entries. Two of different warps are enough to catch any later write, as
// it cannot be by both; more are kept only of different positions, up to maxEntries.
type node struct {
	e    [2]entry
	next ref
}

const maxEntries = 8

// record is what the lanes of a warp did at one instruction.
type record struct {
	block int32 // linear
	warp  int32
	site  int32
	flags accessFlags
	scope scopeRank
}

// accessFlags say what an access is.
type accessFlags uint8

const (
	isWrite    accessFlags = 1 << iota
	isAtomic               // read-modify-write, or a failed compare-and-swap
	isStrong               // atomic, volatile, relaxed, acquire or release
	isVolatile             // a strong load or store, no atomic
	inLoop                 // the warp had jumped back since its last barrier
	holdsLock              // some lane had taken part in a compare-and-swap that succeeded
)

// scopeRank orders scopes by how much they cover.
type scopeRank uint8

const (
	noScope scopeRank = iota
	ctaScope
	wideScope // cluster, gpu, sys: all threads of a launch
)

func rankOf(s sim.Scope) scopeRank {
	switch s {
	case sim.NoScope:
		return noScope
	case sim.CTA:
		return ctaScope
	}
	return wideScope
}

const pageSize = 1024

// page is the cells of a piece of memory: of words, or of bytes.
type page struct {
	words *[pageSize / 4]cell
	bytes *byteCells
}

// byteCells is a cell for every byte of a page.
type byteCells struct {
	writes, rests half
}

// half is the writes or the rests of a page's bytes.
type half struct {
	refs *[pageSize]ref // none while all are 0
	used int            // how many are not 0
}

func (b *byteCells) get(i uint64) cell { return cell{b.writes.get(i), b.rests.get(i)} }

func (f *half) get(i uint64) ref {
	if f.refs == nil {
		return 0
	}
	return f.refs[i]
}

// area is the pages of a block's shared memory or of an allocation.
type area struct {
	base, size uint64
	pages      []page
}

func newArea(base, size uint64) *area {
	return &area{base: base, size: size, pages: make([]page, (size+pageSize-1)/pageSize)}
}

// history is the records and nodes that the cells of a space refer to. That of a block's shared
// memory begins anew at every barrier of the whole block, behind which nothing before it can race.
type history struct {
	space    ptx.Space
	which    int // 0 shared, 1 global: index into clocks
	recs     []record
	nodes    []node
	recBase  uint32 // number of recs[0]; at least 1
	nodeBase uint32 // number of nodes[0]
	free     []uint32
	empty    []*[pageSize]ref // of halves that hold nothing any more; all 0
	full     bool             // more records than a ref can name
}

func newHistory(space ptx.Space, which int) *history {
	return &history{space: space, which: which, recBase: 1}
}

// now is the clock: the number that the next record gets.
func (h *history) now() uint32 { return h.recBase + uint32(len(h.recs)) }

// forget drops everything so far.
func (h *history) forget() {
	h.recBase = h.now()
	h.nodeBase += uint32(len(h.nodes))
	h.recs, h.nodes, h.free = h.recs[:0], h.nodes[:0], h.free[:0]
}

// old says whether a ref is none, or one that was forgotten.
func (h *history) old(r ref) bool {
	if r&nodeBit != 0 {
		return uint32(r&^nodeBit) < h.nodeBase
	}
	return uint32(r>>5) < h.recBase
}

func (h *history) add(r record) uint32 {
	n := h.now()
	if n >= maxRecords {
		h.full = true
		return n - 1
	}
	h.recs = append(h.recs, r)
	return n
}

func (h *history) record(n uint32) *record { return &h.recs[n-h.recBase] }

func (h *history) node(r ref) *node { return &h.nodes[uint32(r&^nodeBit)-h.nodeBase] }

func (h *history) newNode() ref {
	if n := len(h.free); n > 0 {
		i := h.free[n-1]
		h.free = h.free[:n-1]
		h.nodes[i-h.nodeBase] = node{}
		return nodeBit | ref(i)
	}
	h.nodes = append(h.nodes, node{})
	return nodeBit | ref(h.nodeBase+uint32(len(h.nodes)-1))
}

// entries appends the entries behind a ref.
func (h *history) entries(list []entry, r ref) []entry {
	if r == 0 || h.old(r) {
		return list
	}
	if r&nodeBit == 0 {
		return append(list, entry{uint32(r >> 5), 1 << (r & 31)})
	}
	for r != 0 {
		n := h.node(r)
		for _, e := range n.e {
			if e.rec != 0 {
				list = append(list, e)
			}
		}
		r = n.next
	}
	return list
}

// release gives the nodes behind a ref back.
func (h *history) release(r ref) {
	for r != 0 && r&nodeBit != 0 && !h.old(r) {
		next := h.node(r).next
		h.free = append(h.free, uint32(r&^nodeBit))
		r = next
	}
}

// pack makes a ref of entries.
func (h *history) pack(list []entry) ref {
	switch {
	case len(list) == 0:
		return 0
	case len(list) == 1 && list[0].lanes&(list[0].lanes-1) == 0:
		return ref(list[0].rec<<5) | ref(tool.LaneOf(list[0].lanes))
	}
	var r ref
	for i := (len(list) - 1) / 2 * 2; i >= 0; i -= 2 {
		n := h.newNode()
		p := h.node(n)
		copy(p.e[:], list[i:min(i+2, len(list))])
		p.next, r = r, n
	}
	return r
}

// byBytes gives a page a cell for every byte.
func (h *history) byBytes(p *page) {
	p.bytes = new(byteCells)
	if p.words == nil {
		return
	}
	var list []entry
	for i, c := range p.words {
		if c == (cell{}) {
			continue
		}
		list = h.entries(list[:0], c.rest)
		h.release(c.rest)
		for b := range 4 {
			h.setByte(p.bytes, uint64(4*i+b), cell{write: c.write, rest: h.pack(list)})
		}
	}
	p.words = nil
}

func (h *history) setByte(b *byteCells, i uint64, c cell) {
	if b.writes.get(i) != c.write {
		h.setRef(&b.writes, i, c.write)
	}
	if b.rests.get(i) != c.rest {
		h.setRef(&b.rests, i, c.rest)
	}
}

// setRef changes a ref of a half, which comes with its first and goes with its last.
func (h *history) setRef(f *half, i uint64, r ref) {
	before := f.get(i)
	if f.refs == nil {
		f.refs = h.newRefs()
	}
	f.refs[i] = r
	switch {
	case before == 0:
		f.used++
	case r == 0:
		f.used--
	}
	if f.used == 0 {
		h.empty = append(h.empty, f.refs)
		f.refs = nil
	}
}

func (h *history) newRefs() *[pageSize]ref {
	n := len(h.empty)
	if n == 0 {
		return new([pageSize]ref)
	}
	refs := h.empty[n-1]
	h.empty = h.empty[:n-1]
	return refs
}

// Memory is how many bytes the shadow of global memory takes: page tables, cells, nodes and
// records.
func (r *Check) Memory() uint64 {
	const refs = pageSize * uint64(unsafe.Sizeof(ref(0)))
	n := uint64(cap(r.global.recs))*uint64(unsafe.Sizeof(record{})) +
		uint64(cap(r.global.nodes))*uint64(unsafe.Sizeof(node{}))
	n += uint64(len(r.global.empty)) * refs
	for _, a := range r.areas {
		n += uint64(len(a.pages)) * uint64(unsafe.Sizeof(page{}))
		for _, p := range a.pages {
			if p.words != nil {
				n += uint64(unsafe.Sizeof(*p.words))
			}
			if p.bytes == nil {
				continue
			}
			n += uint64(unsafe.Sizeof(*p.bytes))
			for _, f := range []*half{&p.bytes.writes, &p.bytes.rests} {
				if f.refs != nil {
					n += refs
				}
			}
		}
	}
	return n
}
