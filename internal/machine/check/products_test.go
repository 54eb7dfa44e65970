package check

import (
	"testing"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// TestProducts checks products of matrices by tensor cores: by warps that lack lanes, and of tiles
// that are written in part.
func TestProducts(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "products")
	doubles := func() []any { return []any{make([]float64, 32), make([]float64, 32), make([]float64, 64)} }
	singles := func() []any { return []any{make([]float32, 64), make([]float32, 32), make([]float32, 128)} }
	halves := func() []any { return []any{make([]uint16, 256), make([]uint16, 128), make([]uint16, 128)} }
	bytes := func() []any { return []any{make([]uint8, 512), make([]uint8, 256), make([]float32, 128)} }
	for _, c := range []struct {
		kernel  string
		threads int
		args    []any
		want    report.Kind
	}{
		{"Returned", 32, append(doubles(), 32), silent},
		{"Returned", 32, append(doubles(), 31), warp},
		{"Returned", 31, append(doubles(), 32), warp},
		{"Branch", 32, append(doubles(), 32), silent},
		{"Branch", 32, append(doubles(), 16), warp},
		{"Hole", 32, append(singles(), 16, 16), silent},
		{"Hole", 32, append(singles(), 9, 9), silent},
		{"Hole", 32, append(singles(), 9, 10), uninit},
		{"Hole", 32, append(singles(), 3, 3), silent},
		{"Hole", 32, append(singles(), 3, 4), uninit},
		{"HoleInB", 32, append(halves(), 8, 8), silent},
		{"HoleInB", 32, append(halves(), 5, 5), silent},
		{"HoleInB", 32, append(halves(), 5, 6), uninit},
		{"HoleInB", 32, append(halves(), 4, 5), uninit},
		{"HoleOfBytes", 32, append(bytes(), 11, 11), silent},
		{"HoleOfBytes", 32, append(bytes(), 11, 12), uninit},
		{"HoleOfBytes", 31, append(bytes(), 16, 16), warp},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			b.tb = t
			run := func(b *bench) result { return b.check(c.kernel, x(1), x(c.threads), Options{}, c.args...) }
			r := run(b)
			advise(t, b, r, run)
			verdict(t, r, c.want)
		})
	}
}
