package similar

import (
	"cmp"
	"container/heap"
	"slices"
)

// A found is a document that a search found.
type found struct {
	score float64
	part  int
	ord   uint32
}

// top keeps the best k documents of a view. The worst of them is on top of a heap.
type top struct {
	v     *view
	k     int
	floor float64 // what scores no more than this is not kept
	list  []found
}

func newTop(v *view, k int, floor float64) *top {
	return &top{v: v, k: k, floor: max(floor, 0)}
}

// limit returns a score that a document needs at least to be kept.
func (t *top) limit() float64 {
	if len(t.list) < t.k {
		return t.floor
	}
	return t.list[0].score
}

// last returns the worst of the best k, and whether there are k.
func (t *top) last() (f found, full bool) {
	if len(t.list) == 0 || len(t.list) < t.k {
		return f, false
	}
	return t.list[0], true
}

// wants reports whether a document would be kept.
func (t *top) wants(f found) bool {
	if len(t.list) < t.k {
		return f.score > t.floor
	}
	return t.k > 0 && t.compare(f, t.list[0]) < 0
}

// keep keeps a document that is wanted.
func (t *top) keep(f found) {
	if len(t.list) < t.k {
		heap.Push(t, f)
		return
	}
	t.list[0] = f
	heap.Fix(t, 0)
}

// compare orders by descending score, and then by id.
func (t *top) compare(a, b found) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	if a.part == b.part {
		return cmp.Compare(a.ord, b.ord)
	}
	return cmp.Compare(t.v.parts[a.part].ID(int(a.ord)), t.v.parts[b.part].ID(int(b.ord)))
}

// sorted returns the documents, the best first.
func (t *top) sorted() []found {
	slices.SortFunc(t.list, t.compare)
	return t.list
}

func (t *top) Len() int           { return len(t.list) }
func (t *top) Less(i, j int) bool { return t.compare(t.list[i], t.list[j]) > 0 }
func (t *top) Swap(i, j int)      { t.list[i], t.list[j] = t.list[j], t.list[i] }
func (t *top) Push(f any)         { t.list = append(t.list, f.(found)) }

// Pop is for container/heap. Nobody takes anything off the heap.
func (t *top) Pop() any { panic("BUG: a kept document was popped") }
