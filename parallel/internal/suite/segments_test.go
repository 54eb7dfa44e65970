package suite

import (
	"errors"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/kerneltest"
	"github.com/gridstride/gridstride/parallel"
)

// TestByKey and the tests after it try each function on numbers and on records.
func TestByKey(t *testing.T) {
	t.Run("int32", func(t *testing.T) { testByKey(t, small32, parallel.Plus[int32]{}) })
	t.Run("float32", func(t *testing.T) { testByKey(t, smallFloat, parallel.Plus[float32]{}) })
	t.Run("float64", func(t *testing.T) { testByKey(t, smallDouble, parallel.Plus[float64]{}) })
	t.Run("Record", func(t *testing.T) { testByKey(t, flagged, Joined{}) })
}

func small32(n int) []int32       { return numbers[int32](n, false) }
func smallFloat(n int) []float32  { return numbers[float32](n, false) }
func smallDouble(n int) []float64 { return numbers[float64](n, false) }

// flagged are records of which all have the flag that Joined asks for.
func flagged(n int) []Record {
	all := records(n)
	for i := range all {
		all[i].Flag = true
	}
	return all
}

// runLengths are random lengths of n elements in all: some 0 where empty is set, some beyond a tile.
func runLengths(n int, empty bool) (lengths []int) {
	r := random(n)
	for rest := n; rest > 0; {
		length := r.IntN(9)
		if r.IntN(50) == 0 {
			length = r.IntN(5000)
		}
		if !empty {
			length++
		}
		length = min(length, rest)
		lengths = append(lengths, length)
		rest -= length
	}
	return lengths
}

func testByKey[T comparable, O parallel.Operator[T]](t *testing.T, source func(n int) []T, op O) {
	each(t, func(t *testing.T, b bench) {
		for _, n := range b.sizes {
			values, keys := source(n), make([]int32, 0, n)
			heads, sums := []int32{}, []T{}
			through, before := make([]T, 0, n), make([]T, 0, n)
			for run, length := range runLengths(n, false) {
				key, sum := int32(run%3), op.Identity()
				for range length {
					before = append(before, sum)
					sum = op.Combine(sum, values[len(keys)])
					through, keys = append(through, sum), append(keys, key)
				}
				heads, sums = append(heads, key), append(sums, sum)
			}
			equal := parallel.Equals[int32]{}
			k, v, y := buffer(t, b, keys), buffer(t, b, values), empty[T](t, b, n)
			to := parallel.Runs[int32, T]{Keys: empty[int32](t, b, n), Values: y, Count: empty[int](t, b, 1)}
			kerneltest.Must(t, parallel.ReduceByKey(b.w, to, k, v, equal, op))
			want(t, b, "the count", to.Count, []int{len(heads)})
			want(t, b, "the keys of ReduceByKey", to.Keys, heads)
			want(t, b, "ReduceByKey", to.Values, sums)
			kerneltest.Must(t, parallel.InclusiveScanByKey(b.w, y, k, v, equal, op))
			want(t, b, "InclusiveScanByKey", y, through)
			kerneltest.Must(t, parallel.ExclusiveScanByKey(b.w, v, k, v, equal, op))
			want(t, b, "ExclusiveScanByKey", v, before)
		}
	})
}

func TestSegments(t *testing.T) {
	t.Run("int32", func(t *testing.T) { testSegments(t, small32, parallel.Plus[int32]{}) })
	t.Run("float32", func(t *testing.T) { testSegments(t, smallFloat, parallel.Plus[float32]{}) })
	t.Run("float64", func(t *testing.T) { testSegments(t, smallDouble, parallel.Plus[float64]{}) })
	t.Run("Record", func(t *testing.T) { testSegments(t, flagged, Joined{}) })
}

// offsetsOf are the offsets of segments of n elements, of which some are empty.
func offsetsOf(n int) []int {
	offsets := []int{0, 0}
	for _, length := range runLengths(n, true) {
		offsets = append(offsets, offsets[len(offsets)-1]+length)
	}
	return append(offsets, n)
}

func testSegments[T comparable, O parallel.Operator[T]](t *testing.T, source func(n int) []T, op O) {
	each(t, func(t *testing.T, b bench) {
		for _, n := range b.sizes {
			values, offsets := source(n), offsetsOf(n)
			sums := []T{}
			through, before := make([]T, 0, n), make([]T, 0, n)
			for s := range len(offsets) - 1 {
				sum := op.Identity()
				for _, x := range values[offsets[s]:offsets[s+1]] {
					before = append(before, sum)
					sum = op.Combine(sum, x)
					through = append(through, sum)
				}
				sums = append(sums, sum)
			}
			x, y, at := buffer(t, b, values), empty[T](t, b, n), buffer(t, b, offsets)
			dst := empty[T](t, b, len(sums))
			kerneltest.Must(t, parallel.ReduceSegments(b.w, dst, x, at, op))
			want(t, b, "ReduceSegments", dst, sums)
			kerneltest.Must(t, parallel.InclusiveScanSegments(b.w, y, x, at, op))
			want(t, b, "InclusiveScanSegments", y, through)
			kerneltest.Must(t, parallel.ExclusiveScanSegments(b.w, x, x, at, op))
			want(t, b, "ExclusiveScanSegments", x, before)
		}
	})
}

func TestOrders(t *testing.T) {
	t.Run("int32", func(t *testing.T) {
		testOrders(t, small32, parallel.Ascending[int32]{}, parallel.Descending[int32]{})
	})
	t.Run("float32", func(t *testing.T) {
		testOrders(t, smallFloat, parallel.Ascending[float32]{}, parallel.Descending[float32]{})
	})
	t.Run("float64", func(t *testing.T) {
		testOrders(t, smallDouble, parallel.Ascending[float64]{}, parallel.Descending[float64]{})
	})
	t.Run("Record", func(t *testing.T) { testOrders(t, records, ByKey{}, ByKey{Descending: true}) })
}

// compare is a comparison for sorts of the host.
func compare[T any](by parallel.Order[T]) func(a, b T) int {
	return func(a, b T) int {
		switch {
		case by.Less(a, b):
			return -1
		case by.Less(b, a):
			return 1
		}
		return 0
	}
}

// testOrders sorts segments, and finds the first elements.
func testOrders[T comparable, O, P parallel.Order[T]](t *testing.T, source func(n int) []T, by O, top P) {
	t.Parallel()
	test := func(t *testing.T, b bench) {
		for _, n := range b.sizes {
			host, offsets := source(n), offsetsOf(n)
			x := buffer(t, b, host)
			sorted := slices.Clone(host)
			slices.SortStableFunc(sorted, compare[T](top))
			for _, k := range []int{0, 1, 7, 100, 1024, 1025, n} {
				if k <= n {
					dst := empty[T](t, b, k)
					kerneltest.Must(t, parallel.TopK(b.w, dst, x, top))
					want(t, b, "TopK", dst, sorted[:k])
				}
			}
			kerneltest.Must(t, parallel.SortSegments(b.w, x, buffer(t, b, offsets), by))
			for s := range len(offsets) - 1 {
				slices.SortStableFunc(host[offsets[s]:offsets[s+1]], compare[T](by))
			}
			want(t, b, "SortSegments", x, host)
		}
	}
	checked(t, []int{0, 1, 33, 4500}, test)
	unchecked(t, []int{2048, 10_007}, test)
}

func TestChanges(t *testing.T) {
	t.Run("int32", func(t *testing.T) {
		testChanges(t, small32, Raise[int32]{2}, func(x int32, i int) int32 { return x + int32(2*i) })
	})
	t.Run("float32", func(t *testing.T) {
		testChanges(t, smallFloat, Raise[float32]{2}, func(x float32, i int) float32 { return x + float32(2*i) })
	})
	t.Run("float64", func(t *testing.T) {
		testChanges(t, smallDouble, Raise[float64]{2}, func(x float64, i int) float64 { return x + float64(2*i) })
	})
	t.Run("Record", func(t *testing.T) {
		testChanges(t, records, Renumber{5}, func(x Record, i int) Record { x.ID = int32(5 + i); return x })
	})
}

// testChanges changes elements, and shuffles them.
func testChanges[T comparable, A parallel.Action[T]](t *testing.T, source func(n int) []T, do A, done func(x T, i int) T) {
	each(t, func(t *testing.T, b bench) {
		for _, n := range b.sizes {
			host := source(n)
			x, y := buffer(t, b, host), empty[T](t, b, n)
			for i := range host {
				host[i] = done(host[i], i)
			}
			kerneltest.Must(t, parallel.ForEach(b.w, x, do))
			want(t, b, "ForEach", x, host)
			kerneltest.Must(t, parallel.Shuffle(b.w, y, x, 7))
			first, err := y.Read(t.Context(), b.w.Stream(), nil)
			kerneltest.Must(t, err)
			kerneltest.Must(t, parallel.Shuffle(b.w, y, x, 8))
			second, err := y.Read(t.Context(), b.w.Stream(), nil)
			kerneltest.Must(t, err)
			if n > 30 && (slices.Equal(first, host) || slices.Equal(first, second)) {
				t.Errorf("a shuffle of %d left the order, or did not depend on the seed", n)
			}
			left := map[T]int{}
			for i := range host {
				left[host[i]]++
				left[first[i]]--
			}
			for v, count := range left {
				if count != 0 {
					t.Fatalf("a shuffle of %d has %v %d times too few", n, v, count)
				}
			}
		}
	})
}

// TestOffsets gives segments that are none: the kernel fails, and nothing is read or written elsewhere.
func TestOffsets(t *testing.T) {
	t.Parallel()
	for _, offsets := range [][]int{{}, {0}, {1, 3}, {0, 2}, {0, 4}, {0, 2, 1, 3}, {0, -1, 3}, {0, 1 << 62, 3}} {
		dev, err := gridstride.Open(gridstride.Use("sim"))
		kerneltest.Must(t, err)
		s := dev.NewStream()
		w, err := parallel.New(s)
		kerneltest.Must(t, err)
		x, err := gridstride.CopyOf(dev, []int32{1, 2, 3})
		kerneltest.Must(t, err)
		at, err := gridstride.CopyOf(dev, offsets)
		kerneltest.Must(t, err)
		err = parallel.InclusiveScanSegments(w, x, x, at, parallel.Plus[int32]{})
		var failed *gridstride.KernelError
		if err == nil {
			if err = s.Wait(t.Context()); !errors.As(err, &failed) {
				t.Errorf("offsets %v: %v, want a kernel's failure", offsets, err)
			}
		} else if !errors.Is(err, parallel.ErrShort) {
			t.Errorf("offsets %v: %v", offsets, err)
		}
		_ = dev.Close() // it names what is not freed
	}
}
