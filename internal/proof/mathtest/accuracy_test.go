package mathtest

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/proof/mpfr"
	"github.com/gridstride/gridstride/internal/proof/ulp"
)

var (
	number    = flag.Int64("points", 1500, "random points for each function and type")
	functions = flag.String("functions", "", "a regular expression that the functions' names match as a whole")
	onlyType  = flag.String("type", "", "float32 or float64, where only one is asked for")
)

func library(t *testing.T) *mpfr.Library {
	l, err := mpfr.Load()
	if errors.Is(err, mpfr.ErrNotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// each runs a test for each function and type.
func each(t *testing.T, test func(t *testing.T, f *Function, single bool)) {
	match, err := regexp.Compile("^(" + *functions + ")$")
	if err != nil {
		t.Fatal(err)
	}
	for i := range Functions {
		f := &Functions[i]
		if *functions != "" && !match.MatchString(f.Name) {
			continue
		}
		for _, single := range []bool{true, false} {
			if *onlyType != "" && *onlyType != typeName(single) {
				continue
			}
			t.Run(f.Name+"/"+typeName(single), func(t *testing.T) { test(t, f, single) })
		}
	}
}

// TestAccuracy holds the functions to their limits, at random points and the hard ones.
func TestAccuracy(t *testing.T) {
	t.Parallel()
	l := library(t)
	each(t, func(t *testing.T, f *Function, single bool) {
		t.Parallel()
		g, err := f.gauge(l, single)
		if err != nil {
			t.Skip(err)
		}
		f.hard(single, g.try)
		p := f.points(single, 1)
		for range *number {
			g.try(p.next())
		}
		e := f.Errors(&g.Tally, single, false)
		if e.Max > f.limit(single) {
			t.Errorf("%s(%s) is %s, and off by %.4f ULP; the limit is %v", f.Name, strings.Join(e.At, ", "), e.Got, e.Max, f.limit(single))
		}
		if e.Wrong > 0 {
			t.Errorf("%s(%s) is infinite, NaN or a zero where it must not be, or is not where it must, or a zero of the wrong sign", f.Name, strings.Join(e.WrongAt, ", "))
		}
		t.Logf("%d points: %.4f ULP at most, at %s; %.4f%% correctly rounded", e.Points, e.Max, strings.Join(e.At, ", "), 100*e.Correct)
	})
}

// TestSpecial needs no MPFR.
func TestSpecial(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *Function, single bool) {
		t.Parallel()
		list, err := f.special()
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			t.Error("it has no special values")
		}
		for _, v := range list {
			got, want := f.Double(v.x, v.y), v.want
			if single {
				got, want = float64(f.Single(float32(v.x), float32(v.y))), float64(float32(want))
			}
			if !same(got, want) {
				at := fmt.Sprint(v.x)
				if f.Pair {
					at = fmt.Sprint(v.x, ", ", v.y)
				}
				t.Errorf("%s(%s) is %v, want %v", f.Name, at, got, want)
			}
		}
	})
}

// TestInverse gives the references of the inverse error functions starts that are wrong: none may
// pass for the exact value.
func TestInverse(t *testing.T) {
	t.Parallel()
	l := library(t)
	for _, name := range []string{"erf", "erfc"} {
		for _, wrong := range []float64{0, math.Inf(1), math.Inf(-1), math.NaN()} {
			exact, err := inverse(name, func(x, y float64) float64 { return wrong })(l)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range []float64{0.5, 0x1p-1074, 0.9} {
				if e := ulp.Error(wrong, exact(x, 0)); e <= 1 {
					t.Errorf("the inverse of %s at %g may be %g: error %g", name, x, wrong, e)
				}
			}
		}
	}
}

// TestComplete compares the rows with the functions of package gpu.
func TestComplete(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, f := range Functions {
		name, _, _ := strings.Cut(f.Name, ".")
		known[name] = true
		if abi.FindIntrinsic(name) == nil {
			t.Errorf("package gpu has no %s", name)
		}
	}
	for _, in := range abi.Intrinsics {
		if in.Group == abi.Mathematics && !known[in.Name] {
			t.Errorf("gpu.%s has no row here", in.Name)
		}
	}
}
