package host_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gridstride/gridstride/parallel/host"
)

var (
	speed      = flag.String("speed", "", "measure functions beside loops, and write the times to this `file`")
	speedTime  = flag.Duration("speed-time", time.Second, "how long a function is measured, at least three times")
	speedSizes = flag.String("speed-sizes", "1000,1000000", "`numbers` of elements, with commas between them")
)

// pair is a function and the code that it saves. prepare, if there is any, runs before each, untimed.
type pair struct {
	what, beside         string
	prepare, ours, other func()
}

// timing is a line of the measurement: the shortest times of a call in microseconds, on the clock and
// of all cores together.
type timing struct {
	What     string  `json:"what"`
	Beside   string  `json:"beside"`
	N        int     `json:"n"`
	Ours     float64 `json:"ours_us"`
	Other    float64 `json:"other_us"`
	OursCPU  float64 `json:"ours_cpu_us"`
	OtherCPU float64 `json:"other_cpu_us"`
	Ratio    float64 `json:"ratio"` // above 1 ours is faster
}

// TestSpeed measures by turns.
func TestSpeed(t *testing.T) {
	if *speed == "" {
		t.Skip("-speed is not given")
	}
	var all []timing
	for text := range strings.SplitSeq(*speedSizes, ",") {
		n, err := strconv.Atoi(text)
		noError(t, err)
		for _, p := range slices.Concat(sums(n), scans(n), selections(n), sorts(n), moves(n)) {
			x := p.measure(n)
			t.Logf("%-33s %8d %9.1f µs (%9.1f), %-24s %9.1f µs (%9.1f), ratio %.2f", x.What, n, x.Ours, x.OursCPU, x.Beside, x.Other, x.OtherCPU, x.Ratio)
			all = append(all, x)
		}
	}
	out, err := json.MarshalIndent(map[string]any{"cores": runtime.GOMAXPROCS(0), "rows": all}, "", "\t")
	noError(t, err)
	noError(t, os.WriteFile(*speed, out, 0o666))
}

// measure measures by turns until a time is over.
func (p *pair) measure(n int) timing {
	calls := max(1, 50_000/max(n, 1))
	best, cpu := [2]float64{1e12, 1e12}, [2]float64{1e12, 1e12}
	for start, round := time.Now(), 0; round < 3 || time.Since(start) < *speedTime && round < 100; round++ {
		for k, do := range []func(){p.ours, p.other} {
			spent, used := time.Duration(0), time.Duration(0)
			for range calls {
				if p.prepare != nil {
					p.prepare()
				}
				start, usedBefore := time.Now(), processTime()
				do()
				used += processTime() - usedBefore
				spent += time.Since(start)
			}
			best[k] = min(best[k], spent.Seconds()*1e6/float64(calls))
			cpu[k] = min(cpu[k], used.Seconds()*1e6/float64(calls))
		}
	}
	return timing{p.what, p.beside, n, best[0], best[1], cpu[0], cpu[1], best[1] / best[0]}
}

// processTime is the time that the cores have worked for the process.
func processTime() time.Duration {
	var u unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Nano())
}

func fractions[T float32 | float64](n int) []T {
	r, x := rand.New(rand.NewPCG(1, uint64(n))), make([]T, n)
	for i := range x {
		x[i] = T(r.Float64())
	}
	return x
}

func integers[T int32 | uint64](n int) []T {
	r, x := rand.New(rand.NewPCG(1, uint64(n))), make([]T, n)
	for i := range x {
		x[i] = T(r.Uint64())
	}
	return x
}

func speedRecords(n int) []record {
	r, x := rand.New(rand.NewPCG(1, uint64(n))), make([]record, n)
	for i := range x {
		x[i] = record{uint16(r.Uint32()), r.Float32(), int32(i)}
	}
	return x
}

func loop[T int32 | float32 | float64](x []T) (sum T) {
	for _, v := range x {
		sum += v
	}
	return sum
}

var (
	sink32 float32
	sink64 float64
	sinkI  int32
)

func sums(n int) []pair {
	f, d, i, r := fractions[float32](n), fractions[float64](n), integers[int32](n), speedRecords(n)
	price := func(r record) float64 { return float64(r.At) }
	plus := func(a, b float64) float64 { return a + b }
	return []pair{
		{"Sum float32", "a loop", nil, func() { sink32 = host.Sum(f) }, func() { sink32 = loop(f) }},
		{"Sum float64", "a loop", nil, func() { sink64 = host.Sum(d) }, func() { sink64 = loop(d) }},
		{"Sum int32", "a loop", nil, func() { sinkI = host.Sum(i) }, func() { sinkI = loop(i) }},
		{"Max float32", "slices.Max", nil, func() { sink32 = host.Max(f) }, func() { sink32 = slices.Max(f) }},
		{"Reduce float64, +", "a loop that calls", nil, func() { sink64 = host.Reduce(d, 0, plus) }, func() {
			sink64 = 0
			for _, v := range d {
				sink64 = plus(sink64, v)
			}
		}},
		{"TransformReduce records", "a loop", nil, func() { sink64 = host.TransformReduce(r, price, 0, plus) }, func() {
			sum := 0.0
			for i := range r {
				sum += float64(r[i].At)
			}
			sink64 = sum
		}},
	}
}

func scans(n int) []pair {
	f, d, i := fractions[float32](n), fractions[float64](n), integers[int32](n)
	toF, toD, toI := make([]float32, n), make([]float64, n), make([]int32, n)
	keys, offsets := make([]int32, n), []int{0}
	for k := range keys {
		if keys[k] = int32(k / 100); k%100 == 0 && k > 0 {
			offsets = append(offsets, k)
		}
	}
	offsets = append(offsets, n)
	equal, plus := func(a, b int32) bool { return a == b }, func(a, b float32) float32 { return a + b }
	to := host.Runs[int32, float32]{Keys: make([]int32, n), Values: make([]float32, n)}
	return []pair{
		{"InclusiveSum float32", "a loop", nil, func() { drop(host.InclusiveSum(toF, f)) }, func() { through(toF, f) }},
		{"InclusiveSum float64", "a loop", nil, func() { drop(host.InclusiveSum(toD, d)) }, func() { through(toD, d) }},
		{"InclusiveSum int32", "a loop", nil, func() { drop(host.InclusiveSum(toI, i)) }, func() { through(toI, i) }},
		{"InclusiveScan float32, +", "a loop that calls", nil, func() { drop(host.InclusiveScan(toF, f, 0, plus)) }, func() { naive(toF, f, plus) }},
		{"InclusiveScanByKey float32, +", "a loop that calls", nil, func() { drop(host.InclusiveScanByKey(toF, keys, f, equal, 0, plus)) }, func() {
			for i, v := range f {
				if i > 0 && equal(keys[i-1], keys[i]) {
					v = plus(toF[i-1], v)
				}
				toF[i] = v
			}
		}},
		{"ReduceByKey float32, +", "a loop that calls", nil, func() { ignore(host.ReduceByKey(to, keys, f, equal, 0, plus)) }, func() {
			run := -1
			for i, v := range f {
				if i > 0 && equal(keys[i-1], keys[i]) {
					to.Values[run] = plus(to.Values[run], v)
					continue
				}
				run++
				to.Keys[run], to.Values[run] = keys[i], v
			}
		}},
		{"ReduceSegments float32, +", "a loop that calls", nil, func() { drop(host.ReduceSegments(toF, f, offsets, 0, plus)) }, func() {
			for s := range len(offsets) - 1 {
				sum := float32(0)
				for _, v := range f[offsets[s]:offsets[s+1]] {
					sum = plus(sum, v)
				}
				toF[s] = sum
			}
		}},
	}
}

func through[T int32 | float32 | float64](dst, src []T) {
	var sum T
	for i, v := range src {
		sum += v
		dst[i] = sum
	}
}

func naive[T any](dst, src []T, combine func(a, b T) T) {
	var sum T
	for i, v := range src {
		sum = combine(sum, v)
		dst[i] = sum
	}
}

func selections(n int) []pair {
	i := integers[int32](n)
	to, lengths := make([]int32, n), make([]int, n)
	runs := make([]int32, n)
	for k := range runs {
		runs[k] = i[k/5] >> 1
	}
	positive, equal := func(x int32) bool { return x > 0 }, func(a, b int32) bool { return a == b }
	return []pair{
		{"Select int32, half of them", "a loop that appends", nil, func() { ignore(host.Select(to, i, positive)) }, func() {
			at := to[:0]
			for _, x := range i {
				if positive(x) {
					at = append(at, x)
				}
			}
		}},
		{"Partition int32, half", "a loop", nil, func() { ignore(host.Partition(to, i, positive)) }, func() {
			low, high := 0, n-1
			for _, x := range i {
				if positive(x) {
					to[low] = x
					low++
				} else {
					to[high] = x
					high--
				}
			}
		}},
		{"Unique int32, runs of 5", "copy, slices.CompactFunc", nil, func() { ignore(host.Unique(to, runs, equal)) }, func() {
			copy(to, runs)
			_ = slices.CompactFunc(to, equal)
		}},
		{"RunLengthEncode int32, runs of 5", "a loop", nil, func() { ignore(host.RunLengthEncode(to, lengths, runs, equal)) }, func() {
			run := -1
			for i, x := range runs {
				if i == 0 || !equal(runs[i-1], x) {
					run++
					to[run], lengths[run] = x, 0
				}
				lengths[run]++
			}
		}},
	}
}

func sorts(n int) []pair {
	i, w, f, d, r := integers[int32](n), integers[uint64](n), fractions[float32](n), fractions[float64](n), speedRecords(n)
	x, y, z, e, q := slices.Clone(i), slices.Clone(w), slices.Clone(f), slices.Clone(d), slices.Clone(r)
	top, pairs := make([]float32, min(100, n)), make([]record, n)
	less := func(a, b record) bool { return a.Key < b.Key }
	byKey := func(a, b record) int { return cmp.Compare(a.Key, b.Key) }
	a, b := slices.Clone(r[:n/2]), slices.Clone(r[n/2:])
	slices.SortStableFunc(a, byKey)
	slices.SortStableFunc(b, byKey)
	at := make([]int, n)
	merged := slices.Concat(a, b)
	slices.SortStableFunc(merged, byKey)
	return []pair{
		{"Sort int32", "slices.Sort", func() { copy(x, i) }, func() { host.Sort(x) }, func() { slices.Sort(x) }},
		{"Sort uint64", "slices.Sort", func() { copy(y, w) }, func() { host.Sort(y) }, func() { slices.Sort(y) }},
		{"Sort float32", "slices.Sort", func() { copy(z, f) }, func() { host.Sort(z) }, func() { slices.Sort(z) }},
		{"Sort float64", "slices.Sort", func() { copy(e, d) }, func() { host.Sort(e) }, func() { slices.Sort(e) }},
		{"SortPairs int32, int", "sort.Stable", func() { copy(x, i); host.Iota(at, 0) }, func() { drop(host.SortPairs(x, at)) }, func() { sort.Stable(&byInt{x, at}) }},
		{"SortBy records", "slices.SortStableFunc", func() { copy(q, r) }, func() { host.SortBy(q, less) }, func() { slices.SortStableFunc(q, byKey) }},
		{"SortBy records", "sort.SliceStable", func() { copy(q, r) }, func() { host.SortBy(q, less) }, func() {
			sort.SliceStable(q, func(i, j int) bool { return q[i].Key < q[j].Key })
		}},
		{"SortBy records, sorted", "slices.SortStableFunc", nil, func() { host.SortBy(merged, less) }, func() { slices.SortStableFunc(merged, byKey) }},
		{"TopK float32, 100", "slices.Sort of a copy", nil, func() { drop(host.TopK(top, f, cmp.Less[float32])) }, func() {
			copy(z, f)
			slices.Sort(z)
			copy(top, z)
		}},
		{"Merge records", "a loop", nil, func() { drop(host.Merge(pairs, a, b, less)) }, func() {
			i, j := 0, 0
			for k := range pairs {
				if i < len(a) && (j >= len(b) || !less(b[j], a[i])) {
					pairs[k] = a[i]
					i++
				} else {
					pairs[k] = b[j]
					j++
				}
			}
		}},
		{"LowerBound records", "slices.BinarySearchFunc", nil, func() { drop(host.LowerBound(at, merged, r, less)) }, func() {
			for i, v := range r {
				at[i], _ = slices.BinarySearchFunc(merged, v, byKey)
			}
		}},
	}
}

type byInt struct {
	keys   []int32
	values []int
}

func (b *byInt) Len() int           { return len(b.keys) }
func (b *byInt) Less(i, j int) bool { return b.keys[i] < b.keys[j] }
func (b *byInt) Swap(i, j int) {
	b.keys[i], b.keys[j] = b.keys[j], b.keys[i]
	b.values[i], b.values[j] = b.values[j], b.values[i]
}

func moves(n int) []pair {
	r, to := speedRecords(n), make([]record, n)
	d := make([]float64, n)
	index := rand.New(rand.NewPCG(1, 2)).Perm(n)
	bins := make([]uint64, 256)
	bin := func(r record) int { return int(r.Key >> 8) }
	price := func(r record) float64 { return float64(r.At) * 1.1 }
	return []pair{
		{"Transform records", "a loop that calls", nil, func() { drop(host.Transform(d, r, price)) }, func() {
			for i, v := range r {
				d[i] = price(v)
			}
		}},
		{"Gather records", "a loop", nil, func() { drop(host.Gather(to, r, index)) }, func() {
			for i, at := range index {
				to[i] = r[at]
			}
		}},
		{"Scatter records", "a loop", nil, func() { drop(host.Scatter(to, r, index)) }, func() {
			for i, at := range index {
				to[at] = r[i]
			}
		}},
		{"Histogram, 256 bins", "a loop that calls", nil, func() { host.Histogram(bins, r, bin) }, func() {
			clear(bins)
			for _, v := range r {
				bins[bin(v)]++
			}
		}},
		{"Shuffle records", "rand.Shuffle of a copy", nil, func() { drop(host.Shuffle(to, r, 1)) }, func() {
			copy(to, r)
			rand.Shuffle(n, func(i, j int) { to[i], to[j] = to[j], to[i] })
		}},
	}
}
