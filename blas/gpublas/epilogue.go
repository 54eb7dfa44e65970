package gpublas

import (
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/epilogue"
	"github.com/gridstride/gridstride/internal/library/kernels/formats"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// An Activation is a function of one number, of those that layers of neural networks end with.
type Activation int32

const (
	// NoActivation is the number itself.
	NoActivation = Activation(epilogue.None)
	// ReLU is the number, or 0 if it is negative.
	ReLU = Activation(epilogue.ReLU)
	// GELU is x/2*(1 + erf(x/sqrt(2))).
	GELU = Activation(epilogue.GELU)
	// GELUTanh is x/2*(1 + tanh(sqrt(2/pi)*(x + 0.044715*x*x*x))), which is close to GELU.
	GELUTanh = Activation(epilogue.GELUTanh)
)

// Of is the function's value on the host, with the bits that it has on a device: each operation is
// rounded, and the functions are package gpu's.
func (a Activation) Of(x float32) float32 { return epilogue.Activation(a).Of(x) }

// Epilogue is the operation on the elements of a product before they are stored in C, like
// cuBLASLt's cublasLtEpilogue_t. The zero Epilogue changes nothing.
type Epilogue struct {
	// Bias, if it has elements, is one for each column of C, which is added to the elements of it.
	Bias Vector[float32]
	// Activation is computed of the sum.
	Activation Activation
}

// GemmExEpilogue computes C = f(alpha*A*B + beta*C + bias) in one pass over C: [GemmEx], followed
// by the Epilogue. The bits are the same as in two steps. Products of [BF16] and [F16] of 1024 rows
// and columns and more apply it in the kernel that multiplies, on a GPU of 9.0. Other products run
// a second kernel.
//
// Errors: GemmEx's errors, ErrShape for a bias whose length is not the number of C's columns, and
// ErrCompute for an unknown activation.
func GemmExEpilogue[F Float, T Element](h *Handle[F], by Compute[T, float32], transA, transB Transpose, alpha float32, a, b Matrix[T],
	beta float32, c Matrix[float32], e Epilogue,
) error {
	const method = "GemmExEpilogue"
	call := h.core.Call(method)
	if err := by.check(call); err != nil {
		return err
	}
	p, err := product(call, transA, transB, alpha, a, 0, b, 0, beta, c, 0, 1)
	if err != nil {
		return err
	}
	end, err := e.check(call, p.C)
	if err != nil {
		return err
	}
	return queueProducts(h, method, p, true, func(s *gridstride.Stream, w onepass.Work, p level3.Product[T, float32]) error {
		return launchEnd(h.mixed, s, w, by, p, end)
	})
}

// check gives the epilogue as kernels take it, or an error if it does not fit C.
func (e *Epilogue) check(call string, c operand.Matrix[float32]) (end epilogue.Buffers, err error) {
	if e.Activation < NoActivation || e.Activation > GELUTanh {
		return end, fmt.Errorf("%s: %w: there is no Activation %d", call, ErrCompute, e.Activation)
	}
	end.Activation = epilogue.Activation(e.Activation)
	bias := operand.Vector[float32](e.Bias)
	if bias.N == 0 {
		return end, nil
	}
	if err := bias.Check(call, "the bias"); err != nil {
		return end, err
	}
	if bias.N != c.Cols {
		return end, operand.Errorf(ErrShape, "%s: the bias has %d elements and c has %d columns", call, bias.N, c.Cols)
	}
	end.Bias, end.First, end.Inc = bias.Data, bias.First(), bias.Inc
	return end, operand.CheckMatrixApart(call, "c", c, "the bias", bias)
}

// launchEnd finds the plan by which a product is computed.
func launchEnd[T Element](plans *formats.Plans, s *gridstride.Stream, w onepass.Work, by Compute[T, float32], p level3.Product[T, float32],
	e epilogue.Buffers,
) error {
	switch p := any(p).(type) {
	case level3.Product[gpu.BFloat16, float32]:
		return formats.LaunchEnd(plans, plans.BF16, s, w, p, e)
	case level3.Product[gpu.Float16, float32]:
		return formats.LaunchEnd(plans, plans.F16, s, w, p, e)
	case level3.Product[float32, float32]:
		switch uint8(by) {
		case uint8(TF32):
			return formats.LaunchEnd(plans, plans.TF32, s, w, p, e)
		case uint8(BF16x6):
			return formats.LaunchEnd(plans, plans.BF16x6, s, w, p, e)
		}
	}
	panic(fmt.Sprintf("BUG: Compute %d from %T to %T", by, *new(T), *new(float32)))
}
