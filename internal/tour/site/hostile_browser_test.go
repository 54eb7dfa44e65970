package site

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/gridstride/gridstride/internal/tour/link"
)

// linkTo is the fragment of a link with a value.
func linkTo(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return fragment(t, text)
}

func fragment(t *testing.T, text []byte) string {
	t.Helper()
	of, err := link.Of(text)
	if err != nil {
		t.Fatal(err)
	}
	return of
}

// launched is the launch of a link.
func launched(grid []int, args ...string) map[string]any {
	return map[string]any{"kernel": "", "grid": grid, "block": []int{}, "args": args}
}

// TestHostile opens links that mean harm, and programs that a page cannot bear. Nothing runs before a
// click, texts stay texts, and the page goes on.
func TestHostile(t *testing.T) {
	t.Parallel()
	open, address := browser(t), serve(t)
	ctx := open(t)
	script := `<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>`
	for _, link := range []struct{ name, hash string }{
		{"no base64", "#p=%%%"},
		{"no deflate", "#p=AAAA"},
		{"no JSON", fragment(t, []byte("{"))},
		{"another value", linkTo(t, []int{1})},
		{"a bomb", fragment(t, bytes.Repeat([]byte(" "), 1<<24))},
		{"a wrong grid", linkTo(t, map[string]any{"text": "x", "launch": launched([]int{-1})})},
		{"a name", linkTo(t, map[string]any{"__proto__": map[string]any{"hurt": 1}, "text": 7})},
		{"a script's text", linkTo(t, map[string]any{"text": script, "launch": launched([]int{1}, script)})},
	} {
		name, hash := link.name, link.hash
		do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(address+"try.html"+hash), until(`document.querySelector(".cm-content")`), until(status))
		said := js[string](t, ctx, status)
		if !strings.Contains(said, "damaged") && name != "a script's text" || name == "a script's text" && !strings.Contains(said, "Nothing has run yet") {
			t.Errorf("%s: the page says %q", name, said)
		}
		if js[bool](t, ctx, `window.hurt !== undefined || ({}).hurt !== undefined || document.querySelector(".bench-body img") !== null`) {
			t.Errorf("%s: the link's text has become part of the page", name)
		}
	}
	do(t, ctx, clickText(".bench-body", "Run"), until(`document.querySelector(".note.error")`))
	if js[bool](t, ctx, `window.hurt !== undefined || document.querySelector(".bench-body img") !== null`) {
		t.Error("an error with the link's text has become part of the page")
	}
	t.Run("large", func(t *testing.T) { largeInBrowser(t, ctx, address) })
	t.Run("history", func(t *testing.T) { historyInBrowser(t, ctx, address) })
}

// grows asks for memory until there is none.
const grows = `package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func K(x []int32) {
	cache := gpu.Shared[[1 << 29]int32]()
	cache[0] = 1
	x[0] = cache[0]
}
`

// largeInBrowser asks for 2 GB: of a buffer, of a grid, of shared memory.
func largeInBrowser(t *testing.T, ctx context.Context, address string) {
	simple := "package main\n\n//gpu:kernel\nfunc K(x []int32) {\n\tx[0] = 1\n}\n"
	for want, value := range map[string]map[string]any{
		"more than 64 MiB":      {"text": simple, "launch": launched([]int{1}, "s32[500000000]=ramp")},
		"more than 4194304":     {"text": simple, "launch": launched([]int{1 << 30, 1 << 30}, "s32[1]")},
		"shared memory":         {"text": grows, "launch": launched([]int{1}, "s32[1]")},
		"want TYPE[N]=CONTENTS": {"text": simple, "launch": launched([]int{1}, "x.npy")},
		"grid":                  {"text": simple, "launch": launched([]int{1 << 40}, "s32[1]")},
	} {
		value["launch"].(map[string]any)["block"] = []int{1}
		do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(address+"try.html"+linkTo(t, value)), until(`document.querySelector(".cm-content")`),
			until(status), clickText(".bench-body", "Run"), until(`document.querySelector(".status").classList.contains("bad")`))
		if got := js[string](t, ctx, status); !strings.Contains(got, want) {
			t.Errorf("the page says %q, want %q", got, want)
		}
	}
	do(t, ctx, typing(simple), run(`document.querySelector(".launch .wide").value = "s32[1]"`), run(`document.querySelector(".launch input").value = "1"`),
		clickText(".bench-body", "Run"), until(status+`.includes("nothing wrong")`))
}

// historyInBrowser goes to an exercise, back and forward, and reloads. All that is fetched is the tour's.
func historyInBrowser(t *testing.T, ctx context.Context, address string) {
	title := `document.querySelector("h1")?.textContent`
	do(t, ctx, chromedp.Navigate(address+"exercises.html"), until(title+` == "Exercises"`), run(`document.querySelector(".exercises a").click()`),
		until(title+` == "Add one"`), run(`history.back()`), until(title+` == "Exercises"`), run(`history.forward()`), until(title+` == "Add one"`),
		run(`(window.before = true, location.reload())`), until(`!window.before && `+title+` == "Add one"`), clickText(".buttons", "Test"), until(outcome))
	if others := js[string](t, ctx, `performance.getEntriesByType("resource").map((r) => r.name).filter((n) => !n.startsWith(location.origin)).join()`); others != "" {
		t.Errorf("the page fetches %s", others)
	}
}
