package page

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

var screenshots = flag.String("screenshots", "", "write pictures of the pages to this `folder`")

// pagesForEyes are the pages that are looked at, by axe and by people, by the names of their
// pictures.
var pagesForEyes = map[string]string{
	"start": "/", "answers": "/?q=queue", "chips": "/?q=queue&like=sort&where=kind%3Dchain&threshold=0.1", "operators": "/?q=queue+-zebra+text%3Aheap", "nothing": "/?q=zebra", "wrong": "/?k=many",
	"like": "/like", "document": "/document?id=container/heap&q=queue", "map": "/map?id=container/heap", "walked": "/map?id=sort&trail=container/heap",
	"why": "/why?id=container/heap&q=priority+queue", "api": "/api", "missing": "/nothing",
}

// violation is a finding of axe.
type violation struct {
	ID    string
	Help  string
	Nodes []struct{ HTML, FailureSummary string }
}

// axeRules runs every rule of WCAG 2 and of good practice, and the experimental one on labels that
// are not what is read out.
const axeRules = `axe.run(document, {
	runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
	rules: {"label-content-name-mismatch": {enabled: true}},
}).then(r => r.violations.map(v => ({ID: v.id, Help: v.help, Nodes: v.nodes.map(n => ({HTML: n.html, FailureSummary: n.failureSummary}))})))`

// testAxe runs axe-core on the pages: wide and narrow, in the light and in the dark. It finds
// nothing.
func testAxe(t *testing.T, ctx context.Context, url string) {
	axe, err := os.ReadFile("testdata/axe/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, look := range []struct {
		name          string
		width, height int64
		scheme        string
	}{{"desktop", 1366, 900, "light"}, {"dark", 1366, 900, "dark"}, {"phone", 360, 740, "light"}} {
		for name, path := range pagesForEyes {
			do(t, ctx, chromedp.EmulateViewport(look.width, look.height), scheme(look.scheme), chromedp.Navigate(url+path))
			js[bool](t, ctx, string(axe)+";true")
			list, err := chromedp.Run(ctx, chromedp.Evaluate[[]violation](axeRules, chromedp.EvalAwaitPromise))
			if err != nil {
				t.Fatalf("%s, %s: %v", name, look.name, err)
			}
			for _, v := range list {
				for _, n := range v.Nodes {
					t.Errorf("%s, %s: %s (%s): %.300s: %s", name, look.name, v.ID, v.Help, n.HTML, strings.Join(strings.Fields(n.FailureSummary), " "))
				}
			}
			if *screenshots != "" {
				picture(t, ctx, filepath.Join(*screenshots, name+"-"+look.name+".png"))
			}
		}
	}
}

// picture writes what a page looks like.
func picture(t *testing.T, ctx context.Context, file string) {
	t.Helper()
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(file, png, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}
