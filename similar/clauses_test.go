package similar_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/query"
	"github.com/gridstride/gridstride/similar/text"
	"github.com/gridstride/gridstride/similar/weight"
)

// A plain reference for the clauses of a query: what counts, and what matches.

// unit is a term of a clause, as the clause has it.
type unit struct {
	term   string
	df     int64
	n      int64
	factor float64
}

// units appends the terms of a clause that count.
func (r *reference) units(dst []unit, c query.Clause, factor float64) []unit {
	switch c := c.(type) {
	case query.Phrase:
		return r.units(dst, query.Words{Text: c.Text}, factor)
	case query.Words:
		for _, word := range strings.Fields(c.Text) {
			dst = r.spoken(dst, word, factor)
		}
	case query.Prefix, query.Fuzzy:
		near, df := r.expand(c), int64(0)
		for t := range near {
			df = max(df, r.frequency[t])
		}
		for _, t := range slices.Sorted(maps.Keys(near)) {
			dst = append(dst, unit{t, df, 1, factor / float64(1+near[t])})
		}
	case query.Boosted:
		return r.units(dst, c.Clause, factor*c.Factor)
	case query.Field:
		switch r.field(c.Name).Type {
		case similar.KeywordField:
			return append(dst, unit{keyword(c.Name, textOf(c.Clause)), r.frequency[keyword(c.Name, textOf(c.Clause))], 1, factor})
		case similar.NumberField:
			return dst
		}
		return r.in(c.Name).units(dst, c.Clause, factor)
	case query.Group:
		for _, item := range c {
			if item.Occur != query.Excluded {
				dst = r.units(dst, item.Clause, factor)
			}
		}
	}
	return dst
}

// textOf is the value that a clause about a keyword or a number looks for.
func textOf(c query.Clause) string {
	if p, ok := c.(query.Phrase); ok {
		return p.Text
	}
	return c.(query.Words).Text
}

// choosing reports whether a clause has a range, or a number that chooses as a range does.
func choosing(r *reference, c query.Clause) bool {
	switch c := c.(type) {
	case query.Range:
		return true
	case query.Field:
		return r.field(c.Name).Type == similar.NumberField
	case query.Boosted:
		return choosing(r, c.Clause)
	case query.Group:
		return slices.ContainsFunc(c, func(item query.Item) bool { return choosing(r, item.Clause) })
	}
	return false
}

// expand returns the terms that a prefix or a fuzzy word stands for, and their distances. Words of
// the random collections are their own terms.
func (r *reference) expand(c query.Clause) map[string]int {
	near, ok := r.expanded[c]
	if ok {
		return near
	}
	near = map[string]int{}
	r.expanded[c] = near
	for t, n := range r.frequency {
		switch c := c.(type) {
		case query.Prefix:
			if n > 0 && strings.HasPrefix(t, c.Text) {
				near[t] = 0
			}
		case query.Fuzzy:
			if d := plainDistance([]rune(t), []rune(c.Text)); n > 0 && d <= c.Distance {
				near[t] = d
			}
		}
	}
	most := similar.MaxPrefixTerms
	if _, fuzzy := c.(query.Fuzzy); fuzzy {
		most = similar.MaxFuzzyTerms
	}
	list := slices.SortedFunc(maps.Keys(near), func(a, b string) int {
		return cmp.Or(cmp.Compare(near[a], near[b]), cmp.Compare(r.frequency[b], r.frequency[a]), cmp.Compare(a, b))
	})
	for _, t := range list[min(most, len(list)):] {
		delete(near, t)
	}
	return near
}

// plainDistance is the edit distance by its definition.
func plainDistance(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	if a[len(a)-1] == b[len(b)-1] {
		return plainDistance(a[:len(a)-1], b[:len(b)-1])
	}
	n := 1 + min(plainDistance(a[:len(a)-1], b), plainDistance(a, b[:len(b)-1]), plainDistance(a[:len(a)-1], b[:len(b)-1]))
	if i, j := len(a), len(b); i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
		n = min(n, 1+plainDistance(a[:i-2], b[:j-2]))
	}
	return n
}

// verdict says whether a document meets a clause. It is silent for a clause that says nothing.
type verdict int

const (
	silent verdict = iota
	no
	yes
)

func verdictOf(ok bool) verdict {
	if ok {
		return yes
	}
	return no
}

func (r *reference) match(c query.Clause, o query.Occur, d *counted) verdict {
	switch c := c.(type) {
	case query.Boosted:
		return r.match(c.Clause, o, d)
	case query.Field:
		switch r.field(c.Name).Type {
		case similar.KeywordField:
			return verdictOf(d.counts[keyword(c.Name, textOf(c.Clause))] > 0)
		case similar.NumberField:
			x, err := strconv.ParseFloat(d.Fields[c.Name], 64)
			want, _ := strconv.ParseFloat(textOf(c.Clause), 64)
			return verdictOf(err == nil && x == want)
		}
		of := similar.Document{}
		switch c.Name {
		case "title":
			of.Title = d.Title
		case "text":
			of.Text = d.Text
		default:
			of.Fields = map[string]string{c.Name: d.Fields[c.Name]}
		}
		return r.in(c.Name).match(c.Clause, o, r.analyseIn(of, d.Document))
	case query.Range:
		return verdictOf(inRange(c, d.Fields[c.Name]))
	case query.Phrase:
		return r.matchPhrase(c, d)
	case query.Words:
		v := silent
		for _, word := range strings.Fields(c.Text) {
			for _, a := range r.languages {
				n, all, any := 0, true, false
				for t := range a.Terms(word) {
					n++
					has := d.counts[t.Text] > 0
					all, any = all && has, any || has
				}
				if n > 0 {
					v = max(v, verdictOf(all || any && o == query.Optional))
				}
			}
		}
		return v
	case query.Prefix, query.Fuzzy:
		for t := range r.expand(c) {
			if d.counts[t] > 0 {
				return yes
			}
		}
		return no
	case query.Group:
		return r.matchGroup(c, d)
	}
	panic("a clause that the reference does not know")
}

// inRange reads numbers alone.
func inRange(c query.Range, value string) bool {
	x, err := strconv.ParseFloat(value, 64)
	low, lowErr := strconv.ParseFloat(c.Low, 64)
	high, highErr := strconv.ParseFloat(c.High, 64)
	return err == nil && (lowErr != nil || x > low || x == low && !c.OpenLow) && (highErr != nil || x < high || x == high && !c.OpenHigh)
}

func (r *reference) matchGroup(g query.Group, d *counted) verdict {
	var of [3][]verdict
	for _, item := range g {
		if v := r.match(item.Clause, item.Occur, d); v != silent {
			of[item.Occur] = append(of[item.Occur], v)
		}
	}
	required, excluded, optional := of[query.Required], of[query.Excluded], of[query.Optional]
	switch {
	case len(required)+len(excluded)+len(optional) == 0:
		return silent
	case slices.Contains(required, no) || slices.Contains(excluded, yes):
		return no
	case len(required) > 0 || len(optional) == 0:
		return yes
	}
	return verdictOf(slices.Contains(optional, yes))
}

// matchPhrase tries all places for the words of a phrase in each text, one word after the other. It
// takes every word for a term: phrases of the random collections have no stop words.
func (r *reference) matchPhrase(c query.Phrase, d *counted) verdict {
	v := silent
	for _, a := range r.languages {
		var want []string
		for t := range a.Terms(c.Text) {
			want = append(want, t.Text)
		}
		if len(want) > 0 {
			v = max(v, verdictOf(r.hasPhrase(want, c.Slop, d)))
		}
	}
	return v
}

// hasPhrase tries all places for terms in each text.
func (r *reference) hasPhrase(want []string, slop int, d *counted) bool {
	texts := map[string]string{"title": d.Title, "text": d.Text}
	maps.Copy(texts, d.Fields)
	for name, text := range texts {
		f := r.field(name)
		if f.Weight == 0 {
			continue
		}
		var have []string
		for place, t := range r.speaker(f, d.whole).Places(text) {
			have = append(have, make([]string, place-len(have))...) // stop words keep their places
			have = append(have, t.Text)
		}
		for low := -len(want); low <= len(have); low++ {
			if assign(want, have, 0, low, low+slop, map[int]bool{}) {
				return true
			}
		}
	}
	return false
}

// assign finds places for the words from one on, each less its place in the phrase from low to high.
func assign(want, have []string, from, low, high int, taken map[int]bool) bool {
	if from == len(want) {
		return true
	}
	for at := max(0, low+from); at <= min(high+from, len(have)-1); at++ {
		if have[at] == want[from] && !taken[at] {
			taken[at] = true
			if assign(want, have, from+1, low, high, taken) {
				return true
			}
			delete(taken, at)
		}
	}
	return false
}

// searchClause is search with clauses.
func (r *reference) searchClause(q similar.Query) []similar.Hit {
	r.expanded = map[query.Clause]map[string]int{}
	var units []unit
	if q.Clause != nil {
		units = r.units(nil, q.Clause, 1)
	}
	if len(r.languages) > 1 {
		units = r.units(units, query.Words{Text: q.Text}, 1)
	}
	rest := q
	rest.Clause = nil
	names, _ := r.query(rest)
	counts := r.countsOf(rest)
	for _, n := range names {
		units = append(units, unit{n, r.frequency[n], counts[n], float64(counts[n])})
	}
	type key struct {
		term string
		df   int64
	}
	all, factors := map[key]int64{}, map[key]float64{}
	for _, u := range units {
		all[key{u.term, u.df}] += u.n
		factors[key{u.term, u.df}] += u.factor
	}
	keys := slices.SortedFunc(maps.Keys(all), func(a, b key) int {
		if c := strings.Compare(a.term, b.term); c != 0 {
			return c
		}
		return int(a.df - b.df)
	})
	terms := make([]weight.Term, len(keys))
	for i, k := range keys {
		terms[i] = weight.Term{Count: all[k], DF: k.df}
	}
	weights := map[string]float64{}
	for i, w := range r.scheme.Query(terms, r.collection) {
		k := keys[i]
		weights[k.term] += w * (factors[k] / float64(all[k]))
	}
	return r.rank(q, weights, func(d *counted) bool { return q.Clause == nil || r.match(q.Clause, query.Optional, d) != no })
}

// hasField reports whether a clause has fields or ranges.
func hasField(c query.Clause) bool {
	switch c := c.(type) {
	case query.Field, query.Range:
		return true
	case query.Boosted:
		return hasField(c.Clause)
	case query.Group:
		return slices.ContainsFunc(c, func(item query.Item) bool { return hasField(item.Clause) })
	}
	return false
}

// clause returns a random clause.
func (c *campaign) clause(depth int) query.Clause {
	switch n := c.r.IntN(17); {
	case n == 16:
		low := c.r.IntN(60)
		return []query.Clause{
			query.Range{Name: "number", Low: fmt.Sprint(low), High: fmt.Sprint(low + c.r.IntN(30))},
			query.Range{Name: "number", Low: fmt.Sprint(low), OpenLow: c.r.IntN(2) == 0},
			query.Range{Name: "number", High: fmt.Sprint(low), OpenHigh: c.r.IntN(2) == 0},
			query.Range{Name: "none", Low: "1"},
		}[c.r.IntN(4)]
	case n >= 14 && depth > 0:
		of := c.clause(depth - 1)
		name := []string{"title", "text", "author", "keywords", "none", "number"}[c.r.IntN(6)]
		switch kind := c.ref.field(name).Type; {
		case kind == similar.KeywordField:
			word := c.word()
			of = []query.Clause{query.Words{Text: word}, query.Phrase{Text: word}, query.Phrase{Text: word + " " + c.word()}}[c.r.IntN(3)]
		case kind == similar.NumberField:
			of = query.Words{Text: []string{"12", "012.0", "-1", fmt.Sprint(c.r.IntN(80))}[c.r.IntN(4)]}
		case hasField(of):
			return of
		}
		return query.Field{Name: name, Clause: of}
	case n >= 14:
		return query.Words{Text: c.word()}
	case n >= 12:
		return query.Phrase{Text: strings.TrimSpace(c.textOf(1 + c.r.IntN(3))), Slop: c.r.IntN(4) * c.r.IntN(2)}
	case n == 10:
		return query.Prefix{Text: []string{"w", "w1", "w2", "x", c.word()}[c.r.IntN(5)]}
	case n == 11:
		return query.Fuzzy{Text: []string{c.word(), "w1x", "1w", "v12", "absent"}[c.r.IntN(5)], Distance: 1 + c.r.IntN(2)}
	case n < 5 || depth == 0:
		return query.Words{Text: strings.TrimSpace(c.textOf(1 + c.r.IntN(2)))}
	case n == 5:
		return query.Words{Text: c.word() + "-" + c.word()}
	case n == 6:
		return query.Boosted{Clause: c.clause(depth - 1), Factor: []float64{.5, 2, 3, 1.7}[c.r.IntN(4)]}
	case n == 7:
		return query.Words{Text: []string{"the", "absent", "of the", "absent " + c.word()}[c.r.IntN(4)]}
	}
	var g query.Group
	for range 1 + c.r.IntN(4) {
		g = append(g, query.Item{Occur: []query.Occur{query.Optional, query.Optional, query.Required, query.Excluded}[c.r.IntN(4)], Clause: c.clause(depth - 1)})
	}
	return g
}

// searchClauses holds a search with clauses to the plain loop.
func (c *campaign) searchClauses(find func(context.Context, similar.Query) ([]similar.Hit, error)) {
	q := c.query()
	if c.r.IntN(3) > 0 {
		q.Text, q.Document, q.Like = "", nil, nil
	}
	q.Clause = c.clause(3)
	want := q // of the plain loop, which knows no conditions
	if c.r.IntN(5) == 0 {
		author := c.word()
		q.Where = similar.Not(similar.Is("author", author))
		if c.r.IntN(2) == 0 {
			q.Where = similar.Is("author", author)
		}
		where, both := q.Where, q.Filter
		want.Filter = func(d *similar.Document) bool { return where.Match(d) && (both == nil || both(d)) }
	}
	got, err := find(context.Background(), q)
	if err != nil {
		c.t.Fatal(err)
	}
	c.hold(q, fmt.Sprint(q.Clause), got, c.ref.searchClause(want))
	if parsed, err := query.Parse(q.Clause.String(), query.Options{Field: func(string) bool { return true }}); err == nil {
		q.Clause, want.Clause = parsed, parsed
		again, err := find(context.Background(), q)
		if err != nil {
			c.t.Fatal(err)
		}
		c.hold(q, fmt.Sprintf("%s as it is read again, %#v", q.Clause, parsed), again, c.ref.searchClause(want))
	}
}

// TestClauses holds searches with clauses to the plain loop, bit for bit, over one index and over
// shards.
func TestClauses(t *testing.T) {
	t.Parallel()
	for seed := range uint64(max(1, *rounds/10)) {
		c := newCampaign(t, seed)
		s := sharded(c, 1+c.r.IntN(3))
		for range 3 {
			var docs []similar.Document
			for range c.r.IntN(120) {
				docs = append(docs, c.document())
			}
			c.ref.add(docs...)
			if err := s.Add(context.Background(), docs...); err != nil {
				t.Fatal(err)
			}
			if err := c.x.Add(context.Background(), docs...); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				c.searchClauses(c.x.Search)
				c.searchClauses(s.Search)
			}
		}
		c.x.Close()
	}
}

// TestClausesOfLargeLists has lists of many blocks and several windows.
func TestClausesOfLargeLists(t *testing.T) {
	t.Parallel()
	for seed := range uint64(1) {
		c := newCampaign(t, seed*4)
		c.ids, c.words, c.long = 18_000, 250, 8
		docs := make([]similar.Document, 12_000)
		for range 2 {
			for i := range docs {
				docs[i] = similar.Document{ID: c.id(), Text: c.textOf(c.r.IntN(c.long))}
			}
			c.ref.add(docs...)
			if err := c.x.Add(context.Background(), docs...); err != nil {
				t.Fatal(err)
			}
		}
		for range 12 {
			c.searchClauses(c.x.Search)
		}
	}
}

// TestClausesCounted counts the values of fields in the documents that match.
func TestClausesCounted(t *testing.T) {
	t.Parallel()
	x := indexOf(t, similar.Options{})
	for i, text := range []string{"heap", "heap tree", "tree", "heap queue"} {
		d := similar.Document{ID: fmt.Sprint(i), Text: text, Fields: map[string]string{"kind": []string{"a", "b"}[i%2]}}
		if err := x.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{"heap -tree": "[[{a 1} {b 1}]]", "heap AND tree": "[[{b 1}]]", "heap OR tree": "[[{a 2} {b 2}]]"} {
		c, err := query.Parse(text, query.Options{})
		if err != nil {
			t.Fatal(err)
		}
		counts, err := x.Counts(t.Context(), similar.Query{Clause: c}, -1, "kind")
		if got := fmt.Sprint(counts); got != want || err != nil {
			t.Errorf("%s counts %s, want %s; %v", text, got, want, err)
		}
	}
}

// TestClausesOfWords holds a query of words as a clause to the same words as text.
func TestClausesOfWords(t *testing.T) {
	t.Parallel()
	for seed := range uint64(24) {
		c := newCampaign(t, seed)
		for range 3 {
			c.change()
		}
		text := c.textOf(c.r.IntN(9))
		want, err1 := c.x.Search(t.Context(), similar.Query{Text: text})
		parsed, err2 := query.Parse(text, query.Options{})
		got, err3 := c.x.Search(t.Context(), similar.Query{Clause: parsed})
		if err1 != nil || err2 != nil || err3 != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q finds %v as a clause, and %v as text; %v, %v, %v", text, got, want, err1, err2, err3)
		}
	}
}

// TestClausesByVector leaves out of the answers by a vector what does not match.
func TestClausesByVector(t *testing.T) {
	t.Parallel()
	x, err := similar.New(similar.Options{Vectors: similar.VectorOptions{Dimension: 2}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Add(t.Context(),
		similar.Document{ID: "a", Text: "heap", Vector: []float32{1, 0}},
		similar.Document{ID: "b", Text: "tree", Vector: []float32{1, 0.1}},
		similar.Document{ID: "c", Text: "heap tree", Vector: []float32{1, 0.2}}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"heap": "[a c]", "+heap -tree": "[a]", "heap OR tree": "[a b c]", "tree AND heap": "[c]"} {
		c, err := query.Parse(text, query.Options{})
		if err != nil {
			t.Fatal(err)
		}
		hits, err := x.Search(t.Context(), similar.Query{Clause: c, Vector: []float32{1, 0}})
		ids := []string{}
		for _, h := range hits {
			ids = append(ids, h.Document.ID)
		}
		slices.Sort(ids)
		if err != nil || fmt.Sprint(ids) != want {
			t.Errorf("%q with a vector finds %v, want %s; %v", text, ids, want, err)
		}
	}
}

// TestClausesRefused has trees that cannot be answered.
func TestClausesRefused(t *testing.T) {
	t.Parallel()
	x, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, c := range []query.Clause{query.Any(nil), query.Boosted{Clause: query.Words{Text: "a"}}, query.Field{Name: "a", Clause: query.Field{Name: "b", Clause: query.Words{Text: "a"}}}} {
		if _, err := x.Search(t.Context(), similar.Query{Clause: c}); err == nil {
			t.Errorf("%v is answered", c)
		}
	}
	for _, c := range []query.Clause{query.Range{Name: "year", Low: "late"}, query.All(query.Words{Text: "a"}, query.Range{Name: "year", Low: "early"})} {
		if _, err := x.Search(t.Context(), similar.Query{Clause: c}); !errors.Is(err, similar.ErrQuery) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// TestFieldsInText reads queries about fields: those that documents have, and the title and the text.
func TestFieldsInText(t *testing.T) {
	t.Parallel()
	x, err := similar.New(similar.Options{Text: text.Config{NGrams: 2}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Add(t.Context(),
		similar.Document{ID: "a", Title: "A heap", Text: "trees", Fields: map[string]string{"year": "1969", "kind": "short note; book"}},
		similar.Document{ID: "b", Title: "Trees", Text: "heaps and a heap of trees", Fields: map[string]string{"year": "1971-05"}},
		similar.Document{ID: "c", Text: "heap: trees"}); err != nil {
		t.Fatal(err)
	}
	for s, want := range map[string]string{
		"title:heap": "a", "title:trees": "b", "text:heaps": "b c", "-title:heap trees": "b c", "kind:note heap": "a b c",
		"+kind:note heap": "a", `kind:"note short"`: "", `kind:"short note"`: "a", "title:(heap OR tree)": "a b", "title:he*": "a",
		"+heap +year:1969..1970": "a", "+heap +year:>1969": "b", "+heap -year:<=1969": "b c", "heap AND year:1971-01..1971-06": "b",
		"http:heap": "a b c", "nothing:heap": "a b c",
	} {
		c, err := query.Parse(s, query.Options{Field: x.HasField})
		if err != nil {
			t.Fatal(err)
		}
		hits, err := x.Search(t.Context(), similar.Query{Clause: c})
		ids := []string{}
		for _, h := range hits {
			ids = append(ids, h.Document.ID)
		}
		slices.Sort(ids)
		if got := strings.Join(ids, " "); got != want || err != nil {
			t.Errorf("%s, read as %s, finds %s, want %s; %v", s, c, got, want, err)
		}
	}
	if x.HasField("http") || !x.HasField("year") {
		t.Error("the fields are others")
	}
}
