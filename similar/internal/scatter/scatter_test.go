package scatter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// A fake is a server of a shard that counts its questions, and may be slow or hang.
type fake struct {
	*httptest.Server
	asked atomic.Int64
	sleep atomic.Int64 // how long an answer takes
	stops atomic.Bool  // whether it says that it stops
}

func newFake(t *testing.T, version string) *fake {
	f := &fake{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(VersionHeader, version)
		if f.stops.Load() {
			w.Header().Set(StopsHeader, "true")
		}
		if r.URL.Path == StatusPath {
			fmt.Fprintf(w, `{"version": %q, "documents": 3, "options": {}}`, version)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		f.asked.Add(1)
		select {
		case <-time.After(time.Duration(f.sleep.Load())):
		case <-r.Context().Done():
		}
		fmt.Fprint(w, `"answer"`)
	}))
	t.Cleanup(f.Close)
	return f
}

// cluster returns a cluster that has looked at its servers once.
func cluster(t *testing.T, o Options, shards ...[]string) *Cluster {
	t.Helper()
	c, err := New(shards, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.look(t.Context())
	return c
}

// question is a call that takes every answer.
var question = &Call{Path: "/q", Decode: func(b []byte) (any, error) { return string(b), nil }}

// TestHedges has one of two servers slow: the other one answers, and few questions are
// asked twice.
func TestHedges(t *testing.T) {
	t.Parallel()
	slow, fast := newFake(t, "v"), newFake(t, "v")
	slow.sleep.Store(int64(10 * time.Second))
	var hedges atomic.Int64
	c := cluster(t, Options{Observe: func(a Attempt) {
		if a.Hedge {
			hedges.Add(1)
		}
	}}, []string{slow.URL, fast.URL})
	const n = 1000
	for range n {
		if a, err := c.Ask(t.Context(), "v", 0, question); err != nil || a != `"answer"` {
			t.Fatal(a, err)
		}
	}
	if h := hedges.Load(); h == 0 || h > mostTokens+n*hedged+50 || slow.asked.Load() > n/10 {
		t.Errorf("%d hedges of %d questions, and %d to the slow server", h, n, slow.asked.Load())
	}
}

// TestTimeoutTravels holds a request to say how much time it still has, in milliseconds, and not when
// it ends: servers' clocks may differ by hours.
func TestTimeoutTravels(t *testing.T) {
	t.Parallel()
	var said atomic.Pointer[string]
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(VersionHeader, "v")
		w.Header().Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
		if r.URL.Path == StatusPath {
			fmt.Fprint(w, `{"version": "v", "documents": 3, "options": {}}`)
			return
		}
		header := r.Header.Get(TimeoutHeader)
		said.Store(&header)
		fmt.Fprint(w, `"answer"`)
	}))
	t.Cleanup(s.Close)
	c := cluster(t, Options{}, []string{s.URL})
	for _, limit := range []time.Duration{0, 20 * time.Millisecond, 3 * time.Second, time.Hour} {
		ctx, cancel := t.Context(), func() {}
		if limit > 0 {
			ctx, cancel = context.WithTimeout(ctx, limit)
		}
		_, err := c.Ask(ctx, "v", 0, question)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) && limit < time.Second {
			continue // this machine was slow
		}
		if err != nil {
			t.Fatal(err)
		}
		left, err := strconv.ParseInt(*said.Load(), 10, 64)
		if limit == 0 && *said.Load() != "" || limit > 0 && (err != nil || left < 1 || left > limit.Milliseconds() || left < limit.Milliseconds()/2 && limit > time.Second) {
			t.Errorf("a request with %v says %q", limit, *said.Load())
		}
	}
}

// TestHung has two of three servers hang: the third answers, also when no question may be asked twice.
func TestHung(t *testing.T) {
	t.Parallel()
	a, b, good := newFake(t, "v"), newFake(t, "v"), newFake(t, "v")
	a.sleep.Store(int64(time.Minute))
	b.sleep.Store(int64(time.Minute))
	c := cluster(t, Options{}, []string{a.URL, b.URL, good.URL})
	c.tokens = -1e9
	for range 50 {
		if _, err := c.Ask(t.Context(), "v", 0, question); err != nil {
			t.Fatal(err)
		}
	}
	if a.asked.Load()+b.asked.Load() > 10 {
		t.Errorf("servers that hang got %d and %d questions", a.asked.Load(), b.asked.Load())
	}
}

// TestStops has a server that stops soon: the cluster asks it only while there is no other.
func TestStops(t *testing.T) {
	t.Parallel()
	a, b := newFake(t, "v"), newFake(t, "v")
	c := cluster(t, Options{}, []string{a.URL, b.URL})
	a.stops.Store(true)
	c.look(t.Context())
	ask := func() {
		t.Helper()
		for range 200 {
			if _, err := c.Ask(t.Context(), "v", 0, question); err != nil {
				t.Fatal(err)
			}
		}
	}
	before := a.asked.Load()
	ask()
	// A hedge may go to it.
	if n := a.asked.Load() - before; n > mostTokens+200*hedged {
		t.Errorf("a server that stops was asked %d times", n)
	}
	b.Close()
	c.look(t.Context())
	before = a.asked.Load()
	ask()
	if n := a.asked.Load() - before; n != 200 {
		t.Errorf("the last server was asked %d times", n)
	}
}

// A heldStatus is a server that says what it has in a text.
func heldStatus(t *testing.T, text string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }))
	t.Cleanup(s.Close)
	return s.URL
}

// TestHeld goes over to a version when a quorum of each shard's servers has it, and most are to serve it.
func TestHeld(t *testing.T) {
	t.Parallel()
	const old, both, back, alone = `{"version": "v1"}`, `{"version": "v2", "held": [{"version": "v1", "documents": 7}]}`, `{"version": "v1", "held": [{"version": "v2"}]}`, `{"version": "v2"}`
	for _, test := range []struct {
		current string
		quorum  float64
		servers [][]string
		want    string
		missing int
	}{
		{"v1", 0, [][]string{{both}, {old}}, "v1", 0},
		{"v1", 0, [][]string{{both}, {both}}, "v2", 0},
		{"", 0, [][]string{{both}, {both}}, "v2", 0},
		{"v2", 0, [][]string{{back}, {both}}, "v2", 0},
		{"v2", 0, [][]string{{back}, {back}}, "v1", 0},
		{"v1", 0, [][]string{{both, old}, {both, old}}, "v1", 0}, // half of the servers are to serve it
		{"v1", 0, [][]string{{both, old}, {both, both}}, "v2", 0},
		{"v1", 1, [][]string{{both, old}, {both, both}}, "v1", 0},
		{"v1", 1, [][]string{{both, both}, {both, both}}, "v2", 0},
		{"v1", 0.1, [][]string{{both, old, old}, {both, both, both}}, "v2", 0},
		{"v1", 0, [][]string{{both, old, old}, {both, both, both}}, "v1", 0},
		{"v1", 0, [][]string{{alone}, {old}}, "v1", 1}, // neither is everywhere: the one before stays
		{"v1", 0, [][]string{{alone}, {both}}, "v2", 0},
		{"v1", 0, [][]string{{"{}"}, {both}}, "v2", 1},
	} {
		var list [][]string
		for _, shard := range test.servers {
			var urls []string
			for _, text := range shard {
				urls = append(urls, heldStatus(t, text))
			}
			list = append(list, urls)
		}
		c := cluster(t, Options{Quorum: test.quorum}, list...)
		c.current = test.current
		v, err := c.Version(t.Context())
		if err != nil || v.Name != test.want || len(v.Missing) != test.missing {
			t.Errorf("%+v: %q, %v is missing, %v", test, v.Name, v.Missing, err)
		}
	}
	for _, text := range []string{
		`{"version": "a", "held": [{"version": "a"}]}`, `{"version": "a", "held": [{"version": ""}]}`, `{"version": "a", "shard": 1, "of": 2}`,
		`{"version": "a", "of": 3}`, `{"version": "a", "held": [{"version": "b", "shard": 0, "of": 2}]}`, `{"version": "a", "documents": -1}`,
		`{"version": "a", "held": [{"version": "b"}, {"version": "c"}, {"version": "d"}, {"version": "e"}]}`,
	} {
		c := cluster(t, Options{}, []string{heldStatus(t, text)})
		if _, err := c.Version(t.Context()); !errors.Is(err, ErrNone) {
			t.Errorf("a server says %s: %v", text, err)
		}
	}
	if _, err := New([][]string{{"http://a"}}, Options{Quorum: 1.5}); err == nil {
		t.Error("a quorum of 1.5")
	}
}

// TestVersions chooses the version that all shards have, and stays with one as long as all have it.
func TestVersions(t *testing.T) {
	t.Parallel()
	a1, a2, b1, b2 := newFake(t, "v1"), newFake(t, "v2"), newFake(t, "v1"), newFake(t, "v2")
	c := cluster(t, Options{}, []string{a1.URL, a2.URL}, []string{b1.URL})
	is := func(name string, missing int) {
		t.Helper()
		if v, err := c.Version(t.Context()); err != nil || v.Name != name || len(v.Missing) != missing {
			t.Errorf("the version is %q, %v is missing, %v; want %s and %d", v.Name, v.Missing, err, name, missing)
		}
	}
	is("v1", 0)
	c.shards[1].set([]string{b1.URL, b2.URL})
	c.look(t.Context())
	is("v1", 0)
	a1.Close()
	c.look(t.Context())
	is("v2", 0)
	a2.Close()
	c.look(t.Context())
	is("v2", 1)
	if _, err := c.Ask(t.Context(), "v2", 0, question); !errors.Is(err, ErrDown) {
		t.Errorf("a shard without a server: %v", err)
	}
	if _, err := c.Ask(t.Context(), "v3", 1, question); !errors.Is(err, ErrVersion) {
		t.Errorf("a version that no server has: %v", err)
	}
	b1.Close()
	b2.Close()
	c.look(t.Context())
	if _, err := c.Version(t.Context()); !errors.Is(err, ErrNone) {
		t.Errorf("no server: %v", err)
	}
}

// TestDNS finds the servers of a shard by a name, also when others take their places.
func TestDNS(t *testing.T) {
	t.Parallel()
	a, b := newFake(t, "v"), newFake(t, "v")
	var now atomic.Pointer[fake]
	now.Store(a)
	var broken atomic.Bool
	c := cluster(t, Options{LookupSRV: func(_ context.Context, name string) ([]*net.SRV, error) {
		if broken.Load() || name != "shard.example.org" {
			return nil, errors.New("no such name")
		}
		u, _ := url.Parse(now.Load().URL)
		port, _ := strconv.Atoi(u.Port())
		return []*net.SRV{{Target: u.Hostname() + ".", Port: uint16(port)}}, nil
	}}, []string{"dns:shard.example.org"})
	for _, f := range []*fake{a, b} {
		now.Store(f)
		c.look(t.Context())
		broken.Store(true) // the servers stay
		c.look(t.Context())
		broken.Store(false)
		before := f.asked.Load()
		if _, err := c.Ask(t.Context(), "v", 0, question); err != nil || f.asked.Load() != before+1 {
			t.Errorf("the server got %d questions, %v", f.asked.Load()-before, err)
		}
	}
}
