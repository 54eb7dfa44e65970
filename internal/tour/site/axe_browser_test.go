package site

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// violation is a finding of axe.
type violation struct {
	ID    string
	Help  string
	Nodes []struct{ HTML, FailureSummary string }
}

// axeRules runs every rule of WCAG 2 and of good practice.
const axeRules = `axe.run(document, {
	runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}).then(r => r.violations.map(v => ({ID: v.id, Help: v.help, Nodes: v.nodes.map(n => ({HTML: n.html, FailureSummary: n.failureSummary}))})))`

// scheme asks for light or dark colours.
func scheme(name string) deed {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
		})
		return chromedp.Void{}, err
	}
}

// TestAxe runs axe-core on pages with results: wide and narrow, in the light and in the dark.
func TestAxe(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("../../../similar/page/testdata/axe/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	open, address := browser(t), serve(t)
	ctx := open(t)
	for _, look := range []struct {
		name          string
		width, height int64
		scheme        string
	}{{"desktop", 1366, 900, "light"}, {"dark", 1366, 900, "dark"}, {"phone", 360, 740, "light"}} {
		do(t, ctx, chromedp.EmulateViewport(look.width, look.height), scheme(look.scheme))
		for name, page := range map[string]string{"index": "index.html", "exercises": "exercises.html", "exercise": "exercises.html#05-neighbours", "try": "try.html"} {
			do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(address+page), until(`document.querySelector("h1")`))
			if name == "exercise" || name == "try" {
				do(t, ctx, until(`document.querySelector(".cm-content")`))
			}
			accessible(t, ctx, string(axe), name+"-"+look.name)
		}
		do(t, ctx, chromedp.Navigate(address+"03-races.html"), until(`document.querySelector(".cm-content")`), clickText(".bench-body", "Run"),
			until(status+`.includes("The checks find")`))
		for _, tab := range []string{"Result", "Warps", "Step", "Memory", "Grid", "Tree", "Race", "Checks", "Counts", "PTX"} {
			do(t, ctx, clickText(".tabs", tab), until(`document.querySelector(".panel").children.length && !document.querySelector(".where")?.innerText.startsWith("Going")`))
			accessible(t, ctx, string(axe), "tab-"+tab+"-"+look.name)
		}
		do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(address+"try.html"+linkTo(t, pipelined)), until(`document.querySelector(".cm-content")`), clickText(".bench-body", "Run"),
			until(status+`.includes("nothing wrong")`), clickText(".tabs", "Pipeline"), until(`document.querySelector(".pipeline")`))
		accessible(t, ctx, string(axe), "tab-Pipeline-"+look.name)
	}
}

// pipelined is a program with copies under way.
var pipelined = map[string]any{"launch": launched([]int{1}, "f32x4[320]=ramp", "f32[64]", "s64=5"), "text": `package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=64 target=sm_80
func Sums(x []gpu.Float32x4, sums []float32, rounds int) {
	places := gpu.Shared[[2][64]gpu.Float32x4]()
	tid := gpu.ThreadIdx.X
	start := func(round int) {
		if round < rounds {
			gpu.CpAsync(&places[round%2][tid], &x[round*64+tid], gpu.CacheGlobal)
		}
		gpu.CpAsyncCommitGroup()
	}
	start(0)
	var sum float32
	for round := range rounds {
		start(round + 1)
		gpu.CpAsyncWaitGroup(1)
		v := places[round%2][tid]
		sum += v.X + v.Y + v.Z + v.W
	}
	sums[tid] = sum
}
`}

// accessible runs axe on a page, and takes its picture.
func accessible(t *testing.T, ctx context.Context, axe, name string) {
	t.Helper()
	js[bool](t, ctx, axe+";true")
	list, err := chromedp.Run(ctx, chromedp.Evaluate[[]violation](axeRules, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, v := range list {
		for _, n := range v.Nodes {
			t.Errorf("%s: %s (%s): %.300s: %s", name, v.ID, v.Help, n.HTML, strings.Join(strings.Fields(n.FailureSummary), " "))
		}
	}
	if wide := js[int](t, ctx, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
		t.Errorf("%s: the page is %d pixels wider than the window", name, wide)
	}
	see(t, ctx, name)
}
