package site

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/gridstride/gridstride/internal/tour/course"
)

var every = flag.Bool("every", false, "solve every exercise in the browser, and not some")

// some are the exercises that are solved in each run: a wrong result, a race, a limit, a tolerance, its own
// target.
var some = map[string]bool{"01-add-one": true, "10-missing-barrier": true, "15-banks": true, "23-mean-squared-error": true, "28-tensor-cores": true}

const outcome = `document.querySelector(".outcome").innerText`

// TestExercises fails and solves exercises in a browser, and finds them solved after a reload.
func TestExercises(t *testing.T) {
	t.Parallel()
	open, address := browser(t), serve(t)
	list, err := course.Own()
	if err != nil {
		t.Fatal(err)
	}
	ctx := open(t)
	solved := 0
	for _, x := range list {
		if !*every && !some[x.Name] {
			continue
		}
		solved++
		t.Run(x.Name, func(t *testing.T) {
			solve(t, ctx, address, x)
		})
	}
	do(t, ctx, chromedp.Navigate(address+"index.html"), chromedp.Navigate(address+"exercises.html"),
		until(fmt.Sprintf(`document.querySelectorAll(".solved").length == %d`, solved)))
	see(t, ctx, "exercises")
}

func solve(t *testing.T, ctx context.Context, address string, x *course.Exercise) {
	quoted, err := json.Marshal(x.Title)
	if err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.Navigate(address+"exercises.html#"+x.Name), until(`document.querySelector("h1")?.textContent == `+string(quoted)),
		until(`document.querySelector(".cm-content")`), clickText(".buttons", "Test"), until(outcome))
	if got := js[string](t, ctx, outcome); strings.Contains(got, "Solved.") || strings.Contains(got, "broken") {
		t.Errorf("with the start the page says %q", got)
	}
	if x.Name == "15-banks" {
		shoot(t, ctx, "exercise")
	}
	do(t, ctx, typing(x.Solution), clickText(".buttons", "Test"), until(outcome+`.includes("Solved.")`), until(`!document.querySelector("details:last-of-type").hidden`))
}
