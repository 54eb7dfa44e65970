package onegroup_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/library/kernels/kerneltest"
	"github.com/gridstride/gridstride/internal/library/kernels/onegroup"
	"github.com/gridstride/gridstride/internal/library/kernels/onegroup/halves"
	"github.com/gridstride/gridstride/internal/library/kernels/onegroup/ints"
	"github.com/gridstride/gridstride/internal/library/kernels/onegroup/parts"
	"github.com/gridstride/gridstride/internal/library/kernels/onegroup/tf32"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// hostMatrix is a factor, or C, of a batch of matrices, whose lines are padded.
type hostMatrix[T any] struct {
	x          []T
	row, batch int
}

func newMatrix[T any](lines, length, pad, count int, element func(i int) T) hostMatrix[T] {
	m := hostMatrix[T]{row: length + pad}
	m.batch = lines * m.row
	m.x = make([]T, m.batch*count)
	for i := range m.x {
		m.x[i] = element(i)
	}
	return m
}

// at is an element of a row of A, or a column of B, along k.
func (m *hostMatrix[T]) at(batch, row, k int, deep bool) T {
	if deep {
		return m.x[batch*m.batch+row*m.row+k]
	}
	return m.x[batch*m.batch+k*m.row+row]
}

// factor is a matrix on a device, of a plan's elements.
func factor[P, T any](t *testing.T, dev *gridstride.Device, m hostMatrix[T], deep bool) warpgroups.Factor[P] {
	t.Helper()
	b, err := gridstride.CopyOf(dev, m.x)
	kerneltest.Must(t, err)
	t.Cleanup(func() { kerneltest.Must(t, b.Free()) })
	data, err := gridstride.Cast[P](b)
	kerneltest.Must(t, err)
	return warpgroups.Factor[P]{Data: data, Row: m.row, Batch: m.batch, Deep: deep}
}

// format is a plan with numbers that it multiplies and adds up exactly.
type format[T, P, S, V any] struct {
	plan    *onegroup.Plan[P, S, V]
	element func(i int) T
	value   func(x T) S
	unit    int // of elements, 16 bytes
}

// solve compares products by a kernel with the host's: C, and the memory between its rows.
func (f *format[T, P, S, V]) solve(t *testing.T, dev *gridstride.Device, kernel int, s warpgroups.Shape, deepA, deepB bool, sum func(a, b []S) S,
	mix func(sum, old S) S, alpha, beta S,
) {
	t.Helper()
	side := func(rows int, deep bool) hostMatrix[T] {
		lines, length := s.K, rows
		if deep {
			lines, length = rows, s.K
		}
		return newMatrix(lines, length, (f.unit-length%f.unit)%f.unit, s.Count, f.element)
	}
	var zero S
	a, b, c := side(s.M, deepA), side(s.N, deepB), newMatrix(s.M, s.N, s.RowC-s.N, s.Count, func(int) S { return zero })
	s.BatchC = c.batch
	for i := range c.x {
		c.x[i] = f.value(f.element(i + 1))
	}
	out, err := gridstride.CopyOf(dev, c.x)
	kerneltest.Must(t, err)
	kerneltest.Must(t, f.plan.LaunchBy(kernel, dev.Stream(), factor[P](t, dev, a, deepA), factor[P](t, dev, b, deepB), out, s, alpha, beta))
	got, err := out.Read(t.Context(), dev.Stream(), nil)
	kerneltest.Must(t, errors.Join(err, out.Free()))
	x, y := make([]S, s.K), make([]S, s.K)
	for i := range s.Count * s.M * s.N {
		batch, row, col := i/(s.M*s.N), i/s.N%s.M, i%s.N
		for k := range s.K {
			x[k], y[k] = f.value(a.at(batch, row, k, deepA)), f.value(b.at(batch, col, k, deepB))
		}
		at := &c.x[batch*c.batch+row*c.row+col]
		*at = mix(sum(x, y), *at)
	}
	for i := range got {
		if any(got[i]) != any(c.x[i]) {
			t.Fatalf("kernel %d, %+v, %v, %v: element %d is %v, want %v", kernel, s, deepA, deepB, i, got[i], c.x[i])
		}
	}
}

// run has all kernels of a plan compute products whose K goes round the places, with all layouts.
// With the checks it runs one of each kernel, and the one that computes transposes with another K,
// except a wide one that takes them too long. Rows of C begin at pairs and not.
func run[T, P any, S int32 | float32, V any](t *testing.T, load func(dev *gridstride.Device) (*onegroup.Plan[P, S, V], error), deepest, deepestChecked int,
	element func(i int) T, value func(x T) S, unit int, unchecked bool,
) {
	for _, checked := range []bool{true, false} {
		t.Run(fmt.Sprintf("checked %v", checked), func(t *testing.T) {
			t.Parallel()
			dev := kerneltest.Unchecked(t, "sm_90a")
			if checked {
				dev = gputest.Device(t, gridstride.SimTarget("sm_90a"))
			}
			plan, err := load(dev)
			kerneltest.Must(t, err)
			f := format[T, P, S, V]{plan, element, value, unit}
			for kernel := range plan.Kernels {
				rows, cols, most, deep, turns, ok := plan.Tilings.Facts(kernel)
				for layout := range 4 {
					deepA, deepB := layout&1 == 0, layout&2 == 0
					if !ok || plan.Kernels[kernel][1-layout&1][1-layout>>1] == nil || checked && (layout != kernel%2 && deep < 2 && !(turns && layout == 2) || kernel == onegroup.Wide && unchecked) {
						continue
					}
					s := warpgroups.Shape{M: 9, N: 17, K: deepestChecked + unit + 1, Count: 1, RowC: 18 + layout%2}
					if most > 0 {
						s.K, s.Count = min(most, 40), 2
					}
					if !checked {
						s.M, s.N = rows+1, cols/2+3
						if s.K = min(s.K, 2*unit+1); (layout == 3 || turns) && most == 0 {
							s.K = deepest + unit + 1
						}
						s.RowC = s.N + 1 + layout%2
					}
					alpha, beta := S(2), S(layout%2)
					f.solve(t, dev, kernel, s, deepA, deepB, func(a, b []S) (sum S) {
						for i := range a {
							sum += a[i] * b[i]
						}
						return sum
					}, func(sum, old S) S { return alpha*sum + beta*old }, alpha, beta)
				}
			}
		})
	}
}

func same[T any](x T) T { return x }

func TestHalf(t *testing.T) {
	t.Parallel()
	run(t, halves.Load[gpu.BFloat16], 8*64, 8*64, func(i int) gpu.BFloat16 { return gpu.BFloat16Of(kerneltest.Integer(i)) }, gpu.BFloat16.Float32, 8, false)
}

func TestFloat16(t *testing.T) {
	t.Parallel()
	dev := kerneltest.Unchecked(t, "sm_90a")
	plan, err := halves.Load[gpu.Float16](dev)
	kerneltest.Must(t, err)
	f := format[gpu.Float16, gpu.Float16, float32, gpu.Float32x2]{plan, func(i int) gpu.Float16 { return gpu.Float16Of(kerneltest.Integer(i)) }, gpu.Float16.Float32, 8}
	f.solve(t, dev, onegroup.Narrow, warpgroups.Shape{M: 65, N: 33, K: 70, Count: 1, RowC: 33}, true, true, func(a, b []float32) (sum float32) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}, func(sum, _ float32) float32 { return sum }, 1, 0)
}

func TestTF32(t *testing.T) {
	t.Parallel()
	run(t, tf32.Load, 12*32, 12*32, kerneltest.Integer, same, 4, false)
}

func TestParts(t *testing.T) {
	t.Parallel()
	run(t, parts.Load, 12*32, 32, kerneltest.Integer, same, 4, true)
}

func TestInt8(t *testing.T) {
	t.Parallel()
	run(t, ints.Load, 8*128, 128, func(i int) int8 { return int8(i * i) }, func(x int8) int32 { return int32(x) }, 16, false)
}
