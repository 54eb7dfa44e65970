package main

import "github.com/gridstride/gridstride/gpu"

// The same kernels with inexact arithmetic, beside the C++ with --use_fast_math. Each is the exact
// kernel, called.

// SaxpyFast is Saxpy with inexact arithmetic.
//
//gpu:kernel fast
func SaxpyFast(a float32, x, y []float32) { Saxpy(a, x, y) }

// DotFast is Dot with inexact arithmetic.
//
//gpu:kernel fast block=256
func DotFast(x, y, parts []float32) { Dot(x, y, parts) }

// HistogramFast is Histogram with inexact arithmetic.
//
//gpu:kernel fast block=256
func HistogramFast(data []uint8, counts []uint32) { Histogram(data, counts) }

// SpMVFast is SpMV with inexact arithmetic.
//
//gpu:kernel fast block=256
func SpMVFast(starts, columns []int32, values, x, y []float32) { SpMV(starts, columns, values, x, y) }

// ProductFast is Product with inexact arithmetic.
//
//gpu:kernel fast block=32x32
func ProductFast(a, b, c []float32, n int) { Product(a, b, c, n) }

// TransposeFast is Transpose with inexact arithmetic.
//
//gpu:kernel fast block=32x8
func TransposeFast(in, out []float32, n int) { Transpose(in, out, n) }

// ScanFast is Scan with inexact arithmetic.
//
//gpu:kernel fast block=256
func ScanFast(x, y []float32) { Scan(x, y) }

// MandelbrotFast is Mandelbrot with inexact arithmetic.
//
//gpu:kernel fast block=16x16
func MandelbrotFast(times []int32, width, height, most int, left, top, step float32) {
	Mandelbrot(times, width, height, most, left, top, step)
}

// SoftmaxFast is Softmax with inexact arithmetic.
//
//gpu:kernel fast block=256
func SoftmaxFast(x, y []float32, columns int) { Softmax(x, y, columns) }

// BlackScholesFast is BlackScholes with inexact arithmetic.
//
//gpu:kernel fast block=256
func BlackScholesFast(spot, strike, years, call, put []float32, rate, volatility float32) {
	BlackScholes(spot, strike, years, call, put, rate, volatility)
}

// StencilFast is Stencil with inexact arithmetic.
//
//gpu:kernel fast block=32x8
func StencilFast(in, out []float32, nx, ny, nz int, c0, c1 float32) {
	Stencil(in, out, nx, ny, nz, c0, c1)
}

// NBodyFast is NBody with inexact arithmetic.
//
//gpu:kernel fast block=256
func NBodyFast(at, pull []gpu.Float32x4, softening float32) { NBody(at, pull, softening) }
