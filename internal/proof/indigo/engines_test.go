package indigo

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/machine/report/format"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/native"
)

// way is a way to launch a code without checks.
type way struct {
	name  string
	order sim.Order
	seed  uint64
	turns bool // take turns after every basic block
}

var ways = []way{
	{name: "ascending"},
	{name: "descending", order: sim.Descending},
	{name: "random", order: sim.Random, seed: 1},
	{name: "random again", order: sim.Random, seed: 2},
	{name: "interleaved", turns: true},
}

// outcome describes a launch that has ended.
type outcome struct {
	memory []byte
	stats  sim.Stats
	err    string
}

// run runs the launch in a way, without checks, from the memory that prepare made.
func (s *setup) run(t *testing.T, by way) outcome {
	t.Helper()
	found := slices.Concat(s.arrays...)
	defer func() {
		for _, a := range s.arrays {
			found = found[copy(a, found):]
		}
	}()
	l := s.launch
	l.Order, l.Seed, l.Interleave, l.Budget = by.order, by.seed, by.turns, budget
	stats, err := s.machine.Launch(t.Context(), s.entry, l)
	stats.Elapsed = 0
	return outcome{slices.Concat(s.arrays...), stats, fmt.Sprint(err)}
}

// comparison counts what TestEngines compared.
type comparison struct {
	Codes        int    `json:"codes"`
	Graphs       int    `json:"graphs"`
	Launches     int    `json:"launches_without_checks"` // by each engine
	Errors       int    `json:"launches_that_end_with_an_error"`
	Instructions uint64 `json:"warp_instructions"`
	Others       int    `json:"launches_that_differ"`
	Checks       int    `json:"launches_under_all_checks"`
	Findings     int    `json:"findings"`
	OtherTexts   int    `json:"texts_that_differ"`
	Seconds      int    `json:"seconds"`
}

// launches launches a code on a graph in all ways, interpreted and compiled, and compares memory,
// counts and errors.
func (c *comparison) launches(t *testing.T, each func(sim.Engine) *setup) {
	t.Helper()
	interpreted, compiled := each(sim.Interpreter), each(sim.Compiled)
	for _, by := range ways {
		want, got := interpreted.run(t, by), compiled.run(t, by)
		c.Launches++
		c.Instructions += want.stats.Instructions
		if want.err != fmt.Sprint(error(nil)) {
			c.Errors++
		}
		switch {
		case got.err != want.err:
			t.Errorf("%s: the error is %q, interpreted %q", by.name, got.err, want.err)
		case got.stats != want.stats:
			t.Errorf("%s: %+v, interpreted %+v", by.name, got.stats, want.stats)
		case !bytes.Equal(got.memory, want.memory):
			t.Errorf("%s: other bits in memory", by.name)
		default:
			continue
		}
		c.Others++
	}
}

// checks runs a code on a graph under the checks, on a machine of each engine, and compares the
// findings' texts.
func (c *comparison) checks(t *testing.T, code string, g *graph, each func(sim.Engine) *setup) {
	t.Helper()
	var texts [2]bytes.Buffer
	for i, engine := range []sim.Engine{sim.Interpreter, sim.Compiled} {
		r := each(engine).check(t, code, g)
		if i == 0 {
			c.Findings += len(r.Findings)
		}
		if err := format.Text(&texts[i], r); err != nil {
			t.Fatal(err)
		}
	}
	c.Checks++
	if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) {
		c.OtherTexts++
		t.Errorf("the findings are\n%s\ninterpreted\n%s", &texts[1], &texts[0])
	}
}

// TestEngines runs every code on graphs by both engines, and compares what memory, errors, counts and
// the checks' findings they give.
func TestEngines(t *testing.T) {
	codes, list := readSuite(t)
	if !native.Possible || !native.Suits() {
		t.Skip("kernels are not compiled here")
	}
	began := time.Now()
	c := comparison{Graphs: len(list)}
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		t.Run(code, func(t *testing.T) {
			c.Codes++
			for _, g := range list {
				each := func(e sim.Engine) *setup { return prepare(t, code, codes[code], g, e) }
				c.launches(t, each)
				c.checks(t, code, g, each)
			}
		})
	}
	c.Seconds = int(time.Since(began).Seconds())
	t.Logf("%+v", c)
	save(t, c)
}
