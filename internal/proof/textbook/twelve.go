package main

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// The kernels are written as one writes them, without a thought for the compiler. twelve.cu has each
// line by line in CUDA C++.

// The blocks of kernels that share tiles.
const (
	block  = 256
	square = 32
	rows   = 8 // of a block that copies a square tile
	bins   = 256
	bodies = 256
)

// Saxpy adds a multiple of a vector to another.
//
//gpu:kernel
func Saxpy(a float32, x, y []float32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i < len(y) {
		y[i] = a*x[i] + y[i]
	}
}

// Dot leaves a part of the product of two vectors for each block.
//
//gpu:kernel block=256
func Dot(x, y, parts []float32) {
	var sum float32
	for i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X; i < len(x); i += gpu.GridDim.X * gpu.BlockDim.X {
		sum += x[i] * y[i]
	}
	sum = collective.BlockSum(sum)
	if gpu.ThreadIdx.X == 0 {
		parts[gpu.BlockIdx.X] = sum
	}
}

// Histogram counts bytes, in shared memory first.
//
//gpu:kernel block=256
func Histogram(data []uint8, counts []uint32) {
	local := gpu.Shared[[bins]uint32]()
	local[gpu.ThreadIdx.X] = 0
	gpu.SyncThreads()
	for i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X; i < len(data); i += gpu.GridDim.X * gpu.BlockDim.X {
		gpu.AtomicAdd(&local[data[i]], 1)
	}
	gpu.SyncThreads()
	gpu.AtomicAdd(&counts[gpu.ThreadIdx.X], local[gpu.ThreadIdx.X])
}

// SpMV multiplies a sparse matrix in rows and a vector, a warp for each row.
//
//gpu:kernel block=256
func SpMV(starts, columns []int32, values, x, y []float32) {
	row := (gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X) / 32
	lane := gpu.ThreadIdx.X % 32
	if row < len(y) {
		var sum float32
		for k := int(starts[row]) + lane; k < int(starts[row+1]); k += 32 {
			sum += values[k] * x[columns[k]]
		}
		for d := 16; d > 0; d /= 2 {
			sum += gpu.ShflDownSync(gpu.FullMask, sum, d)
		}
		if lane == 0 {
			y[row] = sum
		}
	}
}

// Product multiplies two square matrices by tiles in shared memory. n is a multiple of a tile's.
//
//gpu:kernel block=32x32
func Product(a, b, c []float32, n int) {
	ta := gpu.Shared[[square][square]float32]()
	tb := gpu.Shared[[square][square]float32]()
	row := gpu.BlockIdx.Y*square + gpu.ThreadIdx.Y
	col := gpu.BlockIdx.X*square + gpu.ThreadIdx.X
	var sum float32
	for t := 0; t < n; t += square {
		ta[gpu.ThreadIdx.Y][gpu.ThreadIdx.X] = a[row*n+t+gpu.ThreadIdx.X]
		tb[gpu.ThreadIdx.Y][gpu.ThreadIdx.X] = b[(t+gpu.ThreadIdx.Y)*n+col]
		gpu.SyncThreads()
		for k := 0; k < square; k++ {
			sum += ta[gpu.ThreadIdx.Y][k] * tb[k][gpu.ThreadIdx.X]
		}
		gpu.SyncThreads()
	}
	c[row*n+col] = sum
}

// Transpose transposes a square matrix by tiles in shared memory. n is a multiple of a tile's.
//
//gpu:kernel block=32x8
func Transpose(in, out []float32, n int) {
	tile := gpu.Shared[[square][square + 1]float32]()
	x := gpu.BlockIdx.X*square + gpu.ThreadIdx.X
	y := gpu.BlockIdx.Y*square + gpu.ThreadIdx.Y
	for j := 0; j < square; j += rows {
		tile[gpu.ThreadIdx.Y+j][gpu.ThreadIdx.X] = in[(y+j)*n+x]
	}
	gpu.SyncThreads()
	x = gpu.BlockIdx.Y*square + gpu.ThreadIdx.X
	y = gpu.BlockIdx.X*square + gpu.ThreadIdx.Y
	for j := 0; j < square; j += rows {
		out[(y+j)*n+x] = tile[gpu.ThreadIdx.X][gpu.ThreadIdx.Y+j]
	}
}

// Scan leaves the sums of the elements up to each, in each block by itself: W. Hillis and G.
// Steele, "Data parallel algorithms", 1986.
//
//gpu:kernel block=256
func Scan(x, y []float32) {
	sums := gpu.Shared[[2][block]float32]()
	i := gpu.BlockIdx.X*block + gpu.ThreadIdx.X
	t, from := gpu.ThreadIdx.X, 0
	if i < len(x) {
		sums[0][t] = x[i]
	} else {
		sums[0][t] = 0
	}
	gpu.SyncThreads()
	for d := 1; d < block; d *= 2 {
		to := 1 - from
		if t >= d {
			sums[to][t] = sums[from][t] + sums[from][t-d]
		} else {
			sums[to][t] = sums[from][t]
		}
		from = to
		gpu.SyncThreads()
	}
	if i < len(y) {
		y[i] = sums[from][t]
	}
}

// Mandelbrot counts the steps until each point of a picture leaves the circle of radius 2.
//
//gpu:kernel block=16x16
func Mandelbrot(times []int32, width, height, most int, left, top, step float32) {
	px := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	py := gpu.BlockIdx.Y*gpu.BlockDim.Y + gpu.ThreadIdx.Y
	if px >= width || py >= height {
		return
	}
	re, im := left+float32(px)*step, top-float32(py)*step
	var x, y float32
	n := 0
	for n < most && x*x+y*y <= 4 {
		x, y = x*x-y*y+re, 2*x*y+im
		n++
	}
	times[py*width+px] = int32(n)
}

// Softmax makes shares of each row, a block for each row.
//
//gpu:kernel block=256
func Softmax(x, y []float32, columns int) {
	first := gpu.BlockIdx.X * columns
	row, out := x[first:first+columns], y[first:first+columns]
	largest := float32(math.Inf(-1))
	for i := gpu.ThreadIdx.X; i < columns; i += block {
		largest = max(largest, row[i])
	}
	largest = collective.BlockMax(largest)
	var sum float32
	for i := gpu.ThreadIdx.X; i < columns; i += block {
		sum += gpu.Exp(row[i] - largest)
	}
	sum = collective.BlockSum(sum)
	for i := gpu.ThreadIdx.X; i < columns; i += block {
		out[i] = gpu.Exp(row[i]-largest) / sum
	}
}

// normal is the probability that a standard normal number is below x.
func normal(x float32) float32 { return 0.5 * gpu.Erfc(-x*math.Sqrt2/2) }

// BlackScholes computes the prices of European options.
//
//gpu:kernel block=256
func BlackScholes(spot, strike, years, call, put []float32, rate, volatility float32) {
	for i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X; i < len(spot); i += gpu.GridDim.X * gpu.BlockDim.X {
		s, k, t := spot[i], strike[i], years[i]
		root := gpu.Sqrt(t)
		d1 := (gpu.Log(s/k) + (rate+volatility*volatility/2)*t) / (volatility * root)
		d2 := d1 - volatility*root
		n1, n2 := normal(d1), normal(d2)
		worth := k * gpu.Exp(-rate*t)
		call[i] = s*n1 - worth*n2
		put[i] = worth*(1-n2) - s*(1-n1)
	}
}

// Stencil is a step of the heat equation by seven points. A thread goes along z.
//
//gpu:kernel block=32x8
func Stencil(in, out []float32, nx, ny, nz int, c0, c1 float32) {
	x := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	y := gpu.BlockIdx.Y*gpu.BlockDim.Y + gpu.ThreadIdx.Y
	if x < 1 || x >= nx-1 || y < 1 || y >= ny-1 {
		return
	}
	for z := 1; z < nz-1; z++ {
		i := (z*ny+y)*nx + x
		out[i] = c0*in[i] + c1*(in[i-1]+in[i+1]+in[i-nx]+in[i+nx]+in[i-nx*ny]+in[i+nx*ny])
	}
}

// NBody computes what pulls each body, by tiles of bodies in shared memory: L. Nyland, M. Harris
// and J. Prins, "Fast N-Body Simulation with CUDA", 2007. The mass is W.
//
//gpu:kernel block=256
func NBody(at, pull []gpu.Float32x4, softening float32) {
	tile := gpu.Shared[[bodies]gpu.Float32x4]()
	i := gpu.BlockIdx.X*bodies + gpu.ThreadIdx.X
	var self gpu.Float32x4
	if i < len(at) {
		self = at[i]
	}
	var ax, ay, az float32
	for first := 0; first < len(at); first += bodies {
		if j := first + gpu.ThreadIdx.X; j < len(at) {
			tile[gpu.ThreadIdx.X] = at[j]
		}
		gpu.SyncThreads()
		for j := 0; j < min(bodies, len(at)-first); j++ {
			o := tile[j]
			dx, dy, dz := o.X-self.X, o.Y-self.Y, o.Z-self.Z
			inv := gpu.Rsqrt(dx*dx + dy*dy + dz*dz + softening)
			s := o.W * inv * inv * inv
			ax += dx * s
			ay += dy * s
			az += dz * s
		}
		gpu.SyncThreads()
	}
	if i < len(pull) {
		pull[i] = gpu.Float32x4{X: ax, Y: ay, Z: az}
	}
}
