// Package similar finds the documents most like a text, a document or a vector.
//
//	x, err := similar.New(similar.Options{})
//	err = x.Add(ctx, similar.Document{ID: "heap", Text: "A heap is a tree …"}, …)
//	hits, err := x.Search(ctx, similar.Query{Text: "priority queue"})
//	hits, err = x.Search(ctx, similar.Query{Like: []string{"heap"}})
//
// A search is exact: it returns the documents that a plain loop over all of them would, with the
// same scores, bit for bit. The score of a document is the sum, over the terms of the query in
// their byte order, of the term's weight in the query times that in the document (package weight),
// each product and sum rounded to float64. Of equal scores the lower id, compared as bytes, comes
// first. So a result does not depend on the order in which documents came, on deletions that were
// made between, on the segments that an index consists of, or on the processor.
//
// An index is a list of immutable segments, after Lucene. Add analyses documents outside of all
// locks and makes them visible at once; replaced and deleted documents are marked; segments are
// merged in the background. A search sees one state of the index from beginning to end.
package similar

import (
	"errors"

	"github.com/gridstride/gridstride/similar/query"
	"github.com/gridstride/gridstride/similar/text"
	"github.com/gridstride/gridstride/similar/weight"
)

// A Document is the unit that an index keeps and finds.
type Document struct {
	ID     string // its name in the index: another of this name takes its place
	Title  string
	Text   string
	Fields map[string]string // stored, and searched like Text
	Vector []float32         // of Options.Vectors.Dimension, or nil; a hit has its stored form
}

// A Hit is one document that a search found.
type Hit struct {
	Document Document
	Score    float64
}

// Query says what to look for. Text, Like and Document are added up when several are given. With a
// vector too, two lists are made, by terms and by the vector, and fused by their ranks.
//
// All terms of Text count. Of Like and Document together those Terms count that weigh most, each by
// its count in them and its rarity, as Options.Weight weighs a query. Terms that are in more than
// 2^17/Terms documents come after all others, so that a search stays short in a large index, and
// terms that occur once in the documents do not count if enough others do.
type Query struct {
	Text      string
	Clause    query.Clause // a condition for documents, and words that count as the words of Text; see package query
	Like      []string     // ids of documents of the index, which are not among the hits
	Document  *Document    // a document that need not be in the index
	Vector    []float32    // of Options.Vectors.Dimension; nil: Document's, or Like's if those have no terms
	Elsewhere []Sample     // documents that Like and Feedback.Good name and the index does not have
	Terms     int          // how many terms of Like and Document count, those that weigh most; 25 where 0, all where negative
	Feedback  *Feedback    // adds terms of good documents; none where nil

	K         int                  // how many hits at most; 10 where 0, any number where negative
	Threshold float64              // hits score more than this, and more than 0, unless this is 0 and they are by a vector alone
	Where     Condition            // only documents that meet it; nil: all
	Sort      []Order              // by these fields instead of the score, the first one first, and then by id; all that meet Where if Query asks nothing else
	Collapse  float64              // leaves out documents that share this part of the terms of title and text with a better hit, 0 to 1; 0: none. K is at most MaxCollapsed then
	Filter    func(*Document) bool // the same as a function, which is called for documents that may be among the hits
}

// Options are the settings of an index. The zero value is English text, weighted by BM25, with the
// words of the documents as its vocabulary.
type Options struct {
	Text       text.Config
	Weight     weight.Scheme
	Vocabulary Vocabulary
	Vectors    VectorOptions

	// Fields is the schema: the types of fields, and the weights of their words. Fields that it
	// does not name are text. See ReadFields and Searcher.Learn.
	Fields []Field `json:",omitempty"`

	// Positions has the index keep where in a document its words are. A phrase is looked up there
	// then, where otherwise documents are read. It is for an index of words: not for sequences of
	// words (Text.NGrams), hashed terms or a vocabulary that is fixed.
	Positions bool `json:",omitempty"`

	// Memory is how many bytes an index may use while documents are added; 0 for any number. It
	// holds a part of that, and the rest in files: see SetMemory. Saved indices do not have it.
	Memory int64 `json:"-"`
}

var (
	// ErrUnknown is the error of an id that no document of the index has.
	ErrUnknown = errors.New("no such document")
	// ErrQuery is the error of a query that is well formed and cannot be answered: a range of what is
	// no number and no date, or a value that a field cannot have.
	ErrQuery = errors.New("the query cannot be answered")
	// ErrClosed is the error of a use after Close.
	ErrClosed = errors.New("similar: the index is closed")
)
