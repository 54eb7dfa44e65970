package main

import "github.com/gridstride/gridstride"

func (z *sizes) grids() []*problem {
	grid := func(wide, high int) gridstride.Config {
		return gridstride.Grid(over(wide, 32), over(high, 8)).Block(32, 8)
	}
	return []*problem{
		newProblem("Heat", grid(z.wide, z.high), z.heat),
		newProblem("Life", grid(z.wide, z.high), z.life),
		newProblem("Floyd", grid(z.graph, z.graph), z.floyd),
		newProblem("Lattice", grid(z.wide, z.high), z.lattice),
	}
}

// doubles are numbers as float64.
func doubles(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

func (z *sizes) heat(w *workshop) {
	host, rate := doubles(uniform(z.wide*z.high, -1, 1)), 0.2
	in, out := copyOf(w, host), resultOf[float64](w, len(host))
	w.want = func(i int) float64 {
		x, y := i%z.wide, i/z.wide
		if x == 0 || x == z.wide-1 || y == 0 || y == z.high-1 {
			return 0
		}
		return (1-4*rate)*host[i] + rate*(host[i-1]+host[i+1]+host[i-z.wide]+host[i+z.wide])
	}
	w.args([]any{in, out, z.wide, z.high, rate}, []any{in, out, int32(z.wide), int32(z.high), rate})
}

// wrapped is the index of the cell at x and y of a torus.
func (z *sizes) wrapped(x, y int) int {
	return (y+z.high)%z.high*z.wide + (x+z.wide)%z.wide
}

func (z *sizes) life(w *workshop) {
	host := integers[uint8](z.wide*z.high, 0, 2)
	in, out := copyOf(w, host), resultOf[uint8](w, len(host))
	w.want = func(i int) float64 {
		alive := -int(host[i])
		for k := range 9 {
			alive += int(host[z.wrapped(i%z.wide+k%3-1, i/z.wide+k/3-1)])
		}
		if alive == 3 {
			return 1
		}
		return float64(host[i]) * float64(min(1, max(0, alive-1)*max(0, 4-alive)))
	}
	w.args([]any{in, out, z.wide, z.high}, []any{in, out, int32(z.wide), int32(z.high)})
}

func (z *sizes) floyd(w *workshop) {
	n, k := z.graph, z.graph/3
	host := integers[int32](n*n, 1, 1000)
	in, out := copyOf(w, host), resultOf[int32](w, n*n)
	w.want = func(i int) float64 {
		return float64(min(host[i], host[i/n*n+k]+host[k*n+i%n]))
	}
	w.args([]any{in, out, n, k}, []any{in, out, int32(n), int32(k)})
}

func (z *sizes) lattice(w *workshop) {
	n, omega := z.wide*z.high, float32(0.7)
	host := uniform(9*n, 0.9, 1.1)
	for i := range host {
		host[i] *= weight[i/n]
	}
	in, out := copyOf(w, host), resultOf[float32](w, 9*n)
	w.want = func(i int) float64 {
		var f [9]float64
		rho, ux, uy := 0.0, 0.0, 0.0
		for q := range f {
			f[q] = float64(host[q*n+z.wrapped(i%n%z.wide-ex[q], i%n/z.wide-ey[q])])
			rho += f[q]
			ux += float64(ex[q]) * f[q]
			uy += float64(ey[q]) * f[q]
		}
		q := i / n
		e := 3 * (float64(ex[q])*ux + float64(ey[q])*uy) / rho
		balance := float64(weight[q]) * rho * (1 + e + e*e/2 - 1.5*(ux*ux+uy*uy)/rho/rho)
		return f[q] + float64(omega)*(balance-f[q])
	}
	w.args([]any{in, out, z.wide, z.high, omega}, []any{in, out, int32(z.wide), int32(z.high), omega})
}
