// Package weight gives the weight of a term in a document and in a query. The score of a document
// is the sum of the products of both, over the terms of the query.
//
//	s, err := weight.Parse("bm25(k1=0.9,b=0.4)")
//	s, err = weight.Parse("lnc.ltc")
//
// A Scheme is plain data: an index keeps it with the documents. The schemes are BM25 and the
// triples of SMART's notation. Counts, log and binary are names of three triples. All are computed
// with roundings that Go prescribes, so a weight has the same bits on every processor.
package weight

// Collection holds the statistics of a whole collection that the weights use. Shards of one
// collection share it.
type Collection struct {
	Documents int64 // how many
	Terms     int64 // the sum of their lengths
	Postings  int64 // the sum of how many different terms they have
}

// Add adds up the counts of two collections that share no document.
func (c Collection) Add(d Collection) Collection {
	return Collection{c.Documents + d.Documents, c.Terms + d.Terms, c.Postings + d.Postings}
}

// MeanLength returns the mean number of terms of a document, 0 of none.
func (c Collection) MeanLength() float64 { return c.mean(c.Terms) }

// MeanUnique returns the mean number of different terms of a document, 0 of none.
func (c Collection) MeanUnique() float64 { return c.mean(c.Postings) }

func (c Collection) mean(n int64) float64 {
	if c.Documents == 0 {
		return 0
	}
	return float64(n) / float64(c.Documents)
}

// Document holds the statistics of one document that a weight uses.
type Document struct {
	Length int64   // how many terms it has, repetitions counted
	Unique int64   // how many different ones
	MaxTF  int64   // how often its most frequent term occurs; read if Scheme.UsesMaxTF
	Norm   float64 // its Scheme.Norm; read if Scheme.UsesNorm
}

// Term is a term of a query: how often the query has it, and how many documents of the collection
// do.
type Term struct{ Count, DF int64 }

// Kind is the family of a scheme.
type Kind uint8

const (
	KindDefault Kind = iota // Default, whatever the other fields say
	KindBM25                // K1 and B count
	KindSMART               // DocumentSMART and QuerySMART count
)

// Scheme is a way of weighing. The zero value means Default.
type Scheme struct {
	Kind          Kind
	K1, B         float64 // how soon a term's repetitions stop counting; how far a document's length counts, 0..1
	DocumentSMART Triple
	QuerySMART    Triple
}

// Default is BM25 with K1 1.5 and B 0.6. Manning, Raghavan and Schütze advise K1 from 1.2 to 2 where
// nothing is known of a collection, and B 0.75 (Introduction to Information Retrieval, 2008,
// 11.4.3). B 0.6 has a higher MAP on CACM and the same on Cranfield:
// docs/measurements/2026-11-24-similar-eval.json has the figures.
var Default = BM25(1.5, 0.6)

// BM25 returns the scheme of that name. Collections usually want k1 in 0.9..2 and b in 0.3..0.8.
func BM25(k1, b float64) Scheme { return Scheme{Kind: KindBM25, K1: k1, B: b} }

// Resolved returns the scheme, and Default for the zero value.
func (s Scheme) Resolved() Scheme {
	if s.Kind == KindDefault {
		return Default
	}
	return s
}

// UsesMaxTF reports whether Document reads MaxTF.
func (s Scheme) UsesMaxTF() bool { return s.Kind == KindSMART && s.DocumentSMART.TF == Augmented }

// UsesNorm reports whether Document reads Norm, and a document's Norm has to be computed first.
func (s Scheme) UsesNorm() bool { return s.Kind == KindSMART && s.DocumentSMART.Norm == Cosine }

// Document returns the weight in a document of a term that occurs tf times in it, at least once,
// and in df of the collection's documents.
func (s Scheme) Document(tf, df int64, d Document, c Collection) float64 {
	if s.Kind == KindSMART {
		return s.DocumentSMART.document(tf, df, d, c)
	}
	return s.Resolved().bm25Document(tf, d.Length, c)
}

// Bound returns an upper bound of Document, except for rounding, for a term that occurs at most tf
// times in documents of at least the given length. It is infinite if these do not bound the weight.
// A tf of 0 stands for any.
func (s Scheme) Bound(tf, df, length int64, c Collection) float64 {
	if s.Kind == KindSMART {
		return s.DocumentSMART.bound(tf, df, c)
	}
	if s = s.Resolved(); tf == 0 {
		return s.K1 + 1
	}
	return s.bm25Document(tf, length, c)
}

// Norm returns the Norm of a document. Squares is the sum of Square over its terms, in the byte
// order of the terms.
func (s Scheme) Norm(squares float64) float64 { return s.DocumentSMART.norm(squares) }

// Square returns the square of a term's weight before it is normalised. The norm of a document is
// made of them.
func (s Scheme) Square(tf, df int64, d Document, c Collection) float64 {
	w := s.DocumentSMART.raw(tf, df, d.Length, d.Unique, d.MaxTF, c)
	return w * w
}

// Query returns the weights of a query's terms, which are in the byte order of the terms. A term
// that no document has gets 0.
func (s Scheme) Query(terms []Term, c Collection) []float64 {
	if s.Kind == KindSMART {
		return s.QuerySMART.query(terms, c)
	}
	weights := make([]float64, len(terms))
	for i, t := range terms {
		if t.DF > 0 {
			weights[i] = bm25Query(t.Count, t.DF, c)
		}
	}
	return weights
}
