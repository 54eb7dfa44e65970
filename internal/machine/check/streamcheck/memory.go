package streamcheck

import (
	"math/bits"
	"sync"
)

// Kind is how an operation uses a byte.
type Kind uint8

// The kinds of use, from the weakest. Atomic operations do not conflict with each other.
const (
	Read Kind = iota
	Atomic
	Write
	kinds
)

// conflicts reports whether two uses of a byte need an order.
func (k Kind) conflicts(o Kind) bool { return (k != Read || o != Read) && (k != Atomic || o != Atomic) }

// covers reports whether every use that conflicts with o conflicts with k.
func (k Kind) covers(o Kind) bool { return k == o || k == Write }

const pageSize = 4096

// mask has a bit for each byte of a page.
type mask [pageSize / 64]uint64

// add adds bytes of the page, from and on and before to.
func (m *mask) add(from, to int) {
	for ; from < to; from = (from/64 + 1) * 64 {
		word := ^uint64(0) << (from % 64)
		if end := (from/64 + 1) * 64; to < end {
			word &= ^uint64(0) >> (end - to)
		}
		m[from/64] |= word
	}
}

// first is the first byte that two masks share, -1 for none.
func (m *mask) first(o *mask) int {
	for i := range m {
		if both := m[i] & o[i]; both != 0 {
			return 64*i + bits.TrailingZeros64(both)
		}
	}
	return -1
}

// without removes the bytes of another mask, and reports whether any remain.
func (m *mask) without(o *mask) bool {
	var left uint64
	for i := range m {
		m[i] &^= o[i]
		left |= m[i]
	}
	return left != 0
}

// Memory remembers which operations have used which bytes of a device, as far as later ones may
// still conflict with them. It takes an eighth of a byte for each byte and kind of use. Only Queued
// may be called from several goroutines at once.
type Memory struct {
	pages   map[uint64][]use // by address / pageSize
	uses    int              // in pages
	sweepAt int

	mu     sync.Mutex
	queued map[*Op]bool // operations that have not run
}

// use is one operation's of bytes of a page.
type use struct {
	op    *Op
	kind  Kind
	bytes *mask
}

// Conflict is a use of a byte by an operation, and one by another that ran before and that nothing
// orders with it.
type Conflict struct {
	First, Second         *Op
	FirstKind, SecondKind Kind
	Addr                  uint64 // of the lowest such byte
}

// Queued tells of an operation that will run.
func (m *Memory) Queued(op *Op) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.queued == nil {
		m.queued = map[*Op]bool{}
	}
	m.queued[op] = true
}

// Ran tells that an operation has run.
func (m *Memory) Ran(op *Op) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.queued, op)
	if m.uses > m.sweepAt {
		m.sweep()
		m.sweepAt = max(1024, 2*m.uses)
	}
}

// sweep forgets the uses that precede everything still to run. It needs m.mu.
func (m *Memory) sweep() {
	over := map[*Op]bool{}
	m.filter(func(u *use) bool {
		gone, known := over[u.op]
		if !known {
			gone = u.op.passed()
			for op := range m.queued {
				gone = gone && op.behind(u.op)
			}
			over[u.op] = gone
		}
		return !gone
	})
}

// filter keeps the uses that it is told to.
func (m *Memory) filter(keep func(*use) bool) {
	for page, uses := range m.pages {
		m.keep(page, uses, keep)
	}
}

// keep is filter on one page.
func (m *Memory) keep(page uint64, uses []use, keep func(*use) bool) {
	left := uses[:0]
	for i := range uses {
		if keep(&uses[i]) {
			left = append(left, uses[i])
		}
	}
	clear(uses[len(left):])
	m.uses -= len(uses) - len(left)
	if len(left) == 0 {
		delete(m.pages, page)
	} else {
		m.pages[page] = left
	}
}

// Freed forgets the uses of n bytes at addr, which nothing uses any more.
func (m *Memory) Freed(addr uint64, n int64) {
	if len(m.pages) == 0 {
		return
	}
	eachPage(addr, n, func(page uint64, bytes *mask) {
		m.keep(page, m.pages[page], func(u *use) bool { return u.bytes.without(bytes) })
	})
}

// Use tells that an operation uses n bytes at addr. It returns an earlier use for each operation
// whose use of them nothing orders.
func (m *Memory) Use(op *Op, kind Kind, addr uint64, n int64) []Conflict {
	var found []Conflict
	eachPage(addr, n, func(page uint64, bytes *mask) { found = m.use(op, kind, page, bytes, found) })
	return found
}

// use is Use on a page. It takes over the mask.
func (m *Memory) use(op *Op, kind Kind, page uint64, bytes *mask, found []Conflict) []Conflict {
	uses := m.pages[page]
	for i := range uses {
		u := &uses[i]
		if !kind.conflicts(u.kind) || op.behind(u.op) {
			continue
		}
		if at := bytes.first(u.bytes); at >= 0 && !known(found, u.op) {
			found = append(found, Conflict{
				First: u.op, Second: op, FirstKind: u.kind, SecondKind: kind, Addr: page*pageSize + uint64(at),
			})
		}
	}
	if uses != nil { // what conflicts with the older one does with this
		m.keep(page, uses, func(u *use) bool {
			return !kind.covers(u.kind) || !op.behind(u.op) || u.bytes.without(bytes)
		})
	}
	if m.pages == nil {
		m.pages = map[uint64][]use{}
	}
	m.pages[page] = append(m.pages[page], use{op, kind, bytes})
	m.uses++
	return found
}

func known(found []Conflict, op *Op) bool {
	for _, c := range found {
		if c.First == op {
			return true
		}
	}
	return false
}

// eachPage cuts a range into pages.
func eachPage(addr uint64, n int64, do func(page uint64, bytes *mask)) {
	for end := addr + uint64(max(n, 0)); addr < end; {
		page := addr / pageSize
		next := min(end, (page+1)*pageSize)
		bytes := new(mask)
		bytes.add(int(addr-page*pageSize), int(next-page*pageSize))
		do(page, bytes)
		addr = next
	}
}
