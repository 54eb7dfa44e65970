// Package bench times the variants of examples/ladder/dot, examples/ladder/reduce,
// examples/ladder/matmul and examples/ladder/tensor side by side, with a loop in Go and cuBLAS if
// it is found. It also times the functions of gpu/collective, and packages blas and metric on the
// processor and on the device, with OpenBLAS and cuBLAS. It says how far each result is from a
// reference. On the simulator it counts instead: the operations of a kernel explain its time on a
// GPU.
package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/machine/counters"
)

// Row is the result of one variant at one size.
type Row struct {
	Setting
	What    string `json:"what"`
	Variant string `json:"variant"`
	About   string `json:"about"`
	DType   string `json:"dtype"`
	Data    string `json:"data"`
	// Size is the size of the problem. A variant that would take minutes runs on a part. Then
	// Limited says how long the whole would take.
	Size
	Limited string `json:"limited,omitempty"`
	Whole   *Size  `json:"whole,omitempty"` // the size of the problem, if the row is of a part
	ran     int    // the size as the problem counts it
	// Skipped says why the variant was not run. Then nothing that follows is known.
	Skipped string `json:"skipped,omitempty"`
	// On is where the time is from: "device" for the device's clock, "host" for rows that run on
	// the processor, and "simulator" for simulated launches, whose time says nothing about a GPU.
	On       string `json:"on,omitempty"`
	Launches int    `json:"launches,omitempty"`
	// Median, Least and Most are of the samples, in seconds a launch.
	Median float64 `json:"seconds,omitempty"`
	Least  float64 `json:"leastSeconds,omitempty"`
	Most   float64 `json:"mostSeconds,omitempty"`
	// Rate is in GB/s of the input, and in GFLOP/s for matmul and level3.
	Rate float64 `json:"rate,omitempty"`
	Unit string  `json:"unit,omitempty"`
	// Limit is the measured limit of the device, in the same unit: the bytes it copies, read and
	// written together, or its multiply-adds without memory. Share is the rate divided by Limit.
	// Both are 0 if they do not apply.
	Limit float64 `json:"limit,omitempty"`
	Share float64 `json:"shareOfLimit,omitempty"`
	// Speedup is the speed as a multiple of the first row's of the same size.
	Speedup float64 `json:"speedup,omitempty"`
	// Error is how far the result is from the reference, as a share of the sum of the absolute
	// values of its terms; of matmul, the largest of the elements that are compared.
	Error float64 `json:"error"`
	// Wrong says what is wrong with the result where rounding does not explain it.
	Wrong string `json:"wrong,omitempty"`
	// Counts are of one launch, on the simulator.
	Counts *counters.Counts `json:"counts,omitempty"`
}

// whole is the size of the problem.
func (r *Row) whole() Size {
	if r.Whole != nil {
		return *r.Whole
	}
	return r.Size
}

// bencher is a benchmark under way on one device.
type bencher struct {
	dev   *gridstride.Device
	s     *gridstride.Stream
	o     *Options
	rival *rival     // cuBLAS; nil on the simulator
	yard  *yardstick // nil on the simulator
	need  float64    // bytes on the device, of the last problem
}

// Run runs the variants on a device, and gives a row for each, size by size. Rows whose results are
// wrong say so. That is no error.
func Run(ctx context.Context, dev *gridstride.Device, o Options) (rows []Row, err error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	ss, err := newBencher(ctx, dev, &o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ss.close()) }()
	for _, size := range o.Sizes {
		more, err := ss.run(ctx, size)
		if err != nil {
			return nil, fmt.Errorf("%s of %s, %s: %w", o.What, o.DType, size.shape(o.What), err)
		}
		rows = append(rows, more...)
	}
	return rows, ss.counts(ctx, rows)
}

func newBencher(ctx context.Context, dev *gridstride.Device, o *Options) (*bencher, error) {
	info := dev.Info()
	o.Setting.Device, o.Setting.Capability, o.Setting.Driver = info.Name, info.Capability, info.Driver
	if o.Data == "" {
		o.Data = Random
	}
	ss := &bencher{dev: dev, s: dev.NewStream(), o: o}
	if ss.simulated() {
		return ss, nil
	}
	ss.rival = newRival(ss.s)
	var err error
	if ss.yard, err = newYardstick(ctx, ss); err != nil {
		return nil, errors.Join(err, ss.close())
	}
	return ss, nil
}

func (ss *bencher) close() error {
	err := errors.Join(ss.rival.close(), ss.yard.free())
	ss.s.Close()
	return err
}

func (ss *bencher) simulated() bool { return ss.dev.Info().Backend == "sim" }

func (ss *bencher) progress(format string, args ...any) { ss.o.progress(format, args...) }

// run runs the variants at one size.
func (ss *bencher) run(ctx context.Context, size Size) (rows []Row, err error) {
	ss.progress("%s, %s: making the input", ss.o.What, size.shape(ss.o.What))
	p, err := ss.problem(size)
	if errors.Is(err, gridstride.ErrOutOfMemory) {
		return nil, fmt.Errorf("bench: the input and working memory are %.1f GB: %w", ss.need/1e9, err)
	} else if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.free()) }()
	if p.candidates, err = chosen(p.candidates, ss.o.Variants); err != nil {
		return nil, err
	}
	if rows, err = ss.measure(ctx, p); err != nil {
		return nil, err
	}
	return rows, ss.limits(ctx, rows)
}

// chosen are the candidates of those names, in the order of all.
func chosen(all []candidate, names []string) ([]candidate, error) {
	if len(names) == 0 {
		return all, nil
	}
	var out []candidate
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
