package similar

import "github.com/gridstride/gridstride/similar/internal/segment"

// computeMaxTF finds the greatest frequency in each document.
func (v *view) computeMaxTF() {
	var row []segment.RowTerm
	for _, p := range v.parts {
		most := make([]uint32, p.Len())
		for ord := range most {
			row = p.Row(ord, row[:0])
			for _, t := range row {
				most[ord] = max(most[ord], t.Count())
			}
		}
		v.maxTF = append(v.maxTF, most)
	}
}

// computeNorms finds the norm of each document. The terms of a part come in byte order, so that the
// squares of a document are added up in that order.
func (v *view) computeNorms() {
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
		}
		for d, s := range squares {
			squares[d] = v.scheme.Norm(s)
		}
		v.norms = append(v.norms, squares)
	}
}
