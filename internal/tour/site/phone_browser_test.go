package site

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// A phone like Lighthouse's: a processor four times as slow, and slow 4G, with 1.6 Mbit/s and 150 ms to
// an answer (https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md).
const (
	phoneSlowness = 4
	phoneLatency  = 150
	phoneDown     = 1.6e6 / 8
	phoneUp       = 750e3 / 8
)

// phone makes a page a phone's.
func phone(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
	if _, err := cdp.Call(ctx, target, network.Enable, network.EnableParams{}); err != nil {
		return chromedp.Void{}, err
	}
	_, err := cdp.Call(ctx, target, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Latency: phoneLatency, DownloadThroughput: phoneDown, UploadThroughput: phoneUp}},
	})
	if err != nil {
		return chromedp.Void{}, err
	}
	return slower(phoneSlowness)(ctx, target)
}

// compressing serves text compressed, as hosts of static files do.
func compressing(files http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains([]string{".html", ".css", ".js", ".svg"}, path.Ext(r.URL.Path)) {
			files.ServeHTTP(w, r)
			return
		}
		text := httptest.NewRecorder()
		files.ServeHTTP(text, r)
		small, err := gzipped(text.Body.Bytes())
		if err != nil {
			panic(err)
		}
		maps.Copy(w.Header(), text.Header())
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Del("Content-Length")
		w.WriteHeader(text.Code)
		w.Write(small)
	})
}

// load are the times of a page's loading, in milliseconds from its beginning.
type load struct {
	FirstText float64 // the text of a chapter is painted
	FirstRun  float64 // its first kernel has run and is checked
}

// loaded loads the first chapter.
func loaded(t *testing.T, ctx context.Context, address string) (l load) {
	t.Helper()
	do(t, ctx, chromedp.Navigate(address+"01-threads.html"), until(`document.querySelector(".cm-content")`), clickText(".bench-body", "Run"),
		until(`document.querySelector(".bench-body").dataset.took`))
	l.FirstText = js[float64](t, ctx, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)
	l.FirstRun = js[float64](t, ctx, `performance.now()`)
	return l
}
