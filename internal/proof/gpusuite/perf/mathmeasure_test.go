package perf

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/proof/mathtest"
	"github.com/gridstride/gridstride/internal/proof/mathtest/mathkernels"
)

var (
	mathFile      = flag.String("math", "", "measure the mathematics on a GPU and write it to this `file`")
	mathParts     = flag.String("math-parts", "bits,errors,doubles,speed", "what -math measures")
	mathFunctions = flag.String("math-functions", "", "for -math: an `expression` that the functions' names match as a whole")
	mathPoints    = flag.Int("math-points", 8<<20, "for -math: arguments at which device and host are compared")
	mathErrors    = flag.Int("math-errors", 1<<32, "for -math: arguments at which a float32 function is measured, from 0 on by their bits; a quarter as many pairs")
	mathDoubles   = flag.Int("math-doubles", 1<<28, "for -math: arguments at which a float64 function is measured")
	mathRounds    = flag.Int("math-rounds", 256, "for -math: loops of a thread, with 8 calls each, whose time is taken")
	mathCommit    = flag.String("math-commit", "", "for -math: the commit that is measured")
)

// mathReport is the file of -math.
type mathReport struct {
	What       string            `json:"what"`
	Device     string            `json:"device"`
	Capability string            `json:"capability"`
	Driver     string            `json:"driver"`
	Date       string            `json:"date"`
	Commit     string            `json:"commit"`
	Go         string            `json:"go"`
	NVCC       string            `json:"nvcc,omitempty"`
	Command    string            `json:"command"`
	Bits       []sameBits        `json:"bits,omitempty"`
	Errors     []mathtest.Errors `json:"errors,omitempty"`
	// Doubles are the errors of float64, by package twofold.
	Doubles []mathtest.Errors `json:"doubles,omitempty"`
	Speed   []mathSpeed       `json:"speed,omitempty"`
	// Failures are the failed measurements with their reasons.
	Failures []string `json:"failures,omitempty"`
}

// sameBits says whether a function has the same bits on the device and on the host, at Points
// arguments: the hard ones, boundaries and random ones.
type sameBits struct {
	Function string  `json:"function"`
	Type     string  `json:"type"`
	Points   int64   `json:"points"`
	Same     bool    `json:"same"`
	Seconds  float64 `json:"seconds"`
}

// TestMathMeasure measures the mathematics: device against host, bit for bit, errors of float32 at
// all arguments, and throughput against NVIDIA's library, as nvcc compiles it.
func TestMathMeasure(t *testing.T) {
	if *mathFile == "" {
		t.Skip("-math is not given")
	}
	dev := open(t)
	info := dev.Info()
	r := &mathReport{
		What: "package gpu's mathematics: its bits beside the host's; its errors for float32, in ULP, by the " +
			"function for float64, and for float64, by package twofold; its throughput, in 10^9 calls a second, beside that of CUDA C++",
		Device: info.Name, Capability: info.Capability, Driver: info.Driver, Date: time.Now().UTC().Format(time.DateOnly),
		Commit: *mathCommit, Go: runtime.Version(), Command: "perf.test " + strings.Join(os.Args[1:], " "),
	}
	match, err := regexp.Compile("^(" + *mathFunctions + ")$")
	must(t, err)
	var list []*mathtest.Function
	for i := range mathtest.Functions {
		if f := &mathtest.Functions[i]; *mathFunctions == "" || match.MatchString(f.Name) {
			list = append(list, f)
		}
	}
	for _, part := range []struct {
		name    string
		measure func(*testing.T, *gridstride.Device, *mathReport, []*mathtest.Function)
	}{{"speed", measureSpeed}, {"bits", measureBits}, {"errors", measureErrors}, {"doubles", measureDoubles}} {
		if strings.Contains(*mathParts, part.name) {
			start := time.Now()
			part.measure(t, dev, r, list)
			fmt.Printf("%s: %.1f s\n", part.name, time.Since(start).Seconds())
			r.write(t)
		}
	}
	for _, f := range r.Failures {
		t.Error(f)
	}
}

func (r *mathReport) write(t *testing.T) {
	t.Helper()
	text, err := json.MarshalIndent(r, "", "\t")
	must(t, err)
	must(t, os.WriteFile(*mathFile, append(text, '\n'), 0o666))
}

func (r *mathReport) fail(format string, args ...any) {
	r.Failures = append(r.Failures, fmt.Sprintf(format, args...))
}

// loadMathematics compiles and loads kernels of each function, on all cores. Where that fails, the
// module is nil and the report says why.
func loadMathematics(dev *gridstride.Device, r *mathReport, kinds []string, list []*mathtest.Function) []*gridstride.Module {
	modules, errs := make([]*gridstride.Module, len(list)), make([]error, len(list))
	share(len(list), func(i int) {
		var text string
		if text, errs[i] = compileMathematics(kinds, list[i]); errs[i] == nil {
			modules[i], errs[i] = dev.Load(list[i].Name+".ptx", text)
		}
	})
	for i, err := range errs {
		if err != nil {
			r.fail("%s: %v", list[i].Name, err)
		}
	}
	return modules
}

// measureBits compares device and host.
func measureBits(t *testing.T, dev *gridstride.Device, r *mathReport, list []*mathtest.Function) {
	for i, module := range loadMathematics(dev, r, kinds, list) {
		if module != nil {
			r.Bits = append(r.Bits, bitsOf[float32](t, list[i], dev, module), bitsOf[float64](t, list[i], dev, module))
			module.Close()
		}
	}
}

func bitsOf[T float32 | float64](t *testing.T, function *mathtest.Function, dev *gridstride.Device, module *gridstride.Module) sameBits {
	const size = 1 << 14
	f := try[T](function, dev, module)
	start := time.Now()
	row := sameBits{Function: f.Name, Type: fmt.Sprintf("%T", T(0))}
	row.Same = t.Run(f.Name+"/"+row.Type, func(t *testing.T) {
		x, y := f.arguments(1 << 16)
		f.compare(t, x, y)
		row.Points = int64(len(x)) + f.compareMany(t, (*mathPoints+size-1)/size, size)
	})
	row.Seconds = time.Since(start).Seconds()
	return row
}

// measureErrors measures the functions of float32: functions of one argument at all arguments,
// functions of two at random pairs in the ranges that matter.
func measureErrors(t *testing.T, dev *gridstride.Device, r *mathReport, list []*mathtest.Function) {
	for i, module := range loadMathematics(dev, r, []string{"errors"}, list) {
		f := list[i]
		if module == nil || !f.Comparable() {
			continue
		}
		start := time.Now()
		var sum mathtest.Tally
		if f.Pair {
			near := append([]mathtest.Box{f.Usual}, f.Near...)
			for _, box := range near {
				sum.Add(errorsIn(t, f, dev, module, *mathErrors/4/len(near), rangeOf[float32](box.X), rangeOf[float32](box.Y)))
			}
		} else {
			sum.Add(errorsIn(t, f, dev, module, *mathErrors, mathkernels.Range[float32]{}, mathkernels.Range[float32]{}))
		}
		e := f.Errors(&sum, true, !f.Pair && *mathErrors == 1<<32)
		e.Seconds = time.Since(start).Seconds()
		r.Errors = append(r.Errors, e)
		if e.Wrong > 0 || e.Max > f.Limit.Single {
			r.fail("%s of float32: %+v; the limit is %v ULP", f.Name, e, f.Limit.Single)
		}
		module.Close()
	}
}

// errorsIn measures a function at the first n arguments of mathkernels.Argument.
func errorsIn(t *testing.T, f *mathtest.Function, dev *gridstride.Device, module *gridstride.Module, n int, r, s mathkernels.Range[float32]) *mathtest.Tally {
	t.Helper()
	const blocks, threads, step = 2048, 128, 1 << 30 // a launch is to be short
	sum := &mathtest.Tally{}
	worst, err := gridstride.Make[float64](dev, blocks*threads)
	must(t, err)
	defer func() { must(t, worst.Free()) }()
	at, err := gridstride.Make[uint64](dev, 2*blocks*threads)
	must(t, err)
	defer func() { must(t, at.Free()) }()
	counts, err := gridstride.Make[int](dev, 2*blocks*threads)
	must(t, err)
	defer func() { must(t, counts.Free()) }()
	k, err := module.Kernel(f.Entry() + "_errors")
	must(t, err)
	grid := gridstride.Grid(min(blocks, 1+n/threads)).Block(threads)
	for first := 0; first < n; first += step {
		count := min(step, n-first)
		must(t, k.Launch(dev.Stream(), grid, worst, at, counts, uint64(first), count, r, s))
		errs, err := worst.Read(t.Context(), dev.Stream(), nil)
		must(t, err)
		where, err := at.Read(t.Context(), dev.Stream(), nil)
		must(t, err)
		numbers, err := counts.Read(t.Context(), dev.Stream(), nil)
		must(t, err)
		argument := func(n uint64) [2]float64 {
			return [2]float64{float64(mathkernels.Argument(n, r)), float64(mathkernels.Argument(^n, s))}
		}
		for i := range min(blocks, 1+n/threads) * threads {
			sum.Add(&mathtest.Tally{Correct: int64(numbers[2*i]), Wrong: int64(numbers[2*i+1]), Max: errs[i],
				At: argument(where[2*i]), WrongAt: argument(where[2*i+1])})
		}
		sum.Points += int64(count)
	}
	return sum
}

// measureDoubles measures the functions of float64 that package twofold has, in the ranges that
// matter.
func measureDoubles(t *testing.T, dev *gridstride.Device, r *mathReport, list []*mathtest.Function) {
	list = slices.DeleteFunc(slices.Clone(list), func(f *mathtest.Function) bool { return f.Twofold == nil })
	for i, module := range loadMathematics(dev, r, []string{"doubles"}, list) {
		if module == nil {
			continue
		}
		f, start := list[i], time.Now()
		var sum mathtest.Tally
		boxes := f.Boxes()
		for j, box := range boxes {
			sum.Add(doublesIn(t, f, dev, module, uint64(j)<<40, *mathDoubles/len(boxes), box))
		}
		e := f.Errors(&sum, false, false)
		e.Seconds = time.Since(start).Seconds()
		r.Doubles = append(r.Doubles, e)
		r.write(t)
		if e.Wrong > 0 || e.Max > f.Limit.Double {
			r.fail("%s of float64: %+v; the limit is %v ULP", f.Name, e, f.Limit.Double)
		}
		module.Close()
	}
}

// doublesIn measures a function at n arguments of mathkernels.Spread in a box, from first on.
func doublesIn(t *testing.T, f *mathtest.Function, dev *gridstride.Device, module *gridstride.Module, first uint64, n int, box mathtest.Box) *mathtest.Tally {
	t.Helper()
	r, s := rangeOf[float64](box.X), rangeOf[float64](box.Y)
	const blocks, threads, step = 2048, 128, 1 << 26 // a launch is to be short
	worst, err := gridstride.Make[float64](dev, blocks*threads)
	must(t, err)
	defer func() { must(t, worst.Free()) }()
	at, err := gridstride.Make[uint64](dev, 2*blocks*threads)
	must(t, err)
	defer func() { must(t, at.Free()) }()
	counts, err := gridstride.Make[int](dev, 3*blocks*threads)
	must(t, err)
	defer func() { must(t, counts.Free()) }()
	k, err := module.Kernel(f.Entry() + "_doubles")
	must(t, err)
	grid := gridstride.Grid(min(blocks, 1+n/threads)).Block(threads)
	sum := &mathtest.Tally{}
	argument := func(n uint64) [2]float64 {
		return [2]float64{mathkernels.Spread(n, r), mathkernels.Spread(^n, s)}
	}
	for done := 0; done < n; done += step {
		must(t, k.Launch(dev.Stream(), grid, worst, at, counts, first+uint64(done), min(step, n-done), r, s))
		errs, err := worst.Read(t.Context(), dev.Stream(), nil)
		must(t, err)
		where, err := at.Read(t.Context(), dev.Stream(), nil)
		must(t, err)
		numbers, err := counts.Read(t.Context(), dev.Stream(), nil)
		must(t, err)
		for i := range min(blocks, 1+n/threads) * threads {
			sum.Add(&mathtest.Tally{Points: int64(numbers[3*i]), Correct: int64(numbers[3*i+1]), Wrong: int64(numbers[3*i+2]),
				Max: errs[i], At: argument(where[2*i]), WrongAt: argument(where[2*i+1])})
		}
	}
	return sum
}

// TestMathDoubles compares what a device measures with what the host does: of a function of one
// argument, of one measured by a step from its value, and of a pair.
func TestMathDoubles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Sin", "Erfcinv", "Pow"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := mathtest.Find(name)
			text, err := compileMathematics([]string{"doubles"}, f)
			must(t, err)
			dev := open(t)
			module, err := dev.Load("mathematics.ptx", text)
			must(t, err)
			for _, n := range []int{0, 1, 33, 200} {
				got, want := doublesIn(t, f, dev, module, 7, n, f.Near[0]), &mathtest.Tally{}
				f.Doubles(want, 7, int64(n), f.Near[0])
				if *got != *want {
					t.Errorf("%d arguments: the device measures %+v, the host %+v", n, got, want)
				}
			}
		})
	}
}

// TestMathErrors compares a device's measurements with the host's: of a function of one argument,
// of one whose small results have a floor, and of one of two arguments.
func TestMathErrors(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Exp", "J1", "Yn"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := mathtest.Find(name)
			text, err := compileMathematics([]string{"errors"}, f)
			must(t, err)
			dev := open(t)
			module, err := dev.Load("mathematics.ptx", text)
			must(t, err)
			for _, n := range []int{0, 1, 33, 700} {
				r, s := mathkernels.Range[float32]{Low: 1, Width: 60}, mathkernels.Range[float32]{Low: 1, Width: 60}
				got := errorsIn(t, f, dev, module, n, r, s)
				want := hostErrors(f, n, r, s)
				if got.Points != want.Points || got.Correct != want.Correct || got.Wrong != want.Wrong || got.Max != want.Max || got.At[0] != want.At[0] {
					t.Errorf("%d arguments: the device measures %+v, the host %+v", n, got, want)
				}
			}
		})
	}
}

func hostErrors(f *mathtest.Function, n int, r, s mathkernels.Range[float32]) *mathtest.Tally {
	sum := &mathtest.Tally{Points: int64(n)}
	for i := range uint64(n) {
		x, y := mathkernels.Argument(i, r), mathkernels.Argument(^i, s)
		a, b, floor := float64(x), float64(y), 0.0
		if f.Floor != nil {
			floor = f.Floor(a, b)
		}
		e, wrong := mathkernels.ErrorOf(f.Single(x, y), f.Double(a, b), floor)
		if e > sum.Max {
			sum.Max, sum.At = e, [2]float64{a, b}
		}
		if e <= 0.5 {
			sum.Correct++
		}
		if wrong {
			sum.Wrong++
		}
	}
	return sum
}
