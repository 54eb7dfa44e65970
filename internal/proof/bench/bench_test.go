package bench

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/dot"
	"github.com/gridstride/gridstride/examples/ladder/matmul"
	"github.com/gridstride/gridstride/examples/ladder/reduce"
	"github.com/gridstride/gridstride/examples/ladder/tensor"
	"github.com/gridstride/gridstride/internal/proof/openblas"
)

func open(t *testing.T) *gridstride.Device {
	t.Helper()
	dev, err := gridstride.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

func run1(t *testing.T, o Options) []Row {
	t.Helper()
	rows, err := Run(t.Context(), open(t), o)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	return rows
}

// vector is the sizes of vectors.
func vector(lengths ...int) (sizes []Size) {
	for _, n := range lengths {
		sizes = append(sizes, Size{N: n})
	}
	return sizes
}

// TestRows runs every benchmark at small sizes: all rows are there, right, and counted.
func TestRows(t *testing.T) {
	for _, o := range []Options{
		{What: "dot", Sizes: vector(5000, 33), DType: "float32"},
		{What: "dot", Sizes: vector(0), DType: "float64"},
		{What: "dot", Sizes: vector(5001), DType: "float32", Data: Ramp},
		{What: "dot", Sizes: vector(5001), DType: "float64", Data: Sqrt2},
		{What: "reduce", Sizes: vector(5000), DType: "float64"},
		{What: "reduce", Sizes: vector(1), DType: "float32"},
		{What: "reduce", Sizes: vector(5001), DType: "int32"},
		{What: "reduce", Sizes: vector(5001), DType: "int64", Data: Ramp},
		{What: "collective", Sizes: vector(2050, 33), DType: "float32"},
		{What: "collective", Sizes: vector(1), DType: "float64", Data: Sqrt2},
		{What: "collective", Sizes: vector(1500), DType: "int32", Data: Ramp},
		{What: "collective", Sizes: vector(1500), DType: "int64"},
		{What: "matmul", Sizes: []Size{{M: 33, N: 20, L: 17}, {M: 1, N: 1, L: 1}}, DType: "float32"},
		{What: "matmul", Sizes: []Size{{M: 3, N: 0, L: 2}}, DType: "float64"},
		{What: "tensor", Sizes: []Size{{M: 5, N: 8, L: 4}}, DType: "bfloat16"},
		{What: "blas", Sizes: vector(5001), DType: "float32"},
		{What: "metric", Sizes: vector(5001), DType: "float64"},
		{What: "level2", Sizes: vector(65, 1), DType: "float64"},
		{What: "level2", Sizes: vector(40), DType: "float32", Data: Sqrt2},
		{What: "level3", Sizes: vector(33, 1), DType: "float32"},
		{What: "matmul", Sizes: []Size{{M: 30, N: 40, L: 70}}, DType: "float32", Data: Sqrt2},
	} {
		var progress strings.Builder
		o.Progress = func(text string) { progress.WriteString(text + "\n") }
		rows := run1(t, o)
		candidates := map[string]int{"dot": 1 + len(dot.Variants[float32]()), "reduce": 1 + len(reduce.Ops),
			"matmul": 1 + len(matmul.Variants[float32]()), "tensor": len(tensor.Variants()) + 1, "blas": 2 * len(blasNumbers[float32]()),
			"metric": 2 * len(metricNumbers[float32]()), "level2": 6 + 3, "level3": 6 + 3, "collective": 7}
		// A GPU also has cuBLAS, and a processor OpenBLAS, if they are found.
		own := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool {
			return strings.HasSuffix(r.Variant, "cublas") || strings.HasSuffix(r.Variant, "-openblas")
		})
		if want := len(o.Sizes) * candidates[o.What]; len(own) != want {
			t.Errorf("%+v: %d rows, want %d", o, len(own), want)
		}
		for _, r := range rows {
			if r.Skipped == openblas.ErrNotFound.Error() {
				continue
			}
			if r.Wrong != "" || r.Median <= 0 || r.Least > r.Median || r.Most < r.Median || r.Limited != "" {
				t.Errorf("%+v: %+v", o, r)
			}
			if (r.On == "simulator") != (r.Counts != nil) || r.Counts != nil && r.Counts.Instructions == 0 {
				t.Errorf("%+v: row %s, on %s, has counts %+v", o, r.Variant, r.On, r.Counts)
			}
			if !strings.Contains(progress.String(), "first run of "+r.Variant+"\n") {
				t.Errorf("%+v: no progress for %s", o, r.Variant)
			}
		}
	}
}

// TestTensorSkips leaves out variants that do not take the size, and says why.
func TestTensorSkips(t *testing.T) {
	rows := run1(t, Options{What: "tensor", Sizes: []Size{{M: 3, N: 20, L: 5}}, DType: "bfloat16", Variants: []string{"fragments", "tma"}})
	if rows[0].Skipped != "" || rows[0].Wrong != "" || rows[1].Skipped != "it takes rows of a multiple of 8 numbers, and these have 20" {
		t.Errorf("%+v", rows)
	}
}

// TestCounts holds the ladder to what its rungs claim.
func TestCounts(t *testing.T) {
	rows := run1(t, Options{What: "dot", Sizes: vector(1 << 14), DType: "float32"})
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
	if s, v := row("shuffle").Counts, row("vector").Counts; s.GlobalRequests < 4*v.GlobalRequests/2 ||
		s.GlobalSectors < v.GlobalSectors/2 {
		t.Errorf("shuffle loads with %d instructions, vector with %d", s.GlobalRequests, v.GlobalRequests)
	}
	if one := lanes(row("single")); one != 1 {
		t.Errorf("single runs %v lanes", one)
	}
}

// TestCosts holds the functions of a block to the barriers that their comments state: a tile is one
// block's, of 8 warps.
func TestCosts(t *testing.T) {
	rows := run1(t, Options{What: "collective", Sizes: vector(tileSize), DType: "float32"})
	if rows[1].Counts == nil {
		t.Skip("a GPU counts nothing")
	}
	const passes = 7
	want := map[string]int64{"sort": 3 + 2*passes + 1, "pairs": 3 + 2*passes + 1, "histogram": 3, "matched": 3, "runs": 3}
	for _, r := range rows {
		if barriers, ok := want[r.Variant]; ok && int64(r.Counts.BarrierWaits) != 8*barriers {
			t.Errorf("%s waits at %d barriers in 8 warps, want %d in each", r.Variant, r.Counts.BarrierWaits, barriers)
		}
	}
}

func TestPrint(t *testing.T) {
	rows := run1(t, Options{What: "dot", Sizes: vector(100, 200), DType: "float32",
		Variants: []string{"go", "onepass"}})
	var text strings.Builder
	if err := Text(&text, rows); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"dot of float32, n=100, on ", "dot of float32, n=200, on ", "variant", "GB/s",
		"onepass", "1x"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	var out strings.Builder
	if err := JSON(&out, rows); err != nil {
		t.Fatal(err)
	}
	var back []Row
	if err := json.Unmarshal([]byte(out.String()), &back); err != nil || len(back) != 4 ||
		back[1].Variant != "onepass" || back[2].N != 200 {
		t.Errorf("%v: %v", err, out.String())
	}
	rows[1].Wrong = "3, want 4"
	rows[2].Limited = "n=200 would take about 3m0s"
	rows[3].Skipped = "no library"
	text.Reset()
	if err := Text(&text, rows); err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		"\nWRONG: onepass: 3, want 4\n",
		"\ngo ran with n=200: n=200 would take about 3m0s. With -variants go it runs all the same.\n",
		"\nonepass did not run: no library\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

func TestBadOptions(t *testing.T) {
	dev := open(t)
	for want, o := range map[string]Options{
		`there is no benchmark "sort"`:                          {What: "sort", DType: "float32"},
		`dot has no kernels for "int32": its element types are`: {What: "dot", DType: "int32"},
		`there is no data "zeros"`:                              {What: "dot", DType: "float32", Data: "zeros"},
		`matmul has no data "ramp"`:                             {What: "matmul", DType: "float32", Data: Ramp},
		"int32 holds no √2":                                     {What: "reduce", DType: "int32", Data: Sqrt2},
		"no size is given":                                      {What: "dot", DType: "float32"},
		"n is -1: a size is not negative": {What: "dot", Sizes: vector(1, -1),
			DType: "float32"},
		"m is -2: a size is not negative": {What: "matmul", Sizes: []Size{{M: -2}},
			DType: "float32"},
		"n=1152921504606846976: bench: the input and working mem": {What: "dot", Sizes: vector(1 << 60),
			DType: "float32"},
		"l=4: bench: the input and working memory are 4253": {What: "matmul",
			Sizes: []Size{{1 << 61, 1 << 61, 4}}, DType: "float64"},
		`level3 has no data "ramp"`:                 {What: "level3", DType: "float64", Data: Ramp},
		"n is 0: reduce takes a size of at least 1": {What: "reduce", Sizes: vector(0), DType: "float64"},
		`no variant "fast": there are [go products single sh`: {What: "dot", Sizes: vector(1), DType: "float64",
			Variants: []string{"fast"}},
	} {
		if _, err := Run(t.Context(), dev, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", o, err, want)
		}
	}
}

// TestNames: a relative error is of the magnitude, and a wrong element has a position.
func TestNames(t *testing.T) {
	p := &matmulProblem[float64]{ss: &bencher{o: &Options{}}, m: 2, n: 1, l: 3, ha: []float64{1, 2},
		hb: []float64{3, 4, 5}}
	if worst, wrong := p.compare([]float64{3, 4, 5, 6, 9, 10}); worst != 0.125 ||
		!strings.HasPrefix(wrong, "row 1, column 1: 9, want 8: ") {
		t.Errorf("%v, %q", worst, wrong)
	}
	p.ss.o.Data = Sqrt2
	if _, wrong := p.compare([]float64{2, 2, 2, 2.00001, 3, 3}); !strings.HasPrefix(wrong,
		"row 1, column 1: 3, want 2: ") {
		t.Errorf("%q", wrong)
	}
	if off, wrong := relative(1, 1.5, 2, 0.5); off != 0.25 || wrong != "" {
		t.Errorf("%v, %q", off, wrong)
	}
}

// TestInput: a vector is the start of a longer one, for the sizes that take a part.
func TestInput(t *testing.T) {
	long, short := random[float32](chunk+5, 1), random[float32](100, 1)
	if !slices.Equal(long[:100], short) || slices.Min(long) < -1 || slices.Max(long) >= 1 || long[chunk] == long[0] {
		t.Error("the input depends on its length")
	}
	if v := first[int32](Ramp, 5); !slices.Equal(v, []int32{0, 1, 2, 3, 4}) {
		t.Errorf("%v", v)
	}
}
