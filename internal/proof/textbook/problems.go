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

// sizes are the sizes of all problems.
type sizes struct {
	long        int // of vectors: a multiple of a block
	sparse      int // rows of the sparse matrix: a multiple of 8
	product     int // rows of the matrices that are multiplied: a multiple of a tile's
	square      int // rows of the matrix that is transposed: a multiple of a tile's
	picture     int // rows of the picture: a multiple of 16
	softmaxRows int
	softmaxWide int
	options     int
	cube        int
	bodies      int // a multiple of a block
	blocks      int // of kernels whose threads stride over the data
}

// full are the sizes that are measured: a launch takes some hundred microseconds.
var full = sizes{long: 1 << 26, sparse: 1 << 17, product: 2048, square: 8192, picture: 4096, softmaxRows: 4096,
	softmaxWide: 8192, options: 1 << 24, cube: 400, bodies: 1 << 16, blocks: 132 * 8}

// perRow are the numbers in a row of the sparse matrix.
const perRow = 64

// problems are the twelve.
func (z *sizes) problems() []*problem {
	grid := gridstride.Grid
	return []*problem{
		{"Saxpy", grid(z.long / block).Block(block), z.saxpy},
		{"Dot", grid(z.blocks).Block(block), z.dot},
		{"Histogram", grid(z.blocks).Block(block), z.histogram},
		{"SpMV", grid(z.sparse / 8).Block(block), z.spmv},
		{"Product", grid(z.product/square, z.product/square).Block(square, square), z.multiply},
		{"Transpose", grid(z.square/square, z.square/square).Block(square, rows), z.transpose},
		{"Scan", grid(z.long / block).Block(block), z.scan},
		{"Mandelbrot", grid(z.picture/16, z.picture/16).Block(16, 16), z.mandelbrot},
		{"Softmax", grid(z.softmaxRows).Block(block), z.softmax},
		{"BlackScholes", grid(z.blocks).Block(block), z.blackScholes},
		{"Stencil", grid((z.cube+31)/32, (z.cube+7)/8).Block(32, 8), z.stencil},
		{"NBody", grid(z.bodies / bodies).Block(bodies), z.nbody},
	}
}

func (z *sizes) saxpy(w *workshop) {
	host, a := uniform(z.long, -1, 1), float32(1e-3)
	x, y := copyOf(w, host), resultOf[float32](w, z.long)
	w.want = saxpyReference(a, host)
	w.args([]any{a, x, y}, []any{a, x, y, int32(z.long)})
}

func (z *sizes) dot(w *workshop) {
	hx, hy := uniform(z.long, 0, 1), uniform(z.long+1, 0, 1)[:z.long]
	x, y, parts := copyOf(w, hx), copyOf(w, hy), resultOf[float32](w, z.blocks)
	w.want = dotReference(hx, hy, z.blocks)
	w.args([]any{x, y, parts}, []any{x, y, parts, int32(z.long)})
}

func (z *sizes) histogram(w *workshop) {
	host := make([]uint8, 4*z.long)
	for i, x := range uniform(len(host), 0, bins) {
		host[i] = uint8(x)
	}
	data, counts := copyOf(w, host), resultOf[uint32](w, bins)
	w.want = histogramReference(host)
	w.args([]any{data, counts}, []any{data, counts, int32(len(host))})
}

func (z *sizes) spmv(w *workshop) {
	starts := make([]int32, z.sparse+1)
	columns := make([]int32, z.sparse*perRow)
	for i, c := range uniform(len(columns), 0, float32(z.sparse)) {
		columns[i] = min(int32(c), int32(z.sparse)-1)
	}
	for row := range z.sparse {
		starts[row+1] = int32((row + 1) * perRow)
		slices.Sort(columns[row*perRow:][:perRow])
	}
	s, c := copyOf(w, starts), copyOf(w, columns)
	hv, hx := uniform(len(columns), -1, 1), uniform(z.sparse, -1, 1)
	values, x := copyOf(w, hv), copyOf(w, hx)
	w.want = spmvReference(starts, columns, hv, hx)
	y := resultOf[float32](w, z.sparse)
	w.args([]any{s, c, values, x, y}, []any{s, c, values, x, y, int32(z.sparse)})
}

func (z *sizes) multiply(w *workshop) {
	n := z.product
	ha, hb := uniform(n*n, -1, 1), uniform(n*n+1, -1, 1)[:n*n]
	a, b := copyOf(w, ha), copyOf(w, hb)
	w.want = productReference(ha, hb, n)
	c := resultOf[float32](w, n*n)
	w.args([]any{a, b, c, n}, []any{a, b, c, int32(n)})
}

func (z *sizes) transpose(w *workshop) {
	n := z.square
	host := uniform(n*n, -1, 1)
	in, out := copyOf(w, host), resultOf[float32](w, n*n)
	w.want = transposeReference(host, n)
	w.args([]any{in, out, n}, []any{in, out, int32(n)})
}

func (z *sizes) scan(w *workshop) {
	host := uniform(z.long, -1, 1)
	x, y := copyOf(w, host), resultOf[float32](w, z.long)
	w.want = scanReference(host)
	w.args([]any{x, y}, []any{x, y, int32(z.long)})
}

func (z *sizes) mandelbrot(w *workshop) {
	n, most := z.picture, 256
	left, top, step := float32(-2.2), float32(1.6), 3.2/float32(n)
	times := resultOf[int32](w, n*n)
	w.want = mandelbrotReference(n, most, left, top, step)
	w.strays = checked / 50 // a step that is rounded another way can be another number of steps
	w.args([]any{times, n, n, most, left, top, step}, []any{times, int32(n), int32(n), int32(most), left, top, step})
}

func (z *sizes) softmax(w *workshop) {
	host := uniform(z.softmaxRows*z.softmaxWide, -8, 8)
	x, y := copyOf(w, host), resultOf[float32](w, len(host))
	w.want = softmaxReference(host, z.softmaxWide)
	w.args([]any{x, y, z.softmaxWide}, []any{x, y, int32(z.softmaxWide)})
}

func (z *sizes) blackScholes(w *workshop) {
	hs, hk, ht := uniform(z.options, 5, 30), uniform(z.options+1, 1, 100)[:z.options], uniform(z.options+2, 0.25, 10)[:z.options]
	spot, strike, years := copyOf(w, hs), copyOf(w, hk), copyOf(w, ht)
	call, put := copyOf(w, make([]float32, z.options)), resultOf[float32](w, z.options)
	rate, volatility := float32(0.02), float32(0.3)
	w.want = putReference(hs, hk, ht, rate, volatility)
	w.args([]any{spot, strike, years, call, put, rate, volatility},
		[]any{spot, strike, years, call, put, rate, volatility, int32(z.options)})
}

func (z *sizes) stencil(w *workshop) {
	n := z.cube
	host, c0, c1 := uniform(n*n*n, -1, 1), float32(0.4), float32(0.1)
	in, out := copyOf(w, host), resultOf[float32](w, n*n*n)
	w.want = stencilReference(host, n, c0, c1)
	w.args([]any{in, out, n, n, n, c0, c1}, []any{in, out, int32(n), int32(n), int32(n), c0, c1})
}

func (z *sizes) nbody(w *workshop) {
	x := uniform(4*z.bodies, -1, 1)
	host := make([]gpu.Float32x4, z.bodies)
	for i := range host {
		host[i] = gpu.Float32x4{X: x[4*i], Y: x[4*i+1], Z: x[4*i+2], W: 1 + x[4*i+3]/2}
	}
	at, pull := copyOf(w, host), resultOf[gpu.Float32x4](w, z.bodies)
	softening := float32(1e-3)
	w.want = nbodyReference(host, softening)
	w.args([]any{at, pull, softening}, []any{at, pull, softening, int32(z.bodies)})
}
