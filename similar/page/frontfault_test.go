package page

import (
	"encoding/json"
	"fmt"
	"io"
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

// A faulty server serves a shard, until a test gives it a fault.
type faulty struct {
	http.Handler
	fault atomic.Pointer[func(w http.ResponseWriter, r *http.Request, next http.Handler)]
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if fault := f.fault.Load(); fault != nil {
		(*fault)(w, r, f.Handler)
		return
	}
	f.Handler.ServeHTTP(w, r)
}

// answerOf records the answer of a handler to a request.
func answerOf(r *http.Request, h http.Handler) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// faults are the faults of a server of a shard, by name.
var faults = map[string]func(w http.ResponseWriter, r *http.Request, next http.Handler){
	"cut off": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		a := answerOf(r, next)
		w.Header().Set(scatter.VersionHeader, a.Header().Get(scatter.VersionHeader))
		w.Header().Set("Content-Length", fmt.Sprint(a.Body.Len()))
		w.Write(a.Body.Bytes()[:a.Body.Len()/2])
	},
	"short": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		a := answerOf(r, next)
		w.Header().Set(scatter.VersionHeader, a.Header().Get(scatter.VersionHeader))
		w.Write(a.Body.Bytes()[:a.Body.Len()/2])
	},
	"garbage": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		w.Header().Set(scatter.VersionHeader, answerOf(r, next).Header().Get(scatter.VersionHeader))
		io.WriteString(w, "<html>welcome</html>")
	},
	"nothing": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		w.Header().Set(scatter.VersionHeader, answerOf(r, next).Header().Get(scatter.VersionHeader))
		io.WriteString(w, "null\n")
	},
	"an object": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		w.Header().Set(scatter.VersionHeader, answerOf(r, next).Header().Get(scatter.VersionHeader))
		io.WriteString(w, "{}")
	},
	"no version": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		w.Write(answerOf(r, next).Body.Bytes())
	},
	"other version": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		a := answerOf(r, next)
		w.Header().Set(scatter.VersionHeader, "other")
		w.Write(a.Body.Bytes())
	},
	"not found": func(w http.ResponseWriter, r *http.Request, next http.Handler) { said(w, r, next, 404) },
	"failure":   func(w http.ResponseWriter, r *http.Request, next http.Handler) { said(w, r, next, 500) },
	"redirection": func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		http.Redirect(w, r, "http://localhost:1/", http.StatusFound)
	},
	"broken off":  func(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) },
	"hung":        func(_ http.ResponseWriter, r *http.Request, _ http.Handler) { hang(r) },
	"ids twice":   tampered(func(list []similar.Ranked) []similar.Ranked { return append(list, list...) }),
	"wrong order": tampered(func(list []similar.Ranked) []similar.Ranked { slices.Reverse(list); return list }),
	"too many":    tampered(func(list []similar.Ranked) []similar.Ranked { return slices.Repeat(list, 1000) }),
	"without ids": tampered(func(list []similar.Ranked) []similar.Ranked { list[0].ID = ""; return list }),
	"without keys": tampered(func(list []similar.Ranked) []similar.Ranked {
		list[0].Keys = append(list[0].Keys, similar.SortKey{})
		return list
	}),
	"slow loris": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		w.Header().Set(scatter.VersionHeader, answerOf(r, next).Header().Get(scatter.VersionHeader))
		for range 10_000 {
			if _, err := io.WriteString(w, " "); err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
			select {
			case <-time.After(20 * time.Millisecond):
			case <-r.Context().Done():
				return
			}
		}
	},
	"infinite": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		w.Header().Set(scatter.VersionHeader, answerOf(r, next).Header().Get(scatter.VersionHeader))
		line := []byte("[" + strings.Repeat(" ", 1<<20))
		for range 64 {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	},
	"NaN": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		a := answerOf(r, next)
		w.Header().Set(scatter.VersionHeader, a.Header().Get(scatter.VersionHeader))
		io.WriteString(w, strings.Replace(a.Body.String(), `"score":`, `"score":1e999`, 1))
		if !strings.Contains(a.Body.String(), `"score":`) {
			io.WriteString(w, "NaN")
		}
	},
}

// hang waits until nobody waits for the answer.
func hang(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // the server sees that the client has gone when it has read all
	<-r.Context().Done()
}

// said answers with an error of a status.
func said(w http.ResponseWriter, r *http.Request, next http.Handler, status int) {
	w.Header().Set(scatter.VersionHeader, answerOf(r, next).Header().Get(scatter.VersionHeader))
	w.WriteHeader(status)
	io.WriteString(w, `{"error": "so it is"}`)
}

// tampered changes lists of matches, and breaks off all other answers.
func tampered(change func([]similar.Ranked) []similar.Ranked) func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		a := answerOf(r, next)
		var m shardMatches
		if r.URL.Path != "/shard/matches" || json.Unmarshal(a.Body.Bytes(), &m) != nil || len(m.Matches) < 2 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set(scatter.VersionHeader, a.Header().Get(scatter.VersionHeader))
		m.Matches = change(m.Matches)
		_ = json.NewEncoder(w).Encode(m)
	}
}

// withoutStatus does something wrong in all answers but those that say how the server is.
func withoutStatus(fault func(w http.ResponseWriter, r *http.Request, next http.Handler)) *func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	f := func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.URL.Path == scatter.StatusPath {
			next.ServeHTTP(w, r)
			return
		}
		fault(w, r, next)
	}
	return &f
}

// TestFrontFaults gives a server of a shard each fault, while queries run. With another server of
// the shard all answers are right; without, they are those without the shard, which they name.
func TestFrontFaults(t *testing.T) {
	t.Parallel()
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var bad [3]*faulty
			d := dealt(t, rand.New(rand.NewPCG(3, 3)), similar.Options{}, randomDocuments(rand.New(rand.NewPCG(4, 4)), 90), 3, func(i int, h http.Handler) http.Handler {
				bad[i] = &faulty{Handler: h}
				return bad[i]
			})
			other := httptest.NewServer(bad[1].Handler)
			t.Cleanup(other.Close)
			double := frontTo(t, d.servers[0].URL+","+d.servers[1].URL+"|"+other.URL+","+d.servers[2].URL)
			lists := map[string]string{"/api/search?q=heap+queue&k=25": "", "/api/search?like=d003&k=25": "", "/api/search?q=heap&sort=-year&k=25": ""}
			two := frontTo(t, d.servers[0].URL+","+d.servers[2].URL)
			for address := range lists {
				if a := ask[Answer](t, d.front, address); a.Missing != nil {
					t.Fatalf("%s: %v is missing before anything is wrong", address, a.Missing)
				}
			}
			bad[1].fault.Store(withoutStatus(fault))
			var all sync.WaitGroup
			for address := range lists {
				for range 3 {
					all.Go(func() {
						_, want, _ := get(d.whole, address)
						if code, got, _ := get(double, address); code != 200 || vary.ReplaceAllString(got, "") != vary.ReplaceAllString(want, "") {
							t.Errorf("with another server, %s: status %d: %.500s\nwant %.500s", address, code, got, want)
						}
					})
				}
				if name == "hung" || name == "slow loris" {
					continue // until the deadline: see TestFrontDeadline
				}
				all.Go(func() {
					code, got, _ := get(d.front, address)
					wantCode, want, _ := get(two, address)
					switch {
					case code == http.StatusServiceUnavailable && wantCode == http.StatusNotFound: // the document may be in the shard
					case code != wantCode || vary.ReplaceAllString(strings.Replace(got, `,"missing":[1]`, "", 1), "") != vary.ReplaceAllString(want, ""):
						t.Errorf("%s: status %d: %.500s\nwant %d: %.500s", address, code, got, wantCode, want)
					case code == 200 && !strings.Contains(got, `"missing":[1]`):
						t.Errorf("%s: nothing is missing: %.500s", address, got)
					}
				})
			}
			all.Wait()
			bad[1].fault.Store(nil)
		})
	}
}

// TestFrontDeadline has a shard that hangs, whose only server says that it is well: an answer comes
// within the time of the request, and names it.
func TestFrontDeadline(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"hung", "slow loris"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var bad faulty
			d := dealt(t, rand.New(rand.NewPCG(3, 3)), similar.Options{}, randomDocuments(rand.New(rand.NewPCG(4, 4)), 60), 2, func(i int, h http.Handler) http.Handler {
				if i == 0 {
					return h
				}
				bad.Handler = h
				return &bad
			})
			if a := ask[Answer](t, d.front, "/api/search?q=heap"); a.Missing != nil {
				t.Fatalf("%v is missing", a.Missing)
			}
			bad.fault.Store(withoutStatus(faults[name]))
			r := httptest.NewRequest("GET", "/api/search?q=heap", nil)
			r.Header.Set(scatter.TimeoutHeader, "4000")
			start := time.Now()
			w := answerOf(r, d.front)
			if w.Code != 200 || !strings.Contains(w.Body.String(), `"missing":[1]`) {
				t.Errorf("after %v: status %d: %s", time.Since(start), w.Code, w.Body)
			}
			_, page, _ := get(d.front, "/api/index")
			if !strings.Contains(page, `"documents"`) {
				t.Errorf("%s", page)
			}
		})
	}
}
