package epilogue

import "github.com/gridstride/gridstride/gpu"

//go:generate go tool gridstride build

// End changes an element: it adds Bias's element for its column, if there is a bias, and then
// applies Activation. The bias of column i is element First + i*Inc.
type End struct {
	Bias       []float32
	First, Inc int
	Activation Activation
}

// Column is the bias of a column, and whether there is one.
func (e *End) Column(col int) (bias float32, some bool) {
	if len(e.Bias) == 0 {
		return 0, false
	}
	return e.Bias[e.First+col*e.Inc], true
}

// Of is the changed x of a column with this bias, if it has some.
func (e *End) Of(x, bias float32, some bool) float32 {
	if some {
		x += bias
	}
	return e.Activation.Of(x)
}

// Each is Of for several elements of the column at once.
func (e *End) Each(x []float32, bias float32, some bool) {
	if some {
		for i := range x {
			x[i] += bias
		}
	}
	e.Activation.Each(x)
}

// finish does it to all elements of a matrix in place. A row of blocks has a row at a time.
//
// Launch with any number of blocks, in both dimensions.
//
//gpu:kernel block=256
func finish(c []float32, rows, cols, stride int, e End) {
	for col := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X; col < cols; col += gpu.GridDim.X * gpu.BlockDim.X {
		bias, some := e.Column(col)
		for row := gpu.BlockIdx.Y; row < rows; row += gpu.GridDim.Y {
			at := row*stride + col
			c[at] = e.Of(c[at], bias, some)
		}
	}
}
