package similar

// pages is an immutable array, cut into pages so that a changed copy shares all others.
type pages[T any] []*page[T]

const pageLen = 512

type page[T any] [pageLen]T

// at returns an element, which is zero where none was set.
func (p pages[T]) at(i int) (v T) {
	if n := i / pageLen; n < len(p) && p[n] != nil {
		return p[n][i%pageLen]
	}
	return v
}

// A pagesEdit makes a changed copy.
type pagesEdit[T any] struct{ base, now pages[T] }

func (p pages[T]) edit() *pagesEdit[T] {
	return &pagesEdit[T]{p, append(pages[T](nil), p...)}
}

// of returns an element to change.
func (e *pagesEdit[T]) of(i int) *T {
	n := i / pageLen
	for n >= len(e.now) {
		e.now = append(e.now, nil)
	}
	switch {
	case e.now[n] == nil:
		e.now[n] = new(page[T])
	case n < len(e.base) && e.now[n] == e.base[n]:
		changed := *e.base[n]
		e.now[n] = &changed
	}
	return &e.now[n][i%pageLen]
}
