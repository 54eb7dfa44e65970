package similar

import "github.com/gridstride/gridstride/similar/weight"

// Statistics are the numbers of a collection that the weights use.
type Statistics struct {
	weight.Collection
	Frequency map[string]int64 // of each term that was asked for: how many documents have it
}

// Statistics returns the statistics of the documents, with the frequencies of some terms.
func (x *Searcher) Statistics(terms ...string) (s Statistics, err error) {
	v, err := x.state()
	if err != nil {
		return Statistics{}, err
	}
	defer v.end(&err)
	return v.statistics(terms), nil
}

func (v *view) statistics(terms []string) Statistics {
	s := Statistics{v.collection, map[string]int64{}}
	s.Postings -= v.marked()
	for _, t := range terms {
		s.Frequency[t] = v.df(t)
	}
	return s
}
