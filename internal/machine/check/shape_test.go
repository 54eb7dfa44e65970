package check

import (
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/machine/report"
)

// shapeSource has kernels whose threads race at elements of arrays.
const shapeSource = `package shapes

import "github.com/gridstride/gridstride/gpu"

const rows = 2 * gpu.WarpSize

//gpu:kernel
func Tile(out []int32) {
	tile := gpu.Shared[[rows][33]int32]()
	t := gpu.ThreadIdx.X
	tile[19][0] = int32(t)
	out[t] = tile[19][0]
}

//gpu:kernel
func Unsigned(out []uint64) {
	half, one := gpu.Shared[[3][2]uint16](), gpu.Shared[uint32]()
	t := gpu.ThreadIdx.X
	half[2][1] = uint16(65000 + t)
	*one = uint32(4294967200 + t)
	out[t] = uint64(half[2][1]) + uint64(*one)
}

//gpu:kernel
func Slices(big, all []uint64, flat []uint32) {
	t := gpu.ThreadIdx.X
	all[5] = 1<<63 + uint64(t)
	flat[7] = uint32(4294967200 + t)
}

//gpu:kernel T=int32
func Generic[T gpu.Integer](out []T) {
	s := gpu.Shared[[8]T]()
	s[3] = T(gpu.ThreadIdx.X)
	out[gpu.ThreadIdx.X] = s[3]
}
`

// TestShapes shows elements of arrays of arrays as Go writes them, and numbers without a
// sign as such.
func TestShapes(t *testing.T) {
	t.Parallel()
	src := &compile.Source{Path: "example.com/shapes", Name: "shapes", Files: []compile.File{{Name: "shapes.go", Text: []byte(shapeSource)}}}
	b := compileSource(t, src)
	for _, c := range []struct {
		kernel string
		args   []any
		want   []string
	}{
		{"Tile", []any{make([]int32, 64)}, []string{"tile[19][0]  int32, bytes 2508..2511 of 8448"}},
		{"Unsigned", []any{make([]uint64, 64)}, []string{"half[2][1]  uint16, bytes 10..11 of 12", "one  uint32, bytes 0..3 of 4", "value 650", "value 42949672"}},
		{"Slices", []any{make([]uint64, 8), make([]uint64, 9), make([]uint32, 16)},
			[]string{"all[5]  uint64, ", "flat[7]  uint32, ", "value 922337203685477", "value 42949672"}},
		{"Generic_int32", []any{make([]int32, 64)}, []string{"s[3]  4-byte integer"}},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			b.tb = t
			r := b.check(c.kernel, x(1), x(64), Options{}, c.args...)
			verdict(t, r, report.Race)
			for _, want := range c.want {
				if !strings.Contains(r.String(), want) {
					t.Errorf("it lacks %q\n%v", want, r)
				}
			}
		})
	}
}

// TestShapesOfBadSource reads sources that name no shape, or one too large: nothing is shown but
// bytes, and nothing takes long.
func TestShapesOfBadSource(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "conformance")
	good := b.text
	deep := strings.Repeat("[2]", 100)
	nested := "gpu.Shared[struct{a, b " + strings.Repeat("struct{a, b ", 40) + "int8" + strings.Repeat("}", 40) + "}]()"
	for i, line := range []string{
		"\tcell := gpu.Shared[" + deep + "int32]()", "\tcell := " + nested, "\tcell := gpu.Shared[[n]int32]()", "\tcell := gpu.Shared[",
		"\tcell := gpu.Shared[[1<<62 * 1<<62]int32]()", "\tcell := gpu.Shared[[1/0]int32]()", "\tcell := gpu.Shared[[-1]int32]()", "\x00}}}}",
		"\tcell := gpu.Shared[x.T]()", "\tcell := gpu.Shared[[9999999999999999999]int32]()", "\tcell := gpu.Shared[[2147483647][2147483647][2147483647]int32]()",
		"\tcell := gpu.Shared[[0]int32]()", "\tcell := gpu.Shared[[][][][]int32]()", "\tcell := gpu.Shared[[3]]]int32]()", "\tcell :=", "gpu.Shared[", ":=", "\tcell, c := gpu.Shared[int32](), gpu.Shared[int32]()",
	} {
		b.text = func(file string, n int) string {
			if text := good(file, n); !strings.Contains(text, "gpu.Shared") {
				return text
			}
			return line
		}
		r := b.check("OneCell", x(1), x(16), Options{})
		if verdict(t, r, report.Race); t.Failed() {
			t.Fatal(i, line)
		}
	}
}
