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
