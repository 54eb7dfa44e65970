package site

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// status is the text that says what a bench has come to.
const status = `document.querySelector(".bench-body .status").innerText`

// TestBrowser uses the tour as a reader does.
func TestBrowser(t *testing.T) {
	t.Parallel()
	open, address := browser(t), serve(t)
	t.Run("chapter", func(t *testing.T) { chapterInBrowser(t, open(t), address) })
	t.Run("race", func(t *testing.T) { raceInBrowser(t, open(t), address) })
	t.Run("errors", func(t *testing.T) { errorsInBrowser(t, open(t), address) })
	t.Run("endless", func(t *testing.T) { endlessInBrowser(t, open(t), address) })
}

// clickText clicks the first button with a text in an element, once it is there.
func clickText(within, text string) deed {
	return until(fmt.Sprintf(`((b) => b && (b.click(), true))([...document.querySelectorAll(%q + " button")].find((b) => b.textContent.startsWith(%q)))`, within, text))
}

// typing puts a text in the place of the first editor's.
func typing(text string) deed {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		if _, err := chromedp.Evaluate[bool](`(document.querySelector(".cm-content").focus(), getSelection().selectAllChildren(document.querySelector(".cm-content")), true)`)(ctx, target); err != nil {
			return chromedp.Void{}, err
		}
		_, err := cdp.Call(ctx, target, input.InsertText, input.InsertTextParams{Text: text})
		return chromedp.Void{}, err
	}
}

// chapterInBrowser runs the first kernel of the first chapter, and goes through its time.
func chapterInBrowser(t *testing.T, ctx context.Context, address string) {
	started := time.Now()
	do(t, ctx, chromedp.Navigate(address+"01-threads.html"), until(`document.querySelector("h1")`))
	t.Logf("text after %v", time.Since(started))
	do(t, ctx, until(`document.querySelector(".cm-content")`), clickText(".bench-body", "Run"), until(status+`.includes("nothing wrong")`))
	t.Logf("first run after %v", time.Since(started))
	if got := js[string](t, ctx, `document.querySelector(".values").innerText.replaceAll("\n", " ")`); !strings.HasPrefix(got, "0 1 4 9 16 25") {
		t.Errorf("the result is %q", got)
	}
	see(t, ctx, "chapter")
	do(t, ctx, clickText(".tabs", "Warps"), until(`document.querySelector(".warps canvas")`))
	before := js[string](t, ctx, `document.querySelector(".says").innerText`)
	do(t, ctx, run(`document.querySelector("[aria-label='one step forward']").click()`))
	if js[string](t, ctx, `document.querySelector(".time input").value`) != "1" {
		t.Error("a step forward does not move the slider")
	}
	do(t, ctx, run(`document.querySelector("[aria-label='one step back']").click()`))
	if after := js[string](t, ctx, `document.querySelector(".says").innerText`); after != before || before == "" {
		t.Errorf("forward and back comes to %q from %q", after, before)
	}
	if !js[bool](t, ctx, `document.querySelector(".line-now") !== null`) {
		t.Error("no line of the program is marked")
	}
	see(t, ctx, "warps")
	do(t, ctx, clickText(".tabs", "Memory"), until(`document.querySelector(".memory svg")`))
	see(t, ctx, "memory")
	do(t, ctx, clickText(".tabs", "PTX"), until(`document.querySelector(".ptx").innerText.includes("ld.global")`))
	see(t, ctx, "ptx")
}

// raceInBrowser looks at both orders of a race.
func raceInBrowser(t *testing.T, ctx context.Context, address string) {
	do(t, ctx, chromedp.Navigate(address+"03-races.html"), until(`document.querySelector(".cm-content")`), clickText(".bench-body", "Run"),
		until(status+`.includes("The checks find")`), clickText(".tabs", "Warps"), until(`document.querySelector(".warps canvas")`))
	do(t, ctx, run(`(document.querySelector(".time input").value = 30, document.querySelector(".time input").dispatchEvent(new Event("input")))`))
	see(t, ctx, "race-warps")
	do(t, ctx, clickText(".tabs", "Race"), until(`document.querySelector(".race figcaption")`))
	first := js[string](t, ctx, `document.querySelector(".race figcaption").innerText`)
	see(t, ctx, "race")
	do(t, ctx, run(`document.querySelectorAll(".switch input")[1].click()`))
	if second := js[string](t, ctx, `document.querySelector(".race figcaption").innerText`); second == first || !strings.Contains(second, "sums =") {
		t.Errorf("the orders are %q and %q", first, second)
	}
	do(t, ctx, clickText(".tabs", "Checks"))
	see(t, ctx, "checks")
}

// errorsInBrowser types a program with an error.
func errorsInBrowser(t *testing.T, ctx context.Context, address string) {
	do(t, ctx, chromedp.Navigate(address+"try.html"), until(`document.querySelector(".cm-content")`),
		typing("package main\n\n//gpu:kernel\nfunc K(x []int32) {\n\tx[0] = <b>\n}\n"), until(`document.querySelector(".note.error")`))
	if got := js[string](t, ctx, status); !strings.Contains(got, "line 5:") {
		t.Errorf("the page says %q", got)
	}
	see(t, ctx, "errors")
}

const endless = `package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func K(x []int32) {
	for x[0] >= 0 {
		x[1+gpu.ThreadIdx.X]++
	}
}
`

// endlessInBrowser runs a program that does not end, changes it, and runs what it is then.
func endlessInBrowser(t *testing.T, ctx context.Context, address string) {
	do(t, ctx, chromedp.Navigate(address+"try.html"), until(`document.querySelector(".cm-content")`), typing(endless),
		until(`!document.querySelector(".status").classList.contains("bad")`), clickText(".bench-body", "Run"), until(status+`.includes("Running")`))
	time.Sleep(300 * time.Millisecond)
	do(t, ctx, typing(strings.Replace(endless, "for x[0] >= 0", "for range 3", 1)), until(status+`.includes("ended")`),
		clickText(".bench-body", "Run"), until(status+`.includes("ran.")`))
}

// see takes a picture of the first results of a page, if it is wanted.
func see(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	do(t, ctx, run(`(document.querySelector(".launch") ?? document.body).scrollIntoView()`))
	shoot(t, ctx, name)
}
