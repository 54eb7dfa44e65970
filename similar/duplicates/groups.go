package duplicates

import (
	"context"
	"fmt"
	"iter"

	"github.com/gridstride/gridstride/similar/internal/extsort"
)

// Groups are documents that are connected. It takes 4 bytes a document. Any number of goroutines may
// call All at once.
type Groups struct {
	Documents int   // how many there are, in groups or not
	Compared  int64 // how many pairs were compared
	Cut       int   // how many sets of documents that share a key had more than Window, and were compared in part

	// parent is a forest: parent[i] <= i, and a root is the first document of its group, which is its
	// own parent.
	parent []uint32
	dir    string
	memory int64
}

func newGroups(n int, o Options) *Groups {
	g := &Groups{Documents: n, parent: make([]uint32, n), dir: o.Dir, memory: o.Memory}
	for i := range g.parent {
		g.parent[i] = uint32(i)
	}
	return g
}

// root returns the first document of a document's group, and halves the path to it (R. E. Tarjan and
// J. van Leeuwen, Worst-case Analysis of Set Union Algorithms, 1984).
func (g *Groups) root(i uint32) uint32 {
	for g.parent[i] != i {
		g.parent[i] = g.parent[g.parent[i]]
		i = g.parent[i]
	}
	return i
}

// connect makes one group of two.
func (g *Groups) connect(a, b uint32) {
	a, b = g.root(a), g.root(b)
	g.parent[max(a, b)] = min(a, b)
}

// connected reports whether documents are in one group.
func (g *Groups) connected(list []uint32) bool {
	for _, d := range list[1:] {
		if g.root(d) != g.root(list[0]) {
			return false
		}
	}
	return true
}

// flatten makes the root the parent of each document, so that nothing changes later.
func (g *Groups) flatten() *Groups {
	for i, p := range g.parent {
		g.parent[i] = g.parent[p] // p <= i, and what is before i is flat
	}
	return g
}

// Links yields the documents of groups, apart from the first one of each, in ascending order, with the
// first document of their group. Merge makes the same groups of them.
func (g *Groups) Links() iter.Seq2[int, int] {
	return func(yield func(document, first int) bool) {
		for i, p := range g.parent {
			if int(p) != i && !yield(i, int(p)) {
				return
			}
		}
	}
}

// All yields the groups of two and more documents by their first documents, the documents of each in
// ascending order. A group is the caller's. All sorts the documents of groups within the memory of
// the options. An error is the last result: ctx's, or a temporary file's.
func (g *Groups) All(ctx context.Context) iter.Seq2[[]int, error] {
	return func(yield func([]int, error) bool) {
		fail := func(err error) { yield(nil, fmt.Errorf("duplicates: %w", err)) }
		sorter := extsort.New(g.dir, g.memory)
		defer sorter.Close()
		for i, first := range g.Links() {
			if err := sorter.Add(extsort.Record{Key: uint64(first), Value: uint32(i)}); err != nil {
				fail(err)
				return
			}
		}
		var group []int
		for r, err := range sorter.Sorted(ctx) {
			if err != nil {
				fail(err)
				return
			}
			if len(group) > 0 && group[0] != int(r.Key) {
				if !yield(group, nil) {
					return
				}
				group = nil
			}
			if len(group) == 0 {
				group = []int{int(r.Key)}
			}
			group = append(group, int(r.Value))
		}
		if len(group) > 0 {
			yield(group, nil)
		}
	}
}

// Merge returns the groups that groups make together, such as the groups of all parts: two that
// share a document are one. Documents have numbers of 0 to n-1. Of the options it uses Memory
// and Dir, for Groups.All.
//
// Errors: an error of groups, ctx's, and one for a number that is not below n.
func Merge(ctx context.Context, n int, groups iter.Seq2[[]int, error], o Options) (*Groups, error) {
	o, err := o.resolved(n)
	if err != nil {
		return nil, err
	}
	g := newGroups(n, o)
	for group, err := range groups {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		for _, i := range group {
			if i < 0 || i >= n {
				return nil, fmt.Errorf("duplicates: a group has document %d of %d", i, n)
			}
			g.connect(uint32(group[0]), uint32(i))
		}
	}
	return g.flatten(), nil
}
