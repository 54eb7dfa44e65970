package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/scatter"
)

// heap is the allocated memory of the process.
func heap() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// saved is the page of an index on disk, whose texts are not in memory.
func saved(t *testing.T, o Options, docs ...similar.Document) *Handler {
	t.Helper()
	dir := t.TempDir()
	x, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Add(t.Context(), docs...); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(x.Save(t.Context(), dir), x.Close()); err != nil {
		t.Fatal(err)
	}
	if x, err = similar.Open(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	h, err := New(x.Searcher, o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestMemory asks for the whole index, again and again, with clients that read nothing and clients
// that read, and for maps: memory stays within the bounds, and every plain search is answered.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var docs []similar.Document
	filler := strings.Repeat("lorem ipsum dolor ", 4000) // 72 kB
	for i := range 1000 {
		docs = append(docs, similar.Document{ID: fmt.Sprint(i), Text: fmt.Sprint("common rare", i%97, " ", filler), Fields: map[string]string{"f": filler[:1<<15]}})
	}
	h := saved(t, Options{Unread: 16 << 20, Searches: 2, Costly: 1, Waiting: 20}, docs...)
	docs = nil
	ctx, stop := context.WithCancel(t.Context())
	address, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- Serve(ctx, "127.0.0.1:0", h, func(url string) { address <- url }) }()
	url := <-address
	for range 4 { // what pools hold goes with the second one
		runtime.GC()
	}
	before := heap()
	deaf := deafClients(t, url)
	var wait sync.WaitGroup
	var refused atomic.Int64
	for i := range 8 {
		wait.Go(func() { askCostly(t, url, i, &refused) })
	}
	most, slowest := askPlain(t, url)
	wait.Wait()
	most -= before
	t.Logf("%d MB at most; the slowest plain search took %v; %d costly ones were refused", most>>20, slowest, refused.Load())
	if most > 96<<20 {
		t.Errorf("%d MB were allocated, of documents of 100 MB", most>>20)
	}
	if slowest > 3*time.Second {
		t.Errorf("a plain search waited %v", slowest)
	}
	for _, c := range deaf {
		c.Close()
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := h.unread.Load(); n != 0 {
		t.Errorf("%d bytes are still to be read", n)
	}
}

// deafClients are clients that ask for much and do not read.
func deafClients(t *testing.T, url string) (list []net.Conn) {
	t.Helper()
	at := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/")
	for range 100 {
		c, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		c.(*net.TCPConn).SetReadBuffer(4096)
		fmt.Fprintf(c, "GET /?q=common&k=2000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
		list = append(list, c)
	}
	return list
}

// askCostly asks for much three times, and counts what is refused.
func askCostly(t *testing.T, url string, i int, refused *atomic.Int64) {
	address := []string{"api/search?q=common&k=2000", "api/map?id=7&k=24", "?like=3&k=2000", "document?id=9"}[i%4]
	for range 3 {
		if got := fetch(t, url+address, ""); strings.HasPrefix(got, "429") {
			refused.Add(1)
		} else if !strings.HasPrefix(got, "200") {
			t.Errorf("%s: %.200s", address, got)
		}
	}
}

// askPlain asks a hundred plain searches, and returns the largest heap and the longest time.
func askPlain(t *testing.T, url string) (most int64, slowest time.Duration) {
	for i := range 100 {
		start := time.Now()
		if got := fetch(t, fmt.Sprint(url, "api/search?q=rare", i%97), ""); !strings.HasPrefix(got, "200") {
			t.Errorf("a plain search: %.200s", got)
		}
		slowest = max(slowest, time.Since(start))
		runtime.GC()
		most = max(most, heap())
		time.Sleep(10 * time.Millisecond)
	}
	return most, slowest
}

// TestUnread drops an answer that finds no room, and says so.
func TestUnread(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{Unread: 100}, library...)
	if code, body, header := get(h, "/?q=queue"); code != 429 || header.Get("Retry-After") != "1" || !strings.Contains(body, "too many answers") {
		t.Errorf("status %d: %s", code, body)
	}
	if n := h.unread.Load(); n != 0 {
		t.Errorf("%d bytes are still to be read", n)
	}
}

// TestLanes fills the lane of costly requests: plain ones go on, and costly ones that would wait
// too long are refused at once.
func TestLanes(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{Searches: 1, Costly: 1, Timeout: 200 * time.Millisecond}, library...)
	h.costly.slots <- struct{}{}
	h.costly.took.Store(int64(time.Hour))
	for address, want := range map[string]int{
		"/api/search?q=queue": 200, "/?q=queue": 200, "/": 200, "/api/index": 200, "/api": 200, "/api/document?id=sort": 200,
		"/api/why?id=sort&q=heap": 200, "/api/map?id=sort": 429, "/map?id=sort": 429, "/api/search?like=sort": 429,
		"/?good=sort": 429, "/?q=queue&where=kind=chain": 429, "/api/search?q=queue&k=101": 429, "/api/search?q=queue&from=100&k=1": 429,
		"/api/search?q=" + strings.Repeat("queue+", 100): 429, "/document?id=sort": 429,
	} {
		start := time.Now()
		code, body, header := get(h, address)
		if code != want || want == 429 && header.Get("Retry-After") != "60" {
			t.Errorf("%s: status %d, %q: %s", address, code, header.Get("Retry-After"), body)
		}
		if took := time.Since(start); took > 150*time.Millisecond {
			t.Errorf("%s: took %v", address, took)
		}
	}
	h.costly.took.Store(0) // nothing is known: it waits its time
	if code, body, _ := get(h, "/api/map?id=sort"); code != 429 || !strings.Contains(body, "no search could begin in") {
		t.Errorf("status %d: %s", code, body)
	}
	// Somebody who has less time than the wait is not kept waiting for it.
	h.costly.took.Store(int64(100 * time.Millisecond))
	r := httptest.NewRequest("GET", "/api/map?id=sort", nil)
	r.Header.Set(scatter.TimeoutHeader, "50")
	start := time.Now()
	if w := answerOf(r, h); w.Code != 429 || time.Since(start) > 45*time.Millisecond {
		t.Errorf("a client with 50 ms: status %d after %v: %s", w.Code, time.Since(start), w.Body)
	}
	<-h.costly.slots
	if code, _, _ := get(h, "/api/map?id=sort"); code != 200 {
		t.Errorf("afterwards: status %d", code)
	}
}

// TestLarge cuts answers of documents that are huge in every way.
func TestLarge(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("heap é queue ", 80_000) // 1 MB
	var docs []similar.Document
	for i := range 3 {
		fields := map[string]string{"long": long}
		for j := range 500 {
			fields[fmt.Sprint("field", j)] = long[:5000]
		}
		docs = append(docs, similar.Document{ID: fmt.Sprint(i, long), Title: long, Text: long, Fields: fields}, similar.Document{ID: fmt.Sprint(i), Title: long, Text: long, Fields: fields})
	}
	h := serve(t, Options{}, docs...)
	a := ask[Answer](t, h, "/api/search?q=heap&k=100")
	if len(a.Hits) == 0 || len(a.Hits) == len(docs) || !a.More {
		t.Errorf("%d hits of ids of 1 MB, more is %v", len(a.Hits), a.More)
	}
	for _, address := range []string{"/?q=heap&k=100", "/document?id=1", "/api/document?id=1", "/why?id=1&q=heap", "/api/why?id=1&like=1", "/map?id=1", "/api/map?id=1"} {
		if code, body, _ := get(h, address); code != 200 && code != 422 || len(body) > MaxAnswer {
			t.Errorf("%s: status %d, %d bytes", address, code, len(body))
		}
	}
	if text := ask[Text](t, h, "/api/document?id=1"); !text.Shortened || len(text.Title) > textField || len(text.Fields) == 0 {
		t.Errorf("a document is shown with %d bytes of title, %d fields, shortened %v", len(text.Title), len(text.Fields), text.Shortened)
	}
}

// TestForeign refuses what pages of other sites make a browser ask, links to pages excepted.
func TestForeign(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{}, library...)
	for _, c := range []struct {
		path, headers string
		want          int
	}{
		{"/?q=queue", "", 200},
		{"/api/search?q=queue", "", 200},
		{"/results?q=queue", "Sec-Fetch-Site: same-origin", 200},
		{"/?q=queue", "Sec-Fetch-Site: none;Sec-Fetch-Mode: navigate;Sec-Fetch-Dest: document", 200},
		{"/?q=queue", "Sec-Fetch-Site: cross-site;Sec-Fetch-Mode: navigate;Sec-Fetch-Dest: document", 200},
		{"/?q=queue", "Sec-Fetch-Site: cross-site;Sec-Fetch-Mode: navigate;Sec-Fetch-Dest: iframe", 403},
		{"/?q=queue", "Sec-Fetch-Site: cross-site;Sec-Fetch-Mode: no-cors;Sec-Fetch-Dest: image", 403},
		{"/api/search?q=queue", "Sec-Fetch-Site: cross-site;Sec-Fetch-Mode: navigate;Sec-Fetch-Dest: document", 403},
		{"/api/search?q=queue", "Sec-Fetch-Site: same-site;Sec-Fetch-Mode: cors", 403},
		{"/api/search?q=queue", "Sec-Fetch-Site: unheard-of", 403},
		{"/static/page.js", "Sec-Fetch-Site: cross-site;Sec-Fetch-Mode: no-cors;Sec-Fetch-Dest: script", 403},
		{"/api/search?q=queue", "Origin: http://example.com", 200},
		{"/api/search?q=queue", "Origin: http://EXAMPLE.com", 200},
		{"/api/search?q=queue", "Origin: http://evil.example", 403},
		{"/api/search?q=queue", "Origin: http://example.com:81", 403},
		{"/api/search?q=queue", "Origin: null", 403},
		{"/api/search?q=queue", "Origin: http://example.com;Origin: null", 403},
		{"/api/search?q=queue", "Origin: %zz", 403},
	} {
		r := httptest.NewRequest("GET", c.path, nil)
		for line := range strings.SplitSeq(c.headers, ";") {
			if name, value, ok := strings.Cut(line, ": "); ok {
				r.Header.Add(name, value)
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s with %s: status %d, want %d", c.path, c.headers, w.Code, c.want)
		}
	}
}

// TestIsLocal takes names of this machine, however they are written, and no others.
func TestIsLocal(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST": true, "LocalHost:8080": true, "localhost.": true, "localhost.:80": true, "a.LOCALHOST:1": true,
		"127.0.0.1": true, "127.9.9.9:80": true, "[::1]": true, "[::1]:80": true, "[::ffff:127.0.0.1]:80": true,
		"": false, "evil.example": false, "localhost.evil.example": false, "evillocalhost": false, "10.0.0.1": false, "[::2]": false,
		"127.0.0.1.evil.example": false, "0.0.0.0": false, "localhost@evil.example": false, "localhost/": false, "2130706433": false,
	} {
		if got := isLocal(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}

// TestAssets serves the files of folder static and nothing else.
func TestAssets(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{})
	for address, want := range map[string]int{
		"/static/page.js": 200, "/static/style.css?v=1": 200, "/static/icon.svg": 200,
		"/static/": 404, "/static": 404, "/static/..%2ftemplates": 404, "/static/..%2fstatic%2fpage.js": 404, "/static/%2e%2e": 404, "/static/page.js/": 404,
		"/static/..%2ftemplates%2fframe.html": 404, "/static/%2e%2e%2f%2e%2e%2fetc%2fpasswd": 404, "/static/page.js%00": 404, "/static/PAGE.JS": 404,
		"/static/..%5ctemplates": 404, "/templates/frame.html": 404, "/static/index.html": 404, "/static/.": 404, "/static/..%2f": 404,
	} {
		code, _, header := get(h, address)
		if code >= 300 && code < 400 { // to the clean path
			code, _, _ = get(h, header.Get("Location"))
		}
		if code != want {
			t.Errorf("%s: status %d, want %d", address, code, want)
		}
		if strings.Contains(header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s may be kept for ever, of which version nobody knows", address)
		}
	}
	link, err := h.static("page.js")
	if err != nil {
		t.Fatal(err)
	}
	if code, body, header := get(h, link); code != 200 || header.Get("Cache-Control") != "max-age=31536000, immutable" || header.Get("Content-Type") != "text/javascript; charset=utf-8" || body == "" {
		t.Errorf("%s: status %d, %v", link, code, header)
	}
}

// TestConnections holds the number of connections at its bound: further ones wait, and get their
// turn when one ends.
func TestConnections(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	address, ended := make(chan string, 1), make(chan error, 1)
	well := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "well") })
	go func() { ended <- Serve(ctx, "127.0.0.1:0", well, func(url string) { address <- url }) }()
	url := <-address
	at := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/")
	var silent []net.Conn
	for range maxConnections {
		c, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		silent = append(silent, c)
	}
	got := make(chan string, 1)
	go func() { got <- fetch(t, url, "") }()
	select {
	case s := <-got:
		t.Errorf("one more is answered: %s", s)
	case <-time.After(100 * time.Millisecond):
	}
	silent[0].Close()
	if s := <-got; s != "200 well" {
		t.Errorf("after one ended: %s", s)
	}
	for _, c := range silent[1:] {
		c.Close()
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
