package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
)

// npyFile writes a file as NumPy does: version 1 or 2 of the format, the data little endian (big
// endian for a dtype with ">").
func npyFile(t *testing.T, version int, dtype, order, shape string, data []byte) string {
	t.Helper()
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", dtype, order, shape)
	prefix := "\x93NUMPY\x01\x00"
	length := 118
	if version == 2 {
		prefix, length = "\x93NUMPY\x02\x00", 116
	}
	dict += strings.Repeat(" ", length-1-len(dict)) + "\n"
	text := prefix + string(rune(length)) + "\x00"
	if version == 2 {
		text += "\x00\x00"
	}
	name := filepath.Join(t.TempDir(), "v.npy")
	if err := os.WriteFile(name, append([]byte(text+dict), data...), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// vector32 and vector64 write one vector each.
func vector32(t *testing.T, v ...float32) string {
	t.Helper()
	var data []byte
	for _, x := range v {
		bits := math.Float32bits(x)
		data = append(data, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
	}
	return npyFile(t, 1, "<f4", "False", fmt.Sprintf("(%d,)", len(v)), data)
}

func vector64(t *testing.T, v ...float64) string {
	t.Helper()
	var data []byte
	for _, x := range v {
		bits := math.Float64bits(x)
		for i := range 8 {
			data = append(data, byte(bits>>(8*i)))
		}
	}
	return npyFile(t, 2, "<f8", "False", fmt.Sprintf("(%d,)", len(v)), data)
}

// exec runs the program and returns what it printed.
func exec(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := run(t.Context(), args, &out)
	return out.String(), err
}

func TestGenerated(t *testing.T) {
	sizes := []string{"0", "1", "31", "33", "257", "1000003"}
	for _, dtype := range []string{"float32", "float64"} {
		for _, n := range sizes {
			out, err := exec(t, "-n", n, "-dtype", dtype)
			if err != nil {
				t.Errorf("-n %s -dtype %s: %v\n%s", n, dtype, err, out)
			}
			for _, want := range []string{"dot product of " + n + " " + dtype, "allocate", "copy in", "kernel", "copy out", "error"} {
				if !strings.Contains(out, want) {
					t.Errorf("-n %s -dtype %s does not print %q:\n%s", n, dtype, want, out)
				}
			}
		}
	}
}

func TestBlocks(t *testing.T) {
	for _, blocks := range []string{"1", "3", "2000"} {
		if out, err := exec(t, "-n", "4099", "-blocks", blocks); err != nil || !strings.Contains(out, blocks+" blocks of 256 threads") {
			t.Errorf("-blocks %s: %v\n%s", blocks, err, out)
		}
	}
}

// TestKernel compares the kernel with sums of small integers, which are exact: a lost or a doubled
// element shows.
func TestKernel(t *testing.T) {
	dev, err := gridstride.Open()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 31, 33, 255, 256, 257, 5000} {
		for _, blocks := range []int{1, 2, 7} {
			a, b := make([]float32, n), make([]float32, n)
			want := 0
			for i := range n {
				a[i], b[i] = float32(i%7-3), float32(i%5+1)
				want += (i%7 - 3) * (i%5 + 1)
			}
			got, _, err := Dot(t.Context(), dev, blocks, a, b)
			if err != nil || got != float64(want) {
				t.Errorf("n %d, %d blocks: %v, %v; want %d", n, blocks, got, err, want)
			}
		}
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

func TestFiles(t *testing.T) {
	for name, test := range map[string]struct {
		a, b string
		want string
	}{
		"float32":      {vector32(t, 1, 2, 3), vector32(t, 4, 5, 6), "result     32\n"},
		"float64":      {vector64(t, 1, 2, 1e-3), vector64(t, 4, 5, 2), "result     14.00"},
		"empty":        {vector32(t), vector32(t), "result     0\n"},
		"cancels":      {vector32(t, 1, 1), vector32(t, 1, -1), "absolute error 0,"},
		"big endian":   {npyFile(t, 1, ">f4", "False", "(1,)", []byte{0x40, 0x40, 0, 0}), vector32(t, 2), "result     6\n"},
		"one in order": {npyFile(t, 1, "<f4", "True", "(1,)", []byte{0, 0, 0x40, 0x40}), vector32(t, 2), "result     6\n"},
		"NaN":          {vector32(t, 1, float32(math.NaN())), vector32(t, 1, 1), "v.npy[1] is NaN, so the dot product is NaN\n"},
		"infinite":     {vector32(t, 1, float32(math.Inf(1))), vector32(t, 1, -1), "result     -Inf\n"},
		"Inf times 0":  {vector32(t, float32(math.Inf(1))), vector32(t, 0), "result     NaN\n"},
		"tiny":         {vector32(t, 0x1p-100, 0x1p-149), vector32(t, 0x1p-100, 0.5), "reference  7.00649232162409"},
	} {
		out, err := exec(t, "-a", test.a, "-b", test.b)
		if err != nil || !strings.Contains(out, test.want) {
			t.Errorf("%s: %v, want %q\n%s", name, err, test.want, out)
		}
	}
}

func TestBadFiles(t *testing.T) {
	good := vector32(t, 1, 2, 3)
	text := filepath.Join(t.TempDir(), "x.txt")
	if err := os.WriteFile(text, []byte("1 2 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		b, want string
	}{
		"missing":         {"missing.npy", "open missing.npy: "},
		"text":            {text, "x.txt: is not a .npy file"},
		"folder":          {t.TempDir(), "not a file"},
		"unequal lengths": {vector32(t, 1, 2), "has 3 elements and "},
		"mixed types":     {vector64(t, 1, 2, 3), "holds float32 and "},
		"integers":        {npyFile(t, 1, "<i4", "False", "(3,)", make([]byte, 12)), "holds int32, not float32 or float64; save x.astype('float32')"},
		"complex":         {npyFile(t, 1, "<c8", "False", "(3,)", make([]byte, 24)), "holds elements of type complex64"},
		"a matrix":        {npyFile(t, 1, "<f4", "False", "(3, 1)", make([]byte, 12)), "has 2 dimensions, and a dot product takes vectors; save x.ravel()"},
		"a column matrix": {npyFile(t, 1, "<f4", "True", "(3, 1)", make([]byte, 12)), "is in Fortran order"},
		"a number":        {npyFile(t, 1, "<f4", "False", "()", make([]byte, 4)), "has 0 dimensions"},
		"truncated":       {npyFile(t, 1, "<f4", "False", "(3,)", make([]byte, 11)), "is truncated: the header promises 3 elements of 4 bytes, and 11 of those 12"},
	} {
		out, err := exec(t, "-a", good, "-b", test.b)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q\n%s", name, err, test.want, out)
		}
	}
}

func TestOverflow(t *testing.T) {
	_, err := exec(t, "-a", vector32(t, 3e38, 3e38), "-b", vector32(t, 1, 1))
	if err == nil || err.Error() != "the result is +Inf: a sum on the way is over the largest number of its type" {
		t.Errorf("overflow: %v", err)
	}
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"-n -5":          "-n -5: a vector has no negative length",
		"-n many":        `invalid value "many" for flag -n`,
		"-n 5 -a x -b y": "-n and -dtype are of generated vectors",
		"-a x.npy":       "-a and -b name the two vectors: give both or none",
		"-dtype int8":    "-dtype int8: want float32 or float64",
		"-blocks 0":      "-blocks 0: want at least 1",
		"x.npy":          `"x.npy" is no flag: files are given with -a and -b`,
		"-fast":          "flag provided but not defined: -fast",
	} {
		_, err := exec(t, strings.Fields(args)...)
		var usage *usageError
		if !errors.As(err, &usage) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want usage error %q", args, err, want)
		}
	}
	for args, want := range map[string]string{
		"-n 9000000000000":             "two vectors of 9000000000000 float32 do not fit the ",
		"-n 9000000000000000000":       "do not fit the ",
		"-n 10 -blocks 99999999999999": "-blocks 99999999999999: a grid has at most 2147483647",
		"-device sim:x":                "sim:x",
		"-device cuda:99":              "cuda:99",
	} {
		if out, err := exec(t, strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q\n%s", args, err, want, out)
		}
	}
	out, err := exec(t, "-h")
	if err == nil || !strings.Contains(out, "-blocks number") {
		t.Errorf("-h: %v\n%s", err, out)
	}
}

// TestErrorBound holds the bound to float32 sums in the kernel's order that are as bad as rounding
// makes them.
func TestErrorBound(t *testing.T) {
	const n = 100_000
	a, b := make([]float32, n), make([]float32, n)
	sum := float32(0)
	for i := range a {
		a[i], b[i] = 1, 0.1 // 0.1 is rounded in every addition
		sum += a[i] * b[i]
	}
	want, magnitude := reference(a, b)
	if err := math.Abs(float64(sum) - want); err <= errorBound[float32](n, 391, magnitude) {
		t.Errorf("one running sum is off by %g: the bound does not tell it from the kernel's", err)
	}
	if verdict(&strings.Builder{}, float64(sum), want, errorBound[float32](n, 391, magnitude)) == nil {
		t.Error("the verdict passes it")
	}
}

func TestReference(t *testing.T) {
	// 1e16 + 1 - 1e16 is 0 in plain float64.
	if got, magnitude := reference([]float64{1e8, 1, -1e8}, []float64{1e8, 1, 1e8}); got != 1 || magnitude != 2e16+1 && magnitude != 2e16 {
		t.Errorf("got %v, magnitude %v", got, magnitude)
	}
	// The product (1+2^-30)² loses 2^-60 in float64.
	if got, _ := reference([]float64{1 + 0x1p-30, -1, -1}, []float64{1 + 0x1p-30, 1, 0x1p-29}); got != 0x1p-60 {
		t.Errorf("got %v", got)
	}
}

// BenchmarkDot is the main job: the kernel's time at ten million elements is the metric kernel-ms.
func BenchmarkDot(b *testing.B) {
	dev, err := gridstride.Open()
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	const n = 10_000_000
	x, y := uniform[float32](n, 1), uniform[float32](n, 2)
	var kernel float64
	for b.Loop() {
		_, t, err := Dot(b.Context(), dev, 1024, x, y)
		if err != nil {
			b.Fatal(err)
		}
		kernel += t.Kernel.Seconds()
	}
	b.ReportMetric(1e3*kernel/float64(b.N), "kernel-ms/op")
	b.ReportMetric(n*float64(b.N)/kernel, "elements/s")
}
