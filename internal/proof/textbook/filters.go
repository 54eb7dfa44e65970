package main

import "github.com/gridstride/gridstride/gpu"

// Filters of pictures. A pixel beyond the edge is the nearest one inside.

// binomial are the weights of Gauss, in a row and in a column.
var binomial = [5]float32{1.0 / 16, 4.0 / 16, 6.0 / 16, 4.0 / 16, 1.0 / 16}

// Gauss smooths a picture by 5 by 5 binomial weights.
//
//gpu:kernel block=16x16
func Gauss(in, out []float32, width, height int) {
	x := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	y := gpu.BlockIdx.Y*gpu.BlockDim.Y + gpu.ThreadIdx.Y
	if x >= width || y >= height {
		return
	}
	var sum float32
	for dy := -2; dy <= 2; dy++ {
		for dx := -2; dx <= 2; dx++ {
			px := min(max(x+dx, 0), width-1)
			py := min(max(y+dy, 0), height-1)
			sum += binomial[dy+2] * binomial[dx+2] * in[py*width+px]
		}
	}
	out[y*width+x] = sum
}

// order returns the smaller of two numbers first.
func order(a, b uint8) (uint8, uint8) { return min(a, b), max(a, b) }

// Median gives each pixel the median of 3 by 3, by a sorting network: A. Paeth, "Median finding on
// a 3x3 grid", Graphics Gems, 1990.
//
//gpu:kernel block=16x16
func Median(in, out []uint8, width, height int) {
	x := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	y := gpu.BlockIdx.Y*gpu.BlockDim.Y + gpu.ThreadIdx.Y
	if x >= width || y >= height {
		return
	}
	var v [9]uint8
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			px := min(max(x+dx, 0), width-1)
			py := min(max(y+dy, 0), height-1)
			v[(dy+1)*3+dx+1] = in[py*width+px]
		}
	}
	v[1], v[2] = order(v[1], v[2])
	v[4], v[5] = order(v[4], v[5])
	v[7], v[8] = order(v[7], v[8])
	v[0], v[1] = order(v[0], v[1])
	v[3], v[4] = order(v[3], v[4])
	v[6], v[7] = order(v[6], v[7])
	v[1], v[2] = order(v[1], v[2])
	v[4], v[5] = order(v[4], v[5])
	v[7], v[8] = order(v[7], v[8])
	v[0], v[3] = order(v[0], v[3])
	v[5], v[8] = order(v[5], v[8])
	v[4], v[7] = order(v[4], v[7])
	v[3], v[6] = order(v[3], v[6])
	v[1], v[4] = order(v[1], v[4])
	v[2], v[5] = order(v[2], v[5])
	v[4], v[7] = order(v[4], v[7])
	v[4], v[2] = order(v[4], v[2])
	v[6], v[4] = order(v[6], v[4])
	v[4], v[2] = order(v[4], v[2])
	out[y*width+x] = v[4]
}

func abs(x int32) int32 {
	if x < 0 {
		return -x
	}
	return x
}

// Sobel finds edges: the sizes of the two derivatives of each inner pixel, added up.
//
//gpu:kernel block=32x8
func Sobel(in, out []uint8, width, height int) {
	x := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	y := gpu.BlockIdx.Y*gpu.BlockDim.Y + gpu.ThreadIdx.Y
	if x < 1 || x >= width-1 || y < 1 || y >= height-1 {
		return
	}
	i := y*width + x
	a, b, c := int32(in[i-width-1]), int32(in[i-width]), int32(in[i-width+1])
	d, e := int32(in[i-1]), int32(in[i+1])
	f, g, h := int32(in[i+width-1]), int32(in[i+width]), int32(in[i+width+1])
	gx := c + 2*e + h - a - 2*d - f
	gy := f + 2*g + h - a - 2*b - c
	out[i] = uint8(min(abs(gx)+abs(gy), 255))
}

// Bilateral smooths a picture except at its edges: C. Tomasi and R. Manduchi, "Bilateral filtering for
// gray and color images", 1998.
//
//gpu:kernel block=16x16
func Bilateral(in, out []float32, width, height, radius int, near, like float32) {
	x := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	y := gpu.BlockIdx.Y*gpu.BlockDim.Y + gpu.ThreadIdx.Y
	if x >= width || y >= height {
		return
	}
	centre := in[y*width+x]
	var sum, weights float32
	for dy := -radius; dy <= radius; dy++ {
		for dx := -radius; dx <= radius; dx++ {
			px := min(max(x+dx, 0), width-1)
			py := min(max(y+dy, 0), height-1)
			v := in[py*width+px]
			w := gpu.Exp(-float32(dx*dx+dy*dy)*near - (v-centre)*(v-centre)*like)
			sum += w * v
			weights += w
		}
	}
	out[y*width+x] = sum / weights
}

// Gray makes shades of gray of colours: red, green and blue in a byte each.
//
//gpu:kernel block=256
func Gray(colours, out []uint8) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i < len(out) {
		r, g, b := uint32(colours[3*i]), uint32(colours[3*i+1]), uint32(colours[3*i+2])
		out[i] = uint8((77*r + 150*g + 29*b) >> 8)
	}
}
