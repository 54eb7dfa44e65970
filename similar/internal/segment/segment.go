// Package segment is an immutable part of an index: documents in the order of their ids, a sorted
// dictionary of terms, for each term the documents that have it (postings), for each document its
// terms (rows), and the documents themselves.
//
// A segment is built (Builder), merged of others (Merge), or read from a file (Open); in memory and
// in a file it is the same bytes. A document is known by its ordinal, its place by the byte order
// of the ids, and a term by its number, its place in the dictionary. Deletions are not kept here.
//
// Any number of goroutines may use a Segment at once. What its methods return may lie in a file
// that is mapped into memory until the Segment is collected: a caller that keeps a string keeps a
// clone.
package segment

import (
	"bytes"
	"sort"
	"unsafe"
)

// A Segment is one immutable part. Its arrays are those that the file has; see sections.
type Segment struct {
	idEnd    []uint32 // of a document: where its id ends in ids
	ids      []byte
	bodyEnd  []uint64 // of a document: where what is stored of it ends in bodies
	bodies   []byte
	lengths  []uint32 // of a document: how many terms it has
	termEnd  []uint32 // of a term: where it ends in terms
	terms    []byte
	df       []uint32 // of a term: in how many documents it is
	listAt   []uint32 // of a term: where its list begins in lists
	lists    []byte
	bounds   []byte   // of a term: the bound of its list
	rowAt    []uint32 // of a document: where its row begins in rows
	rows     []byte
	rank     []uint32 // of a term: its place by descending frequency
	byRank   []uint32 // the terms in that order
	postings int64
	length   int64
	vectors  vectors
}

// Len returns the number of documents.
func (s *Segment) Len() int { return len(s.lengths) }

// Terms returns the number of terms.
func (s *Segment) Terms() int { return len(s.df) }

// Postings returns the number of pairs of a document and a term in it.
func (s *Segment) Postings() int64 { return s.postings }

// Length returns the number of terms of all documents, repetitions counted.
func (s *Segment) Length() int64 { return s.length }

// ID returns the id of a document.
func (s *Segment) ID(ord int) string {
	return unsafeString(s.ids[start(s.idEnd, ord):s.idEnd[ord]])
}

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

// Body returns what is stored of a document, as Builder.Add was given it.
func (s *Segment) Body(ord int) []byte {
	return s.bodies[start(s.bodyEnd, ord):s.bodyEnd[ord]]
}

// Lengths returns the number of terms of each document, repetitions counted.
func (s *Segment) Lengths() []uint32 { return s.lengths }

// Term returns the term of a number.
func (s *Segment) Term(number int) string {
	return unsafeString(s.terms[start(s.termEnd, number):s.termEnd[number]])
}

// FindTerm returns the number of a term, and whether the segment has it.
func (s *Segment) FindTerm(term string) (number int, ok bool) {
	want := unsafe.Slice(unsafe.StringData(term), len(term))
	number = sort.Search(s.Terms(), func(i int) bool {
		return bytes.Compare(s.terms[start(s.termEnd, i):s.termEnd[i]], want) >= 0
	})
	return number, number < s.Terms() && s.Term(number) == term
}

// DF returns in how many documents a term is.
func (s *Segment) DF(term int) uint32 { return s.df[term] }

// Rank returns the place of a term by descending frequency.
func (s *Segment) Rank(term int) uint32 { return s.rank[term] }

// TermOfRank returns the number of the term with a rank.
func (s *Segment) TermOfRank(rank uint32) int { return int(s.byRank[rank]) }

// Size returns the bytes that the segment takes, in all and without ids, what is stored of
// documents and vectors.
func (s *Segment) Size() (all, index int64) {
	for i, sec := range s.sections() {
		n := int64(len(sec.bytes()))
		all += n
		if i >= storedSections && i < indexSections {
			index += n
		}
	}
	return all, index
}

func start[T uint32 | uint64](ends []T, i int) T {
	if i == 0 {
		return 0
	}
	return ends[i-1]
}

func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
