package page

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
	"golang.org/x/net/html"
)

// hostile is a title that is script wherever somebody forgets to escape it.
const hostile = `</title></script><script>document.title="owned"</script><img src=x onerror="document.title='owned'">"'&`

var library = []similar.Document{
	{ID: "container/heap", Title: "heap", Text: "Package heap provides heap operations. A heap is a common way to implement a priority queue.", Fields: map[string]string{"kind": "tree; queue"}},
	{ID: "container/list", Title: "list", Text: "Package list implements a doubly linked list, a queue at both ends.", Fields: map[string]string{"kind": "chain"}},
	{ID: "container/ring", Text: "Package ring implements operations on circular lists."},
	{ID: "sort", Title: "sort", Text: "Package sort provides primitives for sorting slices. A heap sorts too."},
	{ID: "bad ?&#<id>", Title: hostile, Text: "A hostile document about a queue. <b onclick=alert(1)>bold</b>"},
}

// serve returns the page of an index with documents.
func serve(t testing.TB, o Options, docs ...similar.Document) *Handler {
	t.Helper()
	return handlerOf(t, indexOf(t, docs...).Searcher, o)
}

func handlerOf(t testing.TB, x *similar.Searcher, o Options) *Handler {
	t.Helper()
	h, err := New(x, o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// indexOf returns an index of documents, which ends with the test.
func indexOf(t testing.TB, docs ...similar.Document) *similar.Index {
	t.Helper()
	x, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := x.Add(context.Background(), docs...); err != nil {
		t.Fatal(err)
	}
	return x
}

// TestShards serves shards as one index, and an index with the table of a larger collection.
func TestShards(t *testing.T) {
	t.Parallel()
	a, b, one := indexOf(t), indexOf(t), indexOf(t, library...)
	s, err := similar.NewShards(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(t.Context(), library...); err != nil {
		t.Fatal(err)
	}
	table, err := one.Table(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	whole, shards := handlerOf(t, one.Searcher, Options{}), handlerOf(t, s.Searcher, Options{})
	took := regexp.MustCompile(`"took_ms":[0-9.e-]+|[0-9.]+ ms`)
	for _, address := range []string{"/?q=queue+heap", "/document?id=sort&q=heap", "/map?id=sort", "/api/search?q=heap&k=2", "/api/facets?field=kind"} {
		_, want, _ := get(whole, address)
		if code, got, _ := get(shards, address); code != 200 || took.ReplaceAllString(got, "") != took.ReplaceAllString(want, "") {
			t.Errorf("%s: status %d: %s\nwant %s", address, code, got, want)
		}
	}
	scores, found := map[string]float64{}, 0
	for _, hit := range ask[Answer](t, whole, "/api/search?q=queue").Hits {
		scores[hit.ID] = hit.Score
	}
	for _, x := range []*similar.Index{a, b} {
		with, err := x.With(table)
		if err != nil {
			t.Fatal(err)
		}
		for _, hit := range ask[Answer](t, handlerOf(t, with, Options{}), "/api/search?q=queue").Hits {
			if found++; scores[hit.ID] != hit.Score {
				t.Errorf("%s has the score %v in a part, and %v in the whole", hit.ID, hit.Score, scores[hit.ID])
			}
		}
	}
	if found == 0 || found != len(scores) {
		t.Errorf("the parts have %d hits of %d", found, len(scores))
	}
}

// get asks a handler and returns the status and the answer.
func get(h http.Handler, address string) (int, string, http.Header) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", address, nil))
	return w.Code, w.Body.String(), w.Header()
}

// ask asks the API and reads the answer into a value.
func ask[T any](t *testing.T, h http.Handler, address string) T {
	t.Helper()
	code, body, header := get(h, address)
	var v T
	if code != 200 || header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Fatalf("%s: status %d, %s: %s", address, code, header.Get("Content-Type"), body)
	}
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	return v
}

func TestSearch(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{}, library...)
	a := ask[Answer](t, h, "/api/search?q=priority+queues")
	if len(a.Hits) != 3 || a.Hits[0].ID != "container/heap" || a.Hits[0].Rank != 1 || a.Documents != len(library) || a.More {
		t.Fatalf("%+v", a)
	}
	var marked []string
	for _, p := range a.Hits[0].Snippet {
		if p.Marked {
			marked = append(marked, p.Text)
		}
	}
	if got := strings.Join(marked, " "); got != "priority queue" {
		t.Errorf("marks %q", got)
	}
	if a := ask[Answer](t, h, "/api/search?q=queue&k=1&from=1"); len(a.Hits) != 1 || a.Hits[0].Rank != 2 || !a.More {
		t.Errorf("the second of three: %+v", a)
	}
	if a := ask[Answer](t, h, "/api/search?q=queue&where=kind%3Dqueue"); len(a.Hits) != 1 || a.Hits[0].ID != "container/heap" {
		t.Errorf("of kind queue: %+v", a)
	}
	if a := ask[Answer](t, h, "/api/search?q=queue&threshold=1000"); len(a.Hits) != 0 {
		t.Errorf("more than 1000: %+v", a)
	}
	if a := ask[Answer](t, h, "/api/search"); a.Hits == nil || len(a.Hits) != 0 {
		t.Errorf("no question: %+v", a)
	}
}

// TestFeedback marks an answer as good: it goes, and what is like it comes up.
func TestFeedback(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{}, library...)
	found := func(address string) string {
		var ids []string
		for _, hit := range ask[Answer](t, h, address).Hits {
			ids = append(ids, hit.ID)
		}
		return strings.Join(ids, " ")
	}
	if got := found("/api/search?q=sorting"); got != "sort" {
		t.Errorf("sorting: %s", got)
	}
	got := found("/api/search?q=sorting&good=sort")
	if strings.Contains(got, "sort") || !strings.HasPrefix(got, "container/heap") {
		t.Errorf("more like sort: %s", got)
	}
	if like := found("/api/search?like=sort"); !strings.HasPrefix(like, "container/heap") {
		t.Errorf("like sort: %s", like)
	}
}

// TestWhy adds up to the score of the search.
func TestWhy(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{}, library...)
	hit := ask[Answer](t, h, "/api/search?q=heap+operations").Hits[0]
	why := ask[Why](t, h, "/api/why?q=heap+operations&id="+hit.ID)
	sum := 0.0
	for _, s := range why.Shares {
		sum += s.Share
	}
	if len(why.Shares) != 2 || why.Score-hit.Score > 1e-9 || hit.Score-why.Score > 1e-9 || sum < 1-1e-9 || sum > 1+1e-9 {
		t.Errorf("score %v: %+v", hit.Score, why)
	}
	words := why.Shares[0].Word + " " + why.Shares[1].Word
	if words != "heap operations" && words != "operations heap" {
		t.Errorf("the words are %q", words)
	}
}

// TestMap looks at the neighbourhood, as data and as a picture.
func TestMap(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{}, library...)
	m := ask[Map](t, h, "/api/map?id=container/heap")
	if m.Centre.ID != "container/heap" || len(m.Nodes) == 0 {
		t.Fatalf("%+v", m)
	}
	for i, n := range m.Nodes {
		if n.Similarity <= 0 || n.Similarity > 1 || i > 0 && n.Similarity > m.Nodes[i-1].Similarity {
			t.Errorf("node %d: %+v", i, n)
		}
	}
	for _, e := range m.Edges {
		if e.A < 0 || e.A >= e.B || e.B >= len(m.Nodes) {
			t.Errorf("edge %+v of %d nodes", e, len(m.Nodes))
		}
	}
	_, page, _ := get(h, "/map?id=container/heap&trail=sort")
	if strings.Count(page, `class="node"`) != len(m.Nodes) || !strings.Contains(page, `<a href="/map?id=sort">`) {
		t.Errorf("the picture is not of the map:\n%s", page)
	}
}

// TestErrors says what is wrong, with a status, as JSON and as a page.
func TestErrors(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{MaxQuery: 100, MaxK: 50}, library...)
	for address, want := range map[string]struct {
		status int
		says   string
	}{
		"/api/search?q=" + strings.Repeat("x", 101):    {400, "the query has 101 bytes"},
		"/api/search?q=a&k=51":                         {400, "want a number of 0..50"},
		"/api/search?q=a&k=-1":                         {400, "want a number"},
		"/api/search?q=a&from=x":                       {400, "want a number"},
		"/api/search?q=a&threshold=NaN":                {400, "want a number"},
		"/api/search?q=a&where=kind":                   {400, "want NAME=VALUE"},
		"/api/search?query=a":                          {400, `no parameter \"query\"`},
		"/api/search?like=nobody":                      {404, "no such document"},
		"/api/search?" + strings.Repeat("like=a&", 40): {400, "more than 32 documents"},
		"/api/why?id=sort":                             {400, "no query"},
		"/api/why?q=sort":                              {400, "no id"},
		"/api/why?q=sort&id=nobody":                    {404, "no such document"},
		"/api/map?id=nobody":                           {404, "no such document"},
		"/api/map?id=sort&k=30":                        {400, "at most 24"},
		"/api/document":                                {400, "no id"},
		"/api/nothing":                                 {404, `{"error":"/api/nothing with get is not in the api`},
		"/nothing":                                     {404, "There is no such page"},
		"/document?id=nobody":                          {404, "no such document"},
		"/map":                                         {400, "no id"},
		"/?k=many":                                     {400, "want a number"},
		"/results?like=nobody":                         {404, "no such document"},
	} {
		code, body, _ := get(h, address)
		if text := strings.ToLower(html.UnescapeString(body)); code != want.status || !strings.Contains(text, strings.ToLower(want.says)) {
			t.Errorf("%s: status %d, want %d and %q in\n%s", address, code, want.status, want.says, body)
		}
	}
	if _, err := New(h.docs.(*oneIndex).x, Options{Searches: -1}); err == nil {
		t.Error("a negative limit is taken")
	}
}

// TestPages looks at what pages say of collections and queries without anything to show.
func TestPages(t *testing.T) {
	t.Parallel()
	full, empty, alone := serve(t, Options{}, library...), serve(t, Options{}), serve(t, Options{}, library[0])
	for _, c := range []struct {
		h             http.Handler
		address, says string
	}{
		{full, "/", "Begin with one of them"},
		{full, "/?q=zebra", "No document has these words"},
		{full, "/?q=the+of", "too frequent"},
		{full, "/?q=queue&from=10", "There are no more documents"},
		{full, "/?q=queue", "<mark>queue</mark>"},
		{full, "/document?id=sort&q=sort", "<mark>sort</mark>"},
		{full, "/?q=list&like=sort", `<input form="search" type="hidden" name="like" value="sort">`},
		{full, "/api", "/api/why"},
		{empty, "/?q=anything", "no documents"},
		{empty, "/", "no documents"},
		{alone, "/map?id=container/heap", "No other document"},
		{alone, "/document?id=container/heap", "No other document"},
	} {
		if code, body, _ := get(c.h, c.address); code != 200 || !strings.Contains(body, c.says) {
			t.Errorf("%s: status %d, want %q in\n%s", c.address, code, c.says, body)
		}
	}
}

// TestEscaped parses every page with a hostile document on it: it adds no element and no attribute,
// and every link of the page leads somewhere.
func TestEscaped(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{Name: hostile}, library...)
	id, q := url.QueryEscape(library[4].ID), url.QueryEscape("queue "+hostile)
	for _, address := range []string{
		"/?q=" + q, "/results?q=" + q, "/?q=queue&good=" + id, "/?like=" + id + "&where=" + url.QueryEscape(hostile+"="+hostile),
		"/document?q=queue&id=" + id, "/map?id=" + id, "/map?id=container/heap&trail=" + id, "/why?q=hostile&id=" + id, "/api", "/nobody",
		"/document?id=" + q,
	} {
		_, body, header := get(h, address)
		if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %q", address, policy)
		}
		for _, link := range links(t, address, body) {
			if code, body, _ := get(h, link); code != 200 {
				t.Errorf("%s links to %s: status %d\n%s", address, link, code, body)
			}
		}
	}
}

// links walks a page, compares its elements with the templates' elements, and returns its links.
func links(t *testing.T, address, body string) (list []string) {
	t.Helper()
	z := html.NewTokenizer(strings.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				t.Fatal(z.Err())
			}
			return list
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			if token.Data == "img" || token.Data == "b" && len(token.Attr) > 0 {
				t.Errorf("%s: has %s", address, token)
			}
			for _, a := range token.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" && !strings.Contains(a.Val, "/static/") {
					t.Errorf("%s: has %s", address, token)
				}
				if a.Key == "href" && strings.HasPrefix(a.Val, "/") {
					list = append(list, a.Val)
				} else if a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
					t.Errorf("%s: leads to %s", address, a.Val)
				}
			}
			if token.Data == "script" && len(token.Attr) == 0 {
				t.Errorf("%s: has a script of its own", address)
			}
		}
	}
}

// TestInvalid gives it bytes that are no UTF-8.
func TestInvalid(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{}, similar.Document{ID: "x", Title: "title \xff\xfe", Text: "queue \xff\x00 queue \xe2\x82"})
	for _, address := range []string{"/?q=queue", "/document?id=x&q=queue", "/api/search?q=queue", "/api/document?id=x", "/?q=%ff%00queue", "/map?id=x"} {
		if code, body, _ := get(h, address); code != 200 || strings.ToValidUTF8(body, "") != body {
			t.Errorf("%s: status %d, %q", address, code, body)
		}
	}
}

// TestBusy fills every place: a request waits for its time, and those too many are sent away at
// once.
func TestBusy(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{Searches: 1, Waiting: 1, Timeout: 300 * time.Millisecond}, library...)
	h.plain.slots <- struct{}{}
	var wait sync.WaitGroup
	says := make([]string, 3)
	for i := range says {
		wait.Go(func() {
			code, body, header := get(h, "/api/search?q=queue")
			says[i] = fmt.Sprint(code, header.Get("Retry-After"), body)
		})
	}
	wait.Wait()
	all := strings.Join(says, "")
	if strings.Count(all, "4291") != 3 || !strings.Contains(all, "no search could begin") || !strings.Contains(all, "too many searches") {
		t.Errorf("%q", says)
	}
	<-h.plain.slots
	if code, _, _ := get(h, "/api/search?q=queue"); code != 200 {
		t.Errorf("afterwards: status %d", code)
	}
}

// TestConcurrent asks while the index changes.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	x := indexOf(t, library...)
	h := handlerOf(t, x.Searcher, Options{})
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for i := range 50 {
				for _, address := range []string{"/?q=queue&good=sort", "/map?id=sort", "/document?id=sort&q=heap"} {
					if code, body, _ := get(h, address); code != 200 {
						t.Errorf("round %d: %s: status %d: %s", i, address, code, body)
					}
				}
			}
		})
	}
	for i := range 50 {
		id := fmt.Sprint("new", i)
		if err := x.Add(t.Context(), similar.Document{ID: id, Text: "another heap and queue"}); err != nil {
			t.Error(err)
		}
		x.Delete(fmt.Sprint("new", i-1))
	}
	wait.Wait()
}
