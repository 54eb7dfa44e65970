package segment

// A section is one array of a segment as a file has it.
type section struct {
	bytes func() []byte
	set   func([]byte)
}

func of[T word](a *[]T) section {
	return section{func() []byte { return bytesOf(*a) }, func(b []byte) { *a = arrayOf[T](b) }}
}

func plain(a *[]byte) section {
	return section{func() []byte { return *a }, func(b []byte) { *a = b }}
}

// storedSections is how many of the sections, the first ones, hold ids and what is stored.
const storedSections = 4

// indexSections is how many come before those of the vectors.
const indexSections = 15

// sections are the arrays in the order of a file.
func (s *Segment) sections() []section {
	return []section{
		plain(&s.ids), of(&s.idEnd), plain(&s.bodies), of(&s.bodyEnd),
		of(&s.lengths), plain(&s.terms), of(&s.termEnd), of(&s.df), of(&s.listAt), plain(&s.lists),
		plain(&s.bounds), of(&s.rowAt), plain(&s.rows), of(&s.rank), of(&s.byRank),
		of(&s.vectors.shape), of(&s.vectors.ords), of(&s.vectors.scale), of(&s.vectors.norms), plain(&s.vectors.data),
	}
}
