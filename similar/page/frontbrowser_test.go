package page

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/gridstride/gridstride/similar"
)

// TestBrowserFront shows the page of a front in Chromium, while a shard is missing, while two are, and
// when they are back.
func TestBrowserFront(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the browser takes seconds")
	}
	open := browser(t)
	rng := rand.New(rand.NewPCG(21, 1))
	var down [3]atomic.Bool
	d := dealt(t, rng, similar.Options{}, randomDocuments(rng, 90), 3, func(i int, h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if down[i].Load() {
				panic(http.ErrAbortHandler)
			}
			h.ServeHTTP(w, r)
		})
	})
	s := httptest.NewServer(d.front)
	t.Cleanup(s.Close)
	ctx := open(t)
	const (
		notice = `document.querySelector("p.notice[role=status]")`
		hits   = `document.querySelectorAll(".hit").length`
	)
	says := func(where, want string) {
		t.Helper()
		if got := js[string](t, ctx, `(`+notice+` || {textContent: ""}).textContent`); got != want {
			t.Errorf("%s: the page says %q, want %q", where, got, want)
		}
	}
	search := chromedp.Navigate(s.URL + "/?q=heap")
	do(t, ctx, search, until(hits+" > 0"))
	says("all answer", "")
	down[1].Store(true)
	do(t, ctx, search, until(notice+" !== null"))
	const one = "Shard 1 has not answered. What it has is missing here."
	says("a search", one)
	// Answers as one types name it, too, and it is seen, not only there.
	do(t, ctx, click("#q"), typed("#q", " queue"), until(`location.search === "?q=heap+queue"`), until(hits+" > 0"), until(notice+" !== null"), visible("p.notice"))
	says("as one types", one)
	do(t, ctx, chromedp.Navigate(s.URL+"/"), until(`document.readyState === "complete"`))
	says("the start page", one)
	do(t, ctx, script(false), search, until(hits+" > 0"))
	says("without script", one)
	do(t, ctx, script(true))
	down[2].Store(true)
	do(t, ctx, search, until(notice+` !== null && `+notice+`.textContent.includes("2")`))
	if code, _, _ := get(d.front, "/readyz"); code != 503 {
		t.Errorf("/readyz without two shards: status %d", code)
	}
	if code, _, _ := get(d.front, "/readyz?partial"); code != 200 {
		t.Errorf("/readyz?partial without two shards: status %d", code)
	}
	says("two", "Shards 1 and 2 have not answered. What they have is missing here.")
	down[0].Store(true)
	eventually(t, "the front is down", func() bool { return d.front.Health().Status == "down" })
	if code, body, _ := get(d.front, "/readyz?partial"); code != 503 || !strings.Contains(body, "no shard answers") {
		t.Errorf("/readyz?partial without shards: status %d: %s", code, body)
	}
	do(t, ctx, search, until(`document.body.innerText.includes("none of the shards answers")`))
	for i := range down {
		down[i].Store(false)
	}
	eventually(t, "the front is well", func() bool { return d.front.Health().Status == "ok" })
	do(t, ctx, search, until(hits+" > 0"))
	says("all are back", "")
}

// TestNumbers names shards in words.
func TestNumbers(t *testing.T) {
	t.Parallel()
	all := make([]int, 1000)
	for i := range all {
		all[i] = i
	}
	for want, list := range map[string][]int{
		"shard 7": {7}, "shards 0 and 7": {0, 7}, "shards 0, 1 and 2": {0, 1, 2},
		"shards 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 and 980 more": all,
	} {
		if got := numbers(list); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
