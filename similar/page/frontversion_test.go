package page

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
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

// switchingServers starts servers of the shards of a deal, some of each shard, and returns the list of
// their addresses.
func switchingServers(t *testing.T, d *deal, shards, replicas int) (servers [][]*switching, list string) {
	t.Helper()
	servers = make([][]*switching, replicas)
	var all []string
	for i := range shards {
		var urls []string
		for n := range servers {
			one := &switching{}
			one.now.Store(d.handler(i))
			s := httptest.NewServer(one)
			t.Cleanup(s.Close)
			servers[n], urls = append(servers[n], one), append(urls, s.URL)
		}
		all = append(all, strings.Join(urls, "|"))
	}
	return servers, strings.Join(all, ",")
}

// handler answers for shard i of the deal.
func (d *deal) handler(i int) *Handler { return d.servers[i].Config.Handler.(*Handler) }

// untilKnown waits until a front knows that n servers have a version, or too long.
func untilKnown(f *Front, version string, n int) {
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

// An asker asks a question again and again, and counts the answers of versions by their numbers.
type asker struct {
	wants []string // the answers of the versions
	seen  []atomic.Int64
	all   sync.WaitGroup
	stop  context.CancelFunc
}

// askWhile asks a handler by three clients until stop is called, as to what handlers of the versions
// answer.
func askWhile(t *testing.T, h http.Handler, address string, versions ...http.Handler) *asker {
	t.Helper()
	a := &asker{seen: make([]atomic.Int64, len(versions))}
	for _, v := range versions {
		_, want, _ := get(v, address)
		a.wants = append(a.wants, vary.ReplaceAllString(want, ""))
	}
	ctx, stop := context.WithCancel(t.Context())
	a.stop = stop
	t.Cleanup(a.end)
	for range 3 {
		a.all.Go(func() {
			for ctx.Err() == nil {
				code, got, _ := get(h, address)
				i := slices.Index(a.wants, vary.ReplaceAllString(got, ""))
				if i < 0 {
					t.Errorf("status %d, no version's answer: %.600s", code, got)
					continue
				}
				a.seen[i].Add(1)
			}
		})
	}
	return a
}

// end stops the clients.
func (a *asker) end() {
	a.stop()
	a.all.Wait()
}

// again waits until a version answers once more.
func (a *asker) again(t *testing.T, version int) {
	t.Helper()
	before := a.seen[version].Load()
	eventually(t, fmt.Sprint("an answer of version ", version), func() bool { return a.seen[version].Load() > before })
}

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
	servers, list := switchingServers(t, a, shards, 2)
	f := frontTo(t, list)
	asking := askWhile(t, f, "/api/search?q=heap+queue&k=30", a.whole, b.whole)
	untilKnown(f, VersionOf(a.table), 2*shards)
	for _, to := range []int{1, 0} {
		d := []*deal{a, b}[to]
		for n := range servers {
			for i := range shards {
				servers[n][i].now.Store(d.handler(i))
			}
			untilKnown(f, VersionOf(d.table), shards*(n+1))
		}
		asking.again(t, to)
	}
	asking.end()
}

// TestFrontOneByOne switches shards of one server each. Meanwhile answers are of one version, and
// name the shards that have the other.
func TestFrontOneByOne(t *testing.T) {
	t.Parallel()
	const shards = 3
	rng := rand.New(rand.NewPCG(6, 6))
	a, b := dealt(t, rng, similar.Options{}, randomDocuments(rng, 60), shards, nil), dealt(t, rng, similar.Options{}, randomDocuments(rng, 70), shards, nil)
	servers, list := switchingServers(t, a, shards, 1)
	f := frontTo(t, list)
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
		servers[0][i].now.Store(b.handler(i))
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
	const patience = 5 * time.Minute // of one process that is all shards and may have a busy processor
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
		mux.Handle(path+"/", http.StripPrefix(path, handlerOf(t, indexOf(t, part...).Searcher, Options{Table: table, Timeout: patience})))
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	var list []string
	for i := range shards {
		list = append(list, fmt.Sprintf("%s/%d", s.URL, i))
	}
	all, err := ParseShards(strings.Join(list, ","))
	if err != nil {
		t.Fatal(err)
	}
	f := frontWith(t, all, Options{Timeout: patience}, nil)
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
