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

// Cols and the type's size is a constant of the instance.
const Cols = 5

type tileOf[T any] struct {
	fill int8
	rows [rows][Cols]T
}

//gpu:kernel T=float32
func Constants[T gpu.Float](
	out []T,
	count []uint32,
) {
	s := gpu.Shared[[2]tileOf[T]]()
	t := gpu.ThreadIdx.X
	s[1].rows[7][Cols-1] = T(t)
	out[t] = s[1].rows[7][Cols-1]
	count[3] = uint32(4294967200 + t)
}

type place struct {
	id  uint8
	x   float64
	at  [3]struct{ row, column int16 }
	all gpu.Float32x4
	on  bool
}

//gpu:kernel
func Places(
	places []place,
	n int,
	signs []bool,
) {
	t := gpu.ThreadIdx.X
	k := t % n
	places[k].x = float64(t)
	places[k+1].at[2].column = int16(t)
	places[k+2].all.Z = float32(t)
	places[k+3].on = t > 7
	signs[2] = t > 8
}

type view struct{ a, b []place }

//gpu:kernel
func Views(v view, z []complex64) {
	v.b[3].id = uint8(gpu.ThreadIdx.X)
	z[2] = complex(1, float32(gpu.ThreadIdx.X))
}

// Large has more shared memory than a block may have statically.
//
//gpu:kernel
func Large(out []int32) {
	tile := gpu.Shared[[256]struct{ a, b [32]int32 }]()
	t := gpu.ThreadIdx.X
	tile[200].b[31-t%2] = int32(t)
	out[t] = tile[200].b[31]
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
		{"Generic_int32", []any{make([]int32, 64)}, []string{"s[3]  int32, bytes 12..15 of 32"}},
		{"Constants_float32", []any{make([]float32, 64), make([]uint32, 8)},
			[]string{"s[1].rows[7][4]  float32, bytes 1444..1447 of 2568", "count[3]  uint32, ", "value 42949672"}},
		{"Places", []any{make([]byte, 8*48), 1, make([]bool, 8)}, []string{"places[0].x  float64, bytes 8..15 of 384", "places[1].at[2].column  int16, ",
			"places[2].all.Z  float32, ", "places[3].on  bool, ", "signs[2]  bool, "}},
		{"Views", []any{make([]byte, 48), make([]byte, 8*48), make([]byte, 64)}, []string{"v_b[3].id  uint8, bytes 144..144 of 384", "z[2]  complex64, bytes "}},
		{"Large", []any{make([]int32, 64)}, []string{"tile[200].b[31]  int32, bytes 51452..51455 of 65536", ", tile[200].b[30] to tile[200].b[31]; every order"}},
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

// TestShapesOfOthers takes types beside declarations that do not fit: what they say is not shown.
func TestShapesOfOthers(t *testing.T) {
	t.Parallel()
	src := &compile.Source{Path: "example.com/shapes", Name: "shapes", Files: []compile.File{{Name: "shapes.go", Text: []byte(shapeSource)}}}
	text := compileSource(t, src).ptx
	const said = "// type [64][33]int32"
	if !strings.Contains(text, said) {
		t.Fatal("the PTX does not say the type of tile")
	}
	for _, other := range []string{"", "// type [64][32]int32", "// type [64][33]int64", "// type [64][33]", "// type int32", "// type [1000000][1000000][1000000][1000000]int32", "// type []{}"} {
		b := loadModule(t, "shapes", strings.ReplaceAll(text, said, other))
		r := b.check("Tile", x(1), x(64), Options{}, make([]int32, 64))
		verdict(t, r, report.Race)
		if want := "tile[627]  4-byte integer, bytes 2508..2511 of 8448"; !strings.Contains(r.String(), want) {
			t.Errorf("%q: it lacks %q\n%v", other, want, r)
		}
	}
}
