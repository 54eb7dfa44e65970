package rand_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/gpu/rand"
)

// A distribution is one of those that are not uniform.
type distribution struct {
	draw       func(r *rand.Rand) float64
	cumulative func(x float64) float64
	moments    [4]float64 // the mean, and the second to the fourth moment about it
	words      uint64     // that a number draws
}

func normal(draw func(r *rand.Rand) float64, words uint64) distribution {
	return distribution{draw, func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }, [4]float64{0, 1, 0, 3}, words}
}

func exponential(draw func(r *rand.Rand) float64, words uint64) distribution {
	return distribution{draw, func(x float64) float64 { return -math.Expm1(-x) }, [4]float64{1, 1, 2, 9}, words}
}

var distributions = map[string]distribution{
	"NormFloat32":        normal(func(r *rand.Rand) float64 { return float64(r.NormFloat32()) }, 1),
	"NormFloat64":        normal((*rand.Rand).NormFloat64, 2),
	"NormFloat32x4's X":  normal(func(r *rand.Rand) float64 { return float64(r.NormFloat32x4().X) }, 4),
	"NormFloat32x4's W":  normal(func(r *rand.Rand) float64 { return float64(r.NormFloat32x4().W) }, 4),
	"NormFloat[float32]": normal(func(r *rand.Rand) float64 { return float64(rand.NormFloat[float32](r)) }, 1),
	"NormFloat[float64]": normal(rand.NormFloat[float64], 2),
	"ExpFloat32":         exponential(func(r *rand.Rand) float64 { return float64(r.ExpFloat32()) }, 1),
	"ExpFloat64":         exponential((*rand.Rand).ExpFloat64, 2),
	"ExpFloat[float32]":  exponential(func(r *rand.Rand) float64 { return float64(rand.ExpFloat[float32](r)) }, 1),
	"ExpFloat[float64]":  exponential(rand.ExpFloat[float64], 2),
}

// TestDistributions draws from fixed seeds, and compares moments, the whole distribution and its
// tails with what they should be.
func TestDistributions(t *testing.T) {
	t.Parallel()
	for name, d := range distributions {
		r := rand.New(14, 15)
		x := make([]float64, draws)
		for i := range x {
			x[i] = d.draw(&r)
		}
		if got := r.Offset(); got != draws*d.words {
			t.Errorf("%s: %d numbers drew %d words", name, draws, got)
		}
		d.checkMoments(t, name, x)
		slices.Sort(x)
		d.checkShape(t, name, x)
		d.checkTails(t, name, x)
	}
}

// checkMoments: a mean of n powers is off by the standard deviation of one over √n.
func (d *distribution) checkMoments(t *testing.T, name string, x []float64) {
	t.Helper()
	for k, want := range d.moments {
		centre := d.moments[0]
		if k == 0 {
			centre = 0
		}
		var sum, squares float64
		for _, v := range x {
			p := math.Pow(v-centre, float64(k+1))
			sum += p
			squares += p * p
		}
		n := float64(len(x))
		mean := sum / n
		if z := (mean - want) / math.Sqrt((squares/n-mean*mean)/n); math.Abs(z) > 4 {
			t.Errorf("%s: moment %d is %v, want %v: %.1f standard deviations off", name, k+1, mean, want, z)
		}
	}
}

// checkShape is the test of Kolmogorov and Smirnov of sorted numbers: √n times the largest distance
// of the cumulative distributions is over 1.95, or under 0.35, once in a thousand times.
func (d *distribution) checkShape(t *testing.T, name string, x []float64) {
	t.Helper()
	n, largest := float64(len(x)), 0.0
	for i, v := range x {
		p := d.cumulative(v)
		largest = max(largest, p-float64(i)/n, float64(i+1)/n-p)
	}
	if k := largest * math.Sqrt(n); k > 1.95 || k < 0.35 {
		t.Errorf("%s: the distribution is off by %v, %.2f over the root of the number of draws", name, largest, k)
	}
}

// checkTails counts sorted numbers between points that become rare.
func (d *distribution) checkTails(t *testing.T, name string, x []float64) {
	t.Helper()
	points := []float64{-3.5, -3, -2, -1, 0, 0.01, 0.1, 1, 2, 3, 3.5, math.Inf(1)}
	var counts []int
	var expected []float64
	before, below := 0, 0.0
	for _, p := range points {
		i, _ := slices.BinarySearch(x, p)
		share := d.cumulative(p)
		if p <= 0 && d.moments[0] == 1 { // nothing is exponential here
			share = 0
		}
		if share > below {
			counts = append(counts, i-before)
			expected = append(expected, (share-below)*float64(len(x)))
		} else if i > before {
			t.Errorf("%s: %d numbers are below %v", name, i, p)
		}
		before, below = i, share
	}
	even(t, "the parts of "+name, counts, expected)
}

// TestVariates has the first numbers of a stream, computed with 300 bits by mpmath from the words
// of another implementation of Philox. The factor and the inverse are rounded, and so is the word
// of a float32.
func TestVariates(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]float64{
		"NormFloat32": {1.635966602, -0.7033860186, -0.6499323197, 1.534579947, -2.046890496, 1.196687799},
		"ExpFloat32":  {2.977434922, 0.2998793461, 0.2772460904, 2.773492799, 0.6532835611, 2.156632507},
		"NormFloat64": {-0.703386018892657822, 1.534579946506862938, 1.196687798926621078, 0.3641488540935263943,
			-0.7658140923151787532, 0.7271084638188361032},
		"ExpFloat64": {0.2998793462867428184, 2.773492797714334659, 2.156632506965444722, 1.027575906473414857,
			0.3258777078703054184, 1.454231687865557317},
	} {
		r := rand.New(seed, stream)
		tolerance := 0x1p-22
		if distributions[name].words == 2 {
			tolerance = 0x1p-51
		}
		for i, w := range want {
			if got := distributions[name].draw(&r); !(math.Abs(got-w) <= tolerance*math.Abs(w)) {
				t.Errorf("%s: number %d is %v, want %v", name, i, got, w)
			}
		}
	}
}

// TestPairs holds the two numbers of a pair to be independent: so is their sum from their
// difference, and each sign from the other.
func TestPairs(t *testing.T) {
	t.Parallel()
	r := rand.New(16, 17)
	var quadrants [8]int
	var products float64
	for range draws {
		v := r.NormFloat32x4()
		for _, p := range [][2]float32{{v.X, v.Y}, {v.Z, v.W}} {
			x, y := p[0], p[1]
			products += float64(x) * float64(y)
			at := 0
			for i, above := range []bool{x > 0, y > 0, math.Abs(float64(x)) > math.Abs(float64(y))} {
				if above {
					at |= 1 << i
				}
			}
			quadrants[at]++
		}
	}
	even(t, "the directions of pairs", quadrants[:], nil)
	if z := products / math.Sqrt(2*draws); math.Abs(z) > 4 {
		t.Errorf("the products of pairs have the mean %v, %.1f standard deviations off", products/(2*draws), z)
	}
}

// TestExtremes has the words that give the ends of the distributions: none is infinite.
func TestExtremes(t *testing.T) {
	t.Parallel()
	const top32, top64 = 1 << 31, 1 << 63
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"norm32 of 0", float64(rand.Norm32(0)), 6.337957755},
		{"norm32 of the sign alone", float64(rand.Norm32(top32)), -6.337957755},
		{"norm32 of the largest positive word", float64(rand.Norm32(top32 - 1)), 0},
		{"norm32 of the largest word", float64(rand.Norm32(math.MaxUint32)), 0},
		{"norm64 of 0", rand.Norm64(0), 9.155293773},
		{"norm64 of the sign alone", rand.Norm64(top64), -9.155293773},
		{"norm64 of the largest word", rand.Norm64(math.MaxUint64), 0},
		{"a pair of no direction", pairX(0, 0), 6.763705},
		{"a pair of half a turn", pairX(0, top32), -6.763705},
		{"a pair of no distance", pairX(math.MaxUint32, 0), 0},
		{"exp32 of 0", float64(rand.Exp32(0)), 22.87385696},
		{"exp32 of the largest word", float64(rand.Exp32(math.MaxUint32)), 0},
		{"exp64 of 0", rand.Exp64(0), 45.05456674},
		{"exp64 of the largest word", rand.Exp64(math.MaxUint64), 0},
	} {
		if math.Abs(c.got-c.want) > 1e-6*math.Abs(c.want) {
			t.Errorf("%s is %v, want %v", c.what, c.got, c.want)
		}
	}
}

func pairX(distance, direction uint32) float64 {
	x, _ := rand.NormPair(distance, direction)
	return float64(x)
}
