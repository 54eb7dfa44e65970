package page

import (
	"cmp"
	priority "container/heap"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/similar"
)

// A session answers as one index of all documents does, bit for bit: shards have the statistics of
// the collection, and lists are merged by what they are sorted by. What a shard says is checked: a
// list that no shard gives is no answer.

func (s *session) matches(ctx context.Context, r *request, n int) ([]place, error) {
	if r.Collapse > 0 {
		return nil, &statusError{status: http.StatusNotImplemented, err: errors.New("collapse compares documents of different shards, which a front does not: ask without it, or one index")}
	}
	if err := s.prepare(ctx, r); err != nil {
		return nil, err
	}
	plain, first := &question{N: n}, s.present()[0]
	suggest := &question{N: n, Suggest: r.suggests()} // any shard knows as much of words as all
	answers, err := scatterTo(ctx, s, scattered[shardMatches]{
		name: "matches", r: r, shards: s.present(),
		of: func(shard int) *question {
			if shard == first {
				return suggest
			}
			return plain
		},
		accept: func(_ int, a *shardMatches) error { return checkRanked(a.Matches, r.order, n) },
	})
	if err != nil {
		return nil, err
	}
	m := &merging{orders: r.order}
	s.better = ""
	for _, a := range answers {
		s.better = cmp.Or(s.better, a.answer.Suggestion)
		if list := a.answer.Matches; len(list) > 0 {
			m.lists = append(m.lists, gathered[[]similar.Ranked]{a.shard, list})
		}
	}
	var places []place
	priority.Init(m)
	for len(m.lists) > 0 && len(places) < n {
		first := &m.lists[0]
		best := first.answer[0]
		if other, ok := s.owner[best.ID]; ok && other != first.shard {
			return nil, fmt.Errorf("similar: shards %d and %d both have the document %q", other, first.shard, best.ID)
		}
		s.owner[best.ID] = first.shard
		places = append(places, place{best.ID, best.Score, len(places) + 1})
		if first.answer = first.answer[1:]; len(first.answer) == 0 {
			priority.Pop(m)
		} else {
			priority.Fix(m, 0)
		}
	}
	return places, nil
}

// checkRanked is an error for a list that no search for n documents returns.
func checkRanked(list []similar.Ranked, orders []similar.Order, n int) error {
	if list == nil || len(list) > n {
		return fmt.Errorf("%d matches; want %d at most", len(list), n)
	}
	for i := range list {
		if err := list[i].Check(len(orders)); err != nil {
			return err
		}
		if i > 0 && similar.CompareRanked(orders, list[i-1], list[i]) >= 0 {
			return errors.New("the matches are not in order")
		}
	}
	return nil
}

// A merging is the lists of shards, as a heap.
type merging struct {
	orders []similar.Order
	lists  []gathered[[]similar.Ranked]
}

func (m *merging) Len() int { return len(m.lists) }
func (m *merging) Less(i, j int) bool {
	return similar.CompareRanked(m.orders, m.lists[i].answer[0], m.lists[j].answer[0]) < 0
}
func (m *merging) Swap(i, j int) { m.lists[i], m.lists[j] = m.lists[j], m.lists[i] }
func (m *merging) Push(any)      { panic("BUG: a list is added to a merge") }

// Pop implements container/heap.Interface.
func (m *merging) Pop() any {
	m.lists = m.lists[:len(m.lists)-1]
	return nil
}

// byOwner sorts ids by the shards that have them. It asks for those that it does not know.
func (s *session) byOwner(ctx context.Context, ids []string) (shards []int, of map[int][]string, err error) {
	var unknown []string
	for _, id := range ids {
		if _, ok := s.owner[id]; !ok {
			unknown = append(unknown, id)
		}
	}
	if len(unknown) > 0 {
		if _, err := s.titled(ctx, unknown); err != nil {
			return nil, nil, err
		}
	}
	of = map[int][]string{}
	for _, id := range ids {
		shard, ok := s.owner[id]
		if !ok || slices.Contains(s.gone, shard) {
			continue
		}
		if of[shard] == nil {
			shards = append(shards, shard)
		}
		of[shard] = append(of[shard], id)
	}
	return shards, of, nil
}

func (s *session) hits(ctx context.Context, r *request, places []place) ([]Hit, bool, error) {
	of := map[int]*question{}
	var shards []int
	for _, p := range places {
		shard := s.owner[p.ID]
		if of[shard] == nil {
			of[shard] = &question{}
			shards = append(shards, shard)
		}
		of[shard].Places = append(of[shard].Places, p)
	}
	answers, err := scatterTo(ctx, s, scattered[shardHits]{
		name: "hits", r: r, shards: shards, of: func(shard int) *question { return of[shard] },
		accept: func(shard int, a *shardHits) error { return a.check(of[shard].Places) },
	})
	if err != nil {
		return nil, false, err
	}
	byID, cut := map[string]Hit{}, map[int]bool{}
	for _, a := range answers {
		for _, h := range a.answer.Hits {
			h.Hit.Name, h.Hit.Heading = h.Name, h.Heading
			byID[h.ID] = h.Hit
		}
		cut[a.shard] = a.answer.Cut
	}
	var hits []Hit
	size := 0
	for _, p := range places {
		h, ok := byID[p.ID]
		if !ok && cut[s.owner[p.ID]] {
			return hits, true, nil
		}
		if !ok {
			continue // deleted since it was found
		}
		if size += h.size(); size > answerBytes && len(hits) > 0 {
			return hits, true, nil
		}
		h.Rank, h.Score = p.Rank, p.Score
		hits = append(hits, h)
	}
	return hits, false, nil
}

// check is an error for hits of other places, or in another order. If the list is cut, the last may
// be missing.
func (a *shardHits) check(places []place) error {
	n, gone := 0, 0
	for _, p := range places {
		switch {
		case n < len(a.Hits) && a.Hits[n].ID == p.ID:
			n++
		case gone < len(a.Gone) && a.Gone[gone] == p.ID:
			gone++
		case !a.Cut:
			return fmt.Errorf("no hit of %q", p.ID)
		}
	}
	if n < len(a.Hits) || gone < len(a.Gone) {
		return errors.New("hits that nobody asked for")
	}
	return nil
}

func (s *session) suggest(context.Context, *request) (string, error) { return s.better, nil }

func (s *session) values(ctx context.Context, r *request, most int) ([][]similar.ValueCount, error) {
	if err := s.prepare(ctx, r); err != nil {
		return nil, err
	}
	answers, err := scatterTo(ctx, s, scattered[[][]similar.ValueCount]{
		name: "values", r: r, shards: s.present(), of: same(&question{}),
		accept: func(_ int, list *[][]similar.ValueCount) error {
			if len(*list) != len(r.Field) {
				return errors.New("counts of other fields")
			}
			for _, values := range *list {
				if slices.ContainsFunc(values, func(v similar.ValueCount) bool { return v.Documents <= 0 || v.Documents > 1<<40 }) {
					return errors.New("a count that is none")
				}
			}
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	all := make([][]similar.ValueCount, len(r.Field))
	for i := range r.Field {
		counts := map[string]int{}
		for _, a := range answers {
			for _, v := range a.answer[i] {
				counts[v.Value] += v.Documents
			}
		}
		for value, n := range counts {
			all[i] = append(all[i], similar.ValueCount{Value: value, Documents: n})
		}
		slices.SortFunc(all[i], func(a, b similar.ValueCount) int {
			return cmp.Or(cmp.Compare(b.Documents, a.Documents), strings.Compare(a.Value, b.Value))
		})
		all[i] = all[i][:min(most, len(all[i]))]
	}
	return all, nil
}

// fromOwner asks the shard that has the document of a request.
func fromOwner[T any](ctx context.Context, s *session, name string, r *request, q *question, id func(*T) string) (*T, error) {
	shards := s.present()
	if owner, ok := s.owner[r.ID]; ok {
		shards = []int{owner}
	}
	answers, err := scatterTo(ctx, s, scattered[T]{
		name: name, r: r, shards: shards, of: same(q), absent: true,
		accept: func(_ int, a *T) error {
			if id(a) != r.ID {
				return errors.New("another document")
			}
			return nil
		},
	})
	switch {
	case err != nil:
		return nil, err
	case len(answers) == 0:
		return nil, s.unknown(r.ID)
	case len(answers) > 1:
		return nil, fmt.Errorf("similar: shards %d and %d both have the document %q", answers[0].shard, answers[1].shard, r.ID)
	}
	s.owner[r.ID] = answers[0].shard
	return &answers[0].answer, nil
}

func (s *session) why(ctx context.Context, r *request) (*Why, error) {
	if err := s.prepare(ctx, r); err != nil {
		return nil, err
	}
	w, err := fromOwner(ctx, s, "why", r, &question{}, func(w *Why) string { return w.ID })
	if err == nil {
		w.Missing = s.missing()
	}
	return w, err
}

func (s *session) text(ctx context.Context, r *request) (*Text, error) {
	return fromOwner(ctx, s, "text", r, &question{}, func(t *Text) string { return t.ID })
}

func (s *session) reading(ctx context.Context, r *request, terms []string) (*reading, error) {
	return fromOwner(ctx, s, "reading", r, &question{Terms: terms}, func(a *reading) string { return a.ID })
}

func (s *session) titled(ctx context.Context, ids []string) ([]similar.Document, error) {
	answers, err := scatterTo(ctx, s, scattered[[]similar.Document]{name: "titled", shards: s.present(), of: same(&question{IDs: ids})})
	if err != nil {
		return nil, err
	}
	found := map[string]similar.Document{}
	for _, a := range answers {
		for _, d := range a.answer {
			if slices.Contains(ids, d.ID) {
				s.owner[d.ID] = a.shard
				found[d.ID] = similar.Document{ID: d.ID, Title: d.Title}
			}
		}
	}
	var list []similar.Document
	for _, id := range ids {
		if d, ok := found[id]; ok {
			list = append(list, d)
		}
	}
	return list, nil
}

func (s *session) samples(ctx context.Context, ids []string) (list []similar.Sample, err error) {
	var ask []string
	for _, id := range ids {
		if s.held[id] == nil {
			ask = append(ask, id)
		}
	}
	if len(ask) > 0 {
		answers, err := scatterTo(ctx, s, scattered[[]similar.Sample]{name: "samples", shards: s.present(), of: same(&question{IDs: ask})})
		if err != nil {
			return nil, err
		}
		for _, a := range answers {
			for _, sample := range a.answer {
				s.owner[sample.ID], s.held[sample.ID] = a.shard, &sample
			}
		}
	}
	for _, id := range ids {
		if sample := s.held[id]; sample != nil {
			list = append(list, *sample)
		}
	}
	return list, nil
}

func (s *session) similarities(ctx context.Context, ids []string) ([][]float64, error) {
	samples, err := s.samples(ctx, ids)
	if err != nil {
		return nil, err
	}
	shards, of, err := s.byOwner(ctx, ids)
	if err != nil {
		return nil, err
	}
	answers, err := scatterTo(ctx, s, scattered[[][]float64]{
		name: "scores", shards: shards,
		of:     func(shard int) *question { return &question{Queries: ids, IDs: of[shard], Elsewhere: samples} },
		accept: func(shard int, m *[][]float64) error { return checkRows(*m, len(ids), len(of[shard])) },
	})
	if err != nil {
		return nil, err
	}
	scores := make([][]float64, len(ids))
	for i := range scores {
		scores[i] = make([]float64, len(ids))
	}
	for _, a := range answers {
		for i, row := range a.answer {
			for n, id := range of[a.shard] {
				scores[i][slices.Index(ids, id)] = row[n]
			}
		}
	}
	return scores, nil
}

func checkRows(m [][]float64, rows, columns int) error {
	if len(m) != rows || slices.ContainsFunc(m, func(row []float64) bool { return len(row) != columns }) {
		return errors.New("scores of other documents")
	}
	return nil
}

func (s *session) tally(ctx context.Context, ids []string) (tally, int, error) {
	if len(ids) == 0 {
		return tally{}, 0, nil
	}
	shards, of, err := s.byOwner(ctx, ids)
	if err != nil {
		return nil, 0, err
	}
	answers, err := scatterTo(ctx, s, scattered[shardTally]{
		name: "tally", shards: shards, of: func(shard int) *question { return &question{IDs: of[shard]} }, accept: checkTally,
	})
	t, n := tally{}, 0
	for _, a := range answers {
		t.merge(a.answer.Fields)
		n += a.answer.Documents
	}
	return t, n, err
}

func checkTally(_ int, t *shardTally) error {
	if t.Fields == nil || t.Documents < 0 || t.Documents > maxNamed {
		return errors.New("a count that is none")
	}
	for _, values := range t.Fields {
		for _, n := range values {
			if n < 0 || n > t.Documents {
				return errors.New("a count that is none")
			}
		}
	}
	return nil
}

// merge adds the counts of other documents.
func (t tally) merge(other tally) {
	for name, values := range other {
		if t[name] == nil {
			t[name] = map[string]int{}
		}
		for value, n := range values {
			t[name][value] += n
		}
	}
}

// overview is of documents from all over each shard.
func (s *session) overview(ctx context.Context) (*Overview, error) {
	answers, err := scatterTo(ctx, s, scattered[shardTally]{name: "overview", shards: s.present(), of: same(&question{}), accept: checkTally})
	if err != nil {
		return nil, err
	}
	o, t := &Overview{}, tally{}
	for _, a := range answers {
		o.Looked += a.answer.Documents
		t.merge(a.answer.Fields)
	}
	for i := 0; i < begins && len(o.Begin) < begins; i++ {
		for _, a := range answers {
			if i < len(a.answer.Begin) && len(o.Begin) < begins {
				o.Begin = append(o.Begin, a.answer.Begin[i])
			}
		}
	}
	slices.SortFunc(o.Begin, func(a, b similar.Document) int { return strings.Compare(a.ID, b.ID) })
	o.Facets = t.facets(o.Looked)
	return o, nil
}

// mostNumbers is how many shards a text names.
const mostNumbers = 20

// numbers are the numbers of shards, as people read them.
func numbers(list []int) string {
	var texts []string
	for _, n := range list[:min(len(list), mostNumbers)] {
		texts = append(texts, strconv.Itoa(n))
	}
	if more := len(list) - len(texts); more > 0 {
		texts = append(texts, strconv.Itoa(more)+" more")
	}
	last := len(texts) - 1
	if last == 0 {
		return "shard " + texts[0]
	}
	return "shards " + strings.Join(texts[:last], ", ") + " and " + texts[last]
}
