package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
)

var long = flag.Bool("long", false, "run lengths up to 1000 under all checks, which takes minutes")

// TestShapes holds attention and its gradients to float64 under all checks, which find nothing.
func TestShapes(t *testing.T) {
	t.Parallel()
	shapes := []Shape{{Queries: 1, Keys: 1}, {Queries: 7, Keys: 65}, {Queries: 70, Keys: 7}}
	if *long {
		for _, n := range []int{7, 63, 64, 127, 129, 1000} {
			shapes = append(shapes, Shape{Queries: n, Keys: n})
		}
		shapes = append(shapes, Shape{Queries: 1, Keys: 1000}, Shape{Queries: 1000, Keys: 1}, Shape{Queries: 129, Keys: 300})
	}
	for _, shape := range shapes {
		for _, shape.Causal = range []bool{false, true} {
			shape := shape
			name := fmt.Sprintf("%dx%d,causal=%t", shape.Queries, shape.Keys, shape.Causal)
			t.Run("64/"+name, func(t *testing.T) { t.Parallel(); testShape[Row64, Sums64](t, shape, 3) })
			t.Run("128/"+name, func(t *testing.T) { t.Parallel(); testShape[Row128, Sums128](t, shape, 1) })
		}
	}
}

// testShape runs one shape on the device and on the host.
func testShape[R Row, S Sums](t *testing.T, shape Shape, heads int) {
	var row R
	shape.Scale = float32(1 / math.Sqrt(float64(8*len(row))))
	in := random[R](shape, heads)
	got, err := attend[R, S](t.Context(), gputest.Device(t, gputest.TimeLimit(-1)), in)
	if err != nil {
		t.Fatal(err)
	}
	want := refer(in)
	for name, far := range map[string]float64{
		"O": furthest(got.Out, want.out), "dQ": furthest(got.GradQ, want.gradQ),
		"dK": furthest(got.GradK, want.gradK), "dV": furthest(got.GradV, want.gradV),
	} {
		if !(far <= tolerance) {
			t.Errorf("%s is %v from float64; want at most %v", name, far, tolerance)
		}
	}
}

// TestNothingSeen has more queries than keys in a causal shape, so that the first ones see nothing,
// and queries and keys whose products are all -Inf. Both get zeros, and no gradient.
func TestNothingSeen(t *testing.T) {
	t.Parallel()
	in := random[Row64](Shape{Queries: 70, Keys: 3, Causal: true, Scale: 0.125}, 1)
	in.Q[69] = Row64{{gpu.BFloat16Of(float32(math.Inf(-1)))}}
	for i := range in.K {
		in.K[i] = Row64{{gpu.BFloat16Of(1)}}
	}
	got, err := attend[Row64, Sums64](t.Context(), gputest.Device(t), in)
	if err != nil {
		t.Fatal(err)
	}
	for i, log := range got.Logs {
		seen := i == 67 || i == 68
		if zero := got.Out[i] == (Row64{}); zero == seen || math.IsInf(float64(log), 1) == seen {
			t.Errorf("query %d sees keys: %t; its result is %v, and its logarithm %v", i, seen, got.Out[i], log)
		}
		if !seen && i != 69 && got.GradQ[i] != (Row64{}) {
			t.Errorf("query %d sees nothing, and its gradient is %v", i, got.GradQ[i])
		}
	}
}

// TestNaN has a NaN in a query, which makes that query's result NaN and no other's, and then an
// infinite product, which is a weight of NaN by the definition too.
func TestNaN(t *testing.T) {
	t.Parallel()
	in := random[Row64](Shape{Queries: 70, Keys: 66, Scale: 0.125}, 1)
	in.Q[65][3][1] = gpu.BFloat16Of(float32(math.NaN()))
	in.Q[2] = Row64{{gpu.BFloat16Of(float32(math.Inf(1)))}}
	for i := range in.K {
		in.K[i][0][0] = gpu.BFloat16Of(2)
	}
	got, err := attend[Row64, Sums64](t.Context(), gputest.Device(t), in)
	if err != nil {
		t.Fatal(err)
	}
	want := refer(in)
	for i, row := range wide[float64](got.Out) {
		for j, x := range row {
			if w := want.out[i][j]; math.IsNaN(x) != math.IsNaN(w) || math.IsNaN(w) != (i == 2 || i == 65) {
				t.Fatalf("element %d of query %d is %v; float64 has %v", j, i, x, w)
			}
		}
	}
}

// TestLargeScores has scores of thousands: their powers overflow unless the kernel subtracts the largest.
func TestLargeScores(t *testing.T) {
	t.Parallel()
	in := random[Row64](Shape{Queries: 33, Keys: 130, Scale: 100}, 1)
	got, err := attend[Row64, Sums64](t.Context(), gputest.Device(t), in)
	if err != nil {
		t.Fatal(err)
	}
	if far := furthest(got.Out, refer(in).out); !(far <= tolerance) {
		t.Errorf("O is %v from float64; want at most %v", far, tolerance)
	}
}

// TestReference holds the gradients of the reference to differences of its results.
func TestReference(t *testing.T) {
	t.Parallel()
	in := random[Row64](Shape{Queries: 5, Keys: 6, Causal: true, Scale: 0.125}, 1)
	loss := func() (sum float64) {
		for i, row := range refer(in).out {
			sum += dot(row, wide[float64](in.Grad)[i])
		}
		return sum
	}
	r := refer(in)
	for name, part := range map[string]struct {
		rows []Row64
		grad [][]float64
	}{"dQ": {in.Q, r.gradQ}, "dK": {in.K, r.gradK}, "dV": {in.V, r.gradV}} {
		x := &part.rows[2][1][3]
		was := x.Float32()
		*x = gpu.BFloat16Of(was + 1.0/64)
		above, to := loss(), x.Float64()
		*x = gpu.BFloat16Of(was - 1.0/64)
		slope := (above - loss()) / (to - x.Float64())
		*x = gpu.BFloat16Of(was)
		if got := part.grad[2][11]; math.Abs(got-slope) > 1e-3*math.Abs(slope)+1e-6 {
			t.Errorf("%s is %v; the loss rises by %v", name, got, slope)
		}
	}
}

// TestSameBits runs attention twice: nothing depends on which block comes first.
func TestSameBits(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	in := random[Row64](Shape{Queries: 66, Keys: 66, Scale: 0.125}, 2)
	var results [2]*Results[Row64]
	for i := range results {
		var err error
		if results[i], err = attend[Row64, Sums64](t.Context(), dev, in); err != nil {
			t.Fatal(err)
		}
	}
	a, b := results[0], results[1]
	for i := range a.Out {
		if a.Out[i] != b.Out[i] || a.GradQ[i] != b.GradQ[i] || a.GradK[i] != b.GradK[i] || a.GradV[i] != b.GradV[i] {
			t.Errorf("row %d differs", i)
		}
	}
}

// TestRun runs the command.
func TestRun(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), strings.Fields("-queries 33 -keys 40 -heads 1 -size 128 -causal"), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"on device ", "1 heads of 33 queries and 40 keys of 128 bfloat16, causal: true", "dK is within 0."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it prints no %q:\n%s", want, &out)
		}
	}
	for args, want := range map[string]string{
		"-size 96":         "-size 96: want 64 or 128",
		"-queries 0":       "2 heads of 0 queries and 0 keys; want at least one of each",
		"-queries 900000":  "1800000 rows; want at most 1048576",
		"-heads 70000":     "70000 heads of 300 queries and 300 keys; want at most 65535 heads",
		"-keys 4000000000": "2 heads of 300 queries and 4000000000 keys; want at most 65535 heads, and 1073741824 of each",
	} {
		err := run(t.Context(), strings.Fields(args), &strings.Builder{})
		var usage *usageError
		if !errors.As(err, &usage) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want usage error %q", args, err, want)
		}
	}
}

// TestRefused has inputs that do not fit together.
func TestRefused(t *testing.T) {
	t.Parallel()
	good := Shape{Queries: 2, Keys: 3, Scale: 1}
	for want, change := range map[string]func(in *Inputs[Row64]){
		"2 queries, 2 gradients, 2 keys and 3 values; want 2, 2, 3 and 3 in 1 heads": func(in *Inputs[Row64]) { in.K = in.K[1:] },
		"2 queries, 0 gradients, 3 keys and 3 values":                                func(in *Inputs[Row64]) { in.Grad = nil },
		"the scale is NaN; want a number above 0":                                    func(in *Inputs[Row64]) { in.Scale = float32(math.NaN()) },
		"the scale is -1": func(in *Inputs[Row64]) { in.Scale = -1 },
	} {
		in := random[Row64](good, 1)
		change(in)
		if _, err := attend[Row64, Sums64](t.Context(), nil, in); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestSeesAll holds a whole tile to its pairs of a query and a key.
func TestSeesAll(t *testing.T) {
	for _, shape := range []Shape{
		{Queries: 64, Keys: 64}, {Queries: 130, Keys: 70}, {Queries: 200, Keys: 200, Causal: true},
		{Queries: 131, Keys: 210, Causal: true}, {Queries: 210, Keys: 131, Causal: true},
	} {
		for query := 0; query < shape.Queries; query += 15 {
			for key := 0; key < shape.Keys; key++ {
				want := true
				for i := range tileRows * tileRows {
					want = want && shape.sees(query+i/tileRows, key+i%tileRows)
				}
				if got := shape.seesAll(query, key); got != want {
					t.Errorf("%+v, queries from %d, keys from %d: %t; want %t", shape, query, key, got, want)
				}
			}
		}
	}
}
