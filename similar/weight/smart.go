package weight

import "math"

// Triple is one half of a scheme in SMART's notation: how the repetitions of a term count, how its
// frequency in the collection does, and how a vector is normalised (Salton and Buckley,
// Term-weighting approaches in automatic text retrieval, 1988; Manning, Raghavan, Schütze,
// Introduction to Information Retrieval, section 6.4.3 and figure 6.15). Logarithms are to the base
// 10, as there. Normalisation by the number of bytes, which that figure names b, is not offered: an
// index does not keep it.
type Triple struct{ TF, DF, Norm Letter }

// Letter is one letter of SMART's notation.
type Letter byte

// The letters of term frequency. n and b have other meanings in other places.
const (
	Natural    Letter = 'n' // tf
	Logarithm  Letter = 'l' // 1 + log tf
	Augmented  Letter = 'a' // 1/2 + tf/(2·max tf), the maximum over the terms of the document
	Boolean    Letter = 'b' // 1
	LogAverage Letter = 'L' // (1 + log tf)/(1 + log ave tf), the mean over the terms of the document
)

// The letters of document frequency and of normalisation. None of either is 'n', too.
const (
	None          Letter = 'n' // 1
	IDF           Letter = 't' // log(N/df)
	Probabilistic Letter = 'p' // max(0, log((N-df)/df))
	Cosine        Letter = 'c' // divided by the square root of the sum of the squares
	PivotedUnique Letter = 'u' // divided by (1-slope)·pivot + slope·unique; see Slope
)

// Slope is the slope of pivoted unique normalisation. The pivot is the mean number of different
// terms of a document (Singhal, Buckley, Mitra, Pivoted Document Length Normalization, SIGIR 1996).
const Slope = 0.2

// The letters allowed in each place of a triple.
const (
	tfLetters   = "nlabL"
	dfLetters   = "ntp"
	normLetters = "ncu"
)

// raw returns the weight of a term before it is normalised.
func (t Triple) raw(tf, df, length, unique, maxTF int64, c Collection) float64 {
	return t.frequency(tf, length, unique, maxTF) * t.rarity(df, c)
}

func (t Triple) frequency(tf, length, unique, maxTF int64) float64 {
	switch t.TF {
	case Logarithm:
		return 1 + log10(float64(tf))
	case Augmented:
		return 0.5 + float64(0.5*float64(tf))/float64(maxTF)
	case Boolean:
		return 1
	case LogAverage:
		return (1 + log10(float64(tf))) / (1 + log10(float64(length)/float64(unique)))
	}
	return float64(tf)
}

func (t Triple) rarity(df int64, c Collection) float64 {
	n, f := float64(c.Documents), float64(df)
	switch t.DF {
	case IDF:
		return log10(n / f)
	case Probabilistic:
		if n-f <= f {
			return 0
		}
		return log10((n - f) / f)
	}
	return 1
}

func (t Triple) document(tf, df int64, d Document, c Collection) float64 {
	w := t.raw(tf, df, d.Length, d.Unique, d.MaxTF, c)
	switch t.Norm {
	case Cosine:
		return normalised(w, d.Norm)
	case PivotedUnique:
		return normalised(w, pivoted(d.Unique, c))
	}
	return w
}

// normalised is w/norm, and 0 where all weights of the vector are.
func normalised(w, norm float64) float64 {
	if norm == 0 {
		return 0
	}
	return w / norm
}

func pivoted(unique int64, c Collection) float64 {
	return float64((1-Slope)*c.MeanUnique()) + float64(Slope*float64(unique))
}

func (t Triple) norm(squares float64) float64 { return math.Sqrt(squares) }

func (t Triple) bound(tf, df int64, c Collection) float64 {
	switch {
	case t.Norm != None || t.TF == LogAverage:
		return math.Inf(1)
	case t.TF == Boolean || t.TF == Augmented:
		return t.rarity(df, c)
	case tf == 0:
		return math.Inf(1)
	}
	return t.raw(tf, df, 0, 0, 0, c)
}

func (t Triple) query(terms []Term, c Collection) []float64 {
	var length, maxTF int64
	for _, q := range terms {
		length += q.Count
		maxTF = max(maxTF, q.Count)
	}
	unique := int64(len(terms))
	weights := make([]float64, len(terms))
	squares := 0.0
	for i, q := range terms {
		if q.DF > 0 && q.Count > 0 {
			w := t.raw(q.Count, q.DF, length, unique, maxTF, c)
			weights[i], squares = w, squares+float64(w*w)
		}
	}
	norm := 1.0
	switch t.Norm {
	case Cosine:
		norm = t.norm(squares)
	case PivotedUnique:
		norm = pivoted(unique, c)
	}
	for i, w := range weights {
		weights[i] = normalised(w, norm)
	}
	return weights
}
