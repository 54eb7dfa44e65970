package npymetric

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/internal/library/npy"
)

// save writes an array of rows and columns, and gives the file's name; of 0 rows a vector.
func save[T float32 | float64](t *testing.T, name string, rows, cols int, value func(i int) T) string {
	t.Helper()
	v := make([]T, max(rows, 1)*cols)
	for i := range v {
		v[i] = value(i)
	}
	a := npy.FromVector(v)
	if rows > 0 {
		a.Shape = []int{rows, cols}
	}
	name = filepath.Join(t.TempDir(), name)
	if err := npy.WriteFile(name, a); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestDevices compares what the processor and the simulator give, vectors and rows.
func TestDevices(t *testing.T) {
	t.Parallel()
	dev, err := gridstride.Open(gridstride.Use("sim"))
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	r := rand.New(rand.NewPCG(1, 2))
	for _, shape := range [][2]int{{1, 0}, {1, 1}, {1, 1000}, {3, 33}} {
		x, y := blas.MatrixOf[float32](shape[0], shape[1], nil), blas.MatrixOf[float32](shape[0], shape[1], nil)
		for i := range x.Data {
			x.Data[i], y.Data[i] = float32(r.NormFloat64()), float32(r.NormFloat64())
		}
		for name, m := range metrics[float32]() {
			host, sim := make([]float32, x.Rows), make([]float32, x.Rows)
			onHost(m, x, y, host)
			if err := m.device(t.Context(), dev, x, y, sim); err != nil {
				t.Fatal(err)
			}
			for i, v := range host {
				if both := v != v && sim[i] != sim[i]; !both && math.Abs(float64(v-sim[i])) > 1e-4*max(1, math.Abs(float64(v))) {
					t.Errorf("%s of %v, row %d: %v on the processor, %v on the simulator", name, shape, i, v, sim[i])
				}
			}
		}
	}
}

// TestRowsOfOne compares each row of a file with one vector, in either order.
func TestRowsOfOne(t *testing.T) {
	t.Parallel()
	rows := save(t, "rows.npy", 2, 3, func(i int) float64 { return float64(i) })
	one := save(t, "one.npy", 0, 3, func(i int) float64 { return float64(i) })
	row := save(t, "row.npy", 1, 3, func(i int) float64 { return float64(i) })
	for device, files := range map[string][][]string{"": {{rows, one}, {one, rows}, {rows, row}}, "sim": {{one, rows}}} {
		for _, files := range files {
			r, err := (&Job{Metric: "manhattan", Files: files, Device: device}).Run(t.Context())
			if err != nil || fmt.Sprint(r.Values) != "[0 9]" || !r.Rows || r.DType != "float64" || r.N != 3 {
				t.Errorf("%q: %+v, %v", device, r, err)
			}
		}
	}
	r, err := (&Job{Metric: "mse", Files: []string{row, one}}).Run(t.Context())
	if err != nil || fmt.Sprint(r.Values) != "[0]" || !r.Rows {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestMixedTypes computes in float64 unless both files are float32.
func TestMixedTypes(t *testing.T) {
	t.Parallel()
	single := save(t, "single.npy", 0, 2, func(i int) float32 { return 0.1 })
	double := save(t, "double.npy", 0, 2, func(i int) float64 { return 0.1 })
	ints := filepath.Join(t.TempDir(), "ints.npy")
	if err := npy.WriteFile(ints, npy.FromVector([]int16{-1, 2})); err != nil {
		t.Fatal(err)
	}
	half, brain := filepath.Join(t.TempDir(), "half.npy"), filepath.Join(t.TempDir(), "brain.npy")
	for name, a := range map[string]*npy.Array{
		half:  {Dtype: "<f2", Shape: []int{2}, Data: []byte{0x66, 0x2e, 0, 0xc0}}, // 0.1, -2
		brain: {Dtype: "<V2", Shape: []int{2}, Data: []byte{0, 0x40, 0x80, 0x3f}}, // 2, 1
	} {
		if err := npy.WriteFile(name, a); err != nil {
			t.Fatal(err)
		}
	}
	for files, want := range map[[2]string]string{
		{half, brain}:    "float64 -1.800048828125",
		{single, single}: "float32 0.020000001",
		{single, double}: "float64 0.020000000298023225",
		{ints, double}:   "float64 0.1",
	} {
		r, err := (&Job{Metric: "dot", Files: files[:]}).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(r.DType, " ", r.Values[0])
		if r.DType == "float32" {
			got = fmt.Sprint(r.DType, " ", float32(r.Values[0]))
		}
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	three := save(t, "three.npy", 0, 3, func(int) float32 { return 1 })
	four := save(t, "four.npy", 0, 4, func(int) float32 { return 1 })
	rows2 := save(t, "rows2.npy", 2, 3, func(int) float32 { return 1 })
	rows4 := save(t, "rows4.npy", 4, 3, func(int) float32 { return 1 })
	wide := save(t, "wide.npy", 2, 4, func(int) float32 { return 1 })
	for _, c := range []struct{ metric, files, want string }{
		{"mse", three + " " + four, "three.npy has 3 elements, "},
		{"mse", rows2 + " " + wide, "the rows of " + rows2 + " have 3 elements, those of " + wide + " 4"},
		{"mse", rows2 + " " + rows4, "rows2.npy has 2 rows, "},
		{"mse", three, "mse compares two vectors: it takes two files, not 1"},
		{"squarednorm", three + " " + three, "squarednorm is of one vector: it takes one file, not 2"},
		{"far", three, `"far" is no metric; there are chebyshev, cosine, `},
		{"mse", three + " nowhere.npy", "nowhere.npy: no such file"},
	} {
		_, err := (&Job{Metric: c.metric, Files: strings.Fields(c.files)}).Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %s", c.metric, c.files, err, c.want)
		}
	}
}

// TestTimeLimit ends what takes longer on a simulated device than it may.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	file := save(t, "v.npy", 0, 1<<23, func(int) float32 { return 1 })
	job := Job{Metric: "squarednorm", Files: []string{file}, Device: "sim", TimeLimit: time.Nanosecond}
	if _, err := job.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "over the time limit of 1ns") {
		t.Errorf("%v", err)
	}
}

// TestEmptyRows refuses rows without elements: a file of 128 bytes may have any number of them, and
// each would be a result.
func TestEmptyRows(t *testing.T) {
	t.Parallel()
	for _, shape := range [][]int{{1, 0}, {1_000_000_000, 0}, {math.MaxInt / 8, 0}} {
		name := filepath.Join(t.TempDir(), "x.npy")
		a := npy.FromVector([]float64{})
		a.Shape = shape
		if err := npy.WriteFile(name, a); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("%s: has %d rows without elements; want at least one element in a row", name, shape[0])
		for _, device := range []string{"", "sim"} {
			_, err := (&Job{Metric: "mse", Files: []string{name, name}, Device: device}).Run(t.Context())
			if err == nil || err.Error() != want {
				t.Errorf("%v: %v, want %q", shape, err, want)
			}
		}
	}
	none := filepath.Join(t.TempDir(), "none.npy")
	a := npy.FromVector([]float64{})
	a.Shape = []int{0, math.MaxInt / 8}
	if err := npy.WriteFile(none, a); err != nil {
		t.Fatal(err)
	}
	r, err := (&Job{Metric: "mse", Files: []string{none, none}}).Run(t.Context())
	if err != nil || len(r.Values) != 0 {
		t.Errorf("no rows: %+v, %v", r, err)
	}
}
