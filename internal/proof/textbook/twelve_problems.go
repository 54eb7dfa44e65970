package main

import (
	"slices"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

// perRow are the numbers in a row of the sparse matrix.
const perRow = 64

// twelve are the problems that were first.
func (z *sizes) twelve() []*problem {
	grid := gridstride.Grid
	return []*problem{
		newProblem("Saxpy", grid(z.long/block).Block(block), z.saxpy),
		newProblem("Dot", grid(z.blocks).Block(block), z.dot),
		newProblem("Histogram", grid(z.blocks).Block(block), z.histogram),
		newProblem("SpMV", grid(z.sparse/8).Block(block), z.spmv),
		newProblem("Product", grid(z.product/square, z.product/square).Block(square, square), z.multiply),
		newProblem("Transpose", grid(z.square/square, z.square/square).Block(square, rows), z.transpose),
		newProblem("Scan", grid(z.long/block).Block(block), z.scan),
		newProblem("Mandelbrot", grid(z.picture/16, z.picture/16).Block(16, 16), z.mandelbrot),
		newProblem("Softmax", grid(z.softmaxRows).Block(block), z.softmax),
		newProblem("BlackScholes", grid(z.blocks).Block(block), z.blackScholes),
		newProblem("Stencil", grid((z.cube+31)/32, (z.cube+7)/8).Block(32, 8), z.stencil),
		newProblem("NBody", grid(z.bodies/bodies).Block(bodies), z.nbody),
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
