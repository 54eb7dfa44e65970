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
	v := placesVerifier{s: s}
	for w := s.Walk(); w.Next(); {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.Open(s, w.Term())
		for more := true; more; more = c.Next() {
			tfs := c.TFs()
			if err := v.block(&c, w.place, tfs); err != nil {
				return err
			}
		}
		if err := c.Err(); err != nil {
			return err
		}
	}
	return v.end()
}

// A placesVerifier reads the places of all lists, in their order.
type placesVerifier struct {
	s      *Segment
	blocks int // how many it has read
	places []int
}

// block reads the places of a block of the list of a term.
func (v *placesVerifier) block(c *Cursor, term int, tfs []uint32) error {
	if !v.s.HasPlaces() {
		return nil
	}
	var r PlaceReader
	if r.open(v.s, v.blocks-c.Block()); c.Block() == 0 && term%dictionaryGroup == 0 && int(v.s.blockAt[term/dictionaryGroup]) != v.blocks {
		return v.s.Damaged("the places of term %d begin elsewhere than the places before end", term)
	}
	v.blocks++
	for i, tf := range tfs {
		var err error
		if v.places, err = r.Append(v.places[:0], c.Block(), i); err != nil {
			return err
		}
		if len(v.places) > int(tf) {
			return v.s.Damaged("term %d is in a document %d times, and has %d places there", term, tf, len(v.places))
		}
	}
	if !r.ended() {
		return v.s.Damaged("term %d has more places than documents", term)
	}
	return nil
}

func (v *placesVerifier) end() error {
	if v.s.HasPlaces() && v.blocks != v.s.blocks() {
		return v.s.Damaged("it has places of %d blocks, and its lists have %d", v.s.blocks(), v.blocks)
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
