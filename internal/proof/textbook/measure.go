package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gridstride/gridstride"
)

// twinsSource are the twins, in CUDA C++: a file for each family of kernels.
//
//go:embed *.cu
var twinsSource embed.FS

// A mode is which of the kernels are measured: those whose names end in suffix. cppFlags are the
// ways in which the C++ beside them is compiled.
type mode struct {
	suffix   string
	cppFlags [][]string
}

// The modes: the exact kernels, and with -fast the others.
var (
	exactMode = mode{"", [][]string{{"-O3"}, {"-O3", "-fmad=false"}}}
	fastMode  = mode{"Fast", [][]string{{"-O3", "--use_fast_math"}, {"-O3"}}}
)

// of is the problems that have kernels of the mode: the family twelve has fast ones.
func (m mode) of(all []*problem) []*problem {
	if m.suffix == exactMode.suffix {
		return all
	}
	return slices.DeleteFunc(all, func(p *problem) bool { return p.family != "twelve" })
}

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

// sources has the C++ of all families, as one text.
func sources() ([]byte, error) {
	names, err := fs.Glob(twinsSource, "*.cu")
	if err != nil {
		return nil, err
	}
	var all []byte
	for _, name := range names {
		text, err := twinsSource.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all = append(append(all, text...), '\n')
	}
	return all, nil
}

// compileTwins compiles the twins for the device by each of some flags.
func compileTwins(ctx context.Context, dev *gridstride.Device, nvcc string, cppFlags [][]string) ([]*gridstride.Module, error) {
	dir, err := os.MkdirTemp("", "textbook")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	source, target := filepath.Join(dir, "twins.cu"), filepath.Join(dir, "twins.ptx")
	all, err := sources()
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(source, all, 0o600); err != nil {
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

// rivals are timed with the kernels, by turns.
type rivals struct {
	mode                        // of the kernels
	twins  []*gridstride.Module // the C++, by cppFlags
	before *gridstride.Module   // the kernels in Go as another compiler made them; nil for none
}

// measure compares the results of a kernel and its rivals with the reference, and times all by
// turns.
func (p *problem) measure(ctx context.Context, dev *gridstride.Device, with *rivals, rounds int) (*Row, error) {
	data, err := p.prepare(dev)
	if err != nil {
		return nil, err
	}
	defer data.free()
	variants, err := p.variants(dev, data, with)
	if err != nil {
		return nil, err
	}
	row := &Row{Family: p.family, Kernel: p.name}
	all, err := results(ctx, dev, data, variants)
	if err != nil {
		return nil, err
	}
	for k, got := range all {
		off, err := data.off(got)
		if err != nil {
			return nil, fmt.Errorf("variant %d: %w", k, err)
		}
		row.Off = append(row.Off, off)
	}
	if with.before != nil && !slices.Equal(all[0], all[len(all)-1]) {
		return nil, errors.New("the result has other bits than the one before")
	}
	times, err := byTurns(ctx, dev.Stream(), variants, rounds)
	if err != nil {
		return nil, err
	}
	row.Go = times[0]
	for _, t := range times[1 : 1+len(with.cppFlags)] {
		row.Cpp = append(row.Cpp, t)
		row.Ratios = append(row.Ratios, t/row.Go)
	}
	if with.before != nil {
		row.Before = times[len(times)-1]
		row.Gain = row.Before / row.Go
	}
	return row, nil
}

// byTurns is the median time of a launch of each variant, in microseconds.
func byTurns(ctx context.Context, s *gridstride.Stream, variants []launch, rounds int) ([]float64, error) {
	took, err := sample(ctx, s, variants[0], 1)
	if err != nil {
		return nil, err
	}
	repeat := max(1, int(sampleTime/max(took, 1)))
	times := make([][]float64, len(variants))
	for round := range rounds {
		for k := range variants {
			if round%2 == 1 { // no variant bears the changes of the clock alone
				k = len(variants) - 1 - k
			}
			took, err := sample(ctx, s, variants[k], repeat)
			if err != nil {
				return nil, err
			}
			times[k] = append(times[k], float64(took.Nanoseconds())/1e3/float64(repeat))
		}
	}
	var medians []float64
	for _, t := range times {
		medians = append(medians, median(t))
	}
	return medians, nil
}

// launch queues a kernel once.
type launch func(s *gridstride.Stream) error

// variants are the kernel in Go, its twins, and the kernel of before.
func (p *problem) variants(dev *gridstride.Device, data *inputs, with *rivals) ([]launch, error) {
	name := p.name + with.suffix
	kernel, err := kernelsModule.Kernel(dev, name, "main."+name)
	if err != nil {
		return nil, err
	}
	all := []launch{func(s *gridstride.Stream) error { return kernel.Launch(s, p.config, data.goArgs...) }}
	add := func(m *gridstride.Module, name string, args []any) error {
		k, err := m.Kernel(name)
		all = append(all, func(s *gridstride.Stream) error { return k.Launch(s, p.config, args...) })
		return err
	}
	for _, m := range with.twins {
		if err := add(m, p.name, data.cppArgs); err != nil {
			return nil, err
		}
	}
	if with.before != nil {
		err = add(with.before, name, data.goArgs)
	}
	return all, err
}

// tolerance is how far results may be from the references: sums of many terms in float32.
const tolerance = 1e-3

// checked is how many elements of a result are compared with the reference.
const checked = 512

// results runs each variant once.
func results(ctx context.Context, dev *gridstride.Device, data *inputs, variants []launch) ([][]float64, error) {
	var all [][]float64
	for _, v := range variants {
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
		all = append(all, got)
	}
	return all, nil
}

// off is how far a result is from the reference, at elements that are drawn at random, the same
// ones for each variant. It fails where that is too far.
func (d *inputs) off(got []float64) (float64, error) {
	r := rand.New(rand.NewPCG(1, uint64(len(got))))
	var x, y []float64
	for range checked {
		i := r.IntN(len(got))
		x, y = append(x, d.want(i)), append(y, got[i])
	}
	far := distance(x, y, d.strays)
	if !(far <= tolerance) || d.exact && far > 0 {
		return far, fmt.Errorf("the result differs from the reference by %g of the largest number", far)
	}
	return far, nil
}

// distance is the largest difference of y from x, relative to the largest number of x. It leaves out
// the elements that differ most, strays of them.
func distance(x, y []float64, strays int) float64 {
	largest := 0.0
	apart := make([]float64, len(x))
	for i := range x {
		largest = max(largest, math.Abs(x[i]))
		apart[i] = math.Abs(x[i] - y[i])
		if math.IsNaN(apart[i]) {
			apart[i] = math.Inf(1)
		}
	}
	if largest == 0 {
		return math.Inf(1) // nothing was computed
	}
	slices.Sort(apart)
	return apart[len(apart)-1-strays] / largest
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
	out := make([]float64, len(rows[0].Ratios))
	for k := range out {
		sum := 0.0
		for _, r := range rows {
			sum += math.Log(r.Ratios[k])
		}
		out[k] = math.Exp(sum / float64(len(rows)))
	}
	return out
}

// inputs are the arguments and the reference of a problem's kernels.
type inputs struct {
	goArgs, cppArgs []any
	clear           func(s *gridstride.Stream) error // sets the result to 0
	result          func(ctx context.Context, s *gridstride.Stream) ([]float64, error)
	want            reference
	exact           bool // whether the result is want, not only near it
	strays          int  // of the elements checked, how many may be far from want
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
