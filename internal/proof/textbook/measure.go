package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gridstride/gridstride"
)

//go:embed twins.cu
var twinsSource []byte

// cppFlags are the ways in which the C++ is compiled.
var cppFlags = [][]string{{"-O3"}, {"-O3", "-fmad=false"}}

// sampleTime is about how long the launches of one sample take together.
const sampleTime = 5 * time.Millisecond

// version is the last line but one of what nvcc says of itself, which has its release.
func version(ctx context.Context, nvcc string) (string, error) {
	text, err := exec.CommandContext(ctx, nvcc, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", nvcc, err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[max(0, len(lines)-2)], nil
}

// compileTwins compiles twins.cu for the device by each of cppFlags.
func compileTwins(ctx context.Context, dev *gridstride.Device, nvcc string) ([]*gridstride.Module, error) {
	dir, err := os.MkdirTemp("", "textbook")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	source, target := filepath.Join(dir, "twins.cu"), filepath.Join(dir, "twins.ptx")
	if err := os.WriteFile(source, twinsSource, 0o600); err != nil {
		return nil, err
	}
	var modules []*gridstride.Module
	for _, flags := range cppFlags {
		var said bytes.Buffer
		c := exec.CommandContext(ctx, nvcc, append(slices.Clone(flags), "-arch=sm_90", "-ptx", "-o", target, source)...)
		c.Stderr = &said
		if err := c.Run(); err != nil {
			return nil, fmt.Errorf("%s %s: %w\n%s", nvcc, strings.Join(flags, " "), err, said.Bytes())
		}
		text, err := os.ReadFile(target)
		if err != nil {
			return nil, err
		}
		m, err := dev.Load("twins.ptx", string(text))
		if err != nil {
			return nil, err
		}
		modules = append(modules, m)
	}
	return modules, nil
}

// measure compares the results of a kernel and its twins, and times them by turns.
func (p *problem) measure(ctx context.Context, dev *gridstride.Device, twins []*gridstride.Module, rounds int) (*Row, error) {
	data, err := p.prepare(dev)
	if err != nil {
		return nil, err
	}
	defer data.free()
	variants, err := p.variants(dev, data, twins)
	if err != nil {
		return nil, err
	}
	row := &Row{Kernel: p.name}
	if row.Off, err = compare(ctx, dev, data, variants); err != nil {
		return nil, err
	}
	repeat := 1
	took, err := sample(ctx, dev.Stream(), variants[0], 1)
	if err == nil {
		repeat = max(1, int(sampleTime/max(took, 1)))
	}
	times := make([][]float64, len(variants))
	for round := range rounds {
		for k := range variants {
			if round%2 == 1 { // no variant bears the changes of the clock alone
				k = len(variants) - 1 - k
			}
			took, err := sample(ctx, dev.Stream(), variants[k], repeat)
			if err != nil {
				return nil, err
			}
			times[k] = append(times[k], float64(took.Nanoseconds())/1e3/float64(repeat))
		}
	}
	row.Go = median(times[0])
	for _, t := range times[1:] {
		row.Cpp = append(row.Cpp, median(t))
		row.Ratios = append(row.Ratios, median(t)/row.Go)
	}
	return row, nil
}

// launch queues a kernel once.
type launch func(s *gridstride.Stream) error

// variants are the kernel in Go and its twins.
func (p *problem) variants(dev *gridstride.Device, data *inputs, twins []*gridstride.Module) ([]launch, error) {
	kernel, err := kernelsModule.Kernel(dev, p.name, "main."+p.name)
	if err != nil {
		return nil, err
	}
	all := []launch{func(s *gridstride.Stream) error { return kernel.Launch(s, p.config, data.goArgs...) }}
	for _, m := range twins {
		twin, err := m.Kernel(p.name)
		if err != nil {
			return nil, err
		}
		all = append(all, func(s *gridstride.Stream) error { return twin.Launch(s, p.config, data.cppArgs...) })
	}
	return all, nil
}

// tolerance is how far results may be apart: sums of many terms in float32 that are fused or not.
const tolerance = 1e-3

// compare runs each variant once, and returns how far the results of the twins are from the first
// one's.
func compare(ctx context.Context, dev *gridstride.Device, data *inputs, variants []launch) ([]float64, error) {
	var first []float64
	var off []float64
	for k, v := range variants {
		if err := data.clear(dev.Stream()); err != nil {
			return nil, err
		}
		if err := v(dev.Stream()); err != nil {
			return nil, err
		}
		got, err := data.result(ctx, dev.Stream())
		if err != nil {
			return nil, err
		}
		if k == 0 {
			first = got
			continue
		}
		d := distance(first, got)
		if !(d <= tolerance) {
			return nil, fmt.Errorf("the result differs from the C++ one by %g of the largest", d)
		}
		off = append(off, d)
	}
	return off, nil
}

// distance is the largest difference of two results, relative to the largest number of the first.
// One element in a hundred may differ more: a step of the Mandelbrot set that is rounded another
// way is another number of steps.
func distance(x, y []float64) float64 {
	largest := 0.0
	apart := make([]float64, len(x))
	for i := range x {
		largest = max(largest, math.Abs(x[i]))
		apart[i] = math.Abs(x[i] - y[i])
	}
	if largest == 0 {
		return math.Inf(1) // nothing was computed
	}
	slices.Sort(apart)
	return apart[len(apart)-1-len(apart)/100] / largest
}

// sample is how long a number of launches take together.
func sample(ctx context.Context, s *gridstride.Stream, l launch, repeat int) (time.Duration, error) {
	start := s.Record()
	for range repeat {
		if err := l(s); err != nil {
			return 0, err
		}
	}
	return s.Record().Since(ctx, start)
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// means are the geometric means of the rows' ratios, each over all rows.
func means(rows []Row) []float64 {
	out := make([]float64, len(cppFlags))
	for k := range out {
		sum := 0.0
		for _, r := range rows {
			sum += math.Log(r.Ratios[k])
		}
		out[k] = math.Exp(sum / float64(len(rows)))
	}
	return out
}

// inputs are what a problem's kernels are launched with.
type inputs struct {
	goArgs, cppArgs []any
	clear           func(s *gridstride.Stream) error // sets the result to 0
	result          func(ctx context.Context, s *gridstride.Stream) ([]float64, error)
	buffers         []interface{ Free() error }
}

// free gives the buffers back.
func (d *inputs) free() error {
	var all []error
	for _, b := range d.buffers {
		all = append(all, b.Free())
	}
	return errors.Join(all...)
}
