package suite

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/kerneltest"
	"github.com/gridstride/gridstride/parallel"
)

var (
	speedFile  = flag.String("speed", "", "measure beside CUB and write the rows to this `file`")
	speedCUB   = flag.String("speed-cub", "", "the `program` of testdata/cub.cu")
	speedSizes = flag.String("speed-sizes", "1000000,268435456", "the `numbers` of elements")
)

// row is device times of a call, medians of 11 rounds. Ours and CUB's take turns.
type row struct {
	What  string  `json:"what"`
	N     int     `json:"n"`
	Ours  float64 `json:"ours_us"`
	CUB   float64 `json:"cub_us,omitempty"`
	Ratio float64 `json:"ratio,omitempty"` // of speeds: above 1, ours is faster
}

// TestSpeed measures each algorithm and CUB's by turns.
func TestSpeed(t *testing.T) {
	if *speedFile == "" {
		t.Skip("-speed is not given")
	}
	dev := kerneltest.Unchecked(t, "sm_90a")
	s := dev.NewStream()
	w, err := parallel.New(s)
	kerneltest.Must(t, err)
	var rows []row
	for _, size := range strings.Split(*speedSizes, ",") {
		n, err := strconv.Atoi(size)
		kerneltest.Must(t, err)
		for _, c := range cases {
			t.Run(fmt.Sprintf("%s-%d", c.name, n), func(t *testing.T) {
				m := &meter{T: t, w: w, n: n}
				m.fill = empty[byte](t, bench{w: w}, 1<<28)
				m.other = empty[byte](t, bench{w: w}, 1<<28)
				r := row{What: c.name, N: n, Ours: c.ours(m)}
				if *speedCUB != "" {
					out, err := exec.Command(*speedCUB, c.name, size).CombinedOutput()
					if r.CUB, _ = strconv.ParseFloat(strings.TrimSpace(string(out)), 64); err != nil {
						t.Errorf("%v: %s", err, out)
					}
					r.Ratio = r.CUB / r.Ours
				}
				rows = append(rows, r)
				t.Logf("%+v", r)
			})
		}
	}
	text, err := json.MarshalIndent(rows, "", "\t")
	kerneltest.Must(t, err)
	kerneltest.Must(t, os.WriteFile(*speedFile, text, 0o644))
	kerneltest.Must(t, w.Close())
	kerneltest.Must(t, s.Close())
}

// cases are the algorithms, as cub.cu names them.
var cases = []struct {
	name string
	ours func(m *meter) float64
}{
	{"sum-int32", func(m *meter) float64 { return sum(m, integers[int32](m, 100, 1)) }},
	{"sum-float32", func(m *meter) float64 { return sum(m, fractions[float32](m)) }},
	{"sum-float64", func(m *meter) float64 { return sum(m, fractions[float64](m)) }},
	{"scan-int32", func(m *meter) float64 { return scan(m, integers[int32](m, 100, 1)) }},
	{"scan-float32", func(m *meter) float64 { return scan(m, fractions[float32](m)) }},
	{"scan-float64", func(m *meter) float64 { return scan(m, fractions[float64](m)) }},
	{"select-int32", func(m *meter) float64 {
		x, y, count := integers[int32](m, 100, 1), made[int32](m, m.n), made[int](m, 1)
		return m.median(func() error { return parallel.Select(m.w, y, x, Below[int32]{50}, count) })
	}},
	{"unique-int32", func(m *meter) float64 {
		x, y, count := integers[int32](m, 1000, 5), made[int32](m, m.n), made[int](m, 1)
		return m.median(func() error { return parallel.Unique(m.w, y, x, parallel.Equals[int32]{}, count) })
	}},
	{"runs-int32", func(m *meter) float64 {
		x, y, count := integers[int32](m, 1000, 5), made[int32](m, m.n), made[int](m, 1)
		lengths := made[int](m, m.n)
		return m.median(func() error {
			return parallel.RunLengthEncode(m.w, y, lengths, x, parallel.Equals[int32]{}, count)
		})
	}},
	{"histogram-256", func(m *meter) float64 { return histogram(m, 256) }},
	{"histogram-65536", func(m *meter) float64 { return histogram(m, 65536) }},
	{"sort-uint32", func(m *meter) float64 { return sort(m, integers[uint32](m, 0, 1)) }},
	{"sort-uint32-few", func(m *meter) float64 { return sort(m, integers[uint32](m, 16, 1)) }},
	{"sort-uint64", func(m *meter) float64 { return sort(m, integers[uint64](m, 0, 1)) }},
	{"sort-float32", func(m *meter) float64 { return sort(m, fractions[float32](m)) }},
	{"pairs-uint32-uint32", func(m *meter) float64 {
		x, v := integers[uint32](m, 0, 1), made[uint32](m, m.n)
		kerneltest.Must(m, parallel.Iota(m.w, v, 0))
		return refreshed(m, x, func(k gridstride.Buffer[uint32]) error { return parallel.SortPairs(m.w, k, v) })
	}},
	{"sortby-record", func(m *meter) float64 {
		x := randomOf(m, Words{Run: 1}, func(dst gridstride.Buffer[Record], i gridstride.Buffer[uint64], of Words) error {
			return parallel.Transform(m.w, dst, i, Records{of})
		})
		return refreshed(m, x, func(k gridstride.Buffer[Record]) error { return parallel.SortBy(m.w, k, ByKey{}) })
	}},
}

// meter measures one algorithm.
type meter struct {
	*testing.T
	w           *parallel.Workspace
	n           int
	fill, other gridstride.Buffer[byte] // of the copy that occupies the device
}

func made[T any](m *meter, n int) gridstride.Buffer[T] { return empty[T](m.T, bench{w: m.w}, n) }

// randomOf makes n random elements of indices.
func randomOf[T any](m *meter, of Words, make func(dst gridstride.Buffer[T], i gridstride.Buffer[uint64], of Words) error) gridstride.Buffer[T] {
	x := made[T](m, m.n)
	i, err := gridstride.Make[uint64](m.w.Stream().Device(), m.n)
	kerneltest.Must(m, err)
	kerneltest.Must(m, parallel.Iota(m.w, i, 0))
	kerneltest.Must(m, make(x, i, of))
	kerneltest.Must(m, m.w.Stream().Wait(context.Background()))
	kerneltest.Must(m, i.Free())
	return x
}

func integers[T int32 | uint32 | uint64](m *meter, below, run uint64) gridstride.Buffer[T] {
	return randomOf(m, Words{below, run}, func(dst gridstride.Buffer[T], i gridstride.Buffer[uint64], of Words) error {
		return parallel.Transform(m.w, dst, i, Integers[T]{of})
	})
}

func fractions[T float32 | float64](m *meter) gridstride.Buffer[T] {
	return randomOf(m, Words{Run: 1}, func(dst gridstride.Buffer[T], i gridstride.Buffer[uint64], of Words) error {
		return parallel.Transform(m.w, dst, i, Fractions[T]{of})
	})
}

func sum[T parallel.Number](m *meter, x gridstride.Buffer[T]) float64 {
	dst := made[T](m, 1)
	return m.median(func() error { return parallel.ReduceTo(m.w, x, parallel.Plus[T]{}, dst) })
}

func scan[T parallel.Number](m *meter, x gridstride.Buffer[T]) float64 {
	y := made[T](m, m.n)
	return m.median(func() error { return parallel.InclusiveSum(m.w, y, x) })
}

func sort[T parallel.Number](m *meter, x gridstride.Buffer[T]) float64 {
	return refreshed(m, x, func(k gridstride.Buffer[T]) error { return parallel.Sort(m.w, k) })
}

func histogram(m *meter, bins int) float64 {
	x, counts := integers[int32](m, uint64(bins), 1), made[uint64](m, bins)
	return m.median(func() error { return parallel.Histogram(m.w, counts, x, Bin{}) })
}

// refreshed is the time of a call on a copy of its input, less the time of the copy.
func refreshed[T any](m *meter, x gridstride.Buffer[T], call func(x gridstride.Buffer[T]) error) float64 {
	again := made[T](m, m.n)
	refresh := func() error { return gridstride.Copy(m.w.Stream(), again, x) }
	both := m.median(func() error {
		if err := refresh(); err != nil {
			return err
		}
		return call(again)
	})
	return both - m.median(refresh)
}

// median is the device time of a call, in microseconds.
func (m *meter) median(call func() error) float64 {
	m.round(1, call)
	repeat := max(1, min(20, int(5*time.Millisecond/max(m.round(1, call), time.Microsecond))))
	var times []time.Duration
	for range 11 {
		times = append(times, m.round(repeat, call)/time.Duration(repeat))
	}
	slices.Sort(times)
	return float64(times[5]) / 1e3
}

// round is the time of some calls in a row, after copies that occupy the device.
func (m *meter) round(repeat int, call func() error) time.Duration {
	s := m.w.Stream()
	kerneltest.Must(m, gridstride.Copy(s, m.other, m.fill))
	kerneltest.Must(m, gridstride.Copy(s, m.fill, m.other))
	start := s.Record()
	for range repeat {
		kerneltest.Must(m, call())
	}
	d, err := s.Record().Since(m.Context(), start)
	kerneltest.Must(m, err)
	return d
}
