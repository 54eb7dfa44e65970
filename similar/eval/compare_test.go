package eval_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar/eval"
)

// report is a report with a query for each value, which is the query's average precision.
func report(values ...float64) *eval.Report {
	r := &eval.Report{Judged: len(values)}
	for i, x := range values {
		r.Queries = append(r.Queries, eval.Result{ID: fmt.Sprint(i), Measures: eval.Measures{MAP: x}})
		r.MAP += x / float64(len(values))
	}
	return r
}

// TestCompare holds P to figures worked out by hand.
func TestCompare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what          string
		before, after []float64
		better, worse int
		p             float64
	}{
		{"the same", []float64{.5, .2}, []float64{.5, .2}, 0, 0, 1},
		{"one of them", []float64{.5, .2}, []float64{.5, .3}, 1, 0, 1},
		{"two of two", []float64{.5, .2}, []float64{.6, .3}, 2, 0, .5},
		{"five of five", []float64{0, 0, 0, 0, 0}, []float64{.1, .1, .1, .1, .1}, 5, 0, 2. / 32},
		// Of the 8 signs of 3, 1, 1 the sums 5, 3, 3 and their opposites are at least 3.
		{"one worse", []float64{0, 0, .1}, []float64{.3, .1, 0}, 2, 1, 6. / 8},
		{"sixteen", make([]float64, 16), []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 16, 0, 2. / (1 << 16)},
	} {
		d, err := eval.Compare(t.Context(), report(c.before...), report(c.after...))
		if err != nil {
			t.Fatal(err)
		}
		got := d[0]
		if got.Measure != "map" || got.Better != c.better || got.Worse != c.worse || math.Abs(got.P-c.p) > 1e-12 {
			t.Errorf("%s: %+v, want P %v", c.what, got, c.p)
		}
		if r := d[4]; r.Measure != "recall" || r.P != 1 {
			t.Errorf("%s: of a measure that is 0 everywhere: %+v", c.what, r)
		}
	}
}

// TestCompareMany holds P of many queries to the normal distribution, which the sum of many has,
// and to the share of 5 in 100 that chance alone puts below 0.05.
func TestCompareMany(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	below := 0
	const times = 100
	for range times {
		n := 60 + r.IntN(60)
		before, after := make([]float64, n), make([]float64, n)
		sum, squares := 0.0, 0.0
		for i := range n {
			before[i], after[i] = r.Float64(), r.Float64()
			x := after[i] - before[i]
			sum += x
			squares += x * x
		}
		d, err := eval.Compare(t.Context(), report(before...), report(after...))
		if err != nil {
			t.Fatal(err)
		}
		want := math.Erfc(math.Abs(sum) / math.Sqrt(2*squares))
		if math.Abs(d[0].P-want) > .01 {
			t.Errorf("%d queries: P is %v, and by the normal distribution %v", n, d[0].P, want)
		}
		if d[0].P < .05 {
			below++
		}
	}
	if below > 15 {
		t.Errorf("chance alone is below 0.05 in %d of %d cases", below, times)
	}
}

func TestCompareRefuses(t *testing.T) {
	t.Parallel()
	one, two := report(.1), report(.1, .2)
	twice := report(.1, .2)
	twice.Queries[1].ID = "0"
	for what, c := range map[string]struct {
		baseline, report *eval.Report
		err              string
	}{
		"more":          {one, two, `has 1 queries and the report 2, and query "1" is not once in each`},
		"fewer":         {two, one, "has 2 queries and the report 1; compare"},
		"none":          {report(), report(), "has 0 queries"},
		"twice":         {two, twice, `query "0" is not once in each`},
		"twice, before": {twice, two, "the baseline has a query twice"},
	} {
		if _, err := eval.Compare(t.Context(), c.baseline, c.report); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	many := make([]float64, 40)
	for i := range many {
		many[i] = float64(i + 1)
	}
	if _, err := eval.Compare(ctx, report(make([]float64, 40)...), report(many...)); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}
