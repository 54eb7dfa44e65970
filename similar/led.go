package similar

import "context"

// Where every document that matches must have some terms, the lists of these are intersected: the
// rarest leads, and the others are looked into at its documents. Once there are k documents, blocks
// are passed over whose bounds say that no document in them scores enough (block-max: Ding and
// Suel, Faster top-k document retrieval using block-max indexes, SIGIR 2011).

// led is the scan of one part for a filter that leads.
type led struct {
	*scan
	scorers []*lookup // of the scan's terms, in byte order
	leading []*lookup // of the terms that must be there, the rarest first
	among   []*lookup // of the scorers those that lead
	rest    float64   // bounds the shares of the other scorers
	until   uint32    // up to this document the blocks may be of use
	least   uint32    // where the first that leads has a lower frequency there, the document is of no use
}

func (s *scan) runLed(ctx context.Context) error {
	m := s.matcher
	if m.never || len(s.terms) == 0 {
		return nil
	}
	r := s.led()
	s.need()
	lead, n := r.leading[0], 0
	for doc := lead.first(0); doc != none; {
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if next := r.useful(doc); next > doc {
			if next == none {
				break
			}
			doc = lead.first(next)
			continue
		}
		if next := lead.frequent(doc, r.least, r.until); next > doc {
			doc = next
			continue
		}
		next := r.align(doc)
		if next == doc {
			r.consider(doc)
			next++
		}
		doc = lead.first(next)
	}
	return nil
}

// led prepares a scan. Its terms are scored by the lookups of the matcher, if that has them.
func (s *scan) led() *led {
	m := s.matcher
	r := &led{scan: s, scorers: make([]*lookup, len(s.terms))}
	leads := map[*lookup]bool{}
	for _, n := range m.lead {
		r.leading = append(r.leading, &m.lookups[n])
		leads[&m.lookups[n]] = true
	}
	byName := make(map[string]*lookup, len(m.lookups))
	for i := range m.lookups {
		byName[m.lookups[i].text] = &m.lookups[i]
	}
	for i := range s.terms {
		t := &s.terms[i]
		l := byName[t.text]
		if l == nil {
			l = new(lookup)
			l.open(s.p, t.text)
			m.more = append(m.more, l)
		}
		l.queryTerm = t.queryTerm
		s.openStreams(&l.scanTerm)
		r.scorers[i] = l
		if leads[l] {
			r.among = append(r.among, l)
		} else {
			r.rest += t.bound
		}
	}
	return r
}

// useful returns doc if its blocks may hold a document that scores enough, and otherwise the first
// document after them.
func (r *led) useful(doc uint32) uint32 {
	if r.needed == 0 || r.until > 0 && doc <= r.until {
		return doc
	}
	last, rest, most := uint32(none), r.rest, 0.0
	for _, l := range r.among {
		if !l.Seek(doc) {
			return none
		}
		if last = min(last, l.Last()); l == r.leading[0] {
			most = r.mostOf(&l.scanTerm)
		} else {
			rest += r.mostOf(&l.scanTerm)
		}
	}
	if rest+most >= r.needed {
		if r.until, r.least = last, 1; most > 0 {
			r.least = r.leastTF(&r.leading[0].scanTerm, rest)
		}
		return doc
	}
	if last == none {
		return none
	}
	return last + 1
}

// align returns doc if it has all the terms that lead, and otherwise a later document before which
// none has.
func (r *led) align(doc uint32) uint32 {
	for _, l := range r.leading[1:] {
		if next := l.first(doc); next > doc {
			return next
		}
	}
	return doc
}

// consider keeps a document that has all the terms that lead if it is among the best.
func (r *led) consider(doc uint32) {
	rough := r.rest
	for _, l := range r.among {
		rough += r.shareOf(l, doc)
	}
	if rough < r.needed || r.allow != nil && !r.allow.has(doc) || r.p.isDead(int(doc)) || r.skips(doc) || !r.matcher.reads && !r.matcher.matches(doc) {
		return
	}
	score := 0.0
	for _, l := range r.scorers {
		if l.first(doc) == doc {
			score += float64(r.shareOf(l, doc))
		}
	}
	before := r.needed
	if r.offer(doc, score); r.needed > before {
		r.until = 0 // the blocks may be of no use now
	}
}

// shareOf returns the share of a term in a document that has it, which its lookup is at.
func (r *led) shareOf(l *lookup, doc uint32) float64 {
	return r.share(&l.scanTerm, l.TFs()[l.at], doc)
}
