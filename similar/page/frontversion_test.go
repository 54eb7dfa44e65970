package page

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
)

// A switching server has one of two versions of a shard.
type switching struct{ now atomic.Pointer[Handler] }

func (s *switching) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.now.Load().ServeHTTP(w, r) }

// TestFrontSwitch switches the servers of shards to another version of the collection and back, one
// after the other, while queries run. No answer mixes versions, and as each shard has two servers,
// nothing is missing.
func TestFrontSwitch(t *testing.T) {
	t.Parallel()
	const shards = 3
	rng := rand.New(rand.NewPCG(5, 5))
	docs := randomDocuments(rng, 60)
	changed := randomDocuments(rng, 70)
	a, b := dealt(t, rng, similar.Options{}, docs, shards, nil), dealt(t, rng, similar.Options{}, changed, shards, nil)
	handlerOfServer := func(d *deal, i int) *Handler { return d.servers[i].Config.Handler.(*Handler) }
	var servers [2][shards]*switching
	var list []string
	for i := range shards {
		var urls []string
		for n := range servers {
			servers[n][i] = &switching{}
			servers[n][i].now.Store(handlerOfServer(a, i))
			s := httptest.NewServer(servers[n][i])
			t.Cleanup(s.Close)
			urls = append(urls, s.URL)
		}
		list = append(list, strings.Join(urls, "|"))
	}
	f := frontTo(t, strings.Join(list, ","))
	const address = "/api/search?q=heap+queue&k=30"
	_, wantA, _ := get(a.whole, address)
	_, wantB, _ := get(b.whole, address)
	wantA, wantB = vary.ReplaceAllString(wantA, ""), vary.ReplaceAllString(wantB, "")
	var seenA, seenB atomic.Int64
	stop := make(chan bool)
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				code, got, _ := get(f, address)
				switch got = vary.ReplaceAllString(got, ""); {
				case got == wantA:
					seenA.Add(1)
				case got == wantB:
					seenB.Add(1)
				default:
					t.Errorf("status %d: %.600s", code, got)
				}
			}
		})
	}
	known := func(version string, n int) {
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			has := 0
			for _, shard := range f.Health().Shards {
				for _, server := range shard.Servers {
					if server.Version == version && server.Error == "" {
						has++
					}
				}
			}
			if has >= n || time.Now().After(end) {
				return
			}
		}
	}
	known(VersionOf(a.table), 2*shards)
	for _, to := range []*deal{b, a} {
		for n := range servers {
			for i := range shards {
				servers[n][i].now.Store(handlerOfServer(to, i))
			}
			known(VersionOf(to.table), shards*(n+1))
		}
		seen := map[*deal]*atomic.Int64{a: &seenA, b: &seenB}[to]
		for before, end := seen.Load(), time.Now().Add(20*time.Second); seen.Load() == before && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
	}
	close(stop)
	all.Wait()
	if seenA.Load() == 0 || seenB.Load() == 0 {
		t.Errorf("%d answers of one version, and %d of the other", seenA.Load(), seenB.Load())
	}
}

// TestFrontOneByOne switches shards of one server each. Meanwhile answers are of one version, and
// name the shards that have the other.
func TestFrontOneByOne(t *testing.T) {
	t.Parallel()
	const shards = 3
	rng := rand.New(rand.NewPCG(6, 6))
	a, b := dealt(t, rng, similar.Options{}, randomDocuments(rng, 60), shards, nil), dealt(t, rng, similar.Options{}, randomDocuments(rng, 70), shards, nil)
	var servers [shards]*switching
	var list []string
	for i := range shards {
		servers[i] = &switching{}
		servers[i].now.Store(a.servers[i].Config.Handler.(*Handler))
		s := httptest.NewServer(servers[i])
		t.Cleanup(s.Close)
		list = append(list, s.URL)
	}
	f := frontTo(t, strings.Join(list, ","))
	const address = "/api/search?q=heap+queue&k=30"
	scores := func(h http.Handler) map[string]float64 {
		m := map[string]float64{}
		for _, hit := range ask[Answer](t, h, address+"0").Hits {
			m[hit.ID] = hit.Score
		}
		return m
	}
	of := []map[string]float64{scores(a.whole), scores(b.whole)}
	for i := range shards {
		servers[i].now.Store(b.servers[i].Config.Handler.(*Handler))
		if i == shards-1 {
			for end := time.Now().Add(20 * time.Second); f.Health().Status != "ok" && time.Now().Before(end); {
				time.Sleep(10 * time.Millisecond)
			}
		}
		for range 5 {
			answer := ask[Answer](t, f, address)
			if len(answer.Missing) == 0 != (i == shards-1) {
				t.Errorf("after the switch of shard %d, %v is missing", i, answer.Missing)
			}
			mixed := [2]bool{}
			for version, known := range of {
				for _, hit := range answer.Hits {
					mixed[version] = mixed[version] || known[hit.ID] != hit.Score
				}
			}
			if mixed[0] && mixed[1] || len(answer.Hits) == 0 {
				t.Errorf("after the switch of shard %d, the answer is of no version: %v", i, answer)
			}
		}
	}
}

// TestFrontMany asks a thousand shards of a document or two, at paths of one server.
func TestFrontMany(t *testing.T) {
	const shards = 1000
	rng := rand.New(rand.NewPCG(7, 7))
	docs := randomDocuments(rng, 1500)
	one := indexOf(t, docs...)
	table, err := one.Table(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	parts := make([][]similar.Document, shards)
	for _, d := range docs {
		i := rng.IntN(shards)
		parts[i] = append(parts[i], d)
	}
	mux := http.NewServeMux()
	for i, part := range parts {
		path := fmt.Sprintf("/%d", i)
		mux.Handle(path+"/", http.StripPrefix(path, handlerOf(t, indexOf(t, part...).Searcher, Options{Table: table})))
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	var list []string
	for i := range shards {
		list = append(list, fmt.Sprintf("%s/%d", s.URL, i))
	}
	f := frontTo(t, strings.Join(list, ","))
	whole := handlerOf(t, one.Searcher, Options{})
	for _, address := range []string{"/api/search?q=heap+zebra&k=40", "/api/search?like=d007", "/api/facets?field=kind", "/api/document?id=d700"} {
		_, want, _ := get(whole, address)
		if code, got, _ := get(f, address); code != 200 || vary.ReplaceAllString(got, "") != vary.ReplaceAllString(want, "") {
			t.Errorf("%s: status %d: %.600s\nwant %.600s", address, code, got, want)
		}
	}
}

// TestFrontEnds lets clients go before their answers come. No goroutine stays, and a front that
// is a shard of itself asks itself nothing.
func TestFrontEnds(t *testing.T) {
	d := dealt(t, rand.New(rand.NewPCG(8, 8)), similar.Options{}, randomDocuments(rand.New(rand.NewPCG(9, 9)), 50), 3, nil)
	ask[Answer](t, d.front, "/api/search?q=heap")
	before := runtime.NumGoroutine()
	var all sync.WaitGroup
	for i := range 300 {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i*20)*time.Microsecond)
			defer cancel()
			r := httptest.NewRequestWithContext(ctx, "GET", "/api/search?q=heap+queue&k=30", nil)
			w := answerOf(r, d.front)
			if w.Code != 200 && w.Code != 429 && w.Code != 503 || w.Code == 200 && strings.Contains(w.Body.String(), "missing") {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
		})
	}
	all.Wait()
	d.front.cluster.Close()
	for _, s := range d.servers {
		s.CloseClientConnections()
	}
	for end := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before+10; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, and %d before", runtime.NumGoroutine(), before)
		}
	}
	var itself atomic.Pointer[Front]
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { itself.Load().ServeHTTP(w, r) }))
	t.Cleanup(s.Close)
	shards, err := ParseShards(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFront(shards, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	itself.Store(f)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go f.Watch(ctx)
	if code, body, _ := get(f, "/api/search?q=heap"); code != 503 || !strings.Contains(body, "none of the shards answers") {
		t.Errorf("a front of itself: status %d: %s", code, body)
	}
	if h := f.Health(); h.Status != "down" || !strings.Contains(h.Shards[0].Servers[0].Error, "no server of a shard") {
		t.Errorf("a front of itself: %+v", h)
	}
	for _, list := range []string{"", ",", "a", "http://a,", "http://a|", "http://a,http://a/", "ftp://a", "dns:", "http://a?x=1", "http://u:p@a"} {
		if _, err := ParseShards(list); err == nil {
			t.Errorf("%q is a list of shards", list)
		}
	}
	if _, err := NewFront(nil, Options{}, nil); err == nil {
		t.Error("a front of no shards")
	}
}
