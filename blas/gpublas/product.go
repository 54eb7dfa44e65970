package gpublas

import (
	"errors"
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/epilogue"
	"github.com/gridstride/gridstride/internal/library/kernels/formats"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Product is Alpha*A*B, where A and B are transposed or not: one product, or a batch of them. The
// method [Product.To] writes it to a matrix, and [Product.TopKTo] chooses among its elements.
// [ProductOf] makes one. A literal must set Alpha and Count: a Count of 0 is an empty batch.
//
//	p := gpublas.ProductOf(gpublas.BF16, a, b)
//	p.TransB = gpublas.Trans
//	err = p.To(h, c) // C = A*B'
//
// Tensor cores add up several products of elements at once, and drop bits far below the largest one
// or the sum so far: 24 bits below on a GPU of 8.0, 25 on a GPU of 9.0. They add along k in steps
// of 32 bytes of A's rows. So the bits of a product by [BF16], [F16], [TF32] or [BF16x6] depend on
// the elements and the GPU's generation only, not on sizes, batches, transposes, or the matrices'
// addresses. The simulator has the bits of 8.0 for the target sm_80, and of 9.0 for sm_90 and
// newer. The bits by [Int8] are the same everywhere, and the bits by [FP32] and [FP64] are Gemm's.
//
// A method copies a matrix into the form that tensor cores need in two cases: if its rows do not
// begin at multiples of 16 bytes, or if its elements are not of 16 bits and not adjacent along k.
// A's elements are adjacent along k, and so are a transposed B's. [BF16x6] always copies. [TF32]
// copies too, unless C has at least 1024 rows and columns and the GPU is one of 9.0, which takes a
// [TF32] B directly, transposed or not. The method allocates the memory for the copy: 4 bytes an
// element for [TF32], 6 for [BF16x6], and the matrix's own size otherwise. A GPU of 9.0 copies
// nothing if rows begin at multiples of 16 bytes and C has at most 512 rows and columns.
type Product[T Element, S Accumulator] struct {
	By             Compute[T, S]
	TransA, TransB Transpose
	Alpha          S
	A, B           Matrix[T]

	// Beta and Epilogue say what [Product.To] makes of the product.
	Beta     S
	Epilogue Epilogue

	// Count is the number of products of a batch. The matrices of product i begin i*StrideA,
	// i*StrideB and i*StrideC elements after A, B and C. A StrideA or StrideB of 0 uses the same
	// matrix for all. No matrix of C is between matrices of A or of B.
	Count                     int
	StrideA, StrideB, StrideC int

	triangle level3.Triangle // the part of C, for Syrk
}

// ProductOf is the product A*B by by.
func ProductOf[T Element, S Accumulator](by Compute[T, S], a, b Matrix[T]) Product[T, S] {
	return Product[T, S]{By: by, Alpha: 1, A: a, B: b, Count: 1}
}

// To queues C = f(Alpha*A*B + Beta*C + bias), with the bias and the activation f of the Epilogue.
// With a Beta of 0, C is not read. With an Alpha of 0, A and B are not. c does not overlap with A,
// B and the bias.
//
// The bits are the same as in two steps, the product and then the epilogue. Products by [BF16] and
// [F16] of 1024 rows and columns and more apply it in the kernel that multiplies, on a GPU of 9.0.
// Other products run a second kernel.
//
// Errors: the errors of [gridstride.Make] for copies, Gemm's errors, ErrShape for a bias whose
// length is not the number of C's columns and for an epilogue of a batch, and ErrCompute for a
// Compute that is none of the constants, for an unknown activation, and for an epilogue of a C
// that is not of float32.
func (p Product[T, S]) To(h *Handle, c Matrix[S]) error {
	const name = "Product.To"
	by, err := p.By.engine(h, h.core.Call(name))
	if err != nil {
		return err
	}
	return p.queue(h, name, by, c, func(s *gridstride.Stream, w onepass.Work, x level3.Product[T, S], e epilogue.Buffers) error {
		single := any(x).(level3.Product[T, float32]) // as Epilogue.check saw
		return formats.LaunchEnd(formatsOf(h), any(by).(level3.Engine[T, float32]), s, w, single, e)
	})
}

// queue checks a product with its C and queues it by an engine, or by end if it has an Epilogue. If
// there is nothing to do, it queues nothing. If nothing is added to C, the engine gets the product
// without A and B.
func (p *Product[T, S]) queue(h *Handle, name string, by level3.Engine[T, S], c Matrix[S],
	end func(s *gridstride.Stream, w onepass.Work, x level3.Product[T, S], e epilogue.Buffers) error,
) error {
	call := h.core.Call(name)
	x, err := p.of(call, c)
	if err != nil {
		return err
	}
	buffers, ended, err := p.Epilogue.check(call, x.Count, c)
	if err != nil {
		return err
	}
	empty := x.Alpha == 0 || x.A.Rows == 0 || x.A.Cols == 0
	return h.core.Queue(name, func(s *gridstride.Stream, w onepass.Work) error {
		switch {
		case x.Count == 0 || x.C.Rows == 0 || x.C.Cols == 0 || empty && x.Beta == 1 && !ended:
			return nil
		case empty:
			x.Alpha, x.A, x.B, x.StrideA, x.StrideB = 0, operand.Matrix[T]{}, operand.Matrix[T]{}, 0, 0
		}
		if !ended {
			return by.Launch(s, w, x)
		}
		return end(s, w, x, buffers)
	})
}

// of is a product with its C as the kernels' packages know it, or what is wrong.
func (p *Product[T, S]) of(call string, c Matrix[S]) (x level3.Product[T, S], err error) {
	if p.Count < 0 || p.StrideA < 0 || p.StrideB < 0 || p.StrideC < 0 {
		return x, operand.Errorf(ErrShape, "%s: %d products with strides %d, %d and %d; want none below 0", call, p.Count, p.StrideA, p.StrideB, p.StrideC)
	}
	m, k := p.A.shape(p.TransA)
	if k2, n := p.B.shape(p.TransB); k != k2 || c.Rows != m || c.Cols != n {
		return x, operand.Errorf(ErrShape, "%s: c is %d x %d for a product of %d x %d and %d x %d", call, c.Rows, c.Cols, m, k, k2, n)
	}
	err = errors.Join(checkMatrix(call, "a", p.A, p.StrideA, p.Count), checkMatrix(call, "c", c, p.StrideC, p.Count))
	isA := p.triangle != level3.Whole // B is A, in Syrk
	if !isA {
		err = errors.Join(err, checkMatrix(call, "b", p.B, p.StrideB, p.Count))
	}
	if err != nil {
		return x, err
	}
	if size := (c.Rows-1)*c.Stride + c.Cols; p.Count > 1 && c.Rows*c.Cols > 0 && p.StrideC < size {
		return x, operand.Errorf(ErrOverlap, "%s: the stride of c is %d; want %d at least, as c has elements", call, p.StrideC, size)
	}
	x = level3.Product[T, S]{
		TransA: bool(p.TransA), TransB: bool(p.TransB), Alpha: p.Alpha, Beta: p.Beta,
		A: p.A.operand(), B: p.B.operand(), C: c.operand(),
		Count: p.Count, StrideA: p.StrideA, StrideB: p.StrideB, StrideC: p.StrideC, Triangle: p.triangle,
	}
	err = checkApart(call, "a", x, x.A, x.StrideA)
	if !isA {
		err = errors.Join(err, checkApart(call, "b", x, x.B, x.StrideB))
	}
	return x, err
}

// engine computes products by a Compute.
func (by Compute[T, S]) engine(h *Handle, call string) (level3.Engine[T, S], error) {
	plans := formatsOf(h)
	engines := [...]any{FP32: multiplier[float32]{h}, FP64: multiplier[float64]{h}, BF16: plans.BF16, F16: plans.F16,
		TF32: plans.TF32, BF16x6: plans.BF16x6, Int8: plans.Int8}
	if int(by) < len(engines) {
		if engine, ok := engines[by].(level3.Engine[T, S]); ok {
			return engine, nil
		}
	}
	return nil, fmt.Errorf("%s: %w: there is no Compute %d from %T to %T", call, ErrCompute, by, *new(T), *new(S))
}
