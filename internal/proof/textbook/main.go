package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"

	"github.com/gridstride/gridstride"
)

// Measurement is the file that the command writes, as JSON.
type Measurement struct {
	Device   string    `json:"device"`
	Compiler string    `json:"nvcc"` // the version that it says
	Flags    []string  `json:"nvcc_flags"`
	Rows     []Row     `json:"rows"`
	Mean     []float64 `json:"geometric_mean"` // of Row.Ratios, in their order
}

// Row is a kernel. The times are medians, in microseconds.
type Row struct {
	Family string    `json:"family"` // the files that have the kernel
	Kernel string    `json:"kernel"`
	Go     float64   `json:"go_us"`
	Cpp    []float64 `json:"cpp_us"`              // by Measurement.Flags
	Ratios []float64 `json:"ratios"`              // Cpp / Go: above 1 where Go is faster
	Before float64   `json:"before_us,omitempty"` // of the kernel in the PTX of -before
	Gain   float64   `json:"gain,omitempty"`      // Before / Go
	Off    []float64 `json:"off"`                 // of Go, of Cpp, and of before: the distance of the result from one in float64
}

func main() {
	var o options
	flag.StringVar(&o.nvcc, "nvcc", "nvcc", "the CUDA compiler")
	flag.StringVar(&o.out, "o", "textbook.json", "the file to write")
	flag.IntVar(&o.rounds, "rounds", 15, "how often each kernel is timed")
	flag.StringVar(&o.before, "before", "", "a PTX file with the same kernels as another version of gridstride compiled them, to time beside")
	flag.StringVar(&o.which, "run", "", "a regular expression: the kernels to time, such as ^trees/ or /Search$")
	flag.StringVar(&o.device, "device", "cuda", "the device, as GRIDSTRIDE_DEVICE names it")
	flag.BoolVar(&o.fast, "fast", false, "time the kernels with inexact arithmetic, beside C++ with --use_fast_math")
	flag.BoolVar(&o.small, "small", false, "take the sizes of the tests, which the simulator can run")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, &o); err != nil {
		fmt.Fprintln(os.Stderr, "textbook:", err)
		os.Exit(1)
	}
}

// options are the command's flags.
type options struct {
	nvcc, before, out, which, device string
	rounds                           int
	small, fast                      bool
}

// mode is the chosen mode.
func (o *options) mode() mode {
	if o.fast {
		return fastMode
	}
	return exactMode
}

// problems are the chosen problems.
func (o *options) problems() ([]*problem, error) {
	which, err := regexp.Compile(o.which)
	if err != nil {
		return nil, fmt.Errorf("-run: %w", err)
	}
	z := &full
	if o.small {
		z = &small
	}
	chosen := slices.DeleteFunc(o.mode().of(z.problems()), func(p *problem) bool { return !which.MatchString(p.family + "/" + p.name) })
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-run is %q, and no kernel matches it; want a part of a name such as trees/Search", o.which)
	}
	return chosen, nil
}

func run(ctx context.Context, o *options) error {
	if o.rounds < 1 {
		return fmt.Errorf("-rounds is %d; want 1 or more", o.rounds)
	}
	problems, err := o.problems()
	if err != nil {
		return err
	}
	dev, err := gridstride.Open(gridstride.Use(o.device))
	if err != nil {
		return err
	}
	defer dev.Close()
	m := Measurement{Device: dev.Info().Name}
	if m.Compiler, err = version(ctx, o.nvcc); err != nil {
		return err
	}
	with, err := rivalsOf(ctx, dev, o)
	if err != nil {
		return err
	}
	for _, flags := range with.cppFlags {
		m.Flags = append(m.Flags, strings.Join(flags, " "))
	}
	var failed []error
	for _, p := range problems {
		row, err := p.measure(ctx, dev, with, o.rounds)
		if err != nil { // the others are measured
			failed = append(failed, fmt.Errorf("%s: %w", p.name, err))
			continue
		}
		fmt.Println(row.text(m.Flags))
		m.Rows = append(m.Rows, *row)
		m.Mean = means(m.Rows)
		if err := write(o.out, &m); err != nil {
			return err
		}
	}
	if len(m.Rows) > 0 {
		fmt.Printf("geometric mean of C++/Go: with %s %.3f, with %s %.3f\n", m.Flags[0], m.Mean[0], m.Flags[1], m.Mean[1])
	}
	return errors.Join(failed...)
}

// rivalsOf compiles the twins, and loads the kernels of before.
func rivalsOf(ctx context.Context, dev *gridstride.Device, o *options) (*rivals, error) {
	with := &rivals{mode: o.mode()}
	var err error
	if with.twins, err = compileTwins(ctx, dev, o.nvcc, with.cppFlags); err != nil || o.before == "" {
		return with, err
	}
	text, err := os.ReadFile(o.before)
	if err != nil {
		return nil, err
	}
	with.before, err = dev.Load(o.before, string(text))
	return with, err
}

// text is the row for a person. flags are nvcc's.
func (r *Row) text(flags []string) string {
	text := fmt.Sprintf("%-14s Go %9.1f µs  C++ with %s %9.1f µs  C++/Go %5.2f, with %s %5.2f",
		r.Kernel, r.Go, flags[0], r.Cpp[0], r.Ratios[0], flags[1], r.Ratios[1])
	if r.Before > 0 {
		text += fmt.Sprintf("  before %9.1f µs, before/Go %5.2f", r.Before, r.Gain)
	}
	return text
}

// write writes a measurement as JSON.
func write(out string, m *Measurement) error {
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(text, '\n'), 0o644)
}
