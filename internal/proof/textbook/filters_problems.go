package main

import (
	"math"
	"slices"

	"github.com/gridstride/gridstride"
)

func (z *sizes) filters() []*problem {
	grid := gridstride.Grid
	squares, wides := grid(over(z.wide, 16), over(z.high, 16)).Block(16, 16), grid(over(z.wide, 32), over(z.high, 8)).Block(32, 8)
	return []*problem{
		newProblem("Gauss", squares, z.gauss),
		newProblem("Median", squares, z.median),
		newProblem("Sobel", wides, z.sobel),
		newProblem("Bilateral", squares, z.bilateral),
		newProblem("Gray", grid(over(z.many, block)).Block(block), z.gray),
	}
}

// inside is the pixel of a picture that is nearest to x and y.
func inside[T any](picture []T, width, x, y int) T {
	height := len(picture) / width
	return picture[min(max(y, 0), height-1)*width+min(max(x, 0), width-1)]
}

func (z *sizes) gauss(w *workshop) {
	host := uniform(z.wide*z.high, 0, 1)
	in, out := copyOf(w, host), resultOf[float32](w, len(host))
	w.want = func(i int) float64 {
		weights, sum := []float64{1, 4, 6, 4, 1}, 0.0
		for k := range 25 {
			sum += weights[k/5] * weights[k%5] / 256 * float64(inside(host, z.wide, i%z.wide+k%5-2, i/z.wide+k/5-2))
		}
		return sum
	}
	w.args([]any{in, out, z.wide, z.high}, []any{in, out, int32(z.wide), int32(z.high)})
}

func (z *sizes) median(w *workshop) {
	host := integers[uint8](z.wide*z.high, 0, 256)
	in, out := copyOf(w, host), resultOf[uint8](w, len(host))
	w.want = func(i int) float64 {
		var v []uint8
		for k := range 9 {
			v = append(v, inside(host, z.wide, i%z.wide+k%3-1, i/z.wide+k/3-1))
		}
		slices.Sort(v)
		return float64(v[4])
	}
	w.args([]any{in, out, z.wide, z.high}, []any{in, out, int32(z.wide), int32(z.high)})
}

func (z *sizes) sobel(w *workshop) {
	host := integers[uint8](z.wide*z.high, 0, 90)
	in, out := copyOf(w, host), resultOf[uint8](w, len(host))
	w.want = func(i int) float64 {
		x, y := i%z.wide, i/z.wide
		if x == 0 || x == z.wide-1 || y == 0 || y == z.high-1 {
			return 0
		}
		gx, gy := 0.0, 0.0
		for k, f := range []float64{1, 2, 1} {
			gx += f * (float64(host[i+(k-1)*z.wide+1]) - float64(host[i+(k-1)*z.wide-1]))
			gy += f * (float64(host[i+z.wide+k-1]) - float64(host[i-z.wide+k-1]))
		}
		return min(math.Abs(gx)+math.Abs(gy), 255)
	}
	w.args([]any{in, out, z.wide, z.high}, []any{in, out, int32(z.wide), int32(z.high)})
}

func (z *sizes) bilateral(w *workshop) {
	host := uniform(z.wide*z.high, 0, 1)
	in, out := copyOf(w, host), resultOf[float32](w, len(host))
	radius, near, like := 3, float32(0.08), float32(9)
	w.want = func(i int) float64 {
		sum, weights := 0.0, 0.0
		for k := range 49 {
			dx, dy := k%7-3, k/7-3
			v := float64(inside(host, z.wide, i%z.wide+dx, i/z.wide+dy))
			d := v - float64(host[i])
			share := math.Exp(-float64(dx*dx+dy*dy)*float64(near) - d*d*float64(like))
			sum += share * v
			weights += share
		}
		return sum / weights
	}
	w.args([]any{in, out, z.wide, z.high, radius, near, like},
		[]any{in, out, int32(z.wide), int32(z.high), int32(radius), near, like})
}

func (z *sizes) gray(w *workshop) {
	host := integers[uint8](3*z.many, 0, 256)
	colours, out := copyOf(w, host), resultOf[uint8](w, z.many)
	w.want = func(i int) float64 {
		return math.Floor((77*float64(host[3*i]) + 150*float64(host[3*i+1]) + 29*float64(host[3*i+2])) / 256)
	}
	w.args([]any{colours, out}, []any{colours, out, int32(z.many)})
}
