package host_test

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gridstride/gridstride/parallel/host"
)

func isOdd(x int) bool    { return x%2 != 0 }
func same(a, b int) bool  { return a == b }
func plus(a, b int) int   { return a + b }
func less(a, b int) bool  { return a < b }
func zero(x int) int      { return 0 }
func ignore(int, error)   {}
func drop(error)          {}
func ints(x ...int) []int { return x }

// TestErrors calls functions with what they refuse: the operands stay as they are.
func TestErrors(t *testing.T) {
	t.Parallel()
	x, two, four := ints(1, 2, 2), ints(8, 9), ints(7, 7, 7, 7)
	counted := func(_ int, err error) error { return err }
	for _, c := range []struct {
		err, kind error
		want      string
	}{
		{host.InclusiveSum(two, x), host.ErrShort, "host: InclusiveSum: dst has 2 elements; want 3"},
		{host.ExclusiveScan(two, x, 0, plus), host.ErrShort, "host: ExclusiveScan: dst has 2 elements; want 3"},
		{host.Transform(two, x, zero), host.ErrShort, "host: Transform: dst has 2 elements; want 3"},
		{host.Shuffle(x, x, 1), host.ErrOverlap, "host: Shuffle: dst and src overlap"},
		{host.Gather(two, x, ints(0, 3)), host.ErrRange, "host: Gather: index[1] is 3; want 0 to 2"},
		{host.Gather(two, x, []int8{-1, 2}), host.ErrRange, "host: Gather: index[0] is -1; want 0 to 2"},
		{host.Gather(two, nil, ints(0)), host.ErrRange, "host: Gather: index[0] is 0; want none, since there are no elements"},
		{host.Scatter(two, x, ints(0, 1, 2)), host.ErrRange, "host: Scatter: index[2] is 2; want 0 to 1"},
		{host.Scatter(four, two, ints(0, 1, 2)), host.ErrShort, "host: Scatter: src has 2 elements; want 3"},
		{counted(host.Select(two[:0], x, isOdd)), host.ErrShort, "host: Select: dst has 0 elements; want 1"},
		{counted(host.Partition(two, x, isOdd)), host.ErrShort, "host: Partition: dst has 2 elements; want 3"},
		{counted(host.Unique(x[1:], x, same)), host.ErrOverlap, "host: Unique: dst and src overlap"},
		{counted(host.RunLengthEncode(four, two[:1], x, same)), host.ErrShort, "host: RunLengthEncode: lengths has 1 elements; want 2"},
		{counted(host.RunLengthEncode(two[:1], four, x, same)), host.ErrShort, "host: RunLengthEncode: dst has 1 elements; want 2"},
		{counted(host.ReduceByKey(host.Runs[int, int]{Keys: two, Values: four[:1]}, x, x, same, 0, plus)), host.ErrShort, "host: ReduceByKey: Values has 1 elements; want 2"},
		{host.InclusiveScanByKey(x, x, four, same, 0, plus), host.ErrOverlap, "host: InclusiveScanByKey: dst and keys overlap"},
		{host.InclusiveScanSegments(four, x, nil, 0, plus), host.ErrShort, "host: InclusiveScanSegments: offsets has 0 elements; want 1"},
		{host.InclusiveScanSegments(four, x, ints(1, 3), 0, plus), host.ErrRange, "host: InclusiveScanSegments: offsets[0] is 1; want 0"},
		{host.ReduceSegments(four, x, ints(0, 2, 1, 3), 0, plus), host.ErrRange, "host: ReduceSegments: offsets[2] is 1; want 2 or more, the offset before it"},
		{host.SortSegments(x, ints(0, 1<<62, 3), less), host.ErrRange, "host: SortSegments: offsets[2] is 3; want 4611686018427387904 or more, the offset before it"},
		{host.SortSegments(x, ints(0, 2), less), host.ErrRange, "host: SortSegments: the last offset is 2; want 3, the number of elements"},
		{host.SortPairs(x, two), host.ErrShort, "host: SortPairs: values has 2 elements; want 3"},
		{host.SortPairs(x, x), host.ErrOverlap, "host: SortPairs: keys and values overlap"},
		{host.TopK(four, x, less), host.ErrShort, "host: TopK: x has 3 elements; want 4"},
		{host.Merge(four, x, two, less), host.ErrShort, "host: Merge: dst has 4 elements; want 5"},
		{host.LowerBound(two, x, x, less), host.ErrShort, "host: LowerBound: dst has 2 elements; want 3"},
	} {
		if c.err == nil || c.err.Error() != c.want || !errors.Is(c.err, c.kind) {
			t.Errorf("%v, want %s, which is %v", c.err, c.want, c.kind)
		}
	}
	want(t, "operands", append(append(x, two...), four...), ints(1, 2, 2, 8, 9, 7, 7, 7, 7))
}

// calls are the functions with operators. op may panic.
func calls(x, dst []int, op func(x int) int) map[string]func() {
	odd := func(x int) bool { return op(x)%2 != 0 }
	equal := func(a, b int) bool { return op(a) == b }
	sum := func(a, b int) int { return op(a) + b }
	before := func(a, b int) bool { return op(a) < b }
	offsets, to := ints(0, len(x)/3, len(x)), host.Runs[int, int]{Keys: make([]int, len(x)), Values: make([]int, len(x))}
	return map[string]func(){
		"Reduce":                func() { host.Reduce(x, 0, sum) },
		"TransformReduce":       func() { host.TransformReduce(x, op, 0, plus) },
		"InclusiveScan":         func() { drop(host.InclusiveScan(dst, x, 0, sum)) },
		"InclusiveScanByKey":    func() { drop(host.InclusiveScanByKey(dst, x, x, equal, 0, plus)) },
		"ExclusiveScanSegments": func() { drop(host.ExclusiveScanSegments(dst, x, offsets, 0, sum)) },
		"ReduceByKey":           func() { ignore(host.ReduceByKey(to, x, x, equal, 0, plus)) },
		"Select":                func() { ignore(host.Select(dst, x, odd)) },
		"Partition":             func() { ignore(host.Partition(dst, x, odd)) },
		"Unique":                func() { ignore(host.Unique(dst, x, equal)) },
		"SortBy":                func() { host.SortBy(append(ints(), x...), before) },
		"SortSegments":          func() { drop(host.SortSegments(append(ints(), x...), offsets, before)) },
		"TopK":                  func() { drop(host.TopK(dst[:9], x, before)) },
		"Merge":                 func() { drop(host.Merge(make([]int, 2*len(x)), x, x, before)) },
		"LowerBound":            func() { drop(host.LowerBound(dst, x, x, before)) },
		"Histogram":             func() { host.Histogram(make([]uint64, 9), x, op) },
		"Transform":             func() { drop(host.Transform(dst, x, op)) },
		"ForEach":               func() { host.ForEach(x, func(x *int, i int) { op(i) }) },
	}
}

// TestPanics has operators panic, or end their goroutine, early and late, with any number of cores: that
// comes to the caller's goroutine, and no other remains.
func TestPanics(t *testing.T) {
	onCores(t, func(t *testing.T) {
		x, dst := make([]int, 50_000), make([]int, 50_000)
		host.Iota(x, 0)
		cause := errors.New("the cause")
		before := runtime.NumGoroutine()
		for _, at := range []int64{1, 2, 12_000} {
			var met atomic.Int64
			failing := func(fail func()) func(x int) int {
				return func(x int) int {
					if met.Add(1) == at {
						fail()
					}
					return x
				}
			}
			for name, call := range calls(x, dst, failing(func() { panic(cause) })) {
				met.Store(0)
				if got := recovered(call); got != cause {
					t.Errorf("%s: %v, want a panic in call %d", name, got, at)
				}
			}
			for name, call := range calls(x, dst, failing(runtime.Goexit)) {
				met.Store(0)
				if !exits(call) {
					t.Errorf("%s: goes on after runtime.Goexit in call %d", name, at)
				}
			}
		}
		for tries := 0; runtime.NumGoroutine() > before; tries++ {
			if tries > 1000 {
				t.Fatalf("%d goroutines, and %d before", runtime.NumGoroutine(), before)
			}
			time.Sleep(time.Millisecond)
		}
	})
}

func recovered(call func()) (cause any) {
	defer func() { cause = recover() }()
	call()
	return nil
}

// exits reports whether a call ends its goroutine.
func exits(call func()) bool {
	returned := false
	var done sync.WaitGroup
	done.Go(func() {
		call()
		returned = true
	})
	done.Wait()
	return !returned
}

// TestGoroutines counts the goroutines that run an operator: no more than there are cores, and only the
// caller's for few elements.
func TestGoroutines(t *testing.T) {
	onCores(t, func(t *testing.T) {
		before := runtime.NumGoroutine()
		for _, n := range ints(1, host.Part, 40*host.Part) {
			var mu sync.Mutex
			most := 0
			host.ForEach(make([]int, n), func(_ *int, i int) {
				if i%64 == 0 {
					mu.Lock()
					most = max(most, runtime.NumGoroutine()-before)
					mu.Unlock()
				}
			})
			host.SortBy(make([]int, n), func(a, b int) bool {
				mu.Lock()
				most = max(most, runtime.NumGoroutine()-before)
				mu.Unlock()
				return a < b
			})
			if limit := runtime.GOMAXPROCS(0) - 1; most > limit || n <= host.Part && most > 0 {
				t.Errorf("%d elements: %d more goroutines", n, most)
			}
		}
	})
}

// TestEmpty calls functions with elements without a size.
func TestEmpty(t *testing.T) {
	t.Parallel()
	x := make([]struct{}, 10_000)
	never := func(a, b struct{}) bool { return false }
	host.SortBy(x, never)
	noError(t, host.TopK(make([]struct{}, 9), x, never))
	count, err := host.Unique(x, x, func(a, b struct{}) bool { return true })
	if err != nil || count != 1 {
		t.Errorf("%d different elements, %v", count, err)
	}
	noError(t, host.SortSegments(x, ints(0, 5, 10_000), never))
	keys := make([]int8, 10_000)
	noError(t, host.SortPairs(keys, x))
}

// TestUsers has 16 goroutines call functions that call each other.
func TestUsers(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for g := range 16 {
		all.Go(func() {
			rows := make([][]int, 40)
			host.ForEach(rows, func(row *[]int, i int) {
				*row = make([]int, 5000+g)
				host.Iota(*row, i)
				host.SortDescending(*row)
			})
			got := host.TransformReduce(rows, func(row []int) int { return row[0] }, 0, plus)
			if n := 5000 + g; got != 40*(n-1)+40*39/2 {
				t.Errorf("the largest numbers of %d add up to %s", n, fmt.Sprint(got))
			}
		})
	}
	all.Wait()
}
