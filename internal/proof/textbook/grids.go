package main

import "github.com/gridstride/gridstride/gpu"

// Steps over grids of cells.

// Heat is a step of the heat equation on a plate.
//
//gpu:kernel block=32x8
func Heat(in, out []float64, width, height int, rate float64) {
	x := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	y := gpu.BlockIdx.Y*gpu.BlockDim.Y + gpu.ThreadIdx.Y
	if x > 0 && x < width-1 && y > 0 && y < height-1 {
		i := y*width + x
		out[i] = in[i] + rate*(in[i-1]+in[i+1]+in[i-width]+in[i+width]-4*in[i])
	}
}

// Life is a step of Conway's game of life on a torus.
//
//gpu:kernel block=32x8
func Life(in, out []uint8, width, height int) {
	x := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	y := gpu.BlockIdx.Y*gpu.BlockDim.Y + gpu.ThreadIdx.Y
	if x >= width || y >= height {
		return
	}
	alive := 0
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if dx != 0 || dy != 0 {
				nx, ny := (x+dx+width)%width, (y+dy+height)%height
				alive += int(in[ny*width+nx])
			}
		}
	}
	out[y*width+x] = 0
	if alive == 3 || alive == 2 && in[y*width+x] == 1 {
		out[y*width+x] = 1
	}
}

// Floyd is a step of the search for all shortest paths: those that may lead by vertex k.
//
//gpu:kernel block=32x8
func Floyd(in, out []int32, n, k int) {
	j := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	i := gpu.BlockIdx.Y*gpu.BlockDim.Y + gpu.ThreadIdx.Y
	if i < n && j < n {
		out[i*n+j] = min(in[i*n+j], in[i*n+k]+in[k*n+j])
	}
}

// The nine velocities of a lattice, and their weights.
var (
	ex     = [9]int{0, 1, 0, -1, 0, 1, -1, -1, 1}
	ey     = [9]int{0, 0, 1, 0, -1, 1, 1, -1, -1}
	weight = [9]float32{4.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36}
)

// Lattice is a step of a fluid by the lattice Boltzmann method, on a torus: Y. Qian, D. d'Humières
// and P. Lallemand, "Lattice BGK models for Navier-Stokes equation", 1992.
//
//gpu:kernel block=32x8
func Lattice(in, out []float32, width, height int, omega float32) {
	x := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	y := gpu.BlockIdx.Y*gpu.BlockDim.Y + gpu.ThreadIdx.Y
	if x >= width || y >= height {
		return
	}
	n := width * height
	var f [9]float32
	var rho, ux, uy float32
	for q := 0; q < 9; q++ {
		px := (x - ex[q] + width) % width
		py := (y - ey[q] + height) % height
		f[q] = in[q*n+py*width+px]
		rho += f[q]
		ux += float32(ex[q]) * f[q]
		uy += float32(ey[q]) * f[q]
	}
	ux /= rho
	uy /= rho
	square := 1.5 * (ux*ux + uy*uy)
	for q := 0; q < 9; q++ {
		e := 3 * (float32(ex[q])*ux + float32(ey[q])*uy)
		balance := weight[q] * rho * (1 + e + 0.5*e*e - square)
		out[q*n+y*width+x] = f[q] + omega*(balance-f[q])
	}
}
