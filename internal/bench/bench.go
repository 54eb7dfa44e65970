// Package bench times the variants of kernels/dot, kernels/reduce and kernels/matmul side by side, and says how far each result is from a
// reference. On the simulator it counts instead: what a kernel does explains its time on a GPU.
package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/check"
)

// Options say what to run.
type Options struct {
	// What is "dot", "reduce" or "matmul".
	What string
	// N is the length of the vectors; of matmul, A is M by N and B is N by L.
	N, M, L int
	// DType is "float32" or "float64".
	DType string
	// Variants are the names of those to run, all when empty.
	Variants []string
	// Progress, when not nil, gets a line for each variant under way.
	Progress io.Writer
}

// Row is what is known of one variant.
type Row struct {
	What    string `json:"what"`
	Variant string `json:"variant"`
	About   string `json:"about"`
	DType   string `json:"dtype"`
	// Shape is the size of the problem, "n=1000" or "m=1 n=2 l=3". A variant that would take minutes is run on less.
	Shape  string `json:"shape"`
	Device string `json:"device"`
	// On is where the time is from: "device" for the device's clock, "host" for rows that run on the processor, and "simulator" for simulated
	// launches, whose time says nothing about a GPU.
	On       string `json:"on"`
	Launches int    `json:"launches"`
	// Median, Least and Most are of the samples, in seconds a launch.
	Median float64 `json:"seconds"`
	Least  float64 `json:"leastSeconds"`
	Most   float64 `json:"mostSeconds"`
	// Rate is in GB/s of the input for dot and reduce, and in GFLOP/s for matmul.
	Rate float64 `json:"rate"`
	Unit string  `json:"unit"`
	// Share is the rate as a share of the device's copy bandwidth, 0 where that says nothing.
	Share float64 `json:"shareOfCopy,omitempty"`
	// Speedup is the speed of the first row's, for the work of each.
	Speedup float64 `json:"speedup"`
	// Error is how far the result is from the reference, as a share of the sum of the absolute values of its terms; of matmul, the
	// largest of the elements that are compared.
	Error float64 `json:"error"`
	// Wrong says what is wrong with the result where rounding does not explain it.
	Wrong string `json:"wrong,omitempty"`
	// Counts are of one launch, on the simulator.
	Counts *check.Counts `json:"counts,omitempty"`
}

// entry is one row to be made.
type entry struct {
	variant, about string
	shape          string
	work           float64 // bytes of input, or operations
	// launch queues a run on input set i; host computes one on the processor. One of them is nil.
	launch func(s *gridstride.Stream, i int) error
	host   func()
	// result waits for the last run, and compares it.
	result func(ctx context.Context, s *gridstride.Stream) (err float64, wrong string, failed error)
}

// Run runs the variants on a device, and gives a row for each. Rows whose results are wrong say so; that is no error.
func Run(ctx context.Context, dev *gridstride.Device, o Options) ([]Row, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.DType == "float64" {
		return run[float64](ctx, dev, &o)
	}
	return run[float32](ctx, dev, &o)
}

func (o *Options) check() error {
	if o.DType != "float32" && o.DType != "float64" {
		return fmt.Errorf("bench: %q is no element type here: want float32 or float64", o.DType)
	}
	for _, size := range []struct {
		name string
		n    int
	}{{"n", o.N}, {"m", o.M}, {"l", o.L}} {
		if size.n < 0 {
			return fmt.Errorf("bench: %s is %d: a size is not negative", size.name, size.n)
		}
	}
	return nil
}

type float interface{ float32 | float64 }

// problem makes the entries of a benchmark, and frees their input.
type problem interface {
	entries() ([]entry, error)
	free() error
}

func run[T float](ctx context.Context, dev *gridstride.Device, o *Options) (rows []Row, err error) {
	p, err := newProblem[T](dev, o)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := p.free(); err == nil {
			err = e
		}
	}()
	all, err := p.entries()
	if err != nil {
		return nil, err
	}
	if all, err = chosen(all, o.Variants); err != nil {
		return nil, err
	}
	m := &measuring{dev: dev, s: dev.Stream(), o: o, entries: all}
	defer m.s.Close()
	if rows, err = m.rows(ctx); err != nil {
		return nil, err
	}
	if err := m.shares(ctx, rows); err != nil {
		return nil, err
	}
	return rows, m.counts(ctx, rows)
}

// newProblem makes the input of a benchmark.
func newProblem[T float](dev *gridstride.Device, o *Options) (problem, error) {
	switch o.What {
	case "dot":
		return newDot[T](dev, o)
	case "reduce":
		return newReduce[T](dev, o)
	case "matmul":
		return newMatmul[T](dev, o)
	}
	return nil, fmt.Errorf("bench: there is no benchmark %q: want dot, reduce or matmul", o.What)
}

// chosen are the entries of those names, in the order of all.
func chosen(all []entry, names []string) ([]entry, error) {
	if len(names) == 0 {
		return all, nil
	}
	var out []entry
	var known []string
	for _, e := range all {
		known = append(known, e.variant)
		if slices.Contains(names, e.variant) {
			out = append(out, e)
		}
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, fmt.Errorf("bench: no variant %q: there are %v", n, known)
		}
	}
	return out, nil
}

// fits is an error where the device has no room for so many bytes.
func fits(dev *gridstride.Device, bytes float64) error {
	if room := dev.Info().Memory; bytes > 0.95*float64(room) {
		return fmt.Errorf("bench: the input and working memory are %.1f GB, and %v has %.1f GB", bytes/1e9, dev, float64(room)/1e9)
	}
	return nil
}

// median of samples, which it sorts.
func median(samples []time.Duration) time.Duration {
	slices.Sort(samples)
	return samples[len(samples)/2]
}

// relative is |got-want| as a share of magnitude, and what is wrong if it is above bound, an absolute one.
func relative(got, want, magnitude, bound float64) (float64, string) {
	off := math.Abs(got - want)
	wrong := ""
	if !(off <= bound) {
		wrong = fmt.Sprintf("%v, want %v: off by %g, and rounding explains %g", got, want, off, bound)
	}
	if magnitude == 0 {
		return off, wrong
	}
	return off / magnitude, wrong
}
