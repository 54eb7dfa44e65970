package suite

import (
	"math"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/kerneltest"
	"github.com/gridstride/gridstride/parallel"
	"github.com/gridstride/gridstride/parallel/host"
)

// TestHost and the tests after it hold package host to package parallel: the same bits, of numbers
// whose sums are rounded.
func TestHost(t *testing.T) {
	t.Parallel()
	sizes := []int{0, 1, 2, 31, 33, 1000, 4096, 4097, 10_007, 140_001}
	unchecked(t, sizes, func(t *testing.T, b bench) {
		for _, n := range b.sizes {
			hostSums[float32](t, b, n)
			hostSums[float64](t, b, n)
			hostSums[int32](t, b, n)
			hostSegments(t, b, rounded[float32](n), parallel.Plus[float32]{})
			hostSegments(t, b, rounded[float64](n), parallel.Plus[float64]{})
			hostSegments(t, b, roundedRecords(n), Joined{})
			hostOrders(t, b, n)
			hostMaps(t, b, n)
			hostRuns(t, b, n)
		}
	})
}

// TestHostLarge has more tiles than a reduction has blocks, and scans in several groups of tiles.
func TestHostLarge(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	unchecked(t, []int{1584*4096 + 5001}, func(t *testing.T, b bench) { hostSums[float32](t, b, b.sizes[0]) })
}

// rounded are n numbers of both signs and several magnitudes, with a NaN in the end of many, whose
// sums are rounded.
func rounded[T number](n int) []T {
	r, all := random(n), make([]T, n)
	for i := range all {
		all[i] = T(r.NormFloat64() * math.Pow(2, float64(r.IntN(12))))
	}
	if n == 4097 {
		all[n-3] = T(math.NaN())
	}
	if n > 0 {
		all[n/2] = T(math.Copysign(0, -1))
	}
	return all
}

// roundedRecords are records for Joined, some of them its identity.
func roundedRecords(n int) []Record {
	all := records(n)
	for i, price := range rounded[float32](n) {
		if all[i].Price, all[i].Flag = price, i%7 > 0; !all[i].Flag {
			all[i] = Record{}
		}
	}
	return all
}

// bitsOf tells numbers apart, and NaNs from numbers alone.
func bitsOf[T any](v T) any {
	switch v := any(v).(type) {
	case float32:
		if v == v {
			return math.Float32bits(v)
		}
		return "NaN"
	case float64:
		if v == v {
			return math.Float64bits(v)
		}
		return "NaN"
	case Record:
		return [...]any{v.Key, v.Flag, bitsOf(v.Price), v.ID}
	}
	return v
}

// same compares the host's elements with a buffer's first.
func same[T any](t *testing.T, b bench, what string, got []T, buf gridstride.Buffer[T]) {
	t.Helper()
	want, err := buf.Slice(0, len(got)).Read(t.Context(), b.w.Stream(), nil)
	kerneltest.Must(t, err)
	for i := range got {
		if bitsOf(got[i]) != bitsOf(want[i]) {
			t.Fatalf("%s of %d: element %d is %v (%x), and the device's %v (%x)", what, len(got), i, got[i], bitsOf(got[i]), want[i], bitsOf(want[i]))
		}
	}
}

func hostSums[T int32 | float32 | float64](t *testing.T, b bench, n int) {
	x := rounded[T](n)
	buf, y, to := buffer(t, b, x), empty[T](t, b, n), make([]T, n)
	one := func(what string, got T, device func(dst gridstride.Buffer[T]) error) {
		t.Helper()
		dst := empty[T](t, b, 1)
		kerneltest.Must(t, device(dst))
		same(t, b, what, []T{got}, dst)
	}
	one("Sum", host.Sum(x), func(dst gridstride.Buffer[T]) error { return parallel.ReduceTo(b.w, buf, parallel.Plus[T]{}, dst) })
	one("Reduce", host.Reduce(x, 0, parallel.Plus[T]{}.Combine), func(dst gridstride.Buffer[T]) error { return parallel.ReduceTo(b.w, buf, parallel.Plus[T]{}, dst) })
	one("Min", host.Min(x), func(dst gridstride.Buffer[T]) error { return parallel.ReduceTo(b.w, buf, parallel.Smaller[T]{}, dst) })
	one("Max", host.Max(x), func(dst gridstride.Buffer[T]) error { return parallel.ReduceTo(b.w, buf, parallel.Larger[T]{}, dst) })
	kerneltest.Must(t, parallel.InclusiveSum(b.w, y, buf))
	kerneltest.Must(t, host.InclusiveSum(to, x))
	same(t, b, "InclusiveSum", to, y)
	kerneltest.Must(t, host.InclusiveScan(to, x, 0, parallel.Plus[T]{}.Combine))
	same(t, b, "InclusiveScan", to, y)
	kerneltest.Must(t, parallel.ExclusiveSum(b.w, y, buf))
	kerneltest.Must(t, host.ExclusiveScan(to, x, 0, parallel.Plus[T]{}.Combine))
	same(t, b, "ExclusiveScan", to, y)
	kerneltest.Must(t, host.ExclusiveSum(x, x))
	same(t, b, "ExclusiveSum", x, y)
	kerneltest.Must(t, parallel.Sort(b.w, y))
	host.Sort(to)
	same(t, b, "Sort", to, y)
	kerneltest.Must(t, parallel.SortDescending(b.w, y))
	host.SortDescending(to)
	same(t, b, "SortDescending", to, y)
	kerneltest.Must(t, parallel.Iota(b.w, y, 5))
	host.Iota(to, 5)
	same(t, b, "Iota", to, y)
}

// hostSegments scans and reduces the runs of keys, and segments.
func hostSegments[T any, O parallel.Operator[T]](t *testing.T, b bench, x []T, op O) {
	n := len(x)
	keys, offsets := make([]int32, 0, n), offsetsOf(n)
	for run, length := range runLengths(n, false) {
		for range length {
			keys = append(keys, int32(run%3))
		}
	}
	equal, id := parallel.Equals[int32]{}, op.Identity()
	k, v, y, at := buffer(t, b, keys), buffer(t, b, x), empty[T](t, b, n), buffer(t, b, offsets)
	to := parallel.Runs[int32, T]{Keys: empty[int32](t, b, n), Values: y, Count: empty[int](t, b, 1)}
	heads, got := make([]int32, n), make([]T, n)
	kerneltest.Must(t, parallel.ReduceByKey(b.w, to, k, v, equal, op))
	count, err := host.ReduceByKey(host.Runs[int32, T]{Keys: heads, Values: got}, keys, x, equal.Equal, id, op.Combine)
	kerneltest.Must(t, err)
	same(t, b, "the count", []int{count}, to.Count)
	same(t, b, "the keys of ReduceByKey", heads[:count], to.Keys)
	same(t, b, "ReduceByKey", got[:count], y)
	kerneltest.Must(t, parallel.InclusiveScanByKey(b.w, y, k, v, equal, op))
	kerneltest.Must(t, host.InclusiveScanByKey(got, keys, x, equal.Equal, id, op.Combine))
	same(t, b, "InclusiveScanByKey", got, y)
	kerneltest.Must(t, parallel.ExclusiveScanByKey(b.w, y, k, v, equal, op))
	kerneltest.Must(t, host.ExclusiveScanByKey(got, keys, x, equal.Equal, id, op.Combine))
	same(t, b, "ExclusiveScanByKey", got, y)
	sums, dst := make([]T, len(offsets)-1), empty[T](t, b, len(offsets)-1)
	kerneltest.Must(t, parallel.ReduceSegments(b.w, dst, v, at, op))
	kerneltest.Must(t, host.ReduceSegments(sums, x, offsets, id, op.Combine))
	same(t, b, "ReduceSegments", sums, dst)
	kerneltest.Must(t, parallel.InclusiveScanSegments(b.w, y, v, at, op))
	kerneltest.Must(t, host.InclusiveScanSegments(got, x, offsets, id, op.Combine))
	same(t, b, "InclusiveScanSegments", got, y)
	kerneltest.Must(t, parallel.ExclusiveScanSegments(b.w, y, v, at, op))
	kerneltest.Must(t, host.ExclusiveScanSegments(x, x, offsets, id, op.Combine))
	same(t, b, "ExclusiveScanSegments", x, y)
}

// hostOrders sorts, merges and searches records.
func hostOrders(t *testing.T, b bench, n int) {
	x, by := records(n), ByKey{}
	keys := make([]uint32, n)
	for i, r := range x {
		keys[i] = uint32(r.Key)<<9 + 1
	}
	k, v, y, values := buffer(t, b, keys), buffer(t, b, x), empty[Record](t, b, n), append([]Record(nil), x...)
	got := make([]Record, n)
	kerneltest.Must(t, parallel.TopK(b.w, y.Slice(0, n/20), v, by))
	kerneltest.Must(t, host.TopK(got[:n/20], x, by.Less))
	same(t, b, "TopK", got[:n/20], y)
	kerneltest.Must(t, parallel.Shuffle(b.w, y, v, 42))
	kerneltest.Must(t, host.Shuffle(got, x, 42))
	same(t, b, "Shuffle", got, y)
	offsets := offsetsOf(n)
	kerneltest.Must(t, parallel.SortSegments(b.w, y, buffer(t, b, offsets), by))
	kerneltest.Must(t, host.SortSegments(got, offsets, by.Less))
	same(t, b, "SortSegments", got, y)
	kerneltest.Must(t, parallel.SortPairs(b.w, k, v))
	kerneltest.Must(t, host.SortPairs(keys, values))
	same(t, b, "the keys of SortPairs", keys, k)
	same(t, b, "SortPairs", values, v)
	kerneltest.Must(t, parallel.SortBy(b.w, y, by))
	host.SortBy(got, by.Less)
	same(t, b, "SortBy", got, y)
	merged, to := empty[Record](t, b, 2*n), make([]Record, 2*n)
	kerneltest.Must(t, parallel.Merge(b.w, merged, v, y, by))
	kerneltest.Must(t, host.Merge(to, values, got, by.Less))
	same(t, b, "Merge", to, merged)
	bounds, at := empty[int](t, b, n), make([]int, n)
	kerneltest.Must(t, parallel.LowerBound(b.w, bounds, merged, buffer(t, b, x), by))
	kerneltest.Must(t, host.LowerBound(at, to, x, by.Less))
	same(t, b, "LowerBound", at, bounds)
	kerneltest.Must(t, parallel.UpperBound(b.w, bounds, merged, buffer(t, b, x), by))
	kerneltest.Must(t, host.UpperBound(at, to, x, by.Less))
	same(t, b, "UpperBound", at, bounds)
}

// hostMaps transforms, moves and counts records.
func hostMaps(t *testing.T, b bench, n int) {
	x := roundedRecords(n)
	index := make([]uint32, n)
	for i, j := range random(n).Perm(n) {
		index[i] = uint32(j)
	}
	v, y, at := buffer(t, b, x), empty[Record](t, b, n), buffer(t, b, index)
	got, prices, p := make([]Record, n), make([]float64, n), empty[float64](t, b, n)
	kerneltest.Must(t, parallel.Gather(b.w, y, v, at))
	kerneltest.Must(t, host.Gather(got, x, index))
	same(t, b, "Gather", got, y)
	kerneltest.Must(t, parallel.Transform(b.w, p, v, Price{1.1}))
	kerneltest.Must(t, host.Transform(prices, x, Price{1.1}.Apply))
	same(t, b, "Transform", prices, p)
	sum := empty[float64](t, b, 1)
	kerneltest.Must(t, parallel.TransformReduceTo(b.w, v, Price{1.1}, parallel.Plus[float64]{}, sum))
	same(t, b, "TransformReduce", []float64{host.TransformReduce(x, Price{1.1}.Apply, 0, parallel.Plus[float64]{}.Combine)}, sum)
	bins, counts := make([]uint64, 77), empty[uint64](t, b, 77)
	kerneltest.Must(t, parallel.Histogram(b.w, counts, v, Bucket{3}))
	host.Histogram(bins, x, Bucket{3}.Apply)
	same(t, b, "Histogram", bins, counts)
	kerneltest.Must(t, parallel.ForEach(b.w, v, Renumber{5}))
	host.ForEach(x, Renumber{5}.Do)
	same(t, b, "ForEach", x, v)
	kerneltest.Must(t, parallel.Scatter(b.w, y, v, at))
	kerneltest.Must(t, host.Scatter(got, x, index))
	same(t, b, "Scatter", got, y)
}

// hostRuns selects records, and finds runs.
func hostRuns(t *testing.T, b bench, n int) {
	x := records(n)
	host.SortBy(x, ByKey{}.Less)
	v, y, lengths, count := buffer(t, b, x), empty[Record](t, b, n), empty[int](t, b, n), empty[int](t, b, 1)
	got, runs := make([]Record, n), make([]int, n)
	check := func(what string, k int, err, err2 error) {
		t.Helper()
		kerneltest.Must(t, err)
		kerneltest.Must(t, err2)
		same(t, b, "the count of "+what, []int{k}, count)
		same(t, b, what, got[:k], y)
	}
	k, err := host.Select(got, x, Dear{60}.Holds)
	check("Select", k, err, parallel.Select(b.w, y, v, Dear{60}, count))
	k, err = host.Partition(got, x, Dear{60}.Holds)
	check("Partition", k, err, parallel.Partition(b.w, y, v, Dear{60}, count))
	same(t, b, "Partition", got, y)
	k, err = host.Unique(got, x, SameKey{}.Equal)
	check("Unique", k, err, parallel.Unique(b.w, y, v, SameKey{}, count))
	k, err = host.RunLengthEncode(got, runs, x, SameKey{}.Equal)
	check("RunLengthEncode", k, err, parallel.RunLengthEncode(b.w, y, lengths, v, SameKey{}, count))
	same(t, b, "the lengths", runs[:k], lengths)
}
