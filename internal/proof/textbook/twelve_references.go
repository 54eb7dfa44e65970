package main

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
)

// reference is element i of a problem's result, computed in float64 from the numbers that the
// kernels are given. Elements are numbered as inputs.result lists them.
type reference func(i int) float64

// saxpyReference computes an element of Saxpy's result.
func saxpyReference(a float32, x []float32) reference {
	return func(i int) float64 { return float64(a) * float64(x[i]) }
}

// dotReference computes the part of a block of Dot.
func dotReference(x, y []float32, blocks int) reference {
	return func(i int) float64 {
		sum := 0.0
		for first := i * block; first < len(x); first += blocks * block {
			for k := first; k < min(first+block, len(x)); k++ {
				sum += float64(x[k]) * float64(y[k])
			}
		}
		return sum
	}
}

// histogramReference counts a byte, as Histogram does.
func histogramReference(data []uint8) reference {
	var counts [bins]float64
	for _, x := range data {
		counts[x]++
	}
	return func(i int) float64 { return counts[i] }
}

// spmvReference computes an element of SpMV's result.
func spmvReference(starts, columns []int32, values, x []float32) reference {
	return func(i int) float64 {
		sum := 0.0
		for k := starts[i]; k < starts[i+1]; k++ {
			sum += float64(values[k]) * float64(x[columns[k]])
		}
		return sum
	}
}

// productReference computes an element of Product's result.
func productReference(a, b []float32, n int) reference {
	return func(i int) float64 {
		sum := 0.0
		for k := range n {
			sum += float64(a[i/n*n+k]) * float64(b[k*n+i%n])
		}
		return sum
	}
}

// transposeReference computes an element of Transpose's result.
func transposeReference(in []float32, n int) reference {
	return func(i int) float64 { return float64(in[i%n*n+i/n]) }
}

// scanReference computes an element of Scan's result.
func scanReference(x []float32) reference {
	return func(i int) float64 {
		sum := 0.0
		for k := i / block * block; k <= i; k++ {
			sum += float64(x[k])
		}
		return sum
	}
}

// mandelbrotReference counts the steps of a point, as Mandelbrot does. Its points are rounded as the
// kernel's are, but its steps are not.
func mandelbrotReference(width, most int, left, top, step float32) reference {
	return func(i int) float64 {
		px, py := i%width, i/width
		re, im := float64(left+float32(float32(px)*step)), float64(top-float32(float32(py)*step))
		x, y, n := 0.0, 0.0, 0
		for n < most && x*x+y*y <= 4 {
			x, y = x*x-y*y+re, 2*x*y+im
			n++
		}
		return float64(n)
	}
}

// softmaxReference computes an element of Softmax's result.
func softmaxReference(x []float32, columns int) reference {
	return func(i int) float64 {
		row := x[i/columns*columns:][:columns]
		largest, sum := math.Inf(-1), 0.0
		for _, v := range row {
			largest = max(largest, float64(v))
		}
		for _, v := range row {
			sum += math.Exp(float64(v) - largest)
		}
		return math.Exp(float64(x[i])-largest) / sum
	}
}

// putReference computes the price of a put, as BlackScholes does.
func putReference(spot, strike, years []float32, rate, volatility float32) reference {
	normal := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
	r, v := float64(rate), float64(volatility)
	return func(i int) float64 {
		s, k, t := float64(spot[i]), float64(strike[i]), float64(years[i])
		d1 := (math.Log(s/k) + (r+v*v/2)*t) / (v * math.Sqrt(t))
		d2 := d1 - v*math.Sqrt(t)
		return k*math.Exp(-r*t)*normal(-d2) - s*normal(-d1)
	}
}

// stencilReference computes an element of Stencil's result, in a cube.
func stencilReference(in []float32, n int, c0, c1 float32) reference {
	return func(i int) float64 {
		for _, c := range []int{i % n, i / n % n, i / n / n} {
			if c == 0 || c == n-1 {
				return 0
			}
		}
		sum := 0.0
		for _, d := range []int{1, n, n * n} {
			sum += float64(in[i-d]) + float64(in[i+d])
		}
		return float64(c0)*float64(in[i]) + float64(c1)*sum
	}
}

// nbodyReference computes an element of NBody's result, of three numbers for each body.
func nbodyReference(at []gpu.Float32x4, softening float32) reference {
	return func(i int) float64 {
		self, pull := at[i/3], 0.0
		for _, o := range at {
			d := [3]float64{float64(o.X) - float64(self.X), float64(o.Y) - float64(self.Y), float64(o.Z) - float64(self.Z)}
			square := d[0]*d[0] + d[1]*d[1] + d[2]*d[2] + float64(softening)
			pull += d[i%3] * float64(o.W) / (square * math.Sqrt(square))
		}
		return pull
	}
}
