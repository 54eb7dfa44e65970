package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/gridstride/gridstride"
)

// Measurement is the file that the command writes, as JSON.
type Measurement struct {
	Device   string    `json:"device"`
	Compiler string    `json:"nvcc"` // the version that it says
	Rows     []Row     `json:"rows"`
	Mean     []float64 `json:"geometric_mean"` // of Row.Ratios, in their order
}

// Row is a kernel. The times are medians, in microseconds.
type Row struct {
	Kernel string    `json:"kernel"`
	Go     float64   `json:"go_us"`
	Cpp    []float64 `json:"cpp_us"`              // by flags: see cppFlags
	Ratios []float64 `json:"ratios"`              // Cpp / Go: above 1 where Go is faster
	Before float64   `json:"before_us,omitempty"` // of the kernel in the PTX of -before
	Gain   float64   `json:"gain,omitempty"`      // Before / Go
	Off    []float64 `json:"off"`                 // of Go, of Cpp, and of before: the distance of the result from one in float64
}

func main() {
	nvcc := flag.String("nvcc", "nvcc", "the CUDA compiler")
	out := flag.String("o", "textbook.json", "the file to write")
	rounds := flag.Int("rounds", 15, "how often each kernel is timed")
	before := flag.String("before", "", "a PTX file with the same kernels as another version of gridstride compiled them, to time beside")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *nvcc, *before, *out, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "textbook:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, nvcc, before, out string, rounds int) error {
	if rounds < 1 {
		return fmt.Errorf("-rounds is %d; want 1 or more", rounds)
	}
	dev, err := gridstride.Open(gridstride.Use("cuda"))
	if err != nil {
		return err
	}
	defer dev.Close()
	m := Measurement{Device: dev.Info().Name}
	if m.Compiler, err = version(ctx, nvcc); err != nil {
		return err
	}
	var with rivals
	if with.twins, err = compileTwins(ctx, dev, nvcc); err != nil {
		return err
	}
	if before != "" {
		text, err := os.ReadFile(before)
		if err != nil {
			return err
		}
		if with.before, err = dev.Load(before, string(text)); err != nil {
			return err
		}
	}
	for _, p := range full.problems() {
		row, err := p.measure(ctx, dev, &with, rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Println(row)
		m.Rows = append(m.Rows, *row)
	}
	m.Mean = means(m.Rows)
	fmt.Printf("geometric mean of C++/Go: %.3f, with -fmad=false %.3f\n", m.Mean[0], m.Mean[1])
	return write(out, &m)
}

func (r *Row) String() string {
	text := fmt.Sprintf("%-14s Go %9.1f µs  C++ %9.1f µs  C++/Go %5.2f, with -fmad=false %5.2f", r.Kernel, r.Go, r.Cpp[0], r.Ratios[0], r.Ratios[1])
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
