package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/gridstride/gridstride/internal/language/tune"
)

// tuned has the measurements for the constants of one comment.
type tuned struct {
	Package      string   `json:"package"`
	File         string   `json:"file"`
	Line         int      `json:"line"`
	Benchmark    string   `json:"benchmark"`
	Tests        []string `json:"tests,omitempty"`
	Device       string   `json:"device"`
	Unit         string   `json:"unit"` // of costs: "ns", or "counted" on the simulator
	Combinations uint64   `json:"combinations"`
	Seed         uint64   `json:"seed"`  // of the sample, where not all combinations were tried
	Tried        []*trial `json:"tried"` // the source.s first
	Best         string   `json:"best,omitempty"`
	Written      []string `json:"written,omitempty"` // files
}

// trial is a combination and what it took.
type trial struct {
	Values  string       `json:"values"`
	Score   float64      `json:"score,omitempty"` // relative to the first that can be used; 0 where skipped
	Shapes  []tune.Shape `json:"shapes,omitempty"`
	Skipped string       `json:"skipped,omitempty"` // why it cannot be used

	choice tune.Choice
}

// counted is the unit of costs on the simulator.
const counted = "counted"

// leastGain is how much less time a combination must take on a GPU than the source's, so that noise does
// not change sources.
const leastGain = 0.02

// score fills the scores.
func (r *tuned) score() {
	var one []tune.Shape
	for _, t := range r.Tried {
		if t.Skipped != "" {
			continue
		}
		if one == nil {
			one = t.Shapes
		}
		var ok bool
		if t.Score, ok = tune.Score(t.Shapes, one); !ok {
			t.Skipped = "it measured other shapes than " + r.Tried[0].Values
		}
	}
}

// choose is the best combination, the first of equals; nil if none can be used.
func (r *tuned) choose() *trial {
	r.score()
	var best *trial
	for _, t := range r.Tried {
		if t.Skipped == "" && (best == nil || t.Score < best.Score) {
			best = t
		}
	}
	first := r.Tried[0]
	if best != nil && r.Unit != counted && first.Skipped == "" && best.Score > first.Score*(1-leastGain) {
		best = first
	}
	if best != nil {
		r.Best = best.Values
	}
	return best
}

// print writes a table with a row for each combination.
func (r *tuned) print(w io.Writer) {
	how := "nanoseconds on " + r.Device
	if r.Unit == counted {
		how = "counted on the " + r.Device + ", no times"
	}
	fmt.Fprintf(w, "%s:%d: %s: %d of %d combinations, %s\n", r.File, r.Line, r.Benchmark, len(r.Tried), r.Combinations, how)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\tscore\t%s\n", strings.Join(r.shapes(), "\t"))
	for i, tried := range r.Tried {
		fmt.Fprintf(t, "  %s\t", tried.Values)
		if tried.Skipped != "" {
			fmt.Fprintf(t, "skipped: %s\n", tried.Skipped)
			continue
		}
		fmt.Fprintf(t, "%.3f", tried.Score)
		for _, s := range tried.Shapes {
			fmt.Fprintf(t, "\t%.0f", s.Cost)
		}
		fmt.Fprintln(t, r.remark(i))
	}
	t.Flush()
	if len(r.Written) > 0 {
		fmt.Fprintf(w, "wrote %s\n", strings.Join(r.Written, ", "))
	}
}

// shapes are the names of what was measured, without the benchmark's.
func (r *tuned) shapes() (names []string) {
	for _, t := range r.Tried {
		if t.Skipped == "" {
			for _, s := range t.Shapes {
				names = append(names, strings.TrimPrefix(strings.TrimPrefix(s.Name, r.Benchmark), "/"))
			}
			return names
		}
	}
	return nil
}

// remark says what is special about a row.
func (r *tuned) remark(i int) string {
	var notes []string
	if i == 0 {
		notes = append(notes, "source")
	}
	if r.Tried[i].Values == r.Best {
		notes = append(notes, "best")
	}
	if notes == nil {
		return ""
	}
	return "\t" + strings.Join(notes, ", ")
}

// printTuned writes results as JSON.
func printTuned(w io.Writer, results []*tuned) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(results)
}
