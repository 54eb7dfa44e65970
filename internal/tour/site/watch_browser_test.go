package site

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// where is the text that says at what time the page looks, and at which thread.
const where = `document.querySelector(".watch .where").innerText`

// press presses a button by its label.
func press(label string) deed {
	return run(fmt.Sprintf(`document.querySelector("[aria-label='%s']").click()`, label))
}

// TestWatch goes through an execution in both directions, and looks at its tree and its pipeline.
func TestWatch(t *testing.T) {
	t.Parallel()
	open, address := browser(t), serve(t)
	t.Run("step", func(t *testing.T) { stepInBrowser(t, open(t), address) })
	t.Run("pipeline", func(t *testing.T) { pipelineInBrowser(t, open(t), address) })
}

// stepInBrowser steps forth and back, seeks, and asks who wrote an element.
func stepInBrowser(t *testing.T, ctx context.Context, address string) {
	do(t, ctx, chromedp.Navigate(address+"02-reduction.html"), until(`document.querySelector(".cm-content")`), clickText(".bench-body", "Run"),
		until(status+`.includes("nothing wrong")`), clickText(".tabs", "Step"), until(where+`.startsWith("0 of")`))
	first := js[string](t, ctx, where)
	do(t, ctx, press("one instruction forward"), until(where+`.startsWith("1 of")`), press("on to the next line"), until(`!`+where+`.startsWith("1 of")`),
		run(`(document.querySelector(".watch input[type=range]").value = 700, document.querySelector(".watch input[type=range]").dispatchEvent(new Event("input")))`),
		until(where+`.startsWith("700 of")`))
	if !js[bool](t, ctx, `document.querySelector(".line-now") !== null && document.querySelector(".strips").innerText.includes("barrier") && document.querySelector(".watch").innerText.includes("cache")`) {
		t.Errorf("no line is marked, or no warp waits: %s", js[string](t, ctx, `document.querySelector(".watch").innerText`))
	}
	do(t, ctx, run(`document.querySelector("[data-i='3']").click()`), until(`!document.querySelector(".said").hidden`))
	if said := js[string](t, ctx, `document.querySelector(".said").innerText`); !strings.Contains(said, "wrote") || !strings.Contains(said, "cache[3]") {
		t.Errorf("who wrote it: %q", said)
	}
	see(t, ctx, "step")
	do(t, ctx, press("to the end"), until(`document.querySelector(".where").innerText.includes("has ended")`), press("to the start"), until(where+` == `+fmt.Sprintf("%q", first)))
	do(t, ctx, clickText(".tabs", "Tree"), until(`document.querySelector(".tree")`))
	if label := js[string](t, ctx, `document.querySelector(".tree").getAttribute("aria-label")`); label != "256 values of threads of block 0 become 1 value, in 255 combinations and 8 steps." {
		t.Errorf("the tree is %q", label)
	}
	see(t, ctx, "tree")
	do(t, ctx, press("one step back"), until(`document.querySelector(".says").innerText.includes("Step 7, line")`))
}

// pipelineInBrowser looks at the copies that two places have under way.
func pipelineInBrowser(t *testing.T, ctx context.Context, address string) {
	bench := `document.querySelector("[aria-label='Kernel Double']")`
	do(t, ctx, chromedp.Navigate(address+"09-tensor.html"), until(bench), until(`(`+bench+`.scrollIntoView(), `+bench+`.querySelector(".cm-content"))`),
		clickText("[aria-label='Kernel Double'] .bench-body", "Run"), until(bench+`.querySelector(".status").innerText.includes("nothing wrong")`),
		clickText("[aria-label='Kernel Double'] .tabs", "Pipeline"), until(`document.querySelector(".pipeline")`))
	label := js[string](t, ctx, `document.querySelector(".pipeline").getAttribute("aria-label")`)
	if !strings.Contains(label, "4 warps") || !strings.Contains(label, "16 copies or products under way, at most 1 of a warp at once") {
		t.Errorf("the pipeline is %q", label)
	}
	do(t, ctx, run(bench+`.querySelector(".tabs").scrollIntoView()`))
	shoot(t, ctx, "pipeline")
}
