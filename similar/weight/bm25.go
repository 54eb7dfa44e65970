package weight

// The probabilistic weight of Robertson and Walker (SIGIR 1994; Robertson and Zaragoza, The
// Probabilistic Relevance Framework, 2009), with the logarithm that Lucene takes, which is never
// negative.

// bm25Query returns count·ln(1 + (N-df+1/2)/(df+1/2)).
func bm25Query(count, df int64, c Collection) float64 {
	n, f := float64(c.Documents), float64(df)
	return float64(count) * ln(1+(n-f+0.5)/(f+0.5))
}

// bm25Document returns tf·(K1+1)/(tf + K1·(1-B + B·length/mean)).
func (s Scheme) bm25Document(tf, length int64, c Collection) float64 {
	f := float64(tf)
	relative := float64(length) / c.MeanLength()
	long := 1 - s.B + float64(s.B*relative)
	return f * (s.K1 + 1) / (f + float64(s.K1*long))
}

// A Stream is one field of a document, or several that are taken for one, as BM25 extended to fields
// takes it (Zaragoza, Craswell, Taylor, Saria and Robertson, Microsoft Cambridge at TREC-13, 2004,
// formula 2): how often a term occurs in it, which is more than 0, how long it is, and how long it is
// in the mean of all documents of the collection. Counts and lengths are times the field's weight.
type Stream struct {
	TF, Length int64
	B, Mean    float64
}

// count returns TF/(1-B + B·Length/Mean): the times that the term counts.
func (f *Stream) count() float64 {
	relative := float64(f.Length) / f.Mean
	long := 1 - f.B + float64(f.B*relative)
	return float64(f.TF) / long
}

// Streams returns the weight in a document of a term that is in the streams: f·(K1+1)/(f + K1), where
// f is the sum of the times that the term counts in them, added up in their order. With one stream
// of the scheme's B it is Document, except for rounding. It is for BM25.
func (s Scheme) Streams(list []Stream) float64 {
	f := 0.0
	for i := range list {
		f += list[i].count()
	}
	return s.saturated(f)
}

// StreamsBound returns an upper bound of Streams, except for rounding, for a term that occurs at
// most TF times in streams of at least Length. No stream is shorter than what it has of the term. A
// TF below 0 stands for any number. It is for BM25.
func (s Scheme) StreamsBound(list []Stream) float64 {
	f := 0.0
	for i := range list {
		b := list[i]
		switch {
		case b.TF == 0 || b.Mean == 0: // no document has a word in it
		case b.TF < 0 && b.B == 0:
			return s.Resolved().K1 + 1
		case b.TF < 0:
			f += b.Mean / b.B // the limit of TF/(1-B + B·TF/Mean)
		default:
			b.Length = max(b.Length, b.TF)
			f += b.count()
		}
	}
	return s.saturated(f)
}

func (s Scheme) saturated(f float64) float64 {
	if s = s.Resolved(); f == 0 {
		return 0
	}
	return f * (s.K1 + 1) / (f + s.K1)
}
