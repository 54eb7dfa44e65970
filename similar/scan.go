package similar

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/gridstride/gridstride/similar/internal/segment"
	"github.com/gridstride/gridstride/similar/weight"
)

// A part is searched in windows of consecutive documents. In each the scores are added up term by
// term, in the byte order of the terms, so that they have the bits of the definition.
//
// Once there are k documents, the terms whose greatest shares together do not reach the k-th score
// are not essential: a document without any other term cannot be among the best (MaxScore: Turtle
// and Flood, Query evaluation: strategies and optimizations, 1995). Their lists are looked into
// only for documents whose other terms score enough, and not where the bound of a block says that
// it is of no use (Ding and Suel, 2011). A document that passes is scored anew from its row, in the
// byte order of the terms. So pruning leaves documents out and changes no bits.
const windowLen = 4096

// tightShare is how much of the score to reach the terms that are not essential may have together,
// unless only one term is essential. With all of it, most documents that have one essential term
// would have to be looked up in the lists of the others: on the collection of package zipf, queries
// of 100 words take half the time with 0.6.
const tightShare = 0.6

// slack is how much rounding may take of a sum of shares, or of a bound, at most: scores are
// compared with a limit that is lower by it, and what passes is compared exactly.
const slack = 1 - 1e-9

// scan searches one part. Its memory is used again.
type scan struct {
	v     *view
	p     *part
	part  int
	q     *Query
	top   *top
	skip  []uint32     // documents to leave out, in order
	allow *docSet      // the documents that meet the query's condition; nil: all
	table *weightTable // nil where the scheme is not BM25
	codes []byte       // of the documents' lengths

	terms  []scanTerm // in byte order
	byRank []int      // indices of terms, by the rank of the term
	order  []int      // indices of terms, by ascending bound
	sums   []float64  // sums[i] bounds the shares of the first i of order
	loose  int        // the first loose terms of order are not essential
	tight  []int      // indices of the essential terms, in byte order
	parted float64    // the sum needed when loose and tight were found
	next   []uint32   // of each term a document, its next one if it is not below the window
	needed float64    // the sum that the shares of a document must reach
	broken error      // of a row or a document that was read

	matcher *matcher // of the query's clauses; nil where every document matches

	row     []segment.RowTerm
	scores  [windowLen]float64
	touched [windowLen / 64]uint64
}

type scanTerm struct {
	queryTerm
	segment.Cursor
	rank  uint32
	at    int // the next posting of block atOf
	atOf  int
	bound float64 // of the term's share in any document

	streams *streamCursor // nil if there is one stream
	block   int           // the block that most is of
	most    float64       // the bound of the share in that block
	tf      uint32        // in the document that is scored
}

var scans = sync.Pool{New: func() any { return new(scan) }}

// search returns the best documents of a view for the terms of a query, of those that a filter lets
// through, if there is one.
func (v *view) search(ctx context.Context, terms []queryTerm, f *filter, q *Query) ([]found, error) {
	if err := v.prepare(); err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	t := newTop(v, q.limit(), q.Threshold)
	alone := f != nil && f.alone
	if alone && q.Threshold <= 0 {
		t.floor = -1 // the scores are 0
	}
	for i, p := range v.parts {
		allowed, err := p.allowed(q.Where)
		if err != nil {
			return nil, fmt.Errorf("similar: %w", err)
		}
		s := scans.Get().(*scan)
		s.begin(v, i, p, terms, q, t)
		s.matcher = f.of(p)
		switch s.allow = allowed; {
		case alone:
			err = s.runAlike(ctx)
		case s.few():
			err = s.runAllowed(ctx)
		default:
			err = s.run(ctx)
		}
		if broken := s.damage(); err == nil && broken != nil {
			err = fmt.Errorf("similar: %w", broken)
		}
		s.end()
		if err != nil {
			return nil, err
		}
	}
	return t.sorted(), ctx.Err()
}

func (s *scan) begin(v *view, i int, p *part, terms []queryTerm, q *Query, t *top) {
	s.v, s.p, s.part, s.q, s.top = v, p, i, q, t
	s.table, s.codes, s.skip = v.tableOf(i), p.Codes().Of, s.skip[:0]
	for _, id := range q.Like {
		if ord, ok := p.find(id); ok {
			s.skip = append(s.skip, uint32(ord))
		}
	}
	s.terms, s.byRank, s.order, s.next, s.parted = s.terms[:0], s.byRank[:0], s.order[:0], s.next[:0], -1
	for _, qt := range terms {
		term, ok := p.FindTerm(qt.text)
		if !ok {
			continue
		}
		s.terms = slices.Grow(s.terms, 1)[:len(s.terms)+1]
		t := &s.terms[len(s.terms)-1]
		t.queryTerm, t.rank, t.at, t.atOf, t.block = qt, term.Rank, 0, 0, -1
		t.Open(p.Segment, term)
		s.openStreams(t)
		t.bound = s.boundOf(t, t.Bound())
		s.byRank, s.order, s.next = append(s.byRank, len(s.byRank)), append(s.order, len(s.order)), append(s.next, 0)
	}
	slices.SortFunc(s.byRank, func(a, b int) int { return int(s.terms[a].rank) - int(s.terms[b].rank) })
	slices.SortStableFunc(s.order, func(a, b int) int {
		switch x, y := s.terms[a].bound, s.terms[b].bound; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	s.sums = append(s.sums[:0], 0)
	for i, n := range s.order {
		s.sums = append(s.sums, s.sums[i]+s.terms[n].bound)
	}
}

// damage returns the error of what was read and is damaged.
func (s *scan) damage() error {
	for i := range s.terms {
		s.broken = cmp.Or(s.broken, s.terms[i].Err(), s.terms[i].streams.damage())
	}
	s.broken = cmp.Or(s.broken, s.matcher.damage())
	return s.broken
}

// end gives the memory back for another scan.
func (s *scan) end() {
	s.v, s.p, s.q, s.top, s.table, s.codes, s.allow, s.broken, s.matcher = nil, nil, nil, nil, nil, nil, nil, nil, nil
	for i := range s.terms {
		s.terms[i] = scanTerm{}
	}
	clear(s.scores[:])
	clear(s.touched[:])
	scans.Put(s)
}

// boundOf bounds the share of a term in documents that a bound covers.
func (v *view) boundOf(t queryTerm, b segment.Bound) float64 {
	most := 0.0
	for _, p := range b {
		most = max(most, v.scheme.Bound(int64(p.TF), t.df, int64(p.Length), v.collection))
	}
	return t.weight * most
}

// split finds the terms that are not essential.
func (s *scan) split() {
	if s.need(); s.needed == s.parted {
		return
	}
	if s.loose = s.below(s.needed); !s.alone() {
		s.loose = s.below(s.needed * tightShare)
	}
	s.tight, s.parted = append(s.tight[:0], s.order[s.loose:]...), s.needed
	slices.Sort(s.tight)
}

// below returns how many of the first terms of order have shares that together are less than a score.
func (s *scan) below(score float64) (n int) {
	for n < len(s.order) && s.sums[n+1] < score {
		n++
	}
	return n
}

func (s *scan) run(ctx context.Context) error {
	if s.matcher.leads() {
		return s.runLed(ctx)
	}
	from := uint32(0)
	for n := uint32(s.p.Len()); from < n; {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.split()
		if s.alone() {
			return s.runAlone(ctx, from)
		}
		from = s.nextOf(from)
		if from >= n {
			break
		}
		to := min(from+windowLen, n)
		for _, n := range s.tight {
			if s.next[n] < to {
				s.accumulate(&s.terms[n], from, to)
			}
		}
		s.collect(from)
		from = to
	}
	return nil
}

// runAlike considers all documents, for a query without words.
func (s *scan) runAlike(ctx context.Context) error {
	for doc := range uint32(s.p.Len()) {
		if doc%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if s.p.isDead(int(doc)) || s.allow != nil && !s.allow.has(doc) || s.skips(doc) || !s.matcher.reads && !s.matcher.matches(doc) {
			continue
		}
		s.offer(doc, 0)
	}
	return nil
}

// alone reports whether only one term is essential.
func (s *scan) alone() bool { return s.loose == len(s.order)-1 }

// runAlone considers the documents of the only essential term from one on. It knows the frequencies
// of all terms in a document that passes, and needs no windows and no rows.
func (s *scan) runAlone(ctx context.Context, from uint32) error {
	t := &s.terms[s.order[s.loose]]
	for t.Seek(from) {
		if err := ctx.Err(); err != nil {
			return err
		}
		rest, last := s.restOf(t, from)
		if s.mostOf(t)+rest >= s.needed {
			s.considerBlock(t, from, last, rest)
		}
		if last == none {
			break
		}
		from = last + 1
	}
	return nil
}

// restOf bounds what the terms that are not essential have in a document from one on up to a last
// one, which is in the present block of the essential term.
func (s *scan) restOf(t *scanTerm, from uint32) (rest float64, last uint32) {
	last = t.Last()
	for _, n := range s.order[:s.loose] {
		switch l := &s.terms[n]; {
		case l.DF() > denser*t.DF():
			rest += l.bound
		case l.Seek(from):
			rest, last = rest+s.mostOf(l), min(last, l.Last())
		}
	}
	return rest, last
}

// denser is how many times as many documents a term may have as the essential one to be bounded by
// its blocks, which would cut the other's into small pieces otherwise.
const denser = 8

// considerBlock considers the documents of the present block of the only essential term from one on
// up to another, in which the other terms have no more than rest.
func (s *scan) considerBlock(t *scanTerm, from, to uint32, rest float64) {
	if t.atOf != t.Block() {
		t.at, t.atOf = 0, t.Block()
	}
	docs := t.Docs()
	t.at += search(docs[t.at:], from)
	tfs, least := t.TFs(), s.leastTF(t, rest)
	for i := t.at; i < len(docs) && docs[i] <= to; i++ {
		if tfs[i] < least || s.allow != nil && !s.allow.has(docs[i]) {
			continue
		}
		share := s.share(t, tfs[i], docs[i])
		if share+rest >= s.needed {
			t.tf = tfs[i]
			s.consider(docs[i], share)
			least = s.leastTF(t, rest)
		}
	}
}

// leastTF returns a frequency of a term: in its present block a document in which the term is rarer
// does not score enough, however short it is, if the other terms have no more than rest.
func (s *scan) leastTF(t *scanTerm, rest float64) uint32 {
	shortest := uint32(math.MaxUint32)
	for _, p := range t.BlockBound() {
		shortest = min(shortest, p.Length)
	}
	for tf := uint32(1); tf < tableTFs; tf++ {
		most := 0.0
		if t.streams == nil {
			most = t.weight * s.v.scheme.Bound(int64(tf), t.df, int64(shortest), s.v.collection)
		} else {
			most = s.streamsBound(t, int64(tf), shortest)
		}
		if most+rest >= s.needed {
			return tf
		}
	}
	return tableTFs
}

// nextOf returns the first document from one on that has an essential term.
func (s *scan) nextOf(from uint32) uint32 {
	next := uint32(none)
	for _, n := range s.tight {
		if s.next[n] < from {
			t := &s.terms[n]
			s.next[n] = none
			if docs := s.advance(t, from); docs != nil {
				s.next[n] = docs[t.at]
			}
		}
		next = min(next, s.next[n])
	}
	return next
}

// advance moves to the first posting of a document not below doc, and returns the documents of its
// block, or nil.
func (s *scan) advance(t *scanTerm, doc uint32) []uint32 {
	for t.Seek(doc) {
		if t.atOf != t.Block() {
			t.at, t.atOf = 0, t.Block()
		}
		docs := t.Docs()
		if t.at += search(docs[t.at:], doc); t.at < len(docs) {
			return docs
		}
		if !t.Next() {
			break
		}
	}
	return nil
}

// mostOf bounds the share of a term in the documents of its present block.
func (s *scan) mostOf(t *scanTerm) float64 {
	if t.block != t.Block() {
		t.block, t.most = t.Block(), s.boundOf(t, t.BlockBound())
	}
	return t.most
}

// search returns how many of the documents are below doc. Most often they are few.
func search(docs []uint32, doc uint32) int {
	const few = 8
	for i, d := range docs[:min(few, len(docs))] {
		if d >= doc {
			return i
		}
	}
	low, high := min(few, len(docs)), len(docs)
	for low < high {
		if mid := int(uint(low+high) / 2); docs[mid] < doc {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// accumulate adds the shares of a term to the scores of a window.
func (s *scan) accumulate(t *scanTerm, base, to uint32) {
	from := base
	for docs := s.advance(t, from); docs != nil; docs = s.advance(t, from) {
		n := len(docs)
		if docs[n-1] >= to {
			n = t.at + search(docs[t.at:], to)
		}
		if n == t.at {
			return
		}
		docs, tfs := docs[t.at:n], t.TFs()[t.at:n]
		if s.table != nil {
			s.addTable(t, docs, tfs, base)
		} else {
			s.addAny(t, docs, tfs, base)
		}
		if t.at, from = n, docs[len(docs)-1]+1; from >= to {
			return
		}
	}
}

// addTable adds shares of BM25.
func (s *scan) addTable(t *scanTerm, docs, tfs []uint32, base uint32) {
	codes, q, tfs := s.codes, t.weight, tfs[:len(docs)]
	for i, d := range docs {
		tf, code := tfs[i], codes[d]
		var w float64
		if tf < tableTFs && code != segment.OtherLength {
			w = s.table[tf<<8|uint32(code)]
		} else {
			w = s.v.scheme.Document(int64(tf), t.df, weight.Document{Length: int64(s.p.Lengths()[d])}, s.v.collection)
		}
		j := d - base
		s.scores[j] += float64(q * w)
		s.touched[j/64] |= 1 << (j % 64)
	}
}

// addAny adds shares of any scheme.
func (s *scan) addAny(t *scanTerm, docs, tfs []uint32, base uint32) {
	for i, d := range docs {
		j := d - base
		s.scores[j] += float64(s.share(t, tfs[i], d))
		s.touched[j/64] |= 1 << (j % 64)
	}
}

func (s *scan) share(t *scanTerm, tf, doc uint32) float64 {
	if code := s.codes[doc]; s.table != nil && tf < tableTFs && code != segment.OtherLength {
		return t.weight * s.table[tf<<8|uint32(code)]
	}
	if t.streams != nil {
		return s.shareAt(t, tf, doc)
	}
	return s.v.share(t.queryTerm, tf, s.v.normed(s.part, int(doc)))
}

// collect considers the documents of a window, in order.
func (s *scan) collect(base uint32) {
	for w, word := range s.touched {
		if word == 0 {
			continue
		}
		s.touched[w] = 0
		for ; word != 0; word &= word - 1 {
			j := w*64 + bits.TrailingZeros64(word)
			score := s.scores[j]
			s.scores[j] = 0
			if score+s.sums[s.loose] >= s.needed && (s.allow == nil || s.allow.has(base+uint32(j))) {
				s.consider(base+uint32(j), score)
			}
		}
	}
}

// consider keeps a document whose essential terms have a score if it is among the best.
func (s *scan) consider(doc uint32, score float64) {
	for i := s.loose - 1; i >= 0; i-- {
		t := &s.terms[s.order[i]]
		if score+s.sums[i+1] < s.needed {
			return
		}
		if t.tf = 0; !t.Seek(doc) {
			continue
		}
		if score+s.mostOf(t)+s.sums[i] < s.needed {
			return
		}
		if docs := s.advance(t, doc); docs != nil && docs[t.at] == doc {
			t.tf = t.TFs()[t.at]
			score += s.share(t, t.tf, doc)
		}
	}
	if score < s.needed || s.p.isDead(int(doc)) || s.skips(doc) {
		return
	}
	if s.matcher != nil && !s.matcher.reads && !s.matcher.matches(doc) {
		return
	}
	if s.loose > 0 {
		if !s.alone() {
			s.count(doc)
		}
		score = s.exact(doc)
	}
	s.offer(doc, score)
}

// skips reports whether a document is to be left out.
func (s *scan) skips(doc uint32) bool { return slices.Contains(s.skip, doc) }

// offer keeps a document that lives, and its score, if it is among the best.
func (s *scan) offer(doc uint32, score float64) {
	f := found{score, s.part, doc}
	if !s.top.wants(f) || s.matcher != nil && s.matcher.reads && !s.matcher.matches(doc) {
		return
	}
	if s.q.Filter != nil {
		d, err := s.p.document(int(doc))
		if err != nil {
			s.broken = cmp.Or(s.broken, err)
			return
		}
		if !s.q.Filter(&d) {
			return
		}
	}
	s.top.keep(f)
	s.need()
}

// need finds the sum that the shares of a document must reach. The share of a query's only term is
// the score, without rounding; where the last of the best is of this part, a later document of the
// same score comes after it, so that a share must exceed the score.
func (s *scan) need() {
	s.needed = s.top.limit() * slack
	if last, full := s.top.last(); full && last.part == s.part && len(s.order) == 1 && s.table != nil {
		s.needed = math.Nextafter(last.score, math.Inf(1))
	}
}

// count finds the frequencies of the terms in a document, from its row.
func (s *scan) count(doc uint32) {
	row, err := s.p.Row(int(doc), s.row[:0])
	s.row, s.broken = row, cmp.Or(s.broken, err)
	for _, n := range s.byRank {
		t := &s.terms[n]
		for len(row) > 0 && row[0].Rank() < t.rank {
			row = row[1:]
		}
		if t.tf = 0; len(row) > 0 && row[0].Rank() == t.rank {
			t.tf = row[0].Count()
		}
		if t.tf > 0 && t.streams != nil {
			t.streams.count(s.row)
		}
	}
}

// exact returns the score of a document whose frequencies are all known.
func (s *scan) exact(doc uint32) float64 {
	score := 0.0
	for i := range s.terms {
		switch t := &s.terms[i]; {
		case t.tf == 0:
		case t.streams != nil:
			score += float64(t.weight * s.v.weightOf(termCount{t.tf, t.streams.counts}, s.part, int(doc)))
		default:
			score += float64(s.share(t, t.tf, doc))
		}
	}
	return score
}
