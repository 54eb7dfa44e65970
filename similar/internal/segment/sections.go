package segment

import "slices"

// A section is one array of a segment in a file.
type section struct {
	bytes func() []byte
	set   func([]byte) bool // false where the bytes are no whole number of elements
}

func of[T word](a *[]T) section {
	return section{func() []byte { return bytesOf(*a) }, func(b []byte) (whole bool) { *a, whole = arrayOf[T](b); return whole }}
}

func plain(a *[]byte) section {
	return section{func() []byte { return *a }, func(b []byte) bool { *a = b; return true }}
}

// The kinds of sections that are written while a merge goes on.
const (
	kindIDs    = 0
	kindHeads  = 3
	kindTexts  = 7
	kindLists  = 11 + 5
	kindRows   = 11 + 8
	kindData   = 11 + 11 + 4
	kindPlaces = kindData + 1
)

// sections are the arrays by kind.
func (s *Segment) sections() []section {
	return slices.Concat(s.ids.sections(), s.heads.sections(), s.texts.sections(), s.indexSections(), s.vectors.sections(), s.places.sections(), []section{of(&s.blockAt)})
}

// indexSections are the sections of the terms.
func (s *Segment) indexSections() []section {
	return slices.Concat([]section{
		of(&s.counts), of(&s.lengths), plain(&s.names), of(&s.nameAt), of(&s.listAt), plain(&s.lists),
		plain(&s.rank.bytes), plain(&s.place.bytes),
	}, s.rows.sections())
}

func (p *pieces) sections() []section {
	return []section{plain(&p.data), of(&p.ends.groups), plain(&p.ends.packed)}
}

func (v *vectors) sections() []section {
	return []section{of(&v.shape), of(&v.ords), of(&v.scale), of(&v.norms), plain(&v.data)}
}

func size(list []section) (n int64) {
	for _, s := range list {
		n += int64(len(s.bytes()))
	}
	return n
}
