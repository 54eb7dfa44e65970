package level3

import (
	"math"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/library/kernels/kerneltest"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// problem is a batch of two products, and what C then is: the products of an element are added in
// their order.
type problem[T operand.Float] struct {
	Product[T, T]
	want []T
}

// newProblem makes C m by n and k terms of each element. C has a row of guards after each product,
// and pad guards after each row. The products of an element are added in parts of kPart.
func newProblem[T operand.Float](t *testing.T, dev *gridstride.Device, element func(i int) T, m, n, k, kPart, trans, pad int,
	triangle Triangle,
) *problem[T] {
	t.Helper()
	const count = 2
	p := &problem[T]{}
	p.TransA, p.TransB, p.Alpha, p.Beta, p.Count, p.Triangle = trans&1 != 0, trans&2 != 0, 2, T(trans%2), count, triangle
	matrix := func(rows, cols, stride, salt int) ([]T, operand.Matrix[T], int) {
		host := make([]T, count*(rows+1)*stride)
		for i := range host {
			host[i] = element(i + salt)
		}
		b, err := gridstride.CopyOf(dev, host)
		kerneltest.Must(t, err)
		return host, operand.Matrix[T]{Data: b, Rows: rows, Cols: cols, Stride: stride}, (rows + 1) * stride
	}
	rowsA, colsA, rowsB, colsB := m, k, k, n
	if p.TransA {
		rowsA, colsA = k, m
	}
	if p.TransB {
		rowsB, colsB = n, k
	}
	var a, b []T
	a, p.A, p.StrideA = matrix(rowsA, colsA, (colsA+3)/4*4, 1)
	b, p.B, p.StrideB = matrix(rowsB, colsB, (colsB+3)/4*4+4, 2)
	p.want, p.C, p.StrideC = matrix(m, n, n+pad, 3)
	for z := range count {
		for i := range m {
			for j := range n {
				if triangle == Upper && j < i || triangle == Lower && j > i {
					continue
				}
				var sum, part T
				for l := range k {
					atA, atB := i*p.A.Stride+l, l*p.B.Stride+j
					if p.TransA {
						atA = l*p.A.Stride + i
					}
					if p.TransB {
						atB = j*p.B.Stride + l
					}
					part = T(math.FMA(float64(a[z*p.StrideA+atA]), float64(b[z*p.StrideB+atB]), float64(part)))
					if (l+1)%kPart == 0 || l == k-1 {
						sum, part = sum+part, 0
					}
				}
				c := &p.want[z*p.StrideC+i*p.C.Stride+j]
				*c = p.Alpha*sum + p.Beta**c
			}
		}
	}
	t.Cleanup(func() {
		kerneltest.Must(t, p.A.Data.Free())
		kerneltest.Must(t, p.B.Data.Free())
		kerneltest.Must(t, p.C.Data.Free())
	})
	return p
}

// run computes the products by a method and reports the first element that is wrong.
func (p *problem[T]) run(t *testing.T, plan *Plan[T], w onepass.Work, s *gridstride.Stream, m method) {
	t.Helper()
	plan.choose = func(*Product[T, T]) method { return m }
	kerneltest.Must(t, plan.Launch(s, w, p.Product))
	got, err := p.C.Data.Read(t.Context(), s, nil)
	kerneltest.Must(t, err)
	for i, x := range got {
		if x != p.want[i] {
			t.Fatalf("kernel %d, %d parts, %d x %d x %d, %v, %v, triangle %d: element %d of C is %v, want %v",
				m.kernel, m.parts, p.C.Rows, p.C.Cols, p.K(), p.TransA, p.TransB, p.Triangle, i, x, p.want[i])
		}
	}
}

// TestKernels runs each kernel on matrices that no tile divides: all transposes, rows of C that
// begin at multiples of 16 bytes and not, triangles, a k shorter than a stage and one that is cut
// into parts.
func TestKernels(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	s := dev.Stream()
	plan, err := NewPlan[float32](dev)
	kerneltest.Must(t, err)
	w, err := onepass.NewWork(dev)
	kerneltest.Must(t, err)
	defer func() { kerneltest.Must(t, w.Free()) }()
	for _, c := range append(costs, cost{kernel: anyKernel, tiling: anyTile()}) {
		for trans := range 4 {
			sizes, pad, triangle := [][3]int{{4, 8, 4}, {36, 68, 44}, {132, 4, 8}, {68, 132, 36}}[trans], trans%2*4, Whole
			if trans == 3 {
				pad = 1
			}
			if c.kernel == anyKernel {
				sizes[0], sizes[1], sizes[2] = sizes[0]+1, sizes[1]-1, sizes[2]-3
			}
			m := method{c.kernel, c.tiling.Size, 1, sizes[2]}
			newProblem(t, dev, kerneltest.Integer, sizes[0], sizes[1], sizes[2], sizes[2], trans, pad, triangle).run(t, plan, w, s, m)
			if trans > 0 && trans < 3 {
				p := newProblem(t, dev, kerneltest.Integer, 68, 68, 12, 12, trans, 0, Triangle(trans))
				p.run(t, plan, w, s, method{c.kernel, c.tiling.Size, 1, 12})
			}
			if c.kernel == smallKernel {
				m.parts, m.kPart = (sizes[2]-1)/32+1, 32
				newProblem(t, dev, kerneltest.Integer, sizes[0], sizes[1], sizes[2], 32, trans, pad, triangle).run(t, plan, w, s, m)
			}
		}
	}
}

// TestFloat64 runs the kernels for float64, on tensor cores and not, on matrices that no tile
// divides: all have the same bits. The checks see each kernel with several stages.
func TestFloat64(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"sm_70", "sm_90"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			checked, other := gputest.Device(t, gridstride.SimTarget(target)), kerneltest.Unchecked(t, target)
			testFloat64(t, checked, []int{3}, nil)
			testFloat64(t, other, []int{0, 1, 2}, []int{1, 2})
		})
	}
}

// testFloat64 runs the kernels with these transposes on whole matrices, and on triangles, whose k
// goes into parts.
func testFloat64(t *testing.T, dev *gridstride.Device, whole, triangles []int) {
	s := dev.Stream()
	plan, err := NewPlan[float64](dev)
	kerneltest.Must(t, err)
	w, err := onepass.NewWork(dev)
	kerneltest.Must(t, err)
	defer func() { kerneltest.Must(t, w.Free()) }()
	run := func(m method, size [3]int, kPart, trans, pad int, triangle Triangle) {
		m.parts, m.kPart = (size[2]-1)/kPart+1, kPart
		newProblem(t, dev, kerneltest.Fraction, size[0], size[1], size[2], kPart, trans, pad, triangle).run(t, plan, w, s, m)
	}
	for _, m := range methods64(plan) {
		sizes, pad, triangle := [4][3]int{{2, 2, 2}, {34, 130, 10}, {130, 62, 16}, {66, 66, 70}}, 2, [3]int{134, 134, 6}
		if m.kernel == anyKernel {
			sizes, pad, triangle = [4][3]int{{1, 1, 1}, {33, 131, 9}, {130, 63, 16}, {67, 65, 71}}, 1, [3]int{133, 133, 5}
		}
		for _, trans := range whole {
			run(m, sizes[trans], sizes[trans][2], trans, pad*trans, Whole)
		}
		for _, trans := range triangles {
			run(m, triangle, triangle[2], trans, 0, Triangle(trans))
		}
		if m.kernel == anyKernel || m.kernel == smallKernel {
			run(m, [3]int{10, 34, 32*(partsAtOnce+2) + triangle[2]}, 32, len(triangles), pad, Triangle(len(triangles)))
		}
	}
}

// TestNegativeZero has products too small for a float64, so that each sum is -0: the zeros after
// the last k, which fill a stage, do not change it.
func TestNegativeZero(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"sm_70", "sm_90"} {
		dev := kerneltest.Unchecked(t, target)
		plan, err := NewPlan[float64](dev)
		kerneltest.Must(t, err)
		for _, m := range methods64(plan) {
			p := newProblem(t, dev, func(int) float64 { return math.SmallestNonzeroFloat64 }, 2, 2, 8, 8, 0, 0, Whole)
			m.kPart = 8
			kerneltest.Must(t, p.A.Data.Fill(dev.Stream(), -math.SmallestNonzeroFloat64))
			plan.choose = func(*Product[float64, float64]) method { return m }
			kerneltest.Must(t, plan.Launch(dev.Stream(), onepass.Work{}, p.Product))
			got, err := p.C.Data.Read(t.Context(), dev.Stream(), nil)
			kerneltest.Must(t, err)
			for i, x := range got[:4] {
				if x != 0 || !math.Signbit(x) {
					t.Errorf("%s, kernel %d: element %d of C is %v, want -0", target, m.kernel, i, x)
				}
			}
		}
	}
}

// methods64 are the ways in which a plan for float64 computes: on tensor cores if it has
// them.
func methods64(plan *Plan[float64]) []method {
	if plan.choose(&Product[float64, float64]{}).Size == tile64().Size {
		return []method{{anyKernel, tile64().Size, 1, 0}}
	}
	return []method{{largeKernel, largeTensor().Size, 1, 0}, {smallKernel, smallTensor().Size, 1, 0},
		{slimKernel, slimTensor().Size, 1, 0}, {tinyKernel, tinyTensor().Size, 1, 0}, {anyKernel, smallTensor().Size, 1, 0}}
}

// TestChoice: large products take large tiles, smaller ones smaller tiles, and a long k with few
// elements of C is cut into parts, none empty.
func TestChoice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		m, n, k, count int
		want           kernel
	}{
		{4, 4, 4, 1, tinyKernel}, {256, 256, 256, 1, tinyKernel}, {512, 512, 512, 1, smallKernel}, {1024, 1024, 1024, 1, halfKernel},
		{64, 64, 64, 1000, mediumKernel}, {256, 256, 256, 100, largeKernel}, {4096, 4096, 4096, 1, largeKernel}, {8192, 8192, 8192, 1, largeKernel},
		{128, 128, 65536, 1, smallKernel}, {math.MaxInt32, 4, 4, 1, tinyKernel},
	} {
		p := &Product[float32, float32]{Count: c.count, A: operand.Matrix[float32]{Rows: c.m, Cols: c.k, Stride: c.k},
			B: operand.Matrix[float32]{Rows: c.k, Cols: c.n, Stride: c.n}, C: operand.Matrix[float32]{Rows: c.m, Cols: c.n, Stride: c.n}}
		m := choose32(p)
		if m.kernel != c.want && c.m != math.MaxInt32 {
			t.Errorf("%d x %d x %d, %d times, is computed by kernel %d, want %d", c.m, c.n, c.k, c.count, m.kernel, c.want)
		}
		if m.parts*m.kPart < c.k || (m.parts-1)*m.kPart >= c.k {
			t.Errorf("%d x %d x %d goes into %d parts of %d", c.m, c.n, c.k, m.parts, m.kPart)
		}
		if bytes := 4 * m.parts * m.Rows * m.Cols * m.Tiles(c.m, c.n) * c.count; m.parts > 1 && bytes > onepass.PartialBytes {
			t.Errorf("%d x %d x %d takes %d bytes for parts", c.m, c.n, c.k, bytes)
		}
	}
	p := &Product[float32, float32]{Count: 1, A: operand.Matrix[float32]{Rows: 128, Cols: 65536, Stride: 65536},
		B: operand.Matrix[float32]{Rows: 65536, Cols: 128, Stride: 128}, C: operand.Matrix[float32]{Rows: 128, Cols: 128, Stride: 128}}
	if m := choose32(p); m.parts < 8 {
		t.Errorf("a k of 65536 goes into %d parts", m.parts)
	}
}

// TestChoice64: the tiles of float64 are those that all multiprocessors have about as many of.
func TestChoice64(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, k, count int
		want        kernel
	}{
		{2, 2, 1, tinyKernel}, {256, 256, 1, tinyKernel}, {384, 384, 1, slimKernel}, {512, 512, 1, slimKernel}, {640, 640, 1, smallKernel},
		{768, 768, 1, slimKernel}, {1024, 1024, 1, smallKernel}, {2048, 2048, 1, largeKernel}, {8192, 8192, 1, largeKernel},
		{8192, 16, 1, smallKernel}, {64, 64, 1000, smallKernel}, {256, 256, 100, smallKernel},
	} {
		a, b := operand.Matrix[float64]{Rows: c.n, Cols: c.k, Stride: c.k}, operand.Matrix[float64]{Rows: c.k, Cols: c.n, Stride: c.n}
		x := operand.Matrix[float64]{Rows: c.n, Cols: c.n, Stride: c.n}
		if m := chooseTensor64(&Product[float64, float64]{Count: c.count, A: a, B: b, C: x}); m.kernel != c.want || m.parts != 1 {
			t.Errorf("%d x %d x %d, %d times, is computed by kernel %d in %d parts, want %d", c.n, c.n, c.k, c.count, m.kernel, m.parts, c.want)
		}
	}
}

// TestParts64: a long k with few elements of C goes into parts that have all of it, and no other k
// does.
func TestParts64(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ m, n, k, count, least, most int }{
		{128, 128, 65536, 1, 16, 64}, {1, 1, 1 << 20, 1, 64, 132}, {256, 256, 8192, 1, 4, 16}, {64, 64, 4096, 100, 1, 1},
		{128, 128, 128, 1, 1, 1}, {512, 512, 512, 1, 1, 1}, {1024, 1024, 1024, 1, 1, 1}, {8192, 8192, 8192, 1, 1, 1}, {5, 7, 0, 1, 1, 1},
	} {
		parts, kPart := parts64(c.m, c.n, c.k, c.count)
		if parts < c.least || parts > c.most {
			t.Errorf("%d x %d x %d, %d times, goes into %d parts, want %d to %d", c.m, c.n, c.k, c.count, parts, c.least, c.most)
		}
		if parts > 1 && (parts*kPart < c.k || (parts-1)*kPart >= c.k || kPart%stage64 != 0) {
			t.Errorf("%d x %d x %d goes into %d parts of %d", c.m, c.n, c.k, parts, kPart)
		}
		if parts > 1 && 8*parts*c.m*c.n*c.count > onepass.PartialBytes {
			t.Errorf("%d x %d x %d takes %d bytes for parts", c.m, c.n, c.k, 8*parts*c.m*c.n*c.count)
		}
	}
}
