package engines

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim"
)

// rival is the host program for OpenCL, which runs.
type rival struct {
	in      io.Writer
	out     *bufio.Reader
	version string
}

// startRival compiles and starts the program. It returns nil where that is not possible.
func startRival(t *testing.T) *rival {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rival")
	if out, err := exec.Command("cc", "-O2", "-o", file, "testdata/pocl/rival.c", "-lOpenCL").CombinedOutput(); err != nil {
		t.Logf("testdata/pocl/rival.c does not compile: install ocl-icd-opencl-dev and a C compiler: %v: %s", err, out)
		return nil
	}
	cmd := exec.CommandContext(t.Context(), file)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	v := &rival{in: in, out: bufio.NewReader(out)}
	if v.version, err = v.out.ReadString('\n'); err != nil {
		t.Logf("OpenCL has no device: install pocl-opencl-icd: %v", err)
		return nil
	}
	v.version = strings.TrimSpace(v.version)
	return v
}

// run runs a kernel, and returns the milliseconds of processor time and a word of the result.
func (v *rival) run(t *testing.T, name string) (ms float64, word uint32) {
	t.Helper()
	fmt.Fprintln(v.in, name)
	line, err := v.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(line, "%f %x", &ms, &word); err != nil {
		t.Fatal(err)
	}
	return ms, word
}

// twin is a kernel that both run, of the rival's sizes and numbers.
type twin struct {
	name   string
	launch func(r *rig) (run func() uint32)
}

// sixteenths are the rival's numbers, whose sums are exact.
func sixteenths(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32((i*7+3)%16) / 16
	}
	return list
}

var twins = []twin{
	{"dot", func(r *rig) func() uint32 {
		const n = 10_000_000
		a, _ := upload(r, sixteenths(n))
		b, _ := upload(r, sixteenths(n))
		sums, result := upload(r, make([]float32, 1024))
		return func() uint32 {
			r.launch("Dot", sim.Launch{Grid: x(1024), Block: x(256)}, a, n, b, n, sums, 1024)
			return math.Float32bits(result[5])
		}
	}},
	{"product", func(r *rig) func() uint32 {
		const n = 512
		a, _ := upload(r, sixteenths(n*n))
		b, _ := upload(r, sixteenths(n*n))
		c, result := upload(r, make([]float32, n*n))
		return func() uint32 {
			r.launch("Product", sim.Launch{Grid: [3]int{n / 16, n / 16, 1}, Block: [3]int{16, 16, 1}}, a, n*n, b, n*n, c, n*n, n)
			return math.Float32bits(result[777])
		}
	}},
	{"mandelbrot", func(r *rig) func() uint32 {
		const width, n = 640, 640 * 480
		steps, result := upload(r, make([]uint32, n))
		return func() uint32 {
			r.launch("Mandelbrot", sim.Launch{Grid: x(n / 256), Block: x(256)}, steps, n, width, -2.2, 1.2, 3.2/640)
			return result[100_000]
		}
	}},
	{"stencil", func(r *rig) func() uint32 {
		const n = 1024
		in, _ := upload(r, sixteenths(n*n))
		out, result := upload(r, make([]float32, n*n))
		return func() uint32 {
			r.launch("Stencil", sim.Launch{Grid: [3]int{n / 256, n, 1}, Block: x(256)}, in, n*n, out, n*n, n)
			return math.Float32bits(result[5000])
		}
	}},
}

// poclRow is a kernel's milliseconds of processor time in the best round, of all threads.
type poclRow struct {
	Kernel   string  `json:"kernel"`
	Compiled float64 `json:"compiled_ms"`
	POCL     float64 `json:"pocl_ms"`
	OfPOCL   float64 `json:"compiled_by_pocl"`
}

func (v *rival) measure(t *testing.T) (rows []poclRow) {
	for _, w := range twins {
		run := w.launch(newRig(t, sim.Compiled, 2, ownKernels(t)))
		ours, theirs := math.Inf(1), math.Inf(1)
		for range rounds {
			start := processTime(t)
			got := run()
			ours = min(ours, ms(processTime(t)-start))
			took, want := v.run(t, w.name)
			theirs = min(theirs, took)
			if got != want {
				t.Errorf("%s: a word of the result is %#x, POCL's %#x", w.name, got, want)
			}
		}
		rows = append(rows, poclRow{w.name, ours, hundredths(theirs), hundredths(ours / theirs)})
		t.Logf("%+v", rows[len(rows)-1])
	}
	return rows
}

// TestRival compares the kernels' results with POCL's, on which the measurement relies.
func TestRival(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	v := startRival(t)
	if v == nil {
		t.Skip("POCL is not here: no kernel was compared with it")
	}
	for _, w := range twins[1:] {
		got := w.launch(newRig(t, sim.Compiled, 2, ownKernels(t)))()
		if _, want := v.run(t, w.name); got != want {
			t.Errorf("%s: a word of the result is %#x, POCL's %#x", w.name, got, want)
		}
	}
}
