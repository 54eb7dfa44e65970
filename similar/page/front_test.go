package page

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
)

// vary finds the parts in which two answers to one request may differ.
var vary = regexp.MustCompile(`"took_ms":[0-9.e-]+|in [0-9.]+ ms`)

// randomDocuments returns documents of few words, many of one stem, so that scores tie and stems
// have words.
func randomDocuments(rng *rand.Rand, n int) (docs []similar.Document) {
	words := strings.Fields("heap heaps heaping queue queues queueing iterate iterator iterators iteration iterable list lists sort sorting sorted tree trees node nodes nation national rational relational zebra the of a")
	text := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = words[min(rng.IntN(len(words)), rng.IntN(len(words)))]
		}
		return strings.Join(list, " ")
	}
	for i := range n {
		d := similar.Document{ID: fmt.Sprintf("d%03d", i), Title: text(rng.IntN(3)), Text: text(rng.IntN(30)), Fields: similar.Fields{}}
		if rng.IntN(4) > 0 {
			d.Fields["year"] = fmt.Sprint(1960 + rng.IntN(5))
		}
		if rng.IntN(3) > 0 {
			d.Fields["kind"] = []string{"tree", "tree; chain", "queue", "9", "9.0", "10", "1969-07-20"}[rng.IntN(7)]
		}
		if i%17 == 0 {
			d.Fields["rare"] = words[rng.IntN(len(words))]
		}
		docs = append(docs, d)
	}
	return docs
}

// A deal is a collection in one index, and in the shards of a front.
type deal struct {
	docs    []similar.Document
	whole   *Handler
	front   *Front
	servers []*httptest.Server
	table   *similar.Table
}

// dealt deals documents to shards at random. wrap may put something between a shard and its server.
func dealt(t testing.TB, rng *rand.Rand, o similar.Options, docs []similar.Document, shards int, wrap func(shard int, h http.Handler) http.Handler) *deal {
	t.Helper()
	ctx := context.Background()
	index := func(docs []similar.Document) *similar.Index {
		x, err := similar.New(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = x.Close() })
		if err := x.Add(ctx, docs...); err != nil {
			t.Fatal(err)
		}
		return x
	}
	parts := make([][]similar.Document, shards)
	for _, d := range docs {
		i := rng.IntN(shards)
		parts[i] = append(parts[i], d)
	}
	one := index(docs)
	d := &deal{docs: docs, whole: handlerOf(t, one.Searcher, Options{})}
	var err error
	if d.table, err = one.Table(ctx); err != nil {
		t.Fatal(err)
	}
	var list []string
	for i, part := range parts {
		var h http.Handler = handlerOf(t, index(part).Searcher, Options{Table: d.table})
		if wrap != nil {
			h = wrap(i, h)
		}
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		d.servers, list = append(d.servers, s), append(list, s.URL)
	}
	d.front = frontTo(t, strings.Join(list, ","))
	return d
}

// frontTo returns the front of a list of shards, which ends with the test.
func frontTo(t testing.TB, list string) *Front {
	t.Helper()
	shards, err := ParseShards(list)
	if err != nil {
		t.Fatal(err)
	}
	return frontWith(t, shards, Options{}, nil)
}

// frontWith returns the front of shards, which ends with the test.
func frontWith(t testing.TB, shards [][]string, o Options, observe func(ShardObservation)) *Front {
	t.Helper()
	f, err := NewFront(shards, o, observe)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan bool)
	go func() {
		defer close(ended)
		f.Watch(ctx)
	}()
	t.Cleanup(func() { stop(); <-ended })
	return f
}

// questions returns addresses of all kinds.
func questions(rng *rand.Rand, docs []similar.Document) (list []string) {
	id := func() string { return docs[rng.IntN(len(docs))].ID }
	q := func() string {
		all := []string{"heap", "heap queue", "iterato*", "iterator lis*", "+heap -tree", "heap OR node^2", `"heap queue"`, "zeb", "queeu heap", "ieterator", "nationl*", "hea~", "rare:heap", "year:1962", "kind:tree heap", "year:>=1962", "title:heap~1 list", "none:heap", "(heap list) +tree", "", "the", "sortin"}
		return all[rng.IntN(len(all))]
	}
	more := func(v url.Values) url.Values {
		if rng.IntN(2) == 0 {
			v.Set("q", q())
		}
		switch rng.IntN(6) {
		case 0:
			v.Set("typing", "1")
		case 1:
			v.Add("like", id())
		case 2:
			v["like"], v["terms"] = []string{id(), id()}, []string{"all"}
		case 3:
			v["good"] = []string{id(), id()}
		}
		switch rng.IntN(4) {
		case 0:
			v.Add("where", "year>=1962")
		case 1:
			v.Add("where", "kind=tree")
		}
		return v
	}
	search := func(v url.Values) url.Values {
		if rng.IntN(2) == 0 {
			v.Set("k", fmt.Sprint(1+rng.IntN(20)))
		}
		if rng.IntN(3) == 0 {
			v.Set("from", fmt.Sprint(rng.IntN(40)))
		}
		if rng.IntN(3) == 0 {
			v["sort"] = []string{"-kind", "year"}[:1+rng.IntN(2)]
		}
		if rng.IntN(5) == 0 {
			v.Set("threshold", "0.7")
		}
		return v
	}
	for range 12 {
		list = append(list, "/api/search?"+search(more(url.Values{"q": {q()}})).Encode(), "/?"+search(more(url.Values{"q": {"heap"}})).Encode())
		why := more(url.Values{"q": {q()}, "id": {id()}})
		list = append(list, "/why?"+why.Encode(), "/document?"+why.Encode())
		why.Del("where")
		list = append(list, "/api/why?"+why.Encode())
		v := more(url.Values{"field": {"kind", "year"}, "k": {fmt.Sprint(1 + rng.IntN(4))}})
		v.Del("good")
		list = append(list, "/api/facets?"+v.Encode())
	}
	return append(list, "/api/map?id="+id(), "/map?id="+id()+"&trail="+id(), "/api/document?id="+id(), "/api/document?id=none", "/api/sample?id="+id(),
		"/api/search?like=none", "/api/map?id=none", "/api/search?q=heap&sort=none", "/api/search?q=%22open", "/api/search?q=sent:soon&where=year%3C", "/api/index", "/like", "/api/none", "/api/facets?field=none")
}

// TestFront holds a front of shards to one index of all documents: every answer and page is the same.
func TestFront(t *testing.T) {
	t.Parallel()
	asked := 0
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1))
		o := similar.Options{Positions: seed%2 == 0}
		if seed%3 == 2 {
			o.Fields = []similar.Field{{Name: "kind", Type: similar.KeywordField}, {Name: "title", Weight: 2}}
		}
		d := dealt(t, rng, o, randomDocuments(rng, 40+rng.IntN(80)), 1+int(seed), nil)
		for _, address := range questions(rng, d.docs) {
			wantCode, want, _ := get(d.whole, address)
			code, got, _ := get(d.front, address)
			asked++
			if code != wantCode || vary.ReplaceAllString(got, "") != vary.ReplaceAllString(want, "") {
				t.Errorf("seed %d: %s: status %d, want %d:\n%.3000s\nwant\n%.3000s", seed, address, code, wantCode, got, want)
			}
		}
		for _, body := range []string{`{"text": "heap queue iterator"}`, `{"title": "heap", "text": "list tree"}`, `{}`} {
			post := func(h http.Handler) string {
				r := httptest.NewRequest("POST", "/api/like?k=5", strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				return vary.ReplaceAllString(w.Body.String(), "")
			}
			if got, want := post(d.front), post(d.whole); got != want {
				t.Errorf("like %s: %s\nwant %s", body, got, want)
			}
		}
	}
	t.Logf("asked %d times", asked)
}

// TestFrontWords asks for words whose stem others have, which one shard alone would answer
// otherwise: a stem has the words of its first 32 documents, of all shards together.
func TestFrontWords(t *testing.T) {
	t.Parallel()
	var docs []similar.Document
	for i := range 60 {
		text := "iterate over it"
		switch i {
		case 3:
			text = "iterable heaps iterates"
		case 50:
			text = "an iterator" // no prefix finds its stem by it: others come first
		}
		docs = append(docs, similar.Document{ID: fmt.Sprintf("d%02d", i), Text: text})
	}
	d := dealt(t, rand.New(rand.NewPCG(1, 2)), similar.Options{}, docs, 4, nil)
	for _, address := range []string{"/api/search?q=iterato*", "/api/search?q=iterabl*", "/api/search?q=iterabel", "/api/search?q=iterabl&typing=1", "/?q=iterabl&typing=1", "/api/why?id=d03&q=iterabl*"} {
		for range 2 { // the second has the words at hand
			_, want, _ := get(d.whole, address)
			if code, got, _ := get(d.front, address); code != http.StatusOK || vary.ReplaceAllString(got, "") != vary.ReplaceAllString(want, "") {
				t.Errorf("%s: status %d: %s\nwant %s", address, code, got, want)
			}
		}
	}
	if n := len(ask[Answer](t, d.front, "/api/search?q=iterabl*").Hits); n == 0 {
		t.Error("a prefix that is longer than its stem finds nothing")
	}
	if n := len(ask[Answer](t, d.front, "/api/search?q=iterato*").Hits); n != 0 {
		t.Errorf("a prefix finds its stem by a word of document 50: %d hits", n)
	}
}
