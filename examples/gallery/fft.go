package main

import (
	"fmt"
	"math/bits"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

var fftExhibit = exhibit{
	name: "fft", file: "fft.go", size: 1024, show: showFFT,
	algorithm: "Stockham's fast Fourier transform, after Govindaraju and others",
	shows:     "two arrays in shared memory in turn, `gpu.Sinpi` and `Cospi`",
}

// longest is the largest number of elements of a signal.
const longest = 1024

// FFT replaces each signal of n complex numbers, a power of two, by its Fourier transform. It is
// the form of Cooley's and Tukey's algorithm that needs no bit reversal: N. Govindaraju and others,
// "High performance discrete Fourier transforms on graphics processors", SC 2008. Launch with a
// block for each signal.
//
//gpu:kernel block=128
func FFT(signals []gpu.Float32x2, n int) {
	work := gpu.Shared[[2][longest]gpu.Float32x2]()
	signal := signals[gpu.BlockIdx.X*n:][:n]
	for i := gpu.ThreadIdx.X; i < n; i += gpu.BlockDim.X {
		work[0][i] = signal[i]
	}
	from := 0
	for half := 1; half < n; half *= 2 {
		gpu.SyncThreads()
		for k := gpu.ThreadIdx.X; k < n/2; k += gpu.BlockDim.X {
			sum, difference := butterfly(work[from][k], work[from][k+n/2], k%half, half)
			at := 2*k - k%half
			work[1-from][at], work[1-from][at+half] = sum, difference
		}
		from = 1 - from
	}
	gpu.SyncThreads()
	for i := gpu.ThreadIdx.X; i < n; i += gpu.BlockDim.X {
		signal[i] = work[from][i]
	}
}

// butterfly is a + wb and a - wb, with w = e^(-iπj/half). It is for both sides.
func butterfly(a, b gpu.Float32x2, j, half int) (sum, difference gpu.Float32x2) {
	turn := float32(j) / float32(half)
	re, im := gpu.Cospi(turn), -gpu.Sinpi(turn)
	x := gpu.FMA(b.X, re, float32(-b.Y*im))
	y := gpu.FMA(b.X, im, float32(b.Y*re))
	return gpu.Float32x2{X: a.X + x, Y: a.Y + y}, gpu.Float32x2{X: a.X - x, Y: a.Y - y}
}

// fftOnHost is FFT's twin, of one signal.
func fftOnHost(signal []gpu.Float32x2) []gpu.Float32x2 {
	from, n := append([]gpu.Float32x2(nil), signal...), len(signal)
	for half := 1; half < n; half *= 2 {
		to := make([]gpu.Float32x2, n)
		for k := range n / 2 {
			at := 2*k - k%half
			to[at], to[at+half] = butterfly(from[k], from[k+n/2], k%half, half)
		}
		from = to
	}
	return from
}

func showFFT(v *visit, size int) {
	count := 16 * max(1, size/longest)
	n := 1 << max(bits.Len(uint(min(size, longest)))-1, 0) // a power of two
	v.input = fmt.Sprintf("%d signals of %d complex numbers", count, n)
	host := make([]gpu.Float32x2, count*n)
	for i, x := range uniform[float32](2*count*n, -1, 1) {
		if i%2 == 0 {
			host[i/2].X = x
		} else {
			host[i/2].Y = x
		}
	}
	signals := copyOf(v, host)
	kernel := load(v, LoadFFT)
	v.launch(func() error { return kernel.Launch(v.stream, gridstride.Grid(count), signals, n) })
	var want []gpu.Float32x2
	for i := 0; i < len(host); i += n {
		want = append(want, fftOnHost(host[i:i+n])...)
	}
	compare(v, "number", signals, want)
}
