package similar_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/query"
	"github.com/gridstride/gridstride/similar/text"
	"github.com/gridstride/gridstride/similar/weight"
)

// reference is the definition of a search: a plain loop over documents in maps.
type reference struct {
	analyzer   *text.Analyzer
	languages  map[string]*text.Analyzer // of the fields that are searched, by the names in the schema
	options    similar.Options
	scheme     weight.Scheme
	documents  map[string]*counted
	frequency  map[string]int64
	collection weight.Collection
	fields     map[string]similar.Field
	expanded   map[query.Clause]map[string]int // of the present query's prefixes and fuzzy words: terms and distances
}

type counted struct {
	similar.Document
	whole  similar.Document // this may be one field of it
	counts map[string]int64
	length int64

	streams map[string]map[string]int64 // of fields with a B, or "*"
	lengths map[string]int64
}

func newReference(t testing.TB, o similar.Options) *reference {
	a, err := text.NewAnalyzer(o.Text)
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]similar.Field{}
	for _, f := range o.Fields {
		fields[f.Name] = f
	}
	return &reference{fields: fields, options: o, languages: languagesOf(t, o), analyzer: a, scheme: o.Weight.Resolved(), documents: map[string]*counted{}, frequency: map[string]int64{}}
}

// field describes a field, as the schema says.
func (r *reference) field(name string) similar.Field {
	f, ok := r.fields[name]
	if !ok && name != "title" && name != "text" {
		f, ok = r.fields["*"]
	}
	if !ok {
		f.Weight = 1
	}
	return f
}

func (r *reference) analyse(d similar.Document) *counted { return r.analyseIn(d, d) }

// analyseIn analyses fields of a document, in the language of the whole document.
func (r *reference) analyseIn(d, whole similar.Document) *counted {
	doc := &counted{Document: d, whole: whole, counts: map[string]int64{}, streams: map[string]map[string]int64{}, lengths: map[string]int64{}}
	count := func(t string, n int64) {
		if n > 0 {
			doc.counts[t] += n
			doc.length += n
		}
	}
	add := func(field, text string) {
		f := r.field(field)
		for t := range r.speaker(f, whole).Terms(text) {
			count(t.Text, int64(f.Weight))
			if f.B != nil {
				if doc.streams[f.Name] == nil {
					doc.streams[f.Name] = map[string]int64{}
				}
				doc.streams[f.Name][t.Text] += int64(f.Weight)
				doc.lengths[f.Name] += int64(f.Weight)
			}
		}
		for v := range strings.SplitSeq(text, "; ") {
			if f.Type == similar.KeywordField && v != "" {
				count(keyword(field, v), 1)
			}
		}
	}
	add("title", d.Title)
	add("text", d.Text)
	for name, text := range d.Fields {
		add(name, text)
	}
	return doc
}

// keyword is the term of a keyword.
func keyword(field, value string) string { return "\x00" + field + "\x00" + value }

func (r *reference) add(docs ...similar.Document) {
	for _, d := range docs {
		r.remove(d.ID)
		c := r.analyse(d)
		r.documents[d.ID] = c
		r.collection = r.collection.Add(weight.Collection{Documents: 1, Terms: c.length, Postings: int64(len(c.counts))})
		for t := range c.counts {
			r.frequency[t]++
		}
	}
}

func (r *reference) remove(id string) bool {
	d, ok := r.documents[id]
	if !ok {
		return false
	}
	delete(r.documents, id)
	r.collection.Documents--
	r.collection.Terms -= d.length
	r.collection.Postings -= int64(len(d.counts))
	for t := range d.counts {
		r.frequency[t]--
	}
	return true
}

// query returns the terms of a query and their weights, in byte order.
func (r *reference) query(q similar.Query) (names []string, weights []float64) {
	counts := r.countsOf(q)
	names = slices.Sorted(maps.Keys(counts))
	terms := make([]weight.Term, len(names))
	for i, n := range names {
		terms[i] = weight.Term{Count: counts[n], DF: r.frequency[n]}
	}
	return names, r.scheme.Query(terms, r.collection)
}

// countsOf counts the terms of a query.
func (r *reference) countsOf(q similar.Query) map[string]int64 {
	counts := map[string]int64{}
	if len(r.languages) == 1 {
		for _, a := range r.languages {
			for t := range a.Terms(q.Text) {
				counts[t.Text]++
			}
		}
	}
	more := []map[string]int64{}
	if q.Document != nil {
		more = append(more, r.analyse(*q.Document).counts)
	}
	for _, id := range q.Like {
		more = append(more, r.documents[id].counts)
	}
	liked := map[string]int64{}
	for _, m := range more {
		for t, n := range m {
			liked[t] += n
		}
	}
	for t, n := range r.represent(liked, q.Terms) {
		counts[t] += n
	}
	return counts
}

func (r *reference) facts(d *counted) weight.Document {
	facts := weight.Document{Length: d.length, Unique: int64(len(d.counts))}
	for _, n := range d.counts {
		facts.MaxTF = max(facts.MaxTF, n)
	}
	squares := 0.0
	for _, t := range slices.Sorted(maps.Keys(d.counts)) {
		squares += r.scheme.Square(d.counts[t], r.frequency[t], facts, r.collection)
	}
	facts.Norm = r.scheme.Norm(squares)
	return facts
}

// means are the mean lengths of the fields with a B, and of all others together, which
// have no name. They are none if no field has one.
func (r *reference) means() map[string]float64 {
	totals := map[string]int64{}
	for _, f := range r.fields {
		if f.B != nil {
			totals[f.Name] = 0
		}
	}
	if len(totals) == 0 {
		return nil
	}
	rest := int64(0)
	for _, d := range r.documents {
		rest += d.length
		for name, n := range d.lengths {
			totals[name] += n
			rest -= n
		}
	}
	means := map[string]float64{"": float64(rest) / float64(len(r.documents))}
	for name, n := range totals {
		means[name] = float64(n) / float64(len(r.documents))
	}
	return means
}

// weight is the weight of a term that a document has. If fields have a B it is
// f·(k1+1)/(f+k1), and f the sum of tf/(1-b+b·length/mean) over the fields.
func (r *reference) weight(d *counted, term string, facts weight.Document, means map[string]float64) float64 {
	if means == nil {
		return r.scheme.Document(d.counts[term], r.frequency[term], facts, r.collection)
	}
	tfs, lengths := map[string]int64{"": d.counts[term]}, map[string]int64{"": d.length}
	for name, n := range d.lengths {
		tfs[name], lengths[name] = d.streams[name][term], n
		tfs[""] -= tfs[name]
		lengths[""] -= n
	}
	f := 0.0
	for _, name := range slices.Sorted(maps.Keys(tfs)) {
		if tfs[name] == 0 {
			continue
		}
		b := r.scheme.B
		if name != "" {
			b = *r.fields[name].B
		}
		relative := float64(lengths[name]) / means[name]
		f += float64(tfs[name]) / (1 - b + float64(b*relative))
	}
	return f * (r.scheme.K1 + 1) / (f + r.scheme.K1)
}

func (r *reference) search(q similar.Query) []similar.Hit {
	names, weights := r.query(q)
	of := map[string]float64{}
	for i, t := range names {
		of[t] = weights[i]
	}
	return r.rank(q, of, func(*counted) bool { return true })
}

// rank returns the documents that match, by the weights of terms.
func (r *reference) rank(q similar.Query, weights map[string]float64, match func(*counted) bool) (hits []similar.Hit) {
	names := slices.Sorted(maps.Keys(weights))
	means := r.means()
	alone := len(names) == 0 && len(q.Like) == 0 && q.Document == nil && choosing(r, q.Clause)
	for _, d := range r.documents {
		if slices.Contains(q.Like, d.ID) || q.Filter != nil && !q.Filter(&d.Document) || !match(d) {
			continue
		}
		facts, score := r.facts(d), 0.0
		for _, t := range names {
			if tf := d.counts[t]; tf > 0 {
				score += float64(weights[t] * r.weight(d, t, facts, means))
			}
		}
		if score > max(q.Threshold, 0) || alone && q.Threshold <= 0 {
			hits = append(hits, similar.Hit{Document: d.Document, Score: score})
		}
	}
	slices.SortFunc(hits, func(a, b similar.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Document.ID, b.Document.ID))
	})
	if q.K < 0 {
		return hits
	}
	return hits[:min(len(hits), cmp.Or(q.K, 10))]
}
