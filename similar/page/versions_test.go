package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/scatter"
)

// A bookcase is a VersionSource of versions by name, for one shard of them.
type bookcase struct {
	mu     sync.Mutex
	place  string
	shelf  map[string]*Version
	fails  map[string]error
	open   int // versions that are open
	most   int // of open
	opened int // how often one was opened
}

func (l *bookcase) Place(context.Context) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.place, l.fails["place"]
}

func (l *bookcase) Open(_ context.Context, place string) (*Version, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.fails[place]; err != nil {
		return nil, err
	}
	v := *l.shelf[place]
	v.Place = place
	var closed atomic.Bool
	v.Close = func() error {
		if closed.Swap(true) {
			return errors.New("closed twice")
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.open--
		return nil
	}
	l.open++
	l.opened++
	l.most = max(l.most, l.open)
	return &v, nil
}

func (l *bookcase) set(place string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.place = place
}

// fail has a place fail from now on, or no longer.
func (l *bookcase) fail(place string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fails[place] = err
}

// counts returns how many versions are open, how many were at most, and how often one was opened.
func (l *bookcase) counts() (open, most, opened int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open, l.most, l.opened
}

// versionsOf serves a bookcase, and looks at it often. A version is in use for a while after a front
// has named it.
func versionsOf(t testing.TB, l *bookcase, held time.Duration) *Versions {
	t.Helper()
	v, err := NewVersions(context.Background(), Options{}, l)
	if err != nil {
		t.Fatal(err)
	}
	v.lease = held
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan bool)
	go func() {
		defer close(ended)
		v.Watch(ctx, 5*time.Millisecond)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		if err := v.Close(); err != nil {
			t.Error(err)
		}
		if open, most, _ := l.counts(); open != 0 || most > mostVolumes {
			t.Errorf("%d versions are open at the end, and %d were together", open, most)
		}
	})
	return v
}

// eventually waits until something is so.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// shardsOf deals the documents of versions to the libraries of shards, and returns for each version what one
// index answers.
func shardsOf(t testing.TB, rng *rand.Rand, shards int, names ...string) (libraries []*bookcase, whole map[string]*Handler) {
	t.Helper()
	whole = map[string]*Handler{}
	for range shards {
		libraries = append(libraries, &bookcase{place: names[0], shelf: map[string]*Version{}, fails: map[string]error{}})
	}
	for n, name := range names {
		docs := randomDocuments(rng, 60+7*n)
		one := indexOf(t, docs...)
		table, err := one.Table(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		whole[name] = handlerOf(t, one.Searcher, Options{})
		parts := make([][]similar.Document, shards)
		for _, d := range docs {
			i := similar.ShardOf(d.ID, shards)
			parts[i] = append(parts[i], d)
		}
		for i, part := range parts {
			x, err := indexOf(t, part...).With(table)
			if err != nil {
				t.Fatal(err)
			}
			libraries[i].shelf[name] = &Version{Sum: "sum of " + name, Shard: i, Of: shards, Searcher: x}
		}
	}
	return libraries, whole
}

// TestVersionsSwitch switches shards of one server each to another version and back, one shard after
// the other, while queries run. Each answer is one version's and whole, and the front goes over when
// all shards have the version.
func TestVersionsSwitch(t *testing.T) {
	t.Parallel()
	const shards = 3
	names := []string{"a", "b", "c"}
	libraries, whole := shardsOf(t, rand.New(rand.NewPCG(11, 1)), shards, names...)
	urls := servedVersions(t, libraries)
	f := frontTo(t, strings.Join(urls, ","))
	asking := askWhile(t, f, "/api/search?q=heap+queue&k=30", whole["a"], whole["b"], whole["c"])
	for _, to := range []string{"b", "a", "b", "c", "a"} {
		switchShards(t, f, libraries, urls, to)
		asking.again(t, slices.Index(names, to))
	}
	asking.end()
	for i, l := range libraries {
		eventually(t, "one version is open", func() bool { open, _, _ := l.counts(); return open == 1 })
		if _, most, _ := l.counts(); most != mostVolumes {
			t.Errorf("shard %d: %d versions were open at most", i, most)
		}
	}
	if h := f.Health(); h.Version != "sum of a" || h.Status != "ok" {
		t.Errorf("at the end: %+v", h)
	}
}

// servedVersions starts a server of each library, and returns their addresses.
func servedVersions(t *testing.T, libraries []*bookcase) (urls []string) {
	t.Helper()
	for _, l := range libraries {
		s := httptest.NewServer(versionsOf(t, l, 3*time.Second))
		t.Cleanup(s.Close)
		urls = append(urls, s.URL)
	}
	return urls
}

// switchShards has shards take up a version, one after the other. The front goes over after the last.
func switchShards(t *testing.T, f *Front, libraries []*bookcase, urls []string, to string) {
	t.Helper()
	for i, l := range libraries {
		if i == len(libraries)-1 {
			time.Sleep(50 * time.Millisecond)
			if v := f.Health().Version; v == "sum of "+to {
				t.Errorf("the front has %s before all shards have it", to)
			}
		}
		l.set(to)
		eventually(t, "shard "+fmt.Sprint(i)+" has "+to, func() bool {
			s := statusAt(urls[i])
			return s.Version == "sum of "+to && s.Shard == i && s.Of == len(libraries)
		})
	}
	eventually(t, "the front has "+to, func() bool { return f.Health().Version == "sum of "+to && f.Health().Status == "ok" })
}

// statusAt is what a server of a shard says of itself.
func statusAt(url string) (s scatter.Status) {
	res, err := http.Get(url + scatter.StatusPath)
	if err != nil {
		return s
	}
	defer res.Body.Close()
	_ = json.NewDecoder(res.Body).Decode(&s) // nothing is no version
	return s
}

// TestVersionsStay keeps the version that a front uses, also where others come and cannot be opened,
// or a third one would be too many.
func TestVersionsStay(t *testing.T) {
	t.Parallel()
	libraries, whole := shardsOf(t, rand.New(rand.NewPCG(12, 1)), 1, "a", "b", "c")
	l := libraries[0]
	v := versionsOf(t, l, time.Second)
	is := func(name, sum string) {
		t.Helper()
		answersAs(t, v, sum, whole[name], name)
	}
	stop := namedByFronts(t, v, "sum of a", "sum of b")
	is("a", "")
	l.fail("b", errors.New("the disk is full"))
	l.set("b")
	eventually(t, "it is stale", func() bool {
		h := v.Health()
		return h.Status == "stale" && strings.Contains(h.Indexes[0].Error, "disk is full")
	})
	is("a", "")
	l.fail("b", nil)
	eventually(t, "it has b, and no error", func() bool { h := v.Health(); return h.Status == "ok" && len(h.Indexes[0].Versions) == 2 })
	is("b", "")
	is("a", "sum of a")
	// Fronts use both, so c waits.
	l.set("c")
	eventually(t, "c waits", func() bool { return strings.Contains(fmt.Sprint(v.Health()), "a third one waits") })
	time.Sleep(1200 * time.Millisecond)
	is("a", "sum of a")
	is("b", "sum of b")
	stop()
	eventually(t, "it has c", func() bool { return v.Health().Indexes[0].Versions[0] == "sum of c" })
	is("c", "")
	eventually(t, "it has c alone", func() bool { return len(v.Health().Indexes[0].Versions) == 1 })
	is("c", "sum of a")
	if _, most, _ := l.counts(); most != mostVolumes {
		t.Errorf("%d versions were open at most", most)
	}
}

// TestVersionsOtherPlace has a version at another place, too: it is not open twice for long.
func TestVersionsOtherPlace(t *testing.T) {
	t.Parallel()
	libraries, _ := shardsOf(t, rand.New(rand.NewPCG(16, 1)), 1, "c")
	l := libraries[0]
	versionsOf(t, l, time.Second)
	l.mu.Lock()
	l.shelf["c2"] = l.shelf["c"]
	l.mu.Unlock()
	l.set("c2")
	eventually(t, "c2 was opened", func() bool { _, _, opened := l.counts(); return opened == 2 })
	eventually(t, "one is open", func() bool { open, _, _ := l.counts(); return open == 1 })
	time.Sleep(30 * time.Millisecond)
	if _, _, opened := l.counts(); opened != 2 {
		t.Errorf("a version was opened %d times", opened)
	}
}

// answersAs holds a version that a front names by its sum to the answer of one index.
func answersAs(t *testing.T, v *Versions, sum string, whole http.Handler, name string) {
	t.Helper()
	const address = "/api/search?q=heap&k=40"
	_, want, _ := get(whole, address)
	r := httptest.NewRequest("GET", address, nil)
	r.Header.Set(scatter.VersionHeader, sum)
	if got := answerOf(r, v).Body.String(); vary.ReplaceAllString(got, "") != vary.ReplaceAllString(want, "") {
		t.Errorf("the answer of version %q is not %s's: %.300s", sum, name, got)
	}
}

// namedByFronts names versions again and again, as fronts do, until stop.
func namedByFronts(t *testing.T, v *Versions, sums ...string) (stop func()) {
	using, cancel := context.WithCancel(t.Context())
	ended := make(chan bool)
	go func() {
		defer close(ended)
		for {
			select {
			case <-using.Done():
				return
			case <-time.After(20 * time.Millisecond):
				for _, sum := range sums {
					_, done := v.hold(sum)
					done()
				}
			}
		}
	}()
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	return stop
}

// TestVersionsInUse closes a version after the request that uses it.
func TestVersionsInUse(t *testing.T) {
	t.Parallel()
	libraries, _ := shardsOf(t, rand.New(rand.NewPCG(13, 1)), 1, "a", "b")
	l := libraries[0]
	v := versionsOf(t, l, time.Millisecond)
	_, done := v.hold("sum of a")
	l.set("b")
	eventually(t, "b is there", func() bool { return v.Health().Indexes[0].Versions[0] == "sum of b" })
	time.Sleep(50 * time.Millisecond)
	if open, _, _ := l.counts(); open != 2 {
		t.Errorf("%d versions are open while a request uses the one before", open)
	}
	done()
	eventually(t, "a is closed", func() bool { open, _, _ := l.counts(); return open == 1 })
}

// TestFrontOtherPlace refuses the server of another shard than its place in the list says.
func TestFrontOtherPlace(t *testing.T) {
	t.Parallel()
	libraries, _ := shardsOf(t, rand.New(rand.NewPCG(14, 1)), 2, "a")
	var list []string
	for _, l := range libraries {
		s := httptest.NewServer(versionsOf(t, l, time.Second))
		t.Cleanup(s.Close)
		list = append(list, s.URL)
	}
	f := frontTo(t, list[1]+","+list[0])
	if code, body, _ := get(f, "/api/search?q=heap"); code != 503 {
		t.Errorf("status %d: %s", code, body)
	}
	if text := f.Health().Shards[0].Servers[0].Error; text != "it has shard 1 of 2, and stands in the list for shard 0 of 2" {
		t.Errorf("says %q", text)
	}
}

// TestOpening tries what fails again after twice the time, another place at once, and what only waits
// for its turn each time.
func TestOpening(t *testing.T) {
	t.Parallel()
	var o opening
	calls := 0
	fails := func() error { calls++; return errors.New("no") }
	const every = 200 * time.Millisecond
	for start := time.Now(); time.Since(start) < 3*every+every/2; time.Sleep(time.Millisecond) {
		if o.again("a", every, fails) == nil {
			t.Fatal("no error")
		}
	}
	if calls < 2 || calls > 3 { // at 0, 1 and 3 times every
		t.Errorf("%d calls", calls)
	}
	if o.wait = mostWait; o.again("b", every, func() error { return nil }) != nil {
		t.Error("another place is not tried at once")
	}
	calls = 0
	for range 5 {
		_ = o.again("c", every, func() error { calls++; return errThird })
	}
	if calls != 5 {
		t.Errorf("%d calls of one that waits for its turn", calls)
	}
	o.next = time.Time{}
	for range 20 {
		o.next = time.Time{}
		_ = o.again("c", every, fails)
	}
	if o.wait != mostWait {
		t.Errorf("it waits %v", o.wait)
	}
}
