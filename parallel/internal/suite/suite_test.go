package suite

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/library/kernels/kerneltest"
	"github.com/gridstride/gridstride/parallel"
)

// bench is a workspace on a device, and the sizes that are tried there: small ones under all checks
// where the device is simulated, large ones without.
type bench struct {
	w     *parallel.Workspace
	sizes []int
}

var (
	small = []int{0, 1, 31, 32, 33, 257, 4500}
	large = []int{4095, 4096, 10_007, 300_007} // more than a group of tiles, and a whole tile
)

func each(t *testing.T, test func(t *testing.T, b bench)) {
	t.Parallel()
	checked(t, small, test)
	unchecked(t, large, test)
}

// checked runs a test under all checks where the device is simulated.
func checked(t *testing.T, sizes []int, test func(t *testing.T, b bench)) {
	on(t, "checked", gputest.Device(t), sizes, test)
}

// unchecked runs a test without checks, on a GPU with large sizes, too.
func unchecked(t *testing.T, sizes []int, test func(t *testing.T, b bench)) {
	if strings.HasPrefix(os.Getenv("GRIDSTRIDE_DEVICE"), "cuda") {
		sizes = append(slices.Clone(sizes), 1<<20+1, *most)
	}
	on(t, "unchecked", kerneltest.Unchecked(t, "sm_90a"), sizes, test)
}

func on(t *testing.T, name string, dev *gridstride.Device, sizes []int, test func(t *testing.T, b bench)) {
	t.Run(name, func(t *testing.T) {
		s := dev.NewStream()
		w, err := parallel.New(s)
		kerneltest.Must(t, err)
		test(t, bench{w, sizes})
		kerneltest.Must(t, w.Close())
		kerneltest.Must(t, s.Close())
	})
}

// buffer copies host to the device until the test ends.
func buffer[T any](t *testing.T, b bench, host []T) gridstride.Buffer[T] {
	buf, err := gridstride.CopyOf(b.w.Stream().Device(), host)
	kerneltest.Must(t, err)
	t.Cleanup(func() { kerneltest.Must(t, buf.Free()) })
	return buf
}

func empty[T any](t *testing.T, b bench, n int) gridstride.Buffer[T] {
	buf, err := gridstride.Make[T](b.w.Stream().Device(), n)
	kerneltest.Must(t, err)
	t.Cleanup(func() { kerneltest.Must(t, buf.Free()) })
	return buf
}

// want compares the first elements of a buffer.
func want[T comparable](t *testing.T, b bench, what string, got gridstride.Buffer[T], want []T) {
	t.Helper()
	have, err := got.Slice(0, len(want)).Read(context.Background(), b.w.Stream(), nil)
	kerneltest.Must(t, err)
	for i := range want {
		if have[i] != want[i] && !(have[i] != have[i] && want[i] != want[i]) {
			t.Fatalf("%s of %d: element %d is %v, want %v", what, len(want), i, have[i], want[i])
		}
	}
}

func random(n int) *rand.Rand { return rand.New(rand.NewPCG(1, uint64(n))) }

func records(n int) []Record {
	r := random(n)
	all := make([]Record, n)
	for i := range all {
		all[i] = Record{Key: uint16(r.IntN(n/4 + 2)), Flag: i%2 == 0, Price: float32(r.IntN(1000)) / 8, ID: int32(i)}
	}
	return all
}

// numbers are n numbers, of all magnitudes if any is set, else small ones whose sums are exact.
func numbers[T number](n int, any bool) []T {
	r := random(n)
	all := make([]T, n)
	for i := range all {
		all[i] = T(r.IntN(7))
		if T(0)-1 < 0 {
			all[i] -= 3
		}
		if any && i%3 > 0 {
			all[i] *= T(math.Pow(2, float64(r.IntN(31))))
		}
	}
	return all
}

type number interface {
	int | int8 | int16 | int32 | int64 | uint8 | uint32 | uint64 | float32 | float64
}

func TestSums(t *testing.T) {
	t.Run("int", testSums[int])
	t.Run("int32", testSums[int32])
	t.Run("int64", testSums[int64])
	t.Run("uint32", testSums[uint32])
	t.Run("uint64", testSums[uint64])
	t.Run("float32", testSums[float32])
	t.Run("float64", testSums[float64])
}

// testSums reduces and scans numbers.
func testSums[T number](t *testing.T) {
	each(t, func(t *testing.T, b bench) {
		ctx := t.Context()
		for _, n := range b.sizes {
			host := numbers[T](n, false)
			through, before, sum := make([]T, n), make([]T, n), T(0)
			for i, x := range host {
				before[i] = sum
				sum += x
				through[i] = sum
			}
			x, y := buffer(t, b, host), empty[T](t, b, n)
			if got, err := parallel.Sum(ctx, b.w, x); err != nil || got != sum {
				t.Fatalf("the sum of %d is %v, %v; want %v", n, got, err, sum)
			}
			if n > 0 {
				low, err := parallel.Min(ctx, b.w, x)
				high, err2 := parallel.Max(ctx, b.w, x)
				if err != nil || err2 != nil || low != slices.Min(host) || high != slices.Max(host) {
					t.Fatalf("the smallest and largest of %d are %v, %v, %v, %v", n, low, high, err, err2)
				}
			}
			kerneltest.Must(t, parallel.InclusiveSum(b.w, y, x))
			want(t, b, "InclusiveSum", y, through)
			kerneltest.Must(t, parallel.ExclusiveSum(b.w, x, x))
			want(t, b, "ExclusiveSum", x, before)
			kerneltest.Must(t, parallel.Iota(b.w, y, 3))
			for i := range before {
				before[i] = 3 + T(i)
			}
			want(t, b, "Iota", y, before)
		}
	})
}

// TestOperators reduces and scans by operators that are not commutative, and of a byte.
func TestOperators(t *testing.T) {
	each(t, func(t *testing.T, b bench) {
		for _, n := range b.sizes {
			r := random(n)
			lines, bytes := make([]Line, n), make([]uint8, n)
			through, xors := make([]Line, n), make([]uint8, n)
			l, x := Then{}.Identity(), uint8(0)
			for i := range n {
				lines[i], bytes[i] = Line{r.Uint32(), r.Uint32()}, uint8(r.Uint32())
				l, x = Then{}.Combine(l, lines[i]), x^bytes[i]
				through[i], xors[i] = l, x
			}
			d := buffer(t, b, lines)
			kerneltest.Must(t, parallel.InclusiveScan(b.w, d, d, Then{}))
			want(t, b, "lines", d, through)
			e := buffer(t, b, bytes)
			if got, err := parallel.Reduce(t.Context(), b.w, e, Xor[uint8]{}); err != nil || got != x {
				t.Fatalf("%d bytes are %d, %v; want %d", n, got, err, x)
			}
			kerneltest.Must(t, parallel.InclusiveScan(b.w, e, e, Xor[uint8]{}))
			want(t, b, "bytes", e, xors)
		}
	})
}

// TestOrder computes sums of floats that are rounded, many times: they have the same bits.
func TestOrder(t *testing.T) {
	t.Parallel()
	dev := kerneltest.Unchecked(t, "sm_90a")
	s := dev.NewStream()
	w, err := parallel.New(s)
	kerneltest.Must(t, err)
	b := bench{w: w}
	n := 300_001
	host := make([]float32, n)
	for i := range host {
		host[i] = 1 / float32(i+1)
	}
	x, y := buffer(t, b, host), empty[float32](t, b, n)
	var sum float32
	var scan []float32
	for k := range 5 {
		got, err := parallel.Sum(t.Context(), w, x)
		kerneltest.Must(t, err)
		kerneltest.Must(t, parallel.InclusiveSum(w, y, x))
		all, err := y.Read(t.Context(), s, nil)
		kerneltest.Must(t, err)
		if k > 0 && (got != sum || !slices.Equal(all, scan)) {
			t.Fatal("another order of additions")
		}
		sum, scan = got, all
	}
	if math.Abs(float64(sum)-13.188757) > 1e-4 || math.Abs(float64(scan[n-1]-sum)) > 1e-4 {
		t.Errorf("the sum is %v, and the last of the scan %v", sum, scan[n-1])
	}
	// The same on a GPU as on the simulator.
	if math.Float32bits(sum) != sumBits || math.Float32bits(scan[n-1]) != scanBits {
		t.Errorf("the bits are %#x and %#x", math.Float32bits(sum), math.Float32bits(scan[n-1]))
	}
	kerneltest.Must(t, w.Close())
	kerneltest.Must(t, s.Close())
}

// The results of TestOrder.
const (
	sumBits  = 0x41530526
	scanBits = 0x4153052a
)

// TestSelections selects, partitions and finds runs.
func TestSelections(t *testing.T) {
	each(t, func(t *testing.T, b bench) {
		for _, n := range b.sizes {
			host := records(n)
			x, y, count := buffer(t, b, host), empty[Record](t, b, n), empty[int](t, b, 1)
			for _, least := range []float32{-1, 60, 1e9} {
				var kept, rest []Record
				for _, r := range host {
					if r.Price >= least {
						kept = append(kept, r)
					} else {
						rest = append(rest, r)
					}
				}
				kerneltest.Must(t, parallel.Select(b.w, y, x, Dear{least}, count))
				want(t, b, "the count", count, []int{len(kept)})
				want(t, b, "Select", y, kept)
				kerneltest.Must(t, parallel.Partition(b.w, y, x, Dear{least}, count))
				slices.Reverse(rest)
				want(t, b, "the count", count, []int{len(kept)})
				want(t, b, "Partition", y, append(kept, rest...))
			}
			testRuns(t, b, host)
		}
	})
}

// testRuns finds the runs of sorted records.
func testRuns(t *testing.T, b bench, host []Record) {
	slices.SortStableFunc(host, func(a, b Record) int { return cmp.Compare(a.Key, b.Key) })
	var heads []Record
	var lengths []int
	for i, r := range host {
		if i == 0 || host[i-1].Key != r.Key {
			heads, lengths = append(heads, r), append(lengths, 0)
		}
		lengths[len(lengths)-1]++
	}
	x, y, count := buffer(t, b, host), empty[Record](t, b, len(host)), empty[int](t, b, 1)
	runs := empty[int](t, b, len(host))
	kerneltest.Must(t, parallel.Unique(b.w, y, x, SameKey{}, count))
	want(t, b, "the count", count, []int{len(heads)})
	want(t, b, "Unique", y, heads)
	kerneltest.Must(t, parallel.RunLengthEncode(b.w, y, runs, x, SameKey{}, count))
	want(t, b, "the count", count, []int{len(heads)})
	want(t, b, "RunLengthEncode", y, heads)
	want(t, b, "the lengths", runs, lengths)
}

func TestSort(t *testing.T) {
	t.Run("int", testSort[int])
	t.Run("int16", testSort[int16])
	t.Run("int32", testSort[int32])
	t.Run("int64", testSort[int64])
	t.Run("uint8", testSort[uint8])
	t.Run("uint32", testSort[uint32])
	t.Run("uint64", testSort[uint64])
	t.Run("float32", testSort[float32])
	t.Run("float64", testSort[float64])
}

// testSort sorts numbers: of all magnitudes, few, sorted already.
func testSort[T number](t *testing.T) {
	t.Parallel()
	unchecked(t, []int{0, 1, 2, 31, 32, 33, 1024, 1025, 4096, 4097, 40_001}, func(t *testing.T, b bench) {
		for _, n := range b.sizes {
			for _, any := range []bool{true, false} {
				host := numbers[T](n, any)
				x := buffer(t, b, host)
				kerneltest.Must(t, parallel.Sort(b.w, x))
				slices.Sort(host)
				want(t, b, "Sort", x, host)
				kerneltest.Must(t, parallel.SortDescending(b.w, x))
				slices.Reverse(host)
				want(t, b, "SortDescending", x, host)
			}
		}
	})
}

// TestSortChecked sorts under all checks, which take their time.
func TestSortChecked(t *testing.T) {
	t.Parallel()
	checked(t, []int{0, 1, 33, 1100, 4500}, func(t *testing.T, b bench) {
		for _, n := range b.sizes {
			host := numbers[int16](n, true)
			x := buffer(t, b, host)
			kerneltest.Must(t, parallel.Sort(b.w, x))
			slices.Sort(host)
			want(t, b, "Sort", x, host)
		}
	})
}

// TestTotalOrder sorts what < does not order.
func TestTotalOrder(t *testing.T) {
	each(t, func(t *testing.T, b bench) {
		inf, zero := float32(math.Inf(1)), float32(0)
		host := []float32{float32(math.NaN()), 1, -inf, zero, -1, -zero, inf, float32(math.Copysign(0, -1)), 5e-45}
		x := buffer(t, b, host)
		kerneltest.Must(t, parallel.Sort(b.w, x))
		got, err := x.Read(t.Context(), b.w.Stream(), nil)
		if text := fmt.Sprint(got); err != nil || text != "[-Inf -1 -0 -0 0 6e-45 1 +Inf NaN]" {
			t.Errorf("%v, %v", text, err)
		}
	})
}

// TestPairs sorts records by separate keys, stably.
func TestPairs(t *testing.T) {
	t.Parallel()
	checked(t, []int{0, 1, 33, 4500}, testPairs)
	unchecked(t, []int{2049, 40_001}, testPairs)
}

func testPairs(t *testing.T, b bench) {
	for _, n := range b.sizes {
		host := records(n)
		keys := make([]uint32, n)
		for i, r := range host {
			keys[i] = uint32(r.Key) << 9
		}
		k, v, by := buffer(t, b, keys), buffer(t, b, host), buffer(t, b, host)
		kerneltest.Must(t, parallel.SortPairs(b.w, k, v))
		if n > 5000 {
			doubles := make([]float64, n)
			for i, r := range host {
				doubles[i] = -float64(r.Key)
			}
			again := buffer(t, b, host)
			kerneltest.Must(t, parallel.SortPairs(b.w, buffer(t, b, doubles), again))
			backwards := slices.Clone(host)
			slices.SortStableFunc(backwards, func(a, b Record) int { return cmp.Compare(b.Key, a.Key) })
			want(t, b, "the values of SortPairs by floats", again, backwards)
		}
		kerneltest.Must(t, parallel.SortBy(b.w, by, ByKey{}))
		slices.SortStableFunc(host, func(a, b Record) int { return cmp.Compare(a.Key, b.Key) })
		slices.Sort(keys)
		want(t, b, "the keys of SortPairs", k, keys)
		want(t, b, "the values of SortPairs", v, host)
		want(t, b, "SortBy", by, host)
		slices.SortStableFunc(host, func(a, b Record) int { return cmp.Compare(b.Key, a.Key) })
		kerneltest.Must(t, parallel.SortBy(b.w, by, ByKey{Descending: true}))
		// Among equal keys the first sort, which was stable, has left the order.
		want(t, b, "SortBy, descending", by, host)
	}
}

// TestMerge merges sorted records, and searches them.
func TestMerge(t *testing.T) {
	each(t, func(t *testing.T, b bench) {
		for _, n := range b.sizes {
			host := records(n)
			first, second := slices.Clone(host[:n/3]), slices.Clone(host[n/3:])
			byKey := func(a, b Record) int { return cmp.Compare(a.Key, b.Key) }
			slices.SortStableFunc(first, byKey)
			slices.SortStableFunc(second, byKey)
			x, y, z := buffer(t, b, first), buffer(t, b, second), empty[Record](t, b, n)
			kerneltest.Must(t, parallel.Merge(b.w, z, x, y, ByKey{}))
			sorted := append(slices.Clone(first), second...)
			slices.SortStableFunc(sorted, byKey)
			want(t, b, "Merge", z, sorted)
			low, high := make([]int, n), make([]int, n)
			for i, r := range host {
				low[i], _ = slices.BinarySearchFunc(sorted, r, byKey)
				high[i] = low[i]
				for high[i] < n && sorted[high[i]].Key == r.Key {
					high[i]++
				}
			}
			at := empty[int](t, b, n)
			kerneltest.Must(t, parallel.LowerBound(b.w, at, z, buffer(t, b, host), ByKey{}))
			want(t, b, "LowerBound", at, low)
			kerneltest.Must(t, parallel.UpperBound(b.w, at, z, buffer(t, b, host), ByKey{}))
			want(t, b, "UpperBound", at, high)
		}
	})
}

// TestMaps transforms, moves and counts records.
func TestMaps(t *testing.T) {
	each(t, func(t *testing.T, b bench) {
		for _, n := range b.sizes {
			host := records(n)
			index, moved, prices, total := make([]uint32, n), make([]Record, n), make([]float64, n), 0.0
			bins := make([]uint64, 100)
			for i, j := range random(n).Perm(n) {
				index[i], moved[i] = uint32(j), host[j]
			}
			for i, r := range host {
				prices[i] = 2 * float64(r.Price)
				total += prices[i]
				if bin := (Bucket{3}).Apply(r); bin >= 0 && bin < len(bins) {
					bins[bin]++
				}
			}
			x, y, to := buffer(t, b, host), empty[Record](t, b, n), buffer(t, b, index)
			kerneltest.Must(t, parallel.Gather(b.w, y, x, to))
			want(t, b, "Gather", y, moved)
			kerneltest.Must(t, parallel.Scatter(b.w, x, y, to))
			want(t, b, "Scatter", x, host)
			p := empty[float64](t, b, n)
			kerneltest.Must(t, parallel.Transform(b.w, p, x, Price{2}))
			want(t, b, "Transform", p, prices)
			got, err := parallel.TransformReduce(t.Context(), b.w, x, Price{2}, parallel.Plus[float64]{})
			if err != nil || got != total {
				t.Fatalf("the prices of %d are %v, %v; want %v", n, got, err, total)
			}
			counts := empty[uint64](t, b, len(bins))
			kerneltest.Must(t, parallel.Histogram(b.w, counts, x, Bucket{3}))
			want(t, b, "Histogram", counts, bins)
		}
	})
}

var most = flag.Int("most", 1<<22-3, "the largest `number` of elements of tests on a GPU")

var huge = flag.Int("huge", 0, "scan and sort this `number` of bytes, more than 2^32")

// TestHuge scans ones to ones and zeros by turns, and sorts them.
func TestHuge(t *testing.T) {
	if *huge == 0 {
		t.Skip("-huge is not given")
	}
	unchecked(t, nil, func(t *testing.T, b bench) {
		n := *huge
		x := empty[uint8](t, b, n)
		kerneltest.Must(t, x.Fill(b.w.Stream(), 1))
		kerneltest.Must(t, parallel.InclusiveScan(b.w, x, x, Xor[uint8]{}))
		want(t, b, "the end", x.Slice(n-2, n), []uint8{uint8(n-1) % 2, uint8(n) % 2})
		if got, err := parallel.Reduce(t.Context(), b.w, x, Xor[uint8]{}); err != nil || got != uint8((n+1)/2)%2 {
			t.Fatalf("all are %d, %v", got, err)
		}
		kerneltest.Must(t, parallel.Sort(b.w, x))
		want(t, b, "the middle", x.Slice(n/2-2, n/2+2), []uint8{0, 0, 1, 1})
		want(t, b, "the end", x.Slice(n-2, n), []uint8{1, 1})
		if got, err := parallel.Reduce(t.Context(), b.w, x, Xor[uint8]{}); err != nil || got != uint8((n+1)/2)%2 {
			t.Fatalf("all are %d, %v", got, err)
		}
	})
}
