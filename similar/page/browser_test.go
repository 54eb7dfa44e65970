package page

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/gridstride/gridstride/similar"
)

// browser starts Chromium, or skips the test if there is none. Each call of the function that it
// returns opens a page.
func browser(t *testing.T) func(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("!!! THE PAGE IS NOT TESTED IN A BROWSER: there is no Chromium here; install Debian's package chromium")
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1200, 900),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true))
	first, cancel := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		if err := chromedp.Cancel(first); err != nil {
			t.Log(err)
		}
		cancel()
		stop()
	})
	if err := chromedp.Do(first); err != nil {
		t.Fatalf("Chromium does not start: %v", err)
	}
	return func(t *testing.T) context.Context {
		ctx, cancel := chromedp.NewContext(first)
		t.Cleanup(cancel)
		ctx, cancel = context.WithTimeout(ctx, 90*time.Second)
		t.Cleanup(cancel)
		return ctx
	}
}

// A deed is something done on a page that gives no value.
type deed = chromedp.Action[chromedp.Void]

// do does deeds on a page.
func do(t *testing.T, ctx context.Context, deeds ...deed) {
	t.Helper()
	for i, s := range deeds {
		if err := chromedp.Do(ctx, s); err != nil {
			late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			body, _ := chromedp.Run(late, chromedp.Evaluate[string](`location + "\n" + document.body.innerText`))
			t.Fatalf("step %d: %v; the page is %s", i+1, err, body)
		}
	}
}

// js evaluates an expression on a page.
func js[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for an expression to become true, also on the page that a link leads to.
func until(expression string) deed {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		var last error
		for range 1500 {
			done, err := chromedp.Evaluate[bool]("!!("+expression+")")(ctx, target)
			if done && err == nil {
				return chromedp.Void{}, nil
			}
			last = err
			time.Sleep(20 * time.Millisecond)
			if ctx.Err() != nil {
				break
			}
		}
		return chromedp.Void{}, fmt.Errorf("never came true: %s (%w)", expression, errors.Join(last, ctx.Err()))
	}
}

func click(selector string) deed       { return chromedp.Click(chromedp.CSS(selector)) }
func typed(selector, text string) deed { return chromedp.SendKeys(chromedp.CSS(selector), text) }
func visible(selector string) deed     { return chromedp.WaitVisible(chromedp.CSS(selector)) }

// press presses a key as a keyboard does: what the page prevents types nothing.
func press(key string) deed {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: "keyDown", Key: key, Text: key})
		return chromedp.Void{}, err
	}
}

// script switches script on and off.
func script(on bool) deed {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
		return chromedp.Void{}, err
	}
}

// scheme asks for light or dark colours.
func scheme(name string) deed {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
		})
		return chromedp.Void{}, err
	}
}

// TestBrowser uses the page as people do, in Chromium.
func TestBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the browser takes seconds")
	}
	open := browser(t)
	url := func(t *testing.T, h *Handler) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	books := url(t, serve(t, Options{Name: "library"}, library...))
	for name, test := range map[string]func(*testing.T, context.Context, string){
		"typing": testTyping, "why": testWhy, "feedback": testFeedback, "walking": testWalking, "hostile": testHostile,
		"noscript": testNoScript, "colours": testColours, "phone": testPhone, "caret": testCaret, "history": testHistory, "axe": testAxe, "facets": testFacets,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t), books) })
	}
	t.Run("empty", func(t *testing.T) { testEmpty(t, open(t), url(t, serve(t, Options{}))) })
	t.Run("many", func(t *testing.T) {
		var docs []similar.Document
		for i := range 10000 {
			docs = append(docs, similar.Document{ID: fmt.Sprintf("d%05d", i), Title: fmt.Sprintf("Document %d", i), Text: "a queue of its own"})
		}
		testMany(t, open(t), url(t, serve(t, Options{}, docs...)))
	})
}

// testTyping answers while one types, also to the beginning of a word, without Enter, and the
// address follows.
func testTyping(t *testing.T, ctx context.Context, url string) {
	do(t, ctx, chromedp.Navigate(url), typed("#q", "priority q"), until(`document.querySelectorAll(".hit").length === 1`),
		typed("#q", "u"), until(`document.querySelectorAll(".hit").length === 3`), typed("#q", "eue"), until(`location.search === "?q=priority+queue"`), until(`document.querySelectorAll(".hit").length === 3`))
	if got := js[string](t, ctx, `[...document.querySelectorAll(".hit:first-child .snippet mark")].map(m => m.textContent).join(" ")`); got != "priority queue" {
		t.Errorf("marks %q", got)
	}
	if got := js[string](t, ctx, `location.search + " " + document.title`); got != "?q=priority+queue priority queue · library" {
		t.Errorf("address and title: %s", got)
	}
	if got := js[string](t, ctx, `document.getElementById("said").textContent`); !strings.Contains(got, "among 5 documents") {
		t.Errorf("is read out: %s", got)
	}
	// With the keys alone: down to the second answer, and into it.
	second := js[string](t, ctx, `document.querySelectorAll(".hit .title")[1].textContent`)
	do(t, ctx, chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	if got := js[string](t, ctx, `document.activeElement.textContent`); got != second {
		t.Errorf("the second answer is %q, in focus is %q", second, got)
	}
	do(t, ctx, press("/"))
	if got := js[string](t, ctx, `document.activeElement.id`); got != "q" {
		t.Errorf("after / in focus is %q", got)
	}
	do(t, ctx, chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter), until(`location.pathname === "/document"`), until(`document.querySelector("article h1") !== null`))
	do(t, ctx, click("a.answers"), until(`document.querySelectorAll(".hit").length === 3`))
}

// testWhy opens the reasons below an answer.
func testWhy(t *testing.T, ctx context.Context, url string) {
	do(t, ctx, chromedp.Navigate(url+"/?q=priority+queue"), click(".hit a.why"), until(`document.querySelectorAll(".reasons rect").length === 2`))
	widths := js[[]float64](t, ctx, `[...document.querySelectorAll(".reasons rect")].map(r => r.getBoundingClientRect().width)`)
	if widths[0] <= widths[1] || widths[1] <= 0 {
		t.Errorf("the bars are %v wide", widths)
	}
	do(t, ctx, click(".hit a.why"), until(`document.querySelectorAll(".reasons").length === 0`))
}

// testFeedback marks an answer as good, and looks for more like it.
func testFeedback(t *testing.T, ctx context.Context, url string) {
	do(t, ctx, chromedp.Navigate(url+"/?q=sorting"), click(`.hit input[name="good"]`), until(`document.querySelector(".feedback.ready .said").textContent === "1 marked as good"`),
		click(".feedback button"), until(`document.querySelector(".chips") !== null`))
	if got := js[string](t, ctx, `location.search + " " + document.querySelector(".hit .title").textContent`); got != "?q=sorting&good=sort heap" {
		t.Errorf("address and best answer: %s", got)
	}
	do(t, ctx, click(".chips .drop"), until(`document.querySelector(".chips") === null`))
}

// testWalking goes from an answer to those like it, to the map, and through the map with the keys.
func testWalking(t *testing.T, ctx context.Context, url string) {
	do(t, ctx, chromedp.Navigate(url+"/?q=priority"), click(".hit a.similar"), until(`document.querySelector(".chips") !== null`),
		chromedp.Navigate(url+"/?q=priority"), click(".hit a.map"), until(`document.querySelector("#map .node") !== null`),
		chromedp.Focus(chromedp.CSS("#node1")))
	next := js[string](t, ctx, `document.getElementById("node1").dataset.next`)
	do(t, ctx, chromedp.KeyEvent(kb.ArrowRight))
	if got := js[string](t, ctx, `document.activeElement.id`); got != next {
		t.Errorf("right of node1 is %s, the key leads to %s", next, got)
	}
	do(t, ctx, chromedp.KeyEvent(kb.ArrowLeft))
	if got := js[string](t, ctx, `document.activeElement.id`); got != "node1" {
		t.Errorf("right and left lead to %s", got)
	}
	to := js[string](t, ctx, `document.querySelector("#node1 .label").textContent`)
	do(t, ctx, chromedp.KeyEvent(kb.Enter), until(`document.querySelector(".trail") !== null`))
	if got := js[string](t, ctx, `document.querySelector("h1").textContent + " from " + document.querySelector(".trail").textContent`); got != to+" from heap" {
		t.Errorf("walked to %s", got)
	}
	// The focus is on the map still, at its centre, which has the name of the document.
	if got := js[string](t, ctx, `document.activeElement.id + " " + document.activeElement.textContent.trim()`); got != "node0 "+to {
		t.Errorf("after a step the focus is on %q", got)
	}
	do(t, ctx, chromedp.KeyEvent(kb.ArrowRight))
	if got := js[string](t, ctx, `document.activeElement.id`); got != "node1" {
		t.Errorf("from the centre an arrow leads to %q", got)
	}
	do(t, ctx, click(".trail a"), until(`document.querySelector("h1") !== null && document.querySelector(".trail") === null`))
	if got := js[string](t, ctx, `document.querySelector("h1").textContent`); got != "heap" {
		t.Errorf("walked back to %s", got)
	}
	do(t, ctx, click(`#node1 .dot`), until(`document.querySelector(".trail") !== null`)) // and with the mouse
}

// testHostile shows a title that is full of script as text.
func testHostile(t *testing.T, ctx context.Context, url string) {
	do(t, ctx, chromedp.Navigate(url), typed("#q", "hostile"), until(`document.querySelectorAll(".hit").length === 1`))
	if got := js[string](t, ctx, `document.querySelector(".hit .title").textContent`); got != hostile {
		t.Errorf("the title reads %q", got)
	}
	for _, path := range []string{`.hit a.why`, `.hit a.map`} {
		do(t, ctx, click(path), chromedp.Sleep(100*time.Millisecond))
	}
	do(t, ctx, chromedp.Navigate(url+"/?q=hostile"), click(".hit .title"), until(`document.querySelector("article h1") !== null`))
	if got := js[string](t, ctx, `document.querySelector("h1").textContent + document.title`); got != hostile+hostile+" · library" {
		t.Errorf("heading and title read %q", got)
	}
	if n := js[int](t, ctx, `document.querySelectorAll("img, script:not([src]), [onclick], [onerror]").length`); n != 0 {
		t.Errorf("the document brought %d elements", n)
	}
}

// testNoScript searches, and asks why, without script.
func testNoScript(t *testing.T, ctx context.Context, url string) {
	count := func(selector string) int {
		do(t, ctx, script(true))
		defer do(t, ctx, script(false))
		return js[int](t, ctx, fmt.Sprintf("document.querySelectorAll(%q).length", selector))
	}
	do(t, ctx, script(false), chromedp.Navigate(url), typed("#q", "queue"+kb.Enter), visible(".hit"))
	if n := count(".hit"); n != 3 {
		t.Errorf("%d answers, want 3", n)
	}
	do(t, ctx, click(".hit a.why"), visible(".shares"))
	if n := count(".shares rect"); n != 1 {
		t.Errorf("%d reasons, want 1", n)
	}
	if n := count(`header input, h1, main a.answers, link[rel="stylesheet"]`); n != 4 {
		t.Errorf("the page of reasons has %d of the box, a heading, a way back and a style", n)
	}
	do(t, ctx, click("a.answers"), visible(".hit"), click(`.hit input[name="good"]`), click(".feedback button"), visible(".chips"))
	if n := count(`.chips input[name="good"]`); n != 1 {
		t.Errorf("%d good ones, want 1", n)
	}
}

// testEmpty says that there is nothing.
func testEmpty(t *testing.T, ctx context.Context, url string) {
	do(t, ctx, chromedp.Navigate(url), typed("#q", "anything"), until(`location.search === "?q=anything"`))
	if got := js[string](t, ctx, `document.querySelector("main").innerText`); !strings.Contains(got, "This index has no documents.") {
		t.Errorf("says %s", got)
	}
}

// testMany goes through 10,000 answers, a page at a time and all on one.
func testMany(t *testing.T, ctx context.Context, url string) {
	do(t, ctx, chromedp.Navigate(url), typed("#q", "queue"), until(`document.querySelectorAll(".hit").length === 10`),
		click(`.pages [rel="next"]`), until(`location.search.includes("from=10")`), visible(".hit"))
	if got := js[string](t, ctx, `document.querySelector(".hit .title").textContent`); got != "Document 10" {
		t.Errorf("the second page begins with %s", got)
	}
	do(t, ctx, chromedp.Navigate(url+"/?q=queue&k=10000"))
	if got := js[string](t, ctx, `document.querySelectorAll(".hit").length + " " + document.querySelector(".hit:last-child .title").textContent`); got != "10000 Document 9999" {
		t.Errorf("10,000 answers and the last: %s", got)
	}
}

// testColours holds text to the contrast that WCAG 2 asks for, 4.5 to 1, in the light and in the
// dark.
func testColours(t *testing.T, ctx context.Context, url string) {
	light := map[string]float64{}
	for _, name := range []string{"light", "dark"} {
		do(t, ctx, scheme(name), chromedp.Navigate(url+"/?q=queue&like=sort"))
		paper := luminance(js[[]float64](t, ctx, colour("body", "backgroundColor")))
		for _, selector := range []string{"body", ".title", ".id", ".snippet", ".status", ".fields b", ".score", ".actions label"} {
			if c := contrast(luminance(js[[]float64](t, ctx, colour(selector, "color"))), paper); c < 4.5 {
				t.Errorf("%s: %s has contrast %.2f", name, selector, c)
			}
		}
		if c := contrast(luminance(js[[]float64](t, ctx, colour("mark", "color"))), luminance(js[[]float64](t, ctx, colour("mark", "backgroundColor")))); c < 4.5 {
			t.Errorf("%s: marked words have contrast %.2f", name, c)
		}
		light[name] = paper
	}
	if light["light"] < 0.8 || light["dark"] > 0.05 {
		t.Errorf("the light of the pages is %v", light)
	}
}

// colour is an expression for a colour as red, green and blue.
func colour(selector, property string) string {
	return fmt.Sprintf(`getComputedStyle(document.querySelector(%q)).%s.match(/[\d.]+/g).slice(0, 3).map(Number)`, selector, property)
}

// luminance is the relative luminance of WCAG 2.
func luminance(rgb []float64) float64 {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		c := rgb[i] / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

// testPhone holds pages to the width of a phone.
func testPhone(t *testing.T, ctx context.Context, url string) {
	do(t, ctx, chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
	for _, path := range []string{"/", "/?q=queue&good=sort", "/document?id=container/heap&q=queue", "/map?id=container/heap", "/api", "/document?id=bad+%3F%26%23%3Cid%3E"} {
		do(t, ctx, chromedp.Navigate(url+path))
		if w := js[int](t, ctx, `document.documentElement.scrollWidth`); w > 360 {
			t.Errorf("%s is %d pixels wide", path, w)
		}
	}
	do(t, ctx, chromedp.Navigate(url+"/map?id=container/heap"))
	if got := js[string](t, ctx, `[...document.querySelectorAll("#arcs a")].map(a => a.textContent.trim()).sort().join(", ") + " " + getComputedStyle(document.getElementById("map")).display`); !strings.HasSuffix(got, ", container/ring, list, sort none") {
		t.Errorf("a map names %s", got)
	}
	if h := js[float64](t, ctx, `Math.min(...[...document.querySelectorAll("#arcs .touch")].map(a => a.getBoundingClientRect().height))`); h < 40 {
		t.Errorf("documents of %v pixels are hard to touch", h)
	}
	do(t, ctx, chromedp.Navigate(url+"/?q=queue"))
	if h := js[float64](t, ctx, `Math.min(...[...document.querySelectorAll(".actions a")].map(a => a.getBoundingClientRect().height))`); h < 36 {
		t.Errorf("links of %v pixels are hard to touch", h)
	}
}

// testCaret types on after a reload, at the end.
func testCaret(t *testing.T, ctx context.Context, url string) {
	for range 5 {
		do(t, ctx, chromedp.Navigate(url+"/?q=priority+queue"), until(`document.activeElement.id === "q" && document.readyState === "complete"`), chromedp.Sleep(30*time.Millisecond))
		if at := js[int](t, ctx, `document.getElementById("q").selectionStart`); at != len("priority queue") {
			t.Errorf("the caret is at %d", at)
		}
	}
	do(t, ctx, chromedp.Navigate(url+"/?q=priority+qu"), chromedp.Reload(), until(`document.activeElement.id === "q"`), press("e"))
	if got := js[string](t, ctx, `document.getElementById("q").value`); got != "priority que" {
		t.Errorf("the box says %q", got)
	}
}

// testHistory goes back over what was asked, and forward again.
func testHistory(t *testing.T, ctx context.Context, url string) {
	is := func(address string, hits int) deed {
		return until(fmt.Sprintf(`location.search === %q && document.querySelectorAll(".hit").length === %d && document.getElementById("q").value === (new URLSearchParams(location.search).get("q") ?? "")`, address, hits))
	}
	step := func(which string) deed { return until("(history." + which + "(), true)") }
	do(t, ctx, chromedp.Navigate(url), typed("#q", "queue"), is("?q=queue", 3), chromedp.KeyEvent(kb.ArrowDown),
		press("/"), typed("#q", "sort"), is("?q=sort", 1),
		step("back"), is("?q=queue", 3), step("back"), is("", 0), until(`document.title === "library"`),
		step("forward"), is("?q=queue", 3), until(`document.title === "queue · library"`),
		click(".hit .title"), until(`location.pathname === "/document"`), step("back"), is("?q=queue", 3))
}

// testFacets narrows an answer down to a value, and widens it again.
func testFacets(t *testing.T, ctx context.Context, _ string) {
	var docs []similar.Document
	for i := range 12 {
		docs = append(docs, similar.Document{ID: fmt.Sprint(i), Text: "a queue", Fields: map[string]string{"kind": []string{"tree", "chain; tree", "ring"}[i%3], "n": fmt.Sprint(i)}})
	}
	s := httptest.NewServer(serve(t, Options{}, docs...))
	t.Cleanup(s.Close)
	do(t, ctx, chromedp.Navigate(s.URL))
	const values = `[...document.querySelectorAll(".facets li")].map(li => li.textContent.trim()).join(", ")`
	if got := js[string](t, ctx, values); got != "tree 8, chain 4, ring 4" {
		t.Errorf("the start page has %s", got)
	}
	do(t, ctx, chromedp.Navigate(s.URL+"/?q=queue"))
	if got := js[string](t, ctx, values); got != "tree 8, chain 4, ring 4" {
		t.Errorf("an answer has %s", got)
	}
	if *screenshots != "" {
		picture(t, ctx, filepath.Join(*screenshots, "facets-wide.png"))
		do(t, ctx, chromedp.EmulateViewport(360, 740))
		picture(t, ctx, filepath.Join(*screenshots, "facets-phone.png"))
		do(t, ctx, chromedp.EmulateViewport(1366, 900))
		picture(t, ctx, filepath.Join(*screenshots, "facets-desktop.png"))
	}
	do(t, ctx, click(".facets li:nth-child(2) a"), until(`document.querySelectorAll(".hit").length === 4`),
		click(".chips .drop"), until(`document.querySelectorAll(".hit").length === 10`),
		chromedp.Navigate(s.URL), click(".facets li:nth-child(3) a"), until(`document.querySelector(".chips") !== null`),
		typed("#q", "queue"), until(`document.querySelectorAll(".hit").length === 4`))
	if got := js[string](t, ctx, `location.search`); got != "?q=queue&where=kind%3Dring" {
		t.Errorf("asks %s", got)
	}
}
