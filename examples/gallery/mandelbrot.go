package main

import (
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

var mandelbrotExhibit = exhibit{
	name: "mandelbrot", file: "mandelbrot.go", size: 150, show: showMandelbrot,
	algorithm: "the escape times of the Mandelbrot set",
	shows:     "a grid of two dimensions, a function that host and kernel call alike",
}

// most is how often a point is iterated at most.
const most = 200

// View is a part of the complex plane, and the picture of it.
type View struct {
	Left, Top     float64
	Step          float64 // between two pixels
	Width, Height int
}

// Mandelbrot writes for each pixel how soon its point leaves the circle of radius 2: the escape
// time algorithm of H.-O. Peitgen and P. Richter, "The Beauty of Fractals", 1986. Launch with a
// thread for each pixel.
//
//gpu:kernel block=16x16
func Mandelbrot(view View, times []int32) {
	x := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	y := gpu.BlockIdx.Y*gpu.BlockDim.Y + gpu.ThreadIdx.Y
	if x < view.Width && y < view.Height {
		times[y*view.Width+x] = view.escape(x, y)
	}
}

// escape is the number of steps z = z² + c after which |z| is above 2, for the point c of a pixel.
// It is for both sides. Each operation other than an FMA is rounded by itself: a conversion keeps
// Go from fusing it on some processors.
func (view *View) escape(x, y int) int32 {
	re := gpu.FMA(float64(x), view.Step, view.Left)
	im := gpu.FMA(float64(y), -view.Step, view.Top)
	var a, b float64 // of z = a + bi
	for n := range int32(most) {
		bb := float64(b * b)
		if gpu.FMA(a, a, bb) > 4 {
			return n
		}
		a, b = gpu.FMA(a, a, re-bb), gpu.FMA(2*a, b, im)
	}
	return most
}

// mandelbrotOnHost is Mandelbrot's twin.
func mandelbrotOnHost(view View) (times []int32) {
	for y := range view.Height {
		for x := range view.Width {
			times = append(times, view.escape(x, y))
		}
	}
	return times
}

func showMandelbrot(v *visit, width int) {
	view := View{Left: -2.2, Top: 1.2, Step: 3.2 / float64(max(width, 1)), Width: width, Height: (3*width + 3) / 4}
	v.input = fmt.Sprintf("%d by %d pixels, %d steps", view.Width, view.Height, most)
	times := room[int32](v, view.Width*view.Height)
	kernel := load(v, LoadMandelbrot)
	grid := gridstride.Grid(view.Width/16+1, view.Height/16+1)
	v.launch(func() error { return kernel.Launch(v.stream, grid, view, times) })
	inside := 0
	for _, n := range compare(v, "pixel", times, mandelbrotOnHost(view)) {
		if n == most {
			inside++
		}
	}
	v.result = fmt.Sprintf("%d pixels are in the set", inside)
}
