package page

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/scatter"
)

// TestTrace follows a request from a client through a front to the shards: each part names the part
// that asked. Headers that are no trace begin another one.
func TestTrace(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []http.Header
	rng := rand.New(rand.NewPCG(31, 1))
	d := dealt(t, rng, similar.Options{}, randomDocuments(rng, 40), 3, func(_ int, h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/shard/") && r.URL.Path != scatter.StatusPath {
				mu.Lock()
				asked = append(asked, r.Header.Clone())
				mu.Unlock()
			}
			h.ServeHTTP(w, r)
		})
	})
	var log bytes.Buffer
	d.front.handler.options.Log = slog.New(slog.NewJSONHandler(&log, nil))
	const trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for _, test := range []struct{ traceparent, state, trace, parent, flags, passed string }{
		{"00-" + trace + "-" + parent + "-00", "a=1,b=2", trace, parent, "00", "a=1,b=2"},
		{"00-" + trace + "-" + parent + "-01", strings.Repeat("a", maxState+1), trace, parent, "01", ""},
		{"", "a=1", "", "", "01", ""},
		{"00-" + noTrace + "-" + parent + "-00", "a=1", "", "", "01", ""},
		{"00-" + trace + "-" + noSpan + "-00", "", "", "", "01", ""},
		{"ff-" + trace + "-" + parent + "-00", "", "", "", "01", ""},
		{"00-" + strings.ToUpper(trace) + "-" + parent + "-00", "", "", "", "01", ""},
	} {
		asked = nil
		log.Reset()
		r := httptest.NewRequestWithContext(context.Background(), "GET", "/api/search?q=heap", nil)
		r.Header.Set(scatter.TraceHeader, test.traceparent)
		r.Header.Set(scatter.TraceStateHeader, test.state)
		if w := answerOf(r, d.front); w.Code != 200 {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		var line struct{ Trace, Span, Parent string }
		if err := json.Unmarshal(log.Bytes(), &line); err != nil {
			t.Fatalf("%v: %s", err, &log)
		}
		if line.Trace != test.trace && test.trace != "" || len(line.Trace) != 32 || line.Trace == noTrace || len(line.Span) != 16 || line.Parent != test.parent {
			t.Errorf("%+v: the log has %+v", test, line)
		}
		mu.Lock()
		for _, h := range asked {
			if got, want := h.Get(scatter.TraceHeader), "00-"+line.Trace+"-"+line.Span+"-"+test.flags; got != want || h.Get(scatter.TraceStateHeader) != test.passed {
				t.Errorf("%+v: a shard got %q and %q, want %q", test, got, h.Get(scatter.TraceStateHeader), want)
			}
		}
		if len(asked) < 3 {
			t.Errorf("%d questions to shards", len(asked))
		}
		mu.Unlock()
	}
}
