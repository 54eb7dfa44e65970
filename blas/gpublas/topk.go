package gpublas

import (
	"errors"
	"math"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/formats"
	"github.com/gridstride/gridstride/internal/library/kernels/largest"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// MaxTopK is the largest number of elements that [GemmTopK] chooses of a row.
const MaxTopK = largest.MaxK

// GemmTopK chooses the k largest elements of each row of A*B, the largest first, and of equal
// elements the one with the lower column. It writes the elements of row i to values[i*k] up to
// values[i*k+k-1], and their columns to the same places of columns. It never chooses NaN. If a row
// has fewer elements, the rest are 0 with column -1. With a k of 1 it gives the maximum of each
// row. k is 1 to MaxTopK.
//
// The elements are [GemmEx]'s, whose documentation says what their bits depend on. A*B is never in
// memory as a whole: the call allocates memory for a strip of columns, of 64 MiB or 256 columns.
// Maxima of products of [BF16] and [F16] of 1024 rows and columns and more need no strip on a GPU
// of 9.0: the kernel that multiplies finds the largest of each 256 columns, and stores 8 bytes for
// it.
//
// Package gpusimilar searches for the rows of a matrix that are most like others in less time, in
// an arithmetic that is the same on every device.
//
// Errors: GemmEx's errors, ErrRange for another k, ErrShape for more than 2^31-1 columns, and
// ErrShort for a result without room for k elements a row.
func GemmTopK[F Float, T Element](h *Handle[F], by Compute[T, float32], transA, transB Transpose, a, b Matrix[T], k int,
	values gridstride.Buffer[float32], columns gridstride.Buffer[int32],
) error {
	const method = "GemmTopK"
	x := topK[F, T]{h: h, by: by, transA: transA, transB: transB, a: a, b: b}
	if err := x.check(h.core.Call(method), k, values, columns); err != nil || x.rows == 0 {
		return err
	}
	return h.core.Queue(method, func(s *gridstride.Stream, w onepass.Work) error {
		chosen := largest.ChosenBuffers{Values: values, Columns: columns, K: k}
		if x.cols == 0 {
			return errors.Join(values.Slice(0, x.rows*k).Zero(s), columns.Slice(0, x.rows*k).Fill(s, -1))
		}
		pick, err := h.pick()
		if err != nil {
			return err
		}
		if k == 1 {
			switch p := any(x.whole()).(type) {
			case level3.Product[gpu.BFloat16, float32]:
				if h.mixed.BF16.HasRowMax(p) {
					return rowMax(h.mixed.BF16, pick, s, w, p, chosen)
				}
			case level3.Product[gpu.Float16, float32]:
				if h.mixed.F16.HasRowMax(p) {
					return rowMax(h.mixed.F16, pick, s, w, p, chosen)
				}
			}
		}
		return x.strips(pick, s, w, chosen)
	})
}

// topK is a product whose largest elements are chosen, with its sizes.
type topK[F Float, T Element] struct {
	h              *Handle[F]
	by             Compute[T, float32]
	transA, transB Transpose
	a, b           Matrix[T]
	rows, cols     int
}

// check finds the sizes, or what is wrong.
func (x *topK[F, T]) check(call string, k int, values gridstride.Buffer[float32], columns gridstride.Buffer[int32]) error {
	if err := x.by.check(call); err != nil {
		return err
	}
	var inner, inner2 int
	x.rows, inner = x.a.shape(x.transA)
	inner2, x.cols = x.b.shape(x.transB)
	a, b := x.a.operand(), x.b.operand()
	if err := errors.Join(a.Check(call, "a"), b.Check(call, "b")); err != nil {
		return err
	}
	switch {
	case inner != inner2:
		return operand.Errorf(ErrShape, "%s: a product of %d x %d and %d x %d", call, x.rows, inner, inner2, x.cols)
	case x.cols > math.MaxInt32:
		return operand.Errorf(ErrShape, "%s: the product has %d columns: there are %d at most", call, x.cols, math.MaxInt32)
	case k < 1 || k > MaxTopK:
		return operand.Errorf(gridstride.ErrRange, "%s: %d elements of a row: there are 1 to %d", call, k, MaxTopK)
	}
	if err := errors.Join(operand.CheckRoom(call, values, x.rows, k), operand.CheckRoom(call, columns, x.rows, k)); err != nil {
		return err
	}
	for _, m := range []operand.Matrix[T]{a, b} {
		if operand.OverlapBytes(values, m.Span()) || operand.OverlapBytes(columns, m.Span()) {
			return operand.Errorf(ErrOverlap, "%s: the result overlaps with a factor", call)
		}
	}
	return nil
}

// whole is the product without elements of C.
func (x *topK[F, T]) whole() level3.Product[T, float32] {
	stride := (x.cols + formats.MaxCols - 1) / formats.MaxCols
	return level3.Product[T, float32]{TransA: bool(x.transA), TransB: bool(x.transB), A: x.a.operand(), B: x.b.operand(), Count: 1,
		C: operand.Matrix[float32]{Rows: x.rows, Cols: x.cols, Stride: stride}}
}

// rowMax queues the choice of the maxima in the kernel that multiplies, and among what that leaves.
func rowMax[T Element](plan *formats.Plan[T, float32], pick *largest.Plan, s *gridstride.Stream, w onepass.Work, p level3.Product[T, float32],
	chosen largest.ChosenBuffers,
) (err error) {
	n := p.C.Stride
	values, err1 := gridstride.Make[float32](s.Device(), p.C.Rows*n)
	columns, err2 := gridstride.Make[int32](s.Device(), p.C.Rows*n)
	defer func() { err = errors.Join(err, values.Free(), columns.Free()) }()
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if err := formats.LaunchRowMax(plan, s, w, p, values, columns); err != nil {
		return err
	}
	return pick.Launch(s, p.C.Rows, largest.StripBuffers{Values: values, At: columns, Cols: n, Stride: n}, chosen, true)
}

// A strip has as many columns as a handle has room for elements, stripElements, but leastStrip at
// least.
const (
	stripElements = 1 << 24
	leastStrip    = 256
)

// strips queues the product of A and each strip of B's columns in turn, each followed by the choice
// among its elements.
func (x *topK[F, T]) strips(pick *largest.Plan, s *gridstride.Stream, w onepass.Work, chosen largest.ChosenBuffers) (err error) {
	wide := min(x.cols, max(leastStrip, x.h.strip/x.rows/leastStrip*leastStrip))
	strip, err := gridstride.Make[float32](s.Device(), x.rows*wide)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, strip.Free()) }()
	for first := 0; first < x.cols; first += wide {
		n := min(wide, x.cols-first)
		b := x.b
		if x.transB {
			b = b.Slice(first, first+n, 0, b.Cols)
		} else {
			b = b.Slice(0, b.Rows, first, first+n)
		}
		p := level3.Product[T, float32]{TransA: bool(x.transA), TransB: bool(x.transB), Alpha: 1, A: x.a.operand(), B: b.operand(), Count: 1,
			C: operand.Matrix[float32]{Data: strip, Rows: x.rows, Cols: n, Stride: wide}}
		if p.A.Rows == 0 || p.A.Cols == 0 {
			p.Alpha, p.A, p.B = 0, operand.Matrix[T]{}, operand.Matrix[T]{}
		}
		if err := launchEx(x.h.mixed, s, w, x.by, p); err != nil {
			return err
		}
		if err := pick.Launch(s, x.rows, largest.StripBuffers{Values: strip, Cols: n, Stride: wide, First: first}, chosen, first == 0); err != nil {
			return err
		}
	}
	return nil
}
