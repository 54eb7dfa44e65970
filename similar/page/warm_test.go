package page

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar/internal/scatter"
)

// TestVersionsWarm asks a new version the last questions before it is served, and counts none of them.
func TestVersionsWarm(t *testing.T) {
	t.Parallel()
	var q recentQuestions
	for i := range 3 * keptQuestions {
		r := httptest.NewRequest("POST", "/shard/matches?q=heap", strings.NewReader(fmt.Sprint(i)))
		q.note(r)
		if n, err := fmt.Fscan(r.Body, new(int)); n != 1 || err != nil {
			t.Fatal("a body that was noted cannot be read again", err)
		}
	}
	q.note(httptest.NewRequest("POST", "/shard/matches", strings.NewReader(strings.Repeat("x", keptBytes+1))))
	q.note(httptest.NewRequest("DELETE", "/api/documents?id=a", nil))
	q.note(httptest.NewRequest("GET", "/api/search?q=heap", nil))
	var got []string
	q.ask(t.Context(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, 10)
		n, _ := r.Body.Read(body)
		got = append(got, fmt.Sprintf("%s %s %s %s", r.Method, r.URL, r.Header.Get(scatter.VersionHeader), body[:n]))
	}), "sum")
	if len(got) != keptQuestions || got[0] != "GET /api/search?q=heap sum " || got[1] != "POST /shard/matches?q=heap sum 129" {
		t.Errorf("%d questions: %q", len(got), got)
	}
}

// TestVersionsWarmFirst holds a new version to being asked the last questions of all kinds while the one
// before still answers, and to answering them.
func TestVersionsWarmFirst(t *testing.T) {
	t.Parallel()
	libraries, whole := shardsOf(t, rand.New(rand.NewPCG(15, 1)), 1, "a", "b")
	v, err := NewVersions(t.Context(), Options{}, libraries[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	asked := map[string]string{} // question to answer
	warm := v.warm
	v.warm = func(ctx context.Context, h http.Handler, version string) {
		warm(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if now := v.Health().Indexes[0].Versions; len(now) != 1 || now[0] != "sum of a" || version != "sum of b" {
				t.Errorf("%s is asked while %q are served", version, now)
			}
			answer := httptest.NewRecorder()
			h.ServeHTTP(answer, r)
			asked[r.URL.String()] = fmt.Sprint(answer.Code, " ", vary.ReplaceAllString(answer.Body.String(), ""))
		}), version)
	}
	questions := []string{"/api/search?q=heap&k=40", "/api/search?q=queue", "/?q=heap"}
	for _, q := range questions {
		answerOf(httptest.NewRequest("GET", q, nil), v)
	}
	libraries[0].set("b")
	if err := v.look(t.Context(), time.Second); err != nil {
		t.Fatal(err)
	}
	_, want, _ := get(whole["b"], questions[0])
	if want = "200 " + vary.ReplaceAllString(want, ""); asked[questions[0]] != want {
		t.Errorf("%s: %.300s, want %.300s", questions[0], asked[questions[0]], want)
	}
	if len(asked) != len(questions) {
		t.Errorf("asked %q, want %q", slices.Sorted(maps.Keys(asked)), questions)
	}
}
