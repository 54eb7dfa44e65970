package racecheck

import (
	"github.com/gridstride/gridstride/internal/machine/check/tool"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// What shadow memory refers to. An access is named by the number of its record, which all lanes of
// a warp share that run one instruction between two points at which the warp synchronises, and its
// lane. Record numbers only grow, so they are also the clock: an access is before a barrier when
// its record's number is below the next free one at that barrier (compare the epochs of C. Flanagan
// and S. N. Freund, "FastTrack: efficient and precise dynamic race detection", PLDI 2009).

// ref names an access: record<<5 | lane, or nodeBit and the number of a node with several. 0 is
// none.
type ref uint32

const (
	nodeBit    ref = 1 << 31
	maxRecords     = 1<<26 - 1
)

// entry is the lanes of a record.
type entry struct {
	rec, lanes uint32
}

// node is a short list of entries. Two entries of different warps are enough to catch any later
// write, since one warp cannot be both. More are stored only for different positions, up to
// maxEntries.
type node struct {
	e    [2]entry
	next ref
}

const maxEntries = 8

// record is an access by the lanes of a warp at one instruction.
type record struct {
	block int32 // linear
	warp  int32
	site  int32
	flags accessFlags
	scope scopeRank
	width uint8 // of the access: the logarithm of its bytes
}

// accessFlags say what an access is.
type accessFlags uint16

const (
	isWrite    accessFlags = 1 << iota
	isAtomic               // read-modify-write, or a failed compare-and-swap
	isStrong               // atomic, volatile, relaxed, acquire or release
	isVolatile             // a strong load or store, no atomic
	inLoop                 // the warp had jumped back since its last barrier
	holdsLock              // some lane had taken part in a compare-and-swap that succeeded
	isCopy                 // by the threads' agent: history.copies says when
	isKept                 // of a copy in flight: a block barrier has come since it was issued
	isInit                 // of an mbarrier
)

// scopeRank orders scopes by how much they cover.
type scopeRank uint8

const (
	noScope scopeRank = iota
	ctaScope
	clusterScope
	wideScope // gpu, sys: all threads of a launch
)

func rankOf(s event.Scope) scopeRank {
	switch s {
	case event.NoScope:
		return noScope
	case event.CTA:
		return ctaScope
	case event.Cluster:
		return clusterScope
	}
	return wideScope
}

// within says whether a scope that one of two blocks names has threads of both.
func (r *Check) within(s scopeRank, one, two int32) bool {
	return one == two || s == wideScope || s == clusterScope && r.clusters.same(one, two)
}

// history has the records and nodes that the cells of a space refer to. The history of a block's
// shared memory begins anew at every barrier of the whole block, since nothing before the barrier
// can race with anything after it.
type history struct {
	space  ptx.Space
	which  int // 0 shared, 1 global: index into clocks
	recs   []record
	copies []copyRecord // the records that are copies, in order
	nodes  []node
	// recBase is the number of recs[0]. It is at least 1.
	recBase  uint32
	nodeBase uint32 // number of nodes[0]
	free     []uint32
	full     bool // more records than a ref can name
	lines    int  // with a history
	held     int  // refs in cells
	// spare has slices of cells for reuse, all zero, by the cells' shift.
	spare [wordShift + 1][][]ref
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
	clear(h.copies)
	h.recs, h.copies, h.nodes, h.free = h.recs[:0], h.copies[:0], h.nodes[:0], h.free[:0]
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

// entries appends the entries that a ref leads to.
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

// apart reports whether two accesses are by different blocks, or by different warps of a block.
// Then no third access can be ordered after both in the usual ways.
func (h *history) apart(a, b *record) bool {
	if h.which == 1 {
		return a.block != b.block
	}
	return a.warp != b.warp || a.block != b.block
}

// remember adds a read to a list, if it is not there in kind: two of each position, apart from each
// other, are enough.
func (h *history) remember(list []entry, self entry, rec *record) []entry {
	first, n := -1, 0
	for i := range list {
		if list[i].rec == self.rec {
			list[i].lanes |= self.lanes
			return list
		}
		if h.record(list[i].rec).site != rec.site {
			continue
		}
		if n++; n == 1 {
			first = i
			continue
		}
		if a, b := h.record(list[first].rec), h.record(list[i].rec); !h.apart(a, b) && h.apart(a, rec) {
			list[i] = self
		}
		return list
	}
	if len(list) < maxEntries {
		list = append(list, self)
	}
	return list
}

// retain appends an entry, or adds its lanes to the entry of the same record.
func retain(list []entry, e entry) []entry {
	for i := range list {
		if list[i].rec == e.rec {
			list[i].lanes |= e.lanes
			return list
		}
	}
	return append(list, e)
}

// release gives back the nodes that a ref leads to.
func (h *history) release(r ref) {
	for r != 0 && r&nodeBit != 0 && !h.old(r) {
		next := h.node(r).next
		h.free = append(h.free, uint32(r&^nodeBit))
		r = next
	}
}

// pack makes a ref of entries.
func (h *history) pack(list []entry) ref {
	if len(list) == 0 {
		return 0
	}
	if last := list[len(list)-1]; len(list) == 1 && last.lanes&(last.lanes-1) == 0 || h.crowded() {
		return ref(last.rec<<5) | ref(tool.LaneOf(last.lanes))
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
