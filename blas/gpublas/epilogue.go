package gpublas

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/library/kernels/epilogue"
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

// check gives the epilogue as kernels take it and whether there is one, or an error if it does not fit
// the C of count products.
func (e *Epilogue) check(call string, count int, c any) (end epilogue.Buffers, ended bool, err error) {
	m, ok := c.(Matrix[float32])
	switch {
	case *e == (Epilogue{}):
		return end, false, nil
	case !ok:
		return end, true, fmt.Errorf("%s: %w: the epilogue is of float32, and c is a %T", call, ErrCompute, c)
	case count != 1:
		return end, true, operand.Errorf(ErrShape, "%s: the epilogue is of %d products; want 1", call, count)
	case e.Activation < NoActivation || e.Activation > GELUTanh:
		return end, true, fmt.Errorf("%s: %w: there is no Activation %d", call, ErrCompute, e.Activation)
	}
	end.Activation = epilogue.Activation(e.Activation)
	bias := e.Bias.operand()
	if bias.N == 0 {
		return end, true, nil
	}
	if err := bias.Check(call, "the bias"); err != nil {
		return end, true, err
	}
	if bias.N != m.Cols {
		return end, true, operand.Errorf(ErrShape, "%s: the bias has %d elements and c has %d columns", call, bias.N, m.Cols)
	}
	end.Bias, end.First, end.Inc = bias.Data, bias.First(), bias.Inc
	return end, true, operand.CheckMatrixApart(call, "c", m.operand(), "the bias", bias)
}
