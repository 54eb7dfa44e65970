package bench

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
)

func run1(t *testing.T, o Options) []Row {
	t.Helper()
	dev, err := gridstride.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}()
	rows, err := Run(t.Context(), dev, o)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	return rows
}

// TestRows runs every benchmark at a small size: all rows are there, right, and counted.
func TestRows(t *testing.T) {
	for _, o := range []Options{
		{What: "dot", N: 5000, DType: "float32"},
		{What: "dot", N: 0, DType: "float64"},
		{What: "reduce", N: 5000, DType: "float64"},
		{What: "reduce", N: 1, DType: "float32"},
		{What: "matmul", M: 33, N: 20, L: 17, DType: "float32"},
		{What: "matmul", M: 3, N: 0, L: 2, DType: "float64"},
	} {
		var progress strings.Builder
		o.Progress = &progress
		rows := run1(t, o)
		if want := map[string]int{"dot": 14, "reduce": 7, "matmul": 11}[o.What]; len(rows) != want {
			t.Errorf("%+v: %d rows, want %d", o, len(rows), want)
		}
		for _, r := range rows {
			if r.Wrong != "" || r.Median <= 0 || r.Least > r.Median || r.Most < r.Median {
				t.Errorf("%+v: %+v", o, r)
			}
			if (r.On == "simulator") != (r.Counts != nil) || r.Counts != nil && r.Counts.Instructions == 0 {
				t.Errorf("%+v: row %s, on %s, has counts %+v", o, r.Variant, r.On, r.Counts)
			}
			if !strings.Contains(progress.String(), o.What+" "+r.Variant+": first run\n") {
				t.Errorf("%+v: no progress for %s", o, r.Variant)
			}
		}
	}
}

// TestCounts holds the ladder to what its rungs claim.
func TestCounts(t *testing.T) {
	rows := run1(t, Options{What: "dot", N: 1 << 14, DType: "float32"})
	if rows[2].Counts == nil {
		t.Skip("a GPU counts nothing")
	}
	row := func(name string) Row {
		return rows[slices.IndexFunc(rows, func(r Row) bool { return r.Variant == name })]
	}
	lanes := func(r Row) float64 { return float64(r.Counts.LaneInstructions) / float64(r.Counts.Instructions) }
	if d, c := row("divergent").Counts.Divergent, row("conflicting").Counts.Divergent; d <= c {
		t.Errorf("divergent has %d divergent branches, conflicting %d", d, c)
	}
	if c, s := row("conflicting").Counts, row("sequential").Counts; c.SharedPasses <= s.SharedPasses {
		t.Errorf("conflicting takes %d passes of shared memory, sequential %d", c.SharedPasses, s.SharedPasses)
	}
	if s, l := row("sequential").Counts, row("lastwarp").Counts; s.BarrierWaits <= l.BarrierWaits {
		t.Errorf("sequential waits at %d barriers, lastwarp at %d", s.BarrierWaits, l.BarrierWaits)
	}
	if s, v := row("shuffle").Counts, row("vector").Counts; s.GlobalRequests < 4*v.GlobalRequests/2 || s.GlobalSectors < v.GlobalSectors/2 {
		t.Errorf("shuffle loads with %d instructions, vector with %d", s.GlobalRequests, v.GlobalRequests)
	}
	if one := lanes(row("single")); one != 1 {
		t.Errorf("single runs %v lanes", one)
	}
}

func TestPrint(t *testing.T) {
	rows := run1(t, Options{What: "dot", N: 100, DType: "float32", Variants: []string{"go", "onepass"}})
	var text strings.Builder
	if err := Text(&text, rows); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"dot of float32, n=100, on ", "variant", "GB/s", "onepass", "1x"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	var out strings.Builder
	if err := JSON(&out, rows); err != nil {
		t.Fatal(err)
	}
	var back []Row
	if err := json.Unmarshal([]byte(out.String()), &back); err != nil || len(back) != 2 || back[1].Variant != "onepass" {
		t.Errorf("%v: %v", err, out.String())
	}
	rows[1].Wrong = "3, want 4"
	text.Reset()
	if err := Text(&text, rows); err != nil || !strings.Contains(text.String(), "WRONG: onepass: 3, want 4\n") {
		t.Errorf("%v: %s", err, text.String())
	}
}

func TestBadOptions(t *testing.T) {
	dev, err := gridstride.Open()
	if err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]Options{
		`there is no benchmark "sort"`:                {What: "sort", DType: "float32"},
		`"int32" is no element type here`:             {What: "dot", DType: "int32"},
		"n is -1: a size is not negative":             {What: "dot", N: -1, DType: "float32"},
		"m is -2: a size is not negative":             {What: "matmul", M: -2, DType: "float32"},
		"the input and working memory are ":           {What: "dot", N: 1 << 60, DType: "float32"},
		"the input and working memory are 4253":       {What: "matmul", N: 1 << 61, M: 1 << 61, L: 4, DType: "float64"},
		"n is 0: a vector without elements":           {What: "reduce", DType: "float64"},
		`no variant "fast": there are [go gonum prod`: {What: "dot", DType: "float64", Variants: []string{"fast"}},
	} {
		if _, err := Run(t.Context(), dev, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", o, err, want)
		}
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

// TestNames: a relative error is of the magnitude, and a wrong element has a place.
func TestNames(t *testing.T) {
	p := &matmulProblem[float64]{m: 2, n: 1, l: 3, ha: []float64{1, 2}, hb: []float64{3, 4, 5}}
	if worst, wrong := p.compare([]float64{3, 4, 5, 6, 9, 10}); worst != 0.125 || !strings.HasPrefix(wrong, "row 1, column 1: 9, want 8: ") {
		t.Errorf("%v, %q", worst, wrong)
	}
	if off, wrong := relative(1, 1.5, 2, 0.5); off != 0.25 || wrong != "" {
		t.Errorf("%v, %q", off, wrong)
	}
}
