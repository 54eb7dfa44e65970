package mathtest

import (
	"math"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/proof/mpfr"
	"github.com/gridstride/gridstride/internal/proof/ulp"
)

// Errors are the measured errors of a function for one type.
type Errors struct {
	Function string `json:"function"`
	Type     string `json:"type"` // float32 or float64
	Points   int64  `json:"points"`
	All      bool   `json:"all,omitempty"` // whether the points are all there are

	// Max is the largest error in ULP, at At, where the function gives Got.
	Max float64  `json:"max_ulp"`
	At  []string `json:"at,omitempty"`
	Got string   `json:"got,omitempty"`

	// Correct is the share of correctly rounded results.
	Correct float64 `json:"correctly_rounded"`

	// Wrong counts results that are NaN or infinite, or are not, or zeros of the wrong sign. They
	// do not count for Max. WrongAt is one of their arguments.
	Wrong   int64    `json:"wrong,omitempty"`
	WrongAt []string `json:"wrong_at,omitempty"`

	Seconds float64 `json:"seconds,omitempty"`
}

// Tally counts the errors of some points: Correct are the correctly rounded results, Wrong the
// wrong ones of Errors.Wrong. Max is the greatest error, at the arguments At. WrongAt are arguments
// of a wrong result.
type Tally struct {
	Points, Correct, Wrong int64
	Max                    float64
	At, WrongAt            [2]float64
}

// note counts the error e of got at (x, y), where the exact value is a zero or rounds to one if got
// is, with the sign of exact.
func (t *Tally) note(x, y, got, e, exact float64) {
	t.Points++
	if e <= 0.5 {
		t.Correct++
	}
	if e > t.Max || e != e {
		if math.IsInf(e, 0) || e != e {
			t.miss(x, y)
			return
		}
		t.Max, t.At = e, [2]float64{x, y}
	}
	if got == 0 && math.Signbit(got) != math.Signbit(exact) {
		t.miss(x, y)
	}
}

func (t *Tally) miss(x, y float64) {
	t.Wrong++
	t.WrongAt = [2]float64{x, y}
}

// Add adds the counts of other points.
func (t *Tally) Add(u *Tally) {
	if u.Max > t.Max {
		t.Max, t.At = u.Max, u.At
	}
	if u.Wrong > 0 {
		t.WrongAt = u.WrongAt
	}
	t.Points += u.Points
	t.Correct += u.Correct
	t.Wrong += u.Wrong
}

// gauge measures one function for one type. It is for one goroutine.
type gauge struct {
	f      *Function
	single bool
	exact  Exact
	Tally
}

func (f *Function) gauge(l *mpfr.Library, single bool) (*gauge, error) {
	exact, err := f.exact(single)(l)
	return &gauge{f: f, single: single, exact: exact}, err
}

// try measures the error at a point.
func (g *gauge) try(x, y float64) {
	exact := g.exact(x, y)
	if g.single {
		got := g.f.Single(float32(x), float32(y))
		g.note(x, y, float64(got), g.f.beside(x, y, exact, ulp.Error(got, exact)), exact.High)
		return
	}
	got := g.f.Double(x, y)
	g.note(x, y, got, g.f.beside(x, y, exact, ulp.Error(got, exact)), exact.High)
}

// beside is an error e in the ULP of the function's floor at (x, y), if the exact value is
// smaller.
func (f *Function) beside(x, y float64, exact ulp.Real, e float64) float64 {
	if f.Floor == nil || exact.High == 0 || exact.High != exact.High {
		return e
	}
	floor := f.Floor(x, y)
	if floor == 0 {
		return e
	}
	return math.Ldexp(e, min(0, math.Ilogb(exact.High)+exact.Exponent-math.Ilogb(floor)))
}

// trySingle measures the error of a float32 result by the function for float64, whose own error is
// less than 2^-25 ULP of float32. MPFR decides where that may matter: near the middle of two
// float32.
func (g *gauge) trySingle(x, y float32) {
	got, approx := g.f.Single(x, y), g.f.Double(float64(x), float64(y))
	e := g.f.beside(float64(x), float64(y), ulp.Of(approx), ulp.ErrorSingle(got, approx))
	if math.Abs(e-0.5) < 0x1p-24 {
		g.try(float64(x), float64(y))
		return
	}
	g.note(float64(x), float64(y), float64(got), e, approx)
}

// all measures the errors at all float32 whose bits are from first up to but not including end.
func (g *gauge) all(first, end uint64) {
	double := g.f.ExactSingle == nil
	for b := first; b < end; b++ {
		if x := math.Float32frombits(uint32(b)); double {
			g.trySingle(x, 0)
		} else {
			g.try(float64(x), 0)
		}
	}
}

// random measures the errors at n random points.
func (g *gauge) random(n int64, seed uint64) {
	p := g.f.points(g.single, seed)
	double := g.single && g.f.ExactSingle == nil
	for range n {
		if x, y := p.next(); double {
			g.trySingle(float32(x), float32(y))
		} else {
			g.try(x, y)
		}
	}
}

// chunk is how many points are measured at a time.
const chunk = 1 << 18

// Measure measures a function on all processors: at n random points and the hard ones, or, where
// all is set, at every float32.
//
// Errors: MPFR's errors.
func (f *Function) Measure(l *mpfr.Library, single bool, n int64, all bool) (Errors, error) {
	first, err := f.gauge(l, single)
	if err != nil {
		return Errors{}, err
	}
	if all {
		n = 1 << 32
	} else {
		f.hard(single, first.try)
	}
	sum := inChunks(n, func() (func(i, n int64), *Tally) {
		g, _ := f.gauge(l, single) // as the first one
		return func(i, n int64) {
			if all {
				g.all(uint64(i*chunk), uint64(i*chunk+n))
			} else {
				g.random(n, uint64(i))
			}
		}, &g.Tally
	})
	sum.Add(&first.Tally)
	return f.Errors(sum, single, all), nil
}

// inChunks calls measure for each chunk i of n points, and how many those are, on all processors,
// and adds up the tallies. start makes one for each processor.
func inChunks(n int64, start func() (measure func(i, n int64), tally *Tally)) *Tally {
	sum := &Tally{}
	var next atomic.Int64
	var mu sync.Mutex
	var work sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		work.Go(func() {
			measure, tally := start()
			for i := next.Add(1) - 1; i*chunk < n; i = next.Add(1) - 1 {
				measure(i, min(chunk, n-i*chunk))
			}
			mu.Lock()
			defer mu.Unlock()
			sum.Add(tally)
		})
	}
	work.Wait()
	return sum
}

// Errors is a tally to be written down. all says whether it has all arguments there are.
func (f *Function) Errors(t *Tally, single, all bool) Errors {
	e := Errors{Function: f.Name, Type: typeName(single), Points: t.Points, All: all, Max: t.Max,
		Correct: float64(t.Correct) / float64(t.Points), Wrong: t.Wrong}
	at := func(p [2]float64) []string {
		list := []string{hexadecimal(p[0])}
		if f.Pair {
			list = append(list, hexadecimal(p[1]))
		}
		return list
	}
	if t.Max > 0 {
		e.At = at(t.At)
		if single {
			e.Got = hexadecimal(float64(f.Single(float32(t.At[0]), float32(t.At[1]))))
		} else {
			e.Got = hexadecimal(f.Double(t.At[0], t.At[1]))
		}
	}
	if t.Wrong > 0 {
		e.WrongAt = at(t.WrongAt)
	}
	return e
}

func hexadecimal(x float64) string { return strconv.FormatFloat(x, 'x', -1, 64) }

func typeName(single bool) string {
	if single {
		return "float32"
	}
	return "float64"
}
