package host_test

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/parallel/host"
)

// sizes are those at which something changes, and others.
var sizes = []int{0, 1, 2, 12, 13, 31, 33, 128, 129, 1000, 4096, 4097, 8193, 20_011}

// onCores runs a test with one core, two and more than there are.
func onCores(t *testing.T, test func(t *testing.T)) {
	for _, cores := range []int{1, 2, 16} {
		t.Run(fmt.Sprint(cores), func(t *testing.T) {
			before := runtime.GOMAXPROCS(cores)
			defer runtime.GOMAXPROCS(before)
			test(t)
		})
	}
}

// kind is elements of a type: how they are made, ordered and combined.
type kind[T comparable] struct {
	make     func(r *rand.Rand) T
	less     func(a, b T) bool
	identity T
	combine  func(a, b T) T
}

// record is 12 bytes. It is ordered by a key alone.
type record struct {
	Key uint16
	At  float32
	ID  int32
}

// firstRecord is the first that is not the identity. It is not commutative.
func firstRecord(a, b record) record {
	if a == (record{}) {
		return b
	}
	return a
}

func add[T int32 | float32](a, b T) T { return a + b }

// TestKinds holds all functions that take operators to loops, for elements of several types.
func TestKinds(t *testing.T) {
	onCores(t, func(t *testing.T) {
		t.Run("int32", kind[int32]{func(r *rand.Rand) int32 { return int32(r.Uint32()) >> r.IntN(32) }, cmp.Less[int32], 0, add[int32]}.test)
		t.Run("int64", kind[int64]{func(r *rand.Rand) int64 { return int64(r.Uint64()) >> r.IntN(64) }, cmp.Less[int64], math.MaxInt64,
			func(a, b int64) int64 { return min(a, b) }}.test)
		t.Run("uint8", kind[uint8]{func(r *rand.Rand) uint8 { return uint8(r.Uint32()) }, func(a, b uint8) bool { return a > b }, 0,
			func(a, b uint8) uint8 { return a ^ b }}.test)
		t.Run("float32", kind[float32]{func(r *rand.Rand) float32 { return float32(r.IntN(9) - 4) }, cmp.Less[float32], 0, add[float32]}.test)
		t.Run("float64", kind[float64]{func(r *rand.Rand) float64 { return float64(r.IntN(9999)-4) / 8 }, cmp.Less[float64], math.Inf(-1),
			func(a, b float64) float64 { return max(a, b) }}.test)
		t.Run("record", kind[record]{func(r *rand.Rand) record { return record{uint16(r.IntN(50)), r.Float32(), r.Int32()} },
			func(a, b record) bool { return a.Key < b.Key }, record{}, firstRecord}.test)
		t.Run("string", kind[string]{func(r *rand.Rand) string { return strings.Repeat("ab", r.IntN(3)) + fmt.Sprint(r.IntN(40)) }, cmp.Less[string], "",
			func(a, b string) string { return max(a, b) }}.test)
	})
}

func (k kind[T]) test(t *testing.T) {
	for _, n := range sizes {
		x := k.some(n)
		k.testScans(t, x)
		k.testSorts(t, x)
		k.testRuns(t, x)
		k.testMoves(t, x)
	}
}

func (k kind[T]) some(n int) []T {
	r, x := rand.New(rand.NewPCG(3, uint64(n))), make([]T, n)
	for i := range x {
		if x[i] = k.make(r); i > 0 && r.IntN(3) > 0 {
			x[i] = x[i-1]
		}
	}
	return x
}

// equal compares keys that are equal in the order: records of one key are.
func (k kind[T]) equal(a, b T) bool { return !k.less(a, b) && !k.less(b, a) }

func want[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		i := 0
		for i < min(len(got), len(want)) && got[i] == want[i] {
			i++
		}
		t.Fatalf("%s of %d: wrong from element %d of %d on", what, len(want), i, len(got))
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (k kind[T]) testScans(t *testing.T, x []T) {
	n := len(x)
	heads := naiveHeads(x, k.equal)
	offsets, got := offsetsOf(heads), make([]T, n)
	scan := func(what string, heads []bool, exclusive bool, err error) {
		t.Helper()
		noError(t, err)
		want(t, what, got, naiveScan(x, heads, exclusive, k.identity, k.combine))
	}
	scan("InclusiveScan", nil, false, host.InclusiveScan(got, x, k.identity, k.combine))
	if n > 0 && k.combine(x[0], x[n-1]) == k.combine(x[n-1], x[0]) {
		if sum := host.Reduce(x, k.identity, k.combine); sum != got[n-1] {
			t.Fatalf("Reduce of %d is %v, want %v", n, sum, got[n-1])
		}
	}
	scan("ExclusiveScan", nil, true, host.ExclusiveScan(got, x, k.identity, k.combine))
	scan("InclusiveScanByKey", heads, false, host.InclusiveScanByKey(got, x, x, k.equal, k.identity, k.combine))
	through := slices.Clone(got)
	scan("InclusiveScanSegments", heads, false, host.InclusiveScanSegments(got, x, offsets, k.identity, k.combine))
	copy(got, x)
	scan("ExclusiveScanByKey", heads, true, host.ExclusiveScanByKey(got, x, got, k.equal, k.identity, k.combine))
	copy(got, x)
	scan("ExclusiveScanSegments", heads, true, host.ExclusiveScanSegments(got, got, offsets, k.identity, k.combine))
	var sums, keys []T
	for i := range x {
		if heads[i] {
			keys = append(keys, x[i])
		}
		if i+1 == n || heads[i+1] {
			sums = append(sums, through[i])
		}
	}
	to := host.Runs[T, T]{Keys: make([]T, len(keys)), Values: make([]T, len(keys))}
	count, err := host.ReduceByKey(to, x, x, k.equal, k.identity, k.combine)
	noError(t, err)
	want(t, "the keys of ReduceByKey", to.Keys[:count], keys)
	want(t, "ReduceByKey", to.Values[:count], sums)
	sums = slices.Insert(sums, 0, k.identity) // of the empty segment
	if n == 0 {
		sums = []T{k.identity, k.identity}
	}
	reduced := make([]T, len(sums))
	noError(t, host.ReduceSegments(reduced, x, offsets, k.identity, k.combine))
	want(t, "ReduceSegments", reduced, sums)
}

func (k kind[T]) testSorts(t *testing.T, x []T) {
	n := len(x)
	sorted, got := naiveSort(x, k.less), slices.Clone(x)
	host.SortBy(got, k.less)
	want(t, "SortBy", got, sorted)
	host.SortBy(got, k.less)
	want(t, "SortBy of what is sorted", got, sorted)
	for _, m := range []int{0, 1, 5, n / 16, n/16 + 1, n} {
		if m <= n {
			noError(t, host.TopK(got[:m], x, k.less))
			want(t, "TopK", got[:m], sorted[:m])
		}
	}
	offsets := []int{0, n / 9, n / 9, n / 8, n}
	segments := slices.Clone(x)
	for s := range len(offsets) - 1 {
		copy(segments[offsets[s]:], naiveSort(x[offsets[s]:offsets[s+1]], k.less))
	}
	copy(got, x)
	noError(t, host.SortSegments(got, offsets, k.less))
	want(t, "SortSegments", got, segments)
	a, b := naiveSort(x[:n/3], k.less), naiveSort(x[n/3:], k.less)
	noError(t, host.Merge(got, a, b, k.less))
	want(t, "Merge", got, sorted)
	low, high, at := make([]int, n), make([]int, n), make([]int, n)
	for i, v := range x {
		low[i], _ = slices.BinarySearchFunc(sorted, v, func(e, v T) int { return sign(!k.less(e, v)) })
		high[i], _ = slices.BinarySearchFunc(sorted, v, func(e, v T) int { return sign(k.less(v, e)) })
	}
	noError(t, host.LowerBound(at, sorted, x, k.less))
	want(t, "LowerBound", at, low)
	noError(t, host.UpperBound(at, sorted, x, k.less))
	want(t, "UpperBound", at, high)
}

// sign is 1 for an element after the place that is looked for, else -1.
func sign(after bool) int {
	if after {
		return 1
	}
	return -1
}

func (k kind[T]) testRuns(t *testing.T, x []T) {
	n := len(x)
	var kept, rest, heads []T
	var lengths []int
	keep := func(v T) bool { return n > 0 && !k.less(v, x[n/2]) }
	for i, head := range naiveHeads(x, k.equal) {
		if head {
			heads, lengths = append(heads, x[i]), append(lengths, 0)
		}
		lengths[len(lengths)-1]++
		if keep(x[i]) {
			kept = append(kept, x[i])
		} else {
			rest = append(rest, x[i])
		}
	}
	got, runs := make([]T, n), make([]int, len(heads))
	count, err := host.Select(got[:len(kept)], x, keep)
	noError(t, err)
	want(t, "Select", got[:count], kept)
	count, err = host.Partition(got, x, keep)
	noError(t, err)
	slices.Reverse(rest)
	want(t, "the front of Partition", got[:count], kept)
	want(t, "Partition", got, append(kept, rest...))
	count, err = host.Unique(got[:len(heads)], x, k.equal)
	noError(t, err)
	want(t, "Unique", got[:count], heads)
	count, err = host.RunLengthEncode(got, runs, x, k.equal)
	noError(t, err)
	want(t, "RunLengthEncode", got[:count], heads)
	want(t, "the lengths", runs[:count], lengths)
}

func (k kind[T]) testMoves(t *testing.T, x []T) {
	n := len(x)
	index := make([]uint32, n)
	for i, j := range rand.New(rand.NewPCG(1, uint64(n))).Perm(n) {
		index[i] = uint32(j)
	}
	got, back := make([]T, n), make([]T, n)
	noError(t, host.Gather(got, x, index))
	for i, j := range index {
		if got[i] != x[j] {
			t.Fatalf("Gather of %d: wrong at %d", n, i)
		}
	}
	noError(t, host.Scatter(back, got, index))
	want(t, "Scatter", back, x)
	noError(t, host.Shuffle(got, x, 7))
	if n > 1000 && slices.Equal(got, x) {
		t.Fatalf("Shuffle of %d changes nothing", n)
	}
	left := map[T]int{}
	for i := range x {
		left[x[i]]++
		left[got[i]]--
	}
	for v, count := range left {
		if count != 0 {
			t.Fatalf("Shuffle of %d has %v %d times too few", n, v, count)
		}
	}
	k.testMaps(t, x)
}

func (k kind[T]) testMaps(t *testing.T, x []T) {
	n := len(x)
	places := make([]int, n)
	noError(t, host.Transform(places, x, k.bin))
	bins, counts := []uint64{9, 9, 9, 9}, make([]uint64, 4)
	for i, v := range x {
		if places[i] != k.bin(v) {
			t.Fatalf("Transform of %d: wrong at %d", n, i)
		}
		if places[i] >= 0 && places[i] < len(counts) {
			counts[places[i]]++
		}
	}
	host.Histogram(bins, places, func(p int) int { return p })
	want(t, "Histogram", bins, counts)
	host.ForEach(places, func(p *int, i int) { *p -= k.bin(x[i]) })
	want(t, "ForEach", places, make([]int, n))
	host.Iota(places, -3)
	for i, p := range places {
		if p != i-3 {
			t.Fatalf("Iota of %d: wrong at %d", n, i)
		}
	}
}

// bin is one of six numbers. Four are bins.
func (k kind[T]) bin(v T) int {
	h := fnv.New32()
	fmt.Fprint(h, v)
	return int(h.Sum32()%6) - 1
}
