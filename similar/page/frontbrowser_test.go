package page

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/gridstride/gridstride/similar"
)

// A frontTab is a page of a front in Chromium, and what may happen to the front's shards.
type frontTab struct {
	t     *testing.T
	ctx   context.Context
	front *Front
	url   string
	down  [3]atomic.Bool // the shards that do not answer
}

// JavaScript of the page: what it says of shards, and how many hits there are.
const (
	notice = `document.querySelector("p.notice[role=status]")`
	hits   = `document.querySelectorAll(".hit").length`
)

// newFrontTab starts shards and a front, and opens a tab.
func newFrontTab(t *testing.T) *frontTab {
	open := browser(t)
	tab := &frontTab{t: t}
	rng := rand.New(rand.NewPCG(21, 1))
	d := dealt(t, rng, similar.Options{}, randomDocuments(rng, 90), 3, func(i int, h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if tab.down[i].Load() {
				panic(http.ErrAbortHandler)
			}
			h.ServeHTTP(w, r)
		})
	})
	s := httptest.NewServer(d.front)
	t.Cleanup(s.Close)
	tab.front, tab.url, tab.ctx = d.front, s.URL, open(t)
	return tab
}

func (tab *frontTab) do(deeds ...deed) {
	tab.t.Helper()
	do(tab.t, tab.ctx, deeds...)
}

// search goes to a search.
func (tab *frontTab) search() deed { return chromedp.Navigate(tab.url + "/?q=heap") }

// says holds the notice of the page to a text.
func (tab *frontTab) says(where, want string) {
	tab.t.Helper()
	if got := js[string](tab.t, tab.ctx, `(`+notice+` || {textContent: ""}).textContent`); got != want {
		tab.t.Errorf("%s: the page says %q, want %q", where, got, want)
	}
}

// ready holds an address of readiness to a status and a text.
func (tab *frontTab) ready(address string, want int, says string) {
	tab.t.Helper()
	if code, body, _ := get(tab.front, address); code != want || !strings.Contains(body, says) {
		tab.t.Errorf("%s: status %d, want %d and %q: %s", address, code, want, says, body)
	}
}

// TestBrowserFront shows the page of a front in Chromium, while a shard is missing, while two are, and
// when they are back.
func TestBrowserFront(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the browser takes seconds")
	}
	tab := newFrontTab(t)
	tab.do(tab.search(), until(hits+" > 0"))
	tab.says("all answer", "")
	tab.down[1].Store(true)
	tab.do(tab.search(), until(notice+" !== null"))
	const one = "Shard 1 has not answered. What it has is missing here."
	tab.says("a search", one)
	// Answers as one types name it, too, and it is seen, not only there.
	tab.do(click("#q"), typed("#q", " queue"), until(`location.search === "?q=heap+queue"`), until(hits+" > 0"), until(notice+" !== null"), visible("p.notice"))
	tab.says("as one types", one)
	tab.do(chromedp.Navigate(tab.url+"/"), until(`document.readyState === "complete"`))
	tab.says("the start page", one)
	tab.do(script(false), tab.search(), until(hits+" > 0"))
	tab.says("without script", one)
	tab.do(script(true))
	tab.down[2].Store(true)
	tab.do(tab.search(), until(notice+` !== null && `+notice+`.textContent.includes("2")`))
	tab.ready("/readyz", 503, "")
	tab.ready("/readyz?partial", 200, "")
	tab.says("two", "Shards 1 and 2 have not answered. What they have is missing here.")
	tab.down[0].Store(true)
	eventually(t, "the front is down", func() bool { return tab.front.Health().Status == "down" })
	tab.ready("/readyz?partial", 503, "no shard answers")
	tab.do(tab.search(), until(`document.body.innerText.includes("none of the shards answers")`))
	for i := range tab.down {
		tab.down[i].Store(false)
	}
	eventually(t, "the front is well", func() bool { return tab.front.Health().Status == "ok" })
	tab.do(tab.search(), until(hits+" > 0"))
	tab.says("all are back", "")
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
