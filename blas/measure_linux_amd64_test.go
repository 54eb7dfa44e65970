package blas

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"
	gonumblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/gridstride/gridstride/internal/library/asm"
)

var measureFile = flag.String("measure", "", "measure beside OpenBLAS and gonum and add the results to this `file`")

// measurement is one row of docs/measurements. Times are of one call in the best round, of
// processor time of this process, so that others on a shared machine count less.
type measurement struct {
	What     string  `json:"what"`
	Size     int     `json:"size"`
	CPU      string  `json:"cpu_level"`
	Core     string  `json:"openblas_core"`
	Ours     float64 `json:"ours_ns"`
	OpenBLAS float64 `json:"openblas_ns,omitempty"`
	Gonum    float64 `json:"gonum_ns,omitempty"`
	Rate     float64 `json:"ours_rate"`
	Unit     string  `json:"rate_unit"`
	Ratio    float64 `json:"ratio_openblas,omitempty"`
	Median   float64 `json:"ratio_openblas_medians,omitempty"`
	RatioG   float64 `json:"ratio_gonum,omitempty"`
}

// TestMeasure needs OpenBLAS and a C compiler: the loops over OpenBLAS's functions are in C, as a
// call from Go without cgo would cost as much as a small product. Run it with
// OPENBLAS_NUM_THREADS=1 and OPENBLAS_CORETYPE, and GRIDSTRIDE_CPU to match.
func TestMeasure(t *testing.T) {
	if *measureFile == "" {
		t.Skip("-measure is not given")
	}
	runtime.GOMAXPROCS(1)
	runtime.LockOSThread()
	m := newMeasurer(t)
	for _, n := range []int{4, 8, 16, 24, 32, 48, 64, 128, 1024, 2048} {
		measureGemm[float32](m, n)
		measureGemm[float64](m, n)
	}
	for _, n := range []int{768, 1536, 1 << 25} {
		measureDot(m, n)
	}
	text, err := json.MarshalIndent(m.rows, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*measureFile, append(text, '\n'), 0o666); err != nil {
		t.Fatal(err)
	}
}

type measurer struct {
	*testing.T
	core string
	gemm map[int]func(n int, a, b, c unsafe.Pointer, reps int)
	dot  func(n int, x, y unsafe.Pointer, reps int)
	rows []measurement
}

const loops = `
void dgemm_loop(void (*f)(int,int,int,int,int,int,double,double*,int,double*,int,double,double*,int), int n, double *a, double *b, double *c, int reps) {
	for (int i = 0; i < reps; i++) f(101, 111, 111, n, n, n, 1, a, n, b, n, 0, c, n);
}
void sgemm_loop(void (*f)(int,int,int,int,int,int,float,float*,int,float*,int,float,float*,int), int n, float *a, float *b, float *c, int reps) {
	for (int i = 0; i < reps; i++) f(101, 111, 111, n, n, n, 1, a, n, b, n, 0, c, n);
}
float sink;
void sdot_loop(float (*f)(int,float*,int,float*,int), int n, float *x, float *y, int reps) {
	for (int i = 0; i < reps; i++) sink = f(n, x, 1, y, 1);
}
`

func newMeasurer(t *testing.T) *measurer {
	dir := t.TempDir()
	source, object := filepath.Join(dir, "loops.c"), filepath.Join(dir, "loops.so")
	if err := os.WriteFile(source, []byte(loops), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", "-O2", "-shared", "-fPIC", "-o", object, source).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	open := func(name string) uintptr {
		lib, err := purego.Dlopen(name, purego.RTLD_NOW)
		if err != nil {
			t.Fatal(err)
		}
		return lib
	}
	lib, own := open("libopenblas.so.0"), open(object)
	symbol := func(lib uintptr, name string) uintptr {
		p, err := purego.Dlsym(lib, name)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	var core func() string
	purego.RegisterLibFunc(&core, lib, "openblas_get_corename")
	gemm := func(letter string) func(n int, a, b, c unsafe.Pointer, reps int) {
		f, loop := symbol(lib, "cblas_"+letter+"gemm"), symbol(own, letter+"gemm_loop")
		return func(n int, a, b, c unsafe.Pointer, reps int) {
			purego.SyscallN(loop, f, uintptr(n), uintptr(a), uintptr(b), uintptr(c), uintptr(reps))
		}
	}
	dot, loop := symbol(lib, "cblas_sdot"), symbol(own, "sdot_loop")
	return &measurer{
		T: t, core: core(), gemm: map[int]func(n int, a, b, c unsafe.Pointer, reps int){4: gemm("s"), 8: gemm("d")},
		dot: func(n int, x, y unsafe.Pointer, reps int) {
			purego.SyscallN(loop, dot, uintptr(n), uintptr(x), uintptr(y), uintptr(reps))
		},
	}
}

// compare runs the contenders in turn, in many short rounds, and takes the best and the median of
// each. Work is the work of one call, in 1e9 units of a rate.
func (m *measurer) compare(what, unit string, size int, work float64, ours, openblas, theirs func(reps int)) {
	reps := max(1, int(3e-4/(work/50)))
	rounds := min(600, max(9, int(3/(work/50*float64(reps)))))
	var times [3][]float64
	for round := range rounds {
		for i, f := range []func(reps int){ours, openblas, theirs} {
			if f == nil || i == 2 && round%8 != 0 { // gonum is far from the others
				continue
			}
			start := cpuTime()
			f(reps)
			times[i] = append(times[i], (cpuTime()-start)/float64(reps)*1e9)
		}
	}
	row := measurement{What: what, Size: size, CPU: asm.CPU.String(), Core: m.core, Unit: unit}
	best, median := [3]float64{}, [3]float64{}
	for i, t := range times {
		if t != nil {
			slices.Sort(t)
			best[i], median[i] = t[0], t[len(t)/2]
		}
	}
	row.Ours, row.OpenBLAS, row.Gonum = best[0], best[1], best[2]
	row.Rate, row.Ratio, row.RatioG = work*1e9/best[0], best[1]/best[0], best[2]/best[0]
	row.Median = median[1] / median[0]
	m.rows = append(m.rows, row)
	fmt.Printf("%-12s %9d: %7.1f %s, %.3fx OpenBLAS (medians %.3fx), %.2fx gonum\n",
		what, size, row.Rate, unit, row.Ratio, row.Median, row.RatioG)
}

func cpuTime() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return float64(t.Nano()) / 1e9
}

func measured[T Float](n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(rand.Float64() - 0.5)
	}
	return x
}

func measureGemm[T Float](m *measurer, n int) {
	a, b, c := MatrixOf(n, n, measured[T](n*n)), MatrixOf(n, n, measured[T](n*n)), MatrixOf[T](n, n, nil)
	size := int(unsafe.Sizeof(c.Data[0]))
	var g gonum.Implementation
	theirs := func(reps int) {
		for range reps {
			switch a := any(a.Data).(type) {
			case []float32:
				g.Sgemm(gonumblas.NoTrans, gonumblas.NoTrans, n, n, n, 1, a, n, any(b.Data).([]float32), n, 0, any(c.Data).([]float32), n)
			case []float64:
				g.Dgemm(gonumblas.NoTrans, gonumblas.NoTrans, n, n, n, 1, a, n, any(b.Data).([]float64), n, 0, any(c.Data).([]float64), n)
			}
		}
	}
	if n > 1024 {
		theirs = nil
	}
	m.compare(map[int]string{4: "Sgemm", 8: "Dgemm"}[size], "GFLOP/s", n, 2e-9*float64(n)*float64(n)*float64(n),
		func(reps int) {
			for range reps {
				Gemm(NoTrans, NoTrans, 1, a, b, 0, c)
			}
		},
		func(reps int) {
			m.gemm[size](n, unsafe.Pointer(&a.Data[0]), unsafe.Pointer(&b.Data[0]), unsafe.Pointer(&c.Data[0]), reps)
		}, theirs)
}

var (
	sink32 float32
	sink   float64
)

func measureDot(m *measurer, n int) {
	x, y := measured[float32](n), measured[float32](n)
	var g gonum.Implementation
	bytes := 8e-9 * float64(n)
	m.compare("Dot f32", "GB/s", n, bytes, func(reps int) {
		for range reps {
			sink32 = Dot(x, y)
		}
	}, func(reps int) { m.dot(n, unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0]), reps) }, func(reps int) {
		for range reps {
			sink32 = g.Sdot(n, x, 1, y, 1)
		}
	})
	if n < 1<<20 {
		return
	}
	v, w := measured[float64](n/2), measured[float64](n/2)
	m.compare("Dot f64", "GB/s", n/2, bytes, func(reps int) { sink += Dot(v, w) }, nil, nil)
	m.compare("DotExact f64", "GB/s", n/2, bytes, func(reps int) { sink += DotExact(v, w) }, nil, nil)
}
