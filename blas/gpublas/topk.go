package gpublas

import (
	"errors"
	"fmt"
	"math"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/formats"
	"github.com/gridstride/gridstride/internal/library/kernels/handle"
	"github.com/gridstride/gridstride/internal/library/kernels/largest"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// MaxK is the largest k of [Product.TopKTo].
const MaxK = largest.MaxK

// TopKTo queues the choice of the k largest elements of each row of Alpha*A*B, the largest first,
// and of equal elements the one with the lower column. It writes the elements of row i to
// values[i*k] up to values[i*k+k-1], and their columns to the same places of columns. It never
// chooses NaN. If a row has fewer elements, the rest are 0 with column -1. With a k of 1 it gives
// the maximum of each row. k is 1 to MaxK.
//
// A*B is never in memory as a whole: the method allocates memory for a strip of columns, of 64 MiB
// or 256 columns. Maxima of products by [BF16] and [F16] of 1024 rows and columns and more, with an
// Alpha of 1, need no strip on a GPU of 9.0: the kernel that multiplies finds the largest of each
// 256 columns, and stores 8 bytes for it.
//
// Package gpusimilar searches for the rows of a matrix that are most like others in less time, in
// an arithmetic that is the same on every device.
//
// Errors: the errors of [Product.To], ErrRange for another k, ErrShape for a batch, for more than
// 2^31-1 columns, and for a product with a Beta or an Epilogue, ErrCompute for elements that are not
// of float32, and ErrShort for a result without room for k elements a row.
func (p Product[T, S]) TopKTo(h *Handle, k int, values gridstride.Buffer[S], columns gridstride.Buffer[int32]) error {
	const name = "Product.TopKTo"
	call := h.core.Call(name)
	by, err := p.By.engine(h, call)
	if err != nil {
		return err
	}
	single, ok := any(by).(level3.Engine[T, float32])
	if !ok {
		return fmt.Errorf("%s: %w: the elements are of %T; want float32", call, ErrCompute, *new(S))
	}
	x, err := p.topK(call, k, values, columns)
	if err != nil || x.C.Rows == 0 {
		return err
	}
	chosen := largest.ChosenBuffers{Values: any(values).(gridstride.Buffer[float32]), Columns: columns, K: k}
	return h.core.Queue(name, func(s *gridstride.Stream, w onepass.Work) error {
		return launchTopK(h, single, s, w, any(x).(level3.Product[T, float32]), chosen)
	})
}

// topK is the product without elements of C, or what is wrong.
func (p *Product[T, S]) topK(call string, k int, values gridstride.Buffer[S], columns gridstride.Buffer[int32]) (x level3.Product[T, S], err error) {
	rows, inner := p.A.shape(p.TransA)
	inner2, cols := p.B.shape(p.TransB)
	a, b := p.A.operand(), p.B.operand()
	if err := errors.Join(a.Check(call, "a"), b.Check(call, "b")); err != nil {
		return x, err
	}
	switch {
	case inner != inner2:
		return x, operand.Errorf(ErrShape, "%s: a product of %d x %d and %d x %d", call, rows, inner, inner2, cols)
	case cols > math.MaxInt32:
		return x, operand.Errorf(ErrShape, "%s: the product has %d columns; want %d at most", call, cols, math.MaxInt32)
	case p.Count != 1:
		return x, operand.Errorf(ErrShape, "%s: Count is %d; want 1", call, p.Count)
	case p.Beta != 0 || p.Epilogue != (Epilogue{}):
		return x, operand.Errorf(ErrShape, "%s: the product has a Beta or an Epilogue; want neither, as there is no c", call)
	case k < 1 || k > MaxK:
		return x, operand.Errorf(gridstride.ErrRange, "%s: k is %d; want 1 to %d", call, k, MaxK)
	}
	if err := errors.Join(operand.CheckRoom(call, values, rows, k), operand.CheckRoom(call, columns, rows, k)); err != nil {
		return x, err
	}
	for _, m := range []operand.Matrix[T]{a, b} {
		if operand.OverlapBytes(values, m.Span()) || operand.OverlapBytes(columns, m.Span()) {
			return x, operand.Errorf(ErrOverlap, "%s: the result overlaps with a factor", call)
		}
	}
	return level3.Product[T, S]{TransA: bool(p.TransA), TransB: bool(p.TransB), Alpha: p.Alpha, A: a, B: b, Count: 1,
		C: operand.Matrix[S]{Rows: rows, Cols: cols}}, nil
}

// launchTopK queues the choice of elements of the product p: in the kernel that multiplies, or strip
// by strip.
func launchTopK[T Element](h *Handle, by level3.Engine[T, float32], s *gridstride.Stream, w onepass.Work, p level3.Product[T, float32],
	chosen largest.ChosenBuffers,
) error {
	if n := p.C.Rows * chosen.K; p.C.Cols == 0 {
		return errors.Join(chosen.Values.Slice(0, n).Zero(s), chosen.Columns.Slice(0, n).Fill(s, -1))
	}
	pick, err := handle.PlanOf(h.core, largest.NewPlan)
	if err != nil {
		return err
	}
	if plan, ok := by.(*formats.Plan[T, float32]); ok && chosen.K == 1 && p.Alpha == 1 && plan.HasRowMax(p) {
		return rowMax(plan, pick, s, w, p, chosen)
	}
	wide := min(p.C.Cols, max(leastStrip, h.strip/p.C.Rows/leastStrip*leastStrip))
	return strips(by, pick, s, w, p, wide, chosen)
}

// rowMax queues the choice of the maxima in the kernel that multiplies, and among what that leaves.
func rowMax[T Element](plan *formats.Plan[T, float32], pick *largest.Plan, s *gridstride.Stream, w onepass.Work, p level3.Product[T, float32],
	chosen largest.ChosenBuffers,
) (err error) {
	n := (p.C.Cols + formats.MaxCols - 1) / formats.MaxCols
	p.C.Stride = n
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

// strips queues the product of A and each strip of wide columns of B in turn, each followed by the
// choice among its elements.
func strips[T Element](by level3.Engine[T, float32], pick *largest.Plan, s *gridstride.Stream, w onepass.Work, p level3.Product[T, float32],
	wide int, chosen largest.ChosenBuffers,
) (err error) {
	strip, err := gridstride.Make[float32](s.Device(), p.C.Rows*wide)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, strip.Free()) }()
	for first := 0; first < p.C.Cols; first += wide {
		n := min(wide, p.C.Cols-first)
		part := p
		part.C = operand.Matrix[float32]{Data: strip, Rows: p.C.Rows, Cols: n, Stride: wide}
		if p.TransB {
			part.B = Matrix[T](p.B).Slice(first, first+n, 0, p.B.Cols).operand()
		} else {
			part.B = Matrix[T](p.B).Slice(0, p.B.Rows, first, first+n).operand()
		}
		if p.Alpha == 0 || p.A.Rows == 0 || p.A.Cols == 0 {
			part.Alpha, part.A, part.B = 0, operand.Matrix[T]{}, operand.Matrix[T]{}
		}
		if err := by.Launch(s, w, part); err != nil {
			return err
		}
		if err := pick.Launch(s, p.C.Rows, largest.StripBuffers{Values: strip, Cols: n, Stride: wide, First: first}, chosen, first == 0); err != nil {
			return err
		}
	}
	return nil
}
