package host_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/parallel/host"
)

// TestNumbers holds the functions that need no operator to loops.
func TestNumbers(t *testing.T) {
	onCores(t, func(t *testing.T) {
		t.Run("int", testNumbers[int])
		t.Run("int8", testNumbers[int8])
		t.Run("int16", testNumbers[int16])
		t.Run("int32", testNumbers[int32])
		t.Run("int64", testNumbers[int64])
		t.Run("uint8", testNumbers[uint8])
		t.Run("uint16", testNumbers[uint16])
		t.Run("uint32", testNumbers[uint32])
		t.Run("uint64", testNumbers[uint64])
		t.Run("float32", testNumbers[float32])
		t.Run("float64", testNumbers[float64])
		t.Run("named", testNumbers[celsius])
	})
}

type celsius float32

func testNumbers[T host.Number](t *testing.T) {
	for _, n := range append(sizes, 70_001) {
		r, x := rand.New(rand.NewPCG(5, uint64(n))), make([]T, n)
		for i := range x { // their sums are exact
			if x[i] = T(r.IntN(7)); T(0)-1 < 0 {
				x[i] -= 3
			}
		}
		testSums(t, x)
		for i := range x {
			if i%3 > 0 {
				x[i] *= T(math.Pow(2, float64(r.IntN(31))))
			}
		}
		testSort(t, x)
	}
}

func testSums[T host.Number](t *testing.T, x []T) {
	n := len(x)
	add := func(a, b T) T { return a + b }
	got, through := make([]T, n), naiveScan(x, nil, false, 0, add)
	if n > 0 {
		if s, low, high := host.Sum(x), host.Min(x), host.Max(x); s != through[n-1] || low != slices.Min(x) || high != slices.Max(x) {
			t.Fatalf("%d numbers are %v, from %v to %v; want %v, %v, %v", n, s, low, high, through[n-1], slices.Min(x), slices.Max(x))
		}
	} else if host.Sum(x) != 0 || host.Min(x) < host.Max(x) {
		t.Fatalf("no numbers are %v, from %v to %v", host.Sum(x), host.Min(x), host.Max(x))
	}
	noError(t, host.InclusiveSum(got, x))
	want(t, "InclusiveSum", got, through)
	copy(got, x)
	noError(t, host.ExclusiveSum(got, got))
	want(t, "ExclusiveSum", got, naiveScan(x, nil, true, 0, add))
}

func testSort[T host.Number](t *testing.T, x []T) {
	sorted, got, values := slices.Clone(x), slices.Clone(x), make([]int, len(x))
	slices.Sort(sorted)
	host.Sort(got)
	want(t, "Sort", got, sorted)
	host.Iota(values, 0)
	copy(got, x)
	noError(t, host.SortPairs(got, values))
	want(t, "the keys of SortPairs", got, sorted)
	for i, v := range values {
		if x[v] != got[i] || i > 0 && got[i-1] == got[i] && values[i-1] > v {
			t.Fatalf("SortPairs of %d: value %d is %d", len(x), i, v)
		}
	}
	host.SortDescending(got)
	slices.Reverse(sorted)
	want(t, "SortDescending", got, sorted)
}

// TestTotalOrder sorts what < does not order, few and many.
func TestTotalOrder(t *testing.T) {
	for _, copies := range []int{1, 100} {
		x := slices.Repeat([]float64{math.NaN(), 1, math.Inf(-1), 0, -1, math.Copysign(0, -1), math.Inf(1), math.Copysign(math.NaN(), -1), 5e-324}, copies)
		sorted := naiveSort(x, totalLess[float64])
		host.Sort(x)
		for i := range x {
			if math.Float64bits(x[i]) != math.Float64bits(sorted[i]) {
				t.Fatalf("%v, want %v", x, sorted)
			}
		}
	}
	nan := float32(math.NaN())
	if x := []float32{1, nan, 2}; host.Min(x) == host.Min(x) || host.Max(x) == host.Max(x) {
		t.Error("Min and Max lose a NaN")
	}
	if x := []float32{0, float32(math.Copysign(0, -1))}; !math.Signbit(float64(host.Min(x))) || math.Signbit(float64(host.Max(x))) {
		t.Error("Min or Max takes -0 for +0")
	}
}

// TestNoOrder sorts by what is no order, since there are NaNs: no element is lost.
func TestNoOrder(t *testing.T) {
	onCores(t, func(t *testing.T) {
		r, x := rand.New(rand.NewPCG(1, 2)), make([]float64, 50_001)
		for i := range x {
			if x[i] = r.Float64(); i%3 == 0 {
				x[i] = math.Float64frombits(0x7ff8<<48 | uint64(i))
			}
		}
		got := slices.Clone(x)
		host.SortBy(got, func(a, b float64) bool { return a < b })
		host.Sort(got)
		host.Sort(x)
		for i := range x {
			if math.Float64bits(x[i]) != math.Float64bits(got[i]) {
				t.Fatalf("element %d is %v, want %v", i, got[i], x[i])
			}
		}
	})
}

// FuzzSort sorts, scans and selects arbitrary words, several times over.
func FuzzSort(f *testing.F) {
	f.Add([]byte("gridstride"), uint16(1000))
	f.Add([]byte("00\x84\xff00\xc0\xff"), uint16(3)) // a signaling NaN
	f.Add([]byte{0, 0, 0x80, 0x7f, 0, 0, 0x80, 0xff, 0, 0, 0, 0x80, 1, 0, 0xc0, 0xff}, uint16(3))
	f.Fuzz(func(t *testing.T, data []byte, copies uint16) {
		var x []float32
		for i := 0; i+4 <= len(data); i += 4 {
			x = append(x, math.Float32frombits(binary.LittleEndian.Uint32(data[i:])))
		}
		x = slices.Repeat(x, min(int(copies), 20_000/max(len(x), 1)))
		got, by := slices.Clone(x), slices.Clone(x)
		host.Sort(got)
		host.SortBy(by, totalLess[float32])
		top := make([]float32, len(x)/17)
		noError(t, host.TopK(top, x, totalLess[float32]))
		for i, v := range naiveSort(x, totalLess[float32]) {
			bits := math.Float32bits(v)
			if bits != math.Float32bits(got[i]) || bits != math.Float32bits(by[i]) || i < len(top) && bits != math.Float32bits(top[i]) {
				t.Fatalf("element %d is %v, want %v", i, got[i], v)
			}
		}
		positive := func(v float32) bool { return v > 0 }
		count, err := host.Partition(got, x, positive)
		noError(t, err)
		want(t, "Partition", got[:count], slices.DeleteFunc(x, func(v float32) bool { return !positive(v) }))
	})
}
