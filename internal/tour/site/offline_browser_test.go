package site

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestOffline reads the tour on a slow machine, ends the server, and goes on: reloads, goes to a page
// that was not open before, back and forward.
func TestOffline(t *testing.T) {
	t.Parallel()
	open := browser(t)
	used = true
	dir, err := assembled()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	ctx := open(t)
	do(t, ctx, slower(2), chromedp.Navigate(server.URL+"/01-threads.html"), until(`document.querySelector(".cm-content")`),
		clickText(".bench-body", "Run"), until(status+`.includes("nothing wrong")`),
		run(`navigator.serviceWorker.ready.then(() => { window.kept = true })`), until(`window.kept && navigator.serviceWorker.controller`))
	server.CloseClientConnections()
	server.Close()

	title := `document.querySelector("h1")?.textContent ?? ""`
	first := js[string](t, ctx, title)
	do(t, ctx, slower(1), run(`(window.before = true, location.reload())`), until(`!window.before && document.querySelector(".cm-content")`),
		clickText(".bench-body", "Run"), until(status+`.includes("nothing wrong")`))
	do(t, ctx, run(`(location.href = "exercises.html")`), until(title+` == "Exercises"`), run(`history.back()`),
		until(title+` == "`+first+`"`), run(`history.forward()`), until(title+` == "Exercises"`),
		run(`(location.href = "./")`), until(`!location.href.endsWith("html") && document.querySelector("h1")`))
}

// slower makes the page's processor as many times slower: a phone's.
func slower(times float64) deed {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: times})
		return chromedp.Void{}, err
	}
}
