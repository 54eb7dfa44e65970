package segment

import (
	"cmp"
	"context"
)

// Verify reads all of the segment: it compares the checksums of its file, and checks all that
// readers check, and that ids, terms and postings agree. Whole reports whether a head can be read,
// or the body of an old segment. The error is a *Damaged, or that of ctx.
func (s *Segment) Verify(ctx context.Context, whole func(head []byte) bool) error {
	for _, step := range []func() error{
		s.guard.all, s.checkIDs, s.checkEnds, s.checkDictionary,
		func() error { return s.verifyLists(ctx) },
		func() error { return s.verifyDocuments(ctx, whole) },
		s.Err,
	} {
		if err := cmp.Or(ctx.Err(), step()); err != nil {
			if _, ok := err.(*Damaged); ok {
				err = Named(s.file, err)
			}
			return err
		}
	}
	return nil
}

// verifyLists reads all lists.
func (s *Segment) verifyLists(ctx context.Context) error {
	var c Cursor
	for w := s.Walk(); w.Next(); {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.Open(s, w.Term())
		for more := true; more; more = c.Next() {
			c.TFs()
		}
		if err := c.Err(); err != nil {
			return err
		}
	}
	return nil
}

// marks returns the ranks of the terms that are marks.
func (s *Segment) marks() map[uint32]bool {
	ranks := map[uint32]bool{}
	for w := s.WalkFrom("\x00\x01"); w.Next() && IsMark(w.Name()); {
		ranks[w.Term().Rank] = true
	}
	return ranks
}

// verifyDocuments reads all rows, and what is stored of the documents.
func (s *Segment) verifyDocuments(ctx context.Context, whole func(head []byte) bool) error {
	var row []RowTerm
	var places []uint32
	var ends []int
	var r Reader
	r.Reset(s)
	marks := s.marks()
	postings, terms := uint64(0), uint64(0)
	for ord := range s.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if row, err = s.Row(ord, row[:0]); err != nil {
			return err
		}
		length := uint64(0)
		for _, t := range row {
			if !marks[t.Rank()] {
				length += uint64(t.Count())
			}
		}
		postings, terms = postings+uint64(len(row)), terms+length
		if length != uint64(s.lengths[ord]) {
			return s.Damaged("document %d has %d terms in its row, and the length %d", ord, length, s.lengths[ord])
		}
		if s.HasPlaces() {
			if places, ends, err = s.Places(ord, len(row), places[:0], ends[:0]); err != nil {
				return err
			}
		}
		head := []byte(nil)
		if s.old {
			head = s.Body(ord)
		} else if head, err = r.Head(ord); err == nil {
			_, err = r.Text(ord)
		}
		if err != nil {
			return err
		}
		if !whole(head) {
			return s.Damaged("what is stored of document %d is broken", ord)
		}
	}
	if postings != s.counts[countPostings] || terms != s.counts[countLength] {
		return s.Damaged("its documents have %d terms in their rows, and its lists %d", postings, s.counts[countPostings])
	}
	return nil
}
