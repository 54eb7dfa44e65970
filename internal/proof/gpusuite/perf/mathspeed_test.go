package perf

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/proof/mathtest"
)

var nvcc = flag.String("nvcc", "nvcc", "for -math: the CUDA compiler")

// mathSpeed is the throughput of a function: Ours and CUDA in 10^9 calls a second, the medians of
// launches that took turns. Ratio is Ours / CUDA.
type mathSpeed struct {
	Function string  `json:"function"`
	Type     string  `json:"type"`
	Ours     float64 `json:"gcalls"`
	CUDA     float64 `json:"cuda_gcalls"`
	Ratio    float64 `json:"ratio"`
}

// timing is a function in Go and the same in CUDA C++, the body of a function of T x, and of T y if
// it has two arguments.
type timing struct {
	*mathtest.Function
	cuda string
}

// several are the functions that are timed whole, though mathtest has a row for each result, and
// those that have an integer.
var several = []struct{ name, from, source, cuda string }{
	{"Sincos", "Sincos.sin", "func(x T) T { s, c := gpu.Sincos(x); return s + c }", "T s, c; sincos(x, &s, &c); return s + c;"},
	{"Modf", "Modf.frac", "func(x T) T { w, f := gpu.Modf(x); return w + f }", "T w, f = modf(x, &w); return w + f;"},
	{"Frexp", "Frexp.frac", "func(x T) T { f, e := gpu.Frexp(x); return f + T(e) }", "int e; T f = frexp(x, &e); return f + e;"},
	{"Ldexp", "Ldexp", "func(x, y T) T { return gpu.Ldexp(x, int(y)) }", "return ldexp(x, (int)y);"},
	{"Ilogb", "Ilogb", "func(x T) T { return T(gpu.Ilogb(x)) }", "return ilogb(x);"},
	{"Jn", "Jn", "func(x, y T) T { return gpu.Jn(3, y) }", "return NAME(jn)(3, y);"},
	{"Yn", "Yn", "func(x, y T) T { return gpu.Yn(3, y) }", "return NAME(yn)(3, y);"},
}

// timings are the timed ones of a list of functions.
func timings(list []*mathtest.Function) (all []*timing) {
	for _, f := range list {
		i := slices.IndexFunc(several, func(s struct{ name, from, source, cuda string }) bool { return s.from == f.Name })
		switch {
		case i >= 0:
			whole := *f
			whole.Name, whole.Source = several[i].name, several[i].source
			all = append(all, &timing{&whole, several[i].cuda})
		case f.Library != "" && f.Pair:
			all = append(all, &timing{f, fmt.Sprintf("return NAME(%s)(x, y);", f.Library)})
		case f.Library != "":
			all = append(all, &timing{f, fmt.Sprintf("return NAME(%s)(x);", f.Library)})
		}
	}
	return all
}

// cudaText is the kernels ENTRY_repeat_float32 and ENTRY_repeat_float64 in CUDA C++: what Repeat
// and RepeatPairs of mathkernels are.
func (f *timing) cudaText() string {
	text := cudaKernel
	if f.Pair {
		text = cudaPairsKernel
	}
	text = strings.NewReplacer("ENTRY", f.Entry(), "BODY", f.cuda).Replace(text)
	single := strings.NewReplacer("NAME(", "SINGLE(", "MUL(", "__fmul_rn(", "TYPE", "float32", "T ", "float ", "T>", "float>", "T(", "float(").Replace(text)
	double := strings.NewReplacer("NAME(", "DOUBLE(", "MUL(", "__dmul_rn(", "TYPE", "float64", "T ", "double ", "T>", "double>", "T(", "double(").Replace(text)
	return cudaHead + single + double
}

// cudaHead is the text that all kernels share. In them, MUL keeps a product from being fused, so
// that the arguments are the same ones as in Go.
const cudaHead = `
#define SINGLE(name) name##f
#define DOUBLE(name) name
template <typename X> struct Range { X low, width; };
`

const cudaKernel = `
static __device__ __forceinline__ T ENTRY_TYPE(T x) { BODY }

extern "C" __global__ void ENTRY_repeat_TYPE(T *sums, long long rounds, Range<T> r) {
	long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x, threads = (long long)gridDim.x * blockDim.x;
	T half = r.width / 2;
	T x = r.low + MUL(half, T(thread) / T(threads)), step = half / T(rounds * 8), sum = 0;
	for (long long i = 0; i < rounds; i++) {
#pragma unroll
		for (int j = 0; j < 8; j++) {
			sum += ENTRY_TYPE(x);
			x += step;
		}
	}
	sums[thread] = sum;
}
`

const cudaPairsKernel = `
static __device__ __forceinline__ T ENTRY_TYPE(T x, T y) { BODY }

extern "C" __global__ void ENTRY_repeat_TYPE(T *sums, long long rounds, Range<T> r, Range<T> s) {
	long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x, threads = (long long)gridDim.x * blockDim.x;
	T share = T(thread) / T(threads), half = r.width / 2, halfDown = s.width / 2;
	T x = r.low + MUL(half, share), step = half / T(rounds * 8);
	T y = s.low + s.width - MUL(halfDown, share), stepDown = halfDown / T(rounds * 8), sum = 0;
	for (long long i = 0; i < rounds; i++) {
#pragma unroll
		for (int j = 0; j < 8; j++) {
			sum += ENTRY_TYPE(x, y);
			x += step;
			y -= stepDown;
		}
	}
	sums[thread] = sum;
}
`

// compileCUDA is the PTX that nvcc makes of a function's kernels, with the flags it has by itself.
func compileCUDA(ctx context.Context, f *timing, dir, capability string) (string, error) {
	name := filepath.Join(dir, f.Entry())
	if err := os.WriteFile(name+".cu", []byte(f.cudaText()), 0o666); err != nil {
		return "", err
	}
	arch := "-arch=compute_" + strings.ReplaceAll(cmp.Or(capability, "9.0"), ".", "")
	if out, err := exec.CommandContext(ctx, *nvcc, "-ptx", arch, "-o", name+".ptx", name+".cu").CombinedOutput(); err != nil {
		return "", fmt.Errorf("nvcc: %w\n%s", err, out)
	}
	text, err := os.ReadFile(name + ".ptx")
	return string(text), err
}

// measureSpeed times each function and NVIDIA's.
func measureSpeed(t *testing.T, dev *gridstride.Device, r *mathReport, list []*mathtest.Function) {
	out, err := exec.Command(*nvcc, "--version").Output()
	must(t, err)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	r.NVCC = lines[len(lines)-1]
	all := timings(list)
	functions := make([]*mathtest.Function, len(all))
	for i, f := range all {
		functions[i] = f.Function
	}
	ours := loadMathematics(dev, r, []string{"repeat"}, functions)
	theirs, errs, dir := make([]*gridstride.Module, len(all)), make([]error, len(all)), t.TempDir()
	share(len(all), func(i int) {
		var text string
		if text, errs[i] = compileCUDA(t.Context(), all[i], dir, r.Capability); errs[i] == nil {
			theirs[i], errs[i] = dev.Load(all[i].Name+".cu", text)
		}
	})
	for i, f := range all {
		if errs[i] != nil {
			r.fail("%s by nvcc: %v", f.Name, errs[i])
		}
		if ours[i] != nil && theirs[i] != nil {
			r.Speed = append(r.Speed, speedOf[float32](t, r, f, dev, ours[i], theirs[i]), speedOf[float64](t, r, f, dev, ours[i], theirs[i]))
		}
	}
}

// speedOf times a function for one type. The two take turns, so that a change of the clock's meets
// both.
func speedOf[T float32 | float64](t *testing.T, r *mathReport, function *timing, dev *gridstride.Device, ours, theirs *gridstride.Module) mathSpeed {
	t.Helper()
	const threads, launches, unrolled = 256, 21, 8
	f := try[T](function.Function, dev, ours)
	blocks := 8 * max(1, dev.Info().Multiprocessors)
	if dev.Info().Backend != "cuda" { // to try it out
		blocks = 1
	}
	sums, err := gridstride.Make[T](dev, blocks*threads)
	must(t, err)
	defer func() { must(t, sums.Free()) }()
	times, results := [2][]time.Duration{}, [2][]T{}
	for i := range 2 * (launches + 2) {
		which := i % 2
		start := dev.Stream().Record()
		must(t, f.launch([]*gridstride.Module{ours, theirs}[which], "repeat", gridstride.Grid(blocks).Block(threads), f.ranges(sums, *mathRounds)...))
		took, err := dev.Stream().Record().Since(t.Context(), start)
		must(t, err)
		if i < 4 { // what comes first sets things up
			results[which], err = sums.Read(t.Context(), dev.Stream(), nil)
			must(t, err)
			continue
		}
		times[which] = append(times[which], took)
	}
	row := mathSpeed{Function: f.Name, Type: fmt.Sprintf("%T", T(0))}
	calls := float64(blocks*threads) * float64(*mathRounds*unrolled)
	if at := firstApart(results[0], results[1], float64(*mathRounds*unrolled)); at >= 0 {
		r.fail("%s of %s: the sum of thread %d is %v, and %v in CUDA C++", f.Name, row.Type, at, results[0][at], results[1][at])
	}
	for _, list := range times {
		slices.Sort(list)
	}
	row.Ours = calls / float64(times[0][launches/2].Nanoseconds())
	row.CUDA = calls / float64(times[1][launches/2].Nanoseconds())
	row.Ratio = math.Round(row.Ours/row.CUDA*1000) / 1000
	return row
}

// firstApart is the first index at which two lists of sums of terms results are too far apart for
// sums of the same results, or -1.
func firstApart[T float32 | float64](a, b []T, terms float64) int {
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		if x != y && !(math.Abs(x-y) <= 1e-3*(math.Abs(x)+terms)) && (x == x || y == y) {
			return i
		}
	}
	return -1
}
