package main

import (
	"context"
	"slices"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/rand"
)

// problem is a kernel with a grid and data.
type problem struct {
	name   string
	config gridstride.Config
	make   func(w *workshop)
}

// prepare makes the data of a problem on the device.
func (p *problem) prepare(dev *gridstride.Device) (*inputs, error) {
	w := &workshop{dev: dev, inputs: &inputs{}}
	p.make(w)
	if w.err != nil {
		w.free()
		return nil, w.err
	}
	return w.inputs, nil
}

// workshop makes buffers, until one cannot be made.
type workshop struct {
	*inputs
	dev *gridstride.Device
	err error
}

// copyOf is a buffer with the elements of host.
func copyOf[T any](w *workshop, host []T) gridstride.Buffer[T] {
	var b gridstride.Buffer[T]
	if w.err == nil {
		b, w.err = gridstride.CopyOf(w.dev, host)
	}
	if w.err == nil {
		w.buffers = append(w.buffers, b)
	}
	return b
}

// resultOf makes a buffer of n elements for the result.
func resultOf[T int32 | uint32 | float32 | gpu.Float32x4](w *workshop, n int) gridstride.Buffer[T] {
	b := copyOf(w, make([]T, n))
	w.clear = b.Zero
	w.result = func(ctx context.Context, s *gridstride.Stream) ([]float64, error) {
		host, err := b.Read(ctx, s, nil)
		out := make([]float64, 0, n)
		for _, x := range host {
			switch x := any(x).(type) {
			case int32:
				out = append(out, float64(x))
			case uint32:
				out = append(out, float64(x))
			case float32:
				out = append(out, float64(x))
			case gpu.Float32x4:
				out = append(out, float64(x.X), float64(x.Y), float64(x.Z))
			}
		}
		return out, err
	}
	return b
}

// args sets what the two kernels are launched with.
func (w *workshop) args(goArgs, cppArgs []any) { w.goArgs, w.cppArgs = goArgs, cppArgs }

// uniform is n random numbers from low to high, the same ones in each run.
func uniform(n int, low, high float32) []float32 {
	r := rand.New(1, uint64(n))
	x := make([]float32, n)
	for i := range x {
		x[i] = low + (high-low)*rand.Float[float32](&r)
	}
	return x
}

// The sizes of the problems.
const (
	long         = 1 << 25
	perRow       = 64 // numbers in a row of the sparse matrix
	sparseRows   = 1 << 17
	productSize  = 2048
	squareSize   = 8192
	pictureSize  = 4096
	softmaxRows  = 4096
	softmaxWidth = 8192
	options      = 1 << 24
	cube         = 400
	bodyCount    = 1 << 16
	streamBlocks = 132 * 8 // of kernels whose threads stride over the data: eight for each multiprocessor
)

var problems = []*problem{
	{"Saxpy", gridstride.Grid(long / block).Block(block), makeSaxpy},
	{"Dot", gridstride.Grid(streamBlocks).Block(block), makeDot},
	{"Histogram", gridstride.Grid(streamBlocks).Block(block), makeHistogram},
	{"SpMV", gridstride.Grid(sparseRows / 8).Block(block), makeSpMV},
	{"Product", gridstride.Grid(productSize/square, productSize/square).Block(square, square), makeProduct},
	{"Transpose", gridstride.Grid(squareSize/square, squareSize/square).Block(square, rows), makeTranspose},
	{"Scan", gridstride.Grid(2 * long / block).Block(block), makeScan},
	{"Mandelbrot", gridstride.Grid(pictureSize/16, pictureSize/16).Block(16, 16), makeMandelbrot},
	{"Softmax", gridstride.Grid(softmaxRows).Block(block), makeSoftmax},
	{"BlackScholes", gridstride.Grid(streamBlocks).Block(block), makeBlackScholes},
	{"Stencil", gridstride.Grid((cube+31)/32, cube/8).Block(32, 8), makeStencil},
	{"NBody", gridstride.Grid(bodyCount / bodies).Block(bodies), makeNBody},
}

func makeSaxpy(w *workshop) {
	x, y := copyOf(w, uniform(long, -1, 1)), resultOf[float32](w, long)
	a := float32(1e-3)
	w.args([]any{a, x, y}, []any{a, x, y, int32(long)})
}

func makeDot(w *workshop) {
	x, y, parts := copyOf(w, uniform(long, 0, 1)), copyOf(w, uniform(long+1, 0, 1)[:long]), resultOf[float32](w, streamBlocks)
	w.args([]any{x, y, parts}, []any{x, y, parts, int32(long)})
}

func makeHistogram(w *workshop) {
	host := make([]uint8, 4*long)
	for i, x := range uniform(len(host), 0, bins) {
		host[i] = uint8(x)
	}
	data, counts := copyOf(w, host), resultOf[uint32](w, bins)
	w.args([]any{data, counts}, []any{data, counts, int32(len(host))})
}

func makeSpMV(w *workshop) {
	starts := make([]int32, sparseRows+1)
	columns := make([]int32, sparseRows*perRow)
	for i, c := range uniform(len(columns), 0, sparseRows) {
		columns[i] = min(int32(c), sparseRows-1)
	}
	for row := range sparseRows {
		starts[row+1] = int32((row + 1) * perRow)
		slices.Sort(columns[row*perRow:][:perRow])
	}
	s, c := copyOf(w, starts), copyOf(w, columns)
	values, x := copyOf(w, uniform(len(columns), -1, 1)), copyOf(w, uniform(sparseRows, -1, 1))
	y := resultOf[float32](w, sparseRows)
	w.args([]any{s, c, values, x, y}, []any{s, c, values, x, y, int32(sparseRows)})
}

func makeProduct(w *workshop) {
	const n = productSize
	a, b := copyOf(w, uniform(n*n, -1, 1)), copyOf(w, uniform(n*n+1, -1, 1)[:n*n])
	c := resultOf[float32](w, n*n)
	w.args([]any{a, b, c, n}, []any{a, b, c, int32(n)})
}

func makeTranspose(w *workshop) {
	const n = squareSize
	in, out := copyOf(w, uniform(n*n, -1, 1)), resultOf[float32](w, n*n)
	w.args([]any{in, out, n}, []any{in, out, int32(n)})
}

func makeScan(w *workshop) {
	x, y := copyOf(w, uniform(2*long, -1, 1)), resultOf[float32](w, 2*long)
	w.args([]any{x, y}, []any{x, y, int32(2 * long)})
}

func makeMandelbrot(w *workshop) {
	const n, most = pictureSize, 256
	left, top, step := float32(-2.2), float32(1.6), float32(3.2/n)
	times := resultOf[int32](w, n*n)
	w.args([]any{times, n, n, most, left, top, step}, []any{times, int32(n), int32(n), int32(most), left, top, step})
}

func makeSoftmax(w *workshop) {
	x, y := copyOf(w, uniform(softmaxRows*softmaxWidth, -8, 8)), resultOf[float32](w, softmaxRows*softmaxWidth)
	w.args([]any{x, y, softmaxWidth}, []any{x, y, int32(softmaxWidth)})
}

func makeBlackScholes(w *workshop) {
	spot, strike := copyOf(w, uniform(options, 5, 30)), copyOf(w, uniform(options+1, 1, 100)[:options])
	years := copyOf(w, uniform(options+2, 0.25, 10)[:options])
	call, put := copyOf(w, make([]float32, options)), resultOf[float32](w, options)
	rate, volatility := float32(0.02), float32(0.3)
	w.args([]any{spot, strike, years, call, put, rate, volatility},
		[]any{spot, strike, years, call, put, rate, volatility, int32(options)})
}

func makeStencil(w *workshop) {
	const n = cube
	in, out := copyOf(w, uniform(n*n*n, -1, 1)), resultOf[float32](w, n*n*n)
	c0, c1 := float32(0.4), float32(0.1)
	w.args([]any{in, out, n, n, n, c0, c1}, []any{in, out, int32(n), int32(n), int32(n), c0, c1})
}

func makeNBody(w *workshop) {
	x := uniform(4*bodyCount, -1, 1)
	host := make([]gpu.Float32x4, bodyCount)
	for i := range host {
		host[i] = gpu.Float32x4{X: x[4*i], Y: x[4*i+1], Z: x[4*i+2], W: 1 + x[4*i+3]/2}
	}
	at, pull := copyOf(w, host), resultOf[gpu.Float32x4](w, bodyCount)
	softening := float32(1e-3)
	w.args([]any{at, pull, softening}, []any{at, pull, softening, int32(bodyCount)})
}
