package similar

import "github.com/gridstride/gridstride/similar/internal/segment"

// prepare computes what the weights take of documents and no file has. Searches call it before they
// call normed.
func (v *view) prepare() error {
	if v.scheme.UsesMaxTF() {
		v.maxOnce.Do(func() { v.maxErr = v.computeMaxTF() })
		if v.maxErr != nil {
			return v.maxErr
		}
	}
	if err := v.prepareStreams(); err != nil || !v.scheme.UsesNorm() {
		return err
	}
	v.normsOnce.Do(func() { v.normsErr = v.computeNorms() })
	return v.normsErr
}

// computeMaxTF finds the greatest frequency in each document.
func (v *view) computeMaxTF() error {
	var row []segment.RowTerm
	for _, p := range v.parts {
		most := make([]uint32, p.Len())
		for ord := range most {
			var err error
			if row, err = p.Row(ord, row[:0]); err != nil {
				return err
			}
			for _, t := range row {
				most[ord] = max(most[ord], t.Count())
			}
		}
		v.maxTF = append(v.maxTF, most)
	}
	return nil
}

// computeNorms finds the norm of each document. The terms of a part come in byte order, so that the
// squares of a document are added up in that order.
func (v *view) computeNorms() error {
	var c segment.Cursor
	for i, p := range v.parts {
		squares := make([]float64, p.Len())
		for w := p.Walk(); w.Next(); {
			df := v.df(w.Name())
			if df == 0 {
				continue
			}
			c.Open(p.Segment, w.Term())
			for more := true; more; more = c.Next() {
				tfs := c.TFs()
				for j, d := range c.Docs() {
					squares[d] += v.scheme.Square(int64(tfs[j]), df, v.document(i, int(d)), v.collection)
				}
			}
			if err := c.Err(); err != nil {
				return err
			}
		}
		for d, s := range squares {
			squares[d] = v.scheme.Norm(s)
		}
		v.norms = append(v.norms, squares)
	}
	return nil
}
