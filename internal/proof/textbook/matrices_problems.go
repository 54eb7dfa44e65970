package main

import "github.com/gridstride/gridstride"

func (z *sizes) matrices() []*problem {
	grid := gridstride.Grid
	return []*problem{
		newProblem("DotInt8", grid(over(z.rows(), 8)).Block(block), z.dotInt8),
		newProblem("DotQ4", grid(over(z.rows(), 8)).Block(block), z.dotQ4),
		newProblem("Columns", grid(over(z.rows(), block)).Block(block), z.columns),
		newProblem("Eliminate", grid(over(z.graph, 32), over(z.graph, 8)).Block(32, 8), z.eliminate),
		newProblem("Solve", grid(z.batch).Block(unknown), z.solve),
		newProblem("Horner", grid(over(z.many, block)).Block(block), z.horner),
	}
}

// rows is the rows of the matrices that vectors are multiplied with.
func (z *sizes) rows() int { return 4*z.batch + 3 }

func (z *sizes) dotInt8(w *workshop) {
	rows, columns := z.rows(), z.graph
	ha, hx := integers[int8](rows*columns, -128, 128), integers[int8](columns, -128, 128)
	a, x, y := copyOf(w, ha), copyOf(w, hx), resultOf[int32](w, rows)
	w.want = func(i int) float64 {
		sum := 0.0
		for k, v := range hx {
			sum += float64(ha[i*columns+k]) * float64(v)
		}
		return sum
	}
	w.args([]any{a, x, y}, []any{a, x, y, int32(columns), int32(rows)})
}

func (z *sizes) dotQ4(w *workshop) {
	rows, columns := z.rows(), z.graph/group*group
	hw := integers[uint8](rows*columns/2, 0, 256)
	hs, hx := uniform(rows*columns/group, 0.5, 1), uniform(columns, -1, 1)
	weights, scales, x, y := copyOf(w, hw), copyOf(w, hs), copyOf(w, hx), resultOf[float32](w, rows)
	w.want = func(i int) float64 {
		sum := 0.0
		for k, v := range hx {
			b := hw[i*columns/2+k/group*(group/2)+k%(group/2)]
			sum += float64(hs[(i*columns+k)/group]) * float64(int(b>>(k%group/(group/2)*4)&15)-8) * float64(v)
		}
		return sum
	}
	w.args([]any{weights, scales, x, y}, []any{weights, scales, x, y, int32(columns), int32(rows)})
}

func (z *sizes) columns(w *workshop) {
	n, high := z.rows(), z.graph/2
	ha, hx := uniform(n*high, -1, 1), uniform(high, -1, 1)
	a, x, y := copyOf(w, ha), copyOf(w, hx), resultOf[float32](w, n)
	w.want = func(j int) float64 {
		sum := 0.0
		for i, v := range hx {
			sum += float64(ha[i*n+j]) * float64(v)
		}
		return sum
	}
	w.args([]any{a, x, y}, []any{a, x, y, int32(high), int32(n)})
}

func (z *sizes) eliminate(w *workshop) {
	n, k := z.graph, z.graph/4
	host := doubles(uniform(n*n, 0.5, 1))
	in, out := copyOf(w, host), resultOf[float64](w, n*n)
	w.want = func(at int) float64 {
		i, j := at/n, at%n
		if i <= k || j < k {
			return host[at]
		}
		return host[at] - host[i*n+k]*host[k*n+j]/host[k*n+k]
	}
	w.args([]any{in, out, n, k}, []any{in, out, int32(n), int32(k)})
}

func (z *sizes) solve(w *workshop) {
	ha, hb := uniform(z.batch*unknown*unknown, -0.1, 0.1), uniform(z.batch*unknown, -1, 1)
	for i := range hb {
		ha[i*unknown+i%unknown] += 1
	}
	a, b, x := copyOf(w, ha), copyOf(w, hb), resultOf[float32](w, len(hb))
	w.want = func(i int) float64 {
		first, solution := i/unknown*unknown, [unknown]float64{}
		for r := range i%unknown + 1 {
			rest := float64(hb[first+r])
			for k := range r {
				rest -= float64(ha[(first+r)*unknown+k]) * solution[k]
			}
			solution[r] = rest / float64(ha[(first+r)*unknown+r])
		}
		return solution[i%unknown]
	}
	w.args([]any{a, b, x}, []any{a, b, x})
}

func (z *sizes) horner(w *workshop) {
	hc, hx := doubles(uniform(17, -1, 1)), doubles(uniform(z.many, -1, 1))
	coefficients, x, y := copyOf(w, hc), copyOf(w, hx), resultOf[float64](w, z.many)
	w.want = func(i int) float64 {
		sum, power := 0.0, 1.0
		for k := len(hc) - 1; k >= 0; k-- {
			sum += hc[k] * power
			power *= hx[i]
		}
		return sum
	}
	w.args([]any{coefficients, x, y}, []any{coefficients, x, y, int32(len(hc)), int32(z.many)})
}
