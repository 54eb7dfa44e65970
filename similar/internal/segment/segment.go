// Package segment is an immutable part of an index: documents in the order of their ids, a sorted
// dictionary of terms, for each term the documents that have it (postings), for each document its
// terms (rows), and the documents themselves.
//
// A segment is built (Builder), merged of others (Merge, MergeTo), or read from a file (Open); it has
// the same bytes in memory and in a file, which format.go describes. A document is known by its
// ordinal, its place by the byte order of the ids, and a term by its rank, its place by descending
// frequency. It has no deletions.
//
// Any number of goroutines may use a Segment at once. The results of its methods may be in a file
// that is mapped into memory until the Segment is collected: a caller that keeps an id keeps a
// clone.
package segment

import (
	"sort"
	"sync"
	"sync/atomic"
)

// A Segment is one immutable part. Its arrays are the sections of the file: see format.go.
type Segment struct {
	file    string // the path of its file; empty for one that was made in memory
	content []byte // of the file
	mapping *mapping
	guard   *guard // of the file
	old     bool   // the file is of version 2
	fault   atomic.Pointer[Damaged]

	ids     pieces
	bodies  pieces // of version 2
	heads   stored
	texts   stored
	counts  []uint64
	lengths []uint32
	names   []byte
	nameAt  []uint32
	listAt  []uint32
	lists   []byte
	rank    permutation
	place   permutation
	rows    pieces
	places  pieces   // nothing in a segment without places
	blockAt []uint32 // of places
	vectors vectors

	groups *lazy // of the dictionary
	lookup lookup

	codesOnce sync.Once
	codes     Codes // of lengths
}

// The elements of counts.
const (
	countTerms    = iota // different terms
	countPostings        // pairs of a document and a term in it
	countLength          // terms of all documents, repetitions counted
	oldCounts            // of version 2
)

const (
	countHeads = oldCounts + iota // bytes of the heads of documents
	countTexts                    // bytes of the texts
	countCounts
)

// File returns the path of the segment's file, empty for a segment that was made in memory.
func (s *Segment) File() string { return s.file }

// Len returns the number of documents.
func (s *Segment) Len() int { return len(s.lengths) }

// Postings returns the number of pairs of a document and a term in it.
func (s *Segment) Postings() int64 { return int64(s.counts[countPostings]) }

// Length returns the number of terms of all documents, repetitions counted.
func (s *Segment) Length() int64 { return int64(s.counts[countLength]) }

// ID returns the id of a document.
func (s *Segment) ID(ord int) string { return unsafeString(s.ids.at(ord)) }

// Find returns the ordinal of an id, or of the first id after it, and whether it is there. The
// search begins at ordinal from.
func (s *Segment) Find(id string, from int) (ord int, ok bool) {
	step := 1
	for from+step < s.Len() && s.ID(from+step) < id {
		from, step = from+step, step*2
	}
	end := min(from+step+1, s.Len())
	ord = from + sort.Search(end-from, func(i int) bool { return s.ID(from+i) >= id })
	return ord, ord < s.Len() && s.ID(ord) == id
}

// Lengths returns the number of terms of each document, repetitions counted.
func (s *Segment) Lengths() []uint32 { return s.lengths }

// Size returns the bytes that the segment takes, in all and without ids, what is stored of
// documents and vectors.
func (s *Segment) Size() (all, index int64) {
	if s.content != nil {
		return int64(len(s.content)), size(s.indexSections())
	}
	return size(s.sections()), size(s.indexSections())
}
