package main

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
)

// reference is attention and its gradients by their definition in float64, with all scores in
// memory: rows of numbers, head after head.
type reference struct{ out, gradQ, gradK, gradV [][]float64 }

// refer computes what the device should find.
func refer[R Row](in *Inputs[R]) *reference {
	r := &reference{}
	for h := range in.Heads {
		q, grad := wide[float64](in.Q[h*in.Queries:][:in.Queries]), wide[float64](in.Grad[h*in.Queries:][:in.Queries])
		k, v := wide[float64](in.K[h*in.Keys:][:in.Keys]), wide[float64](in.V[h*in.Keys:][:in.Keys])
		r.head(&in.Shape, q, k, v, grad)
	}
	return r
}

// head appends the results of a head.
func (r *reference) head(shape *Shape, q, k, v, grad [][]float64) {
	width := len(q[0])
	gradK, gradV := zeros[float64](len(k), width), zeros[float64](len(k), width)
	for i := range q {
		weights := weights(shape, i, q[i], k)
		out, gradQ := make([]float64, width), make([]float64, width)
		for j, p := range weights {
			addTo(out, p, v[j])
			addTo(gradV[j], p, grad[i])
		}
		delta := dot(out, grad[i])
		for j, p := range weights {
			ds := p * (dot(grad[i], v[j]) - delta) * float64(shape.Scale)
			addTo(gradQ, ds, k[j])
			addTo(gradK[j], ds, q[i])
		}
		r.out, r.gradQ = append(r.out, out), append(r.gradQ, gradQ)
	}
	r.gradK, r.gradV = append(r.gradK, gradK...), append(r.gradV, gradV...)
}

// weights is the softmax of a query's scores for the keys that it sees, which are the first ones.
// They are zeros if all scores are -Inf.
func weights[T gpu.Float](s *Shape, i int, q []T, k [][]T) []T {
	p := make([]T, 0, len(k))
	largest, sum := T(math.Inf(-1)), T(0)
	for j := 0; s.sees(i, j); j++ {
		p = append(p, T(s.Scale)*dot(q, k[j]))
		largest = max(largest, p[j])
	}
	if math.IsInf(float64(largest), -1) {
		return make([]T, len(p))
	}
	for j := range p {
		p[j] = T(math.Exp(float64(p[j] - largest)))
		sum += p[j]
	}
	for j := range p {
		p[j] /= sum
	}
	return p
}

// dot is a dot product.
func dot[T gpu.Float](x, y []T) (sum T) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// addTo adds a*x to y.
func addTo[T gpu.Float](y []T, a T, x []T) {
	for i := range y {
		y[i] += a * x[i]
	}
}

func zeros[T gpu.Float](rows, width int) [][]T {
	x := make([][]T, rows)
	for i := range x {
		x[i] = make([]T, width)
	}
	return x
}

// wide is rows in float64, or in float32.
func wide[T gpu.Float, R Row](rows []R) [][]T {
	var row R
	x := zeros[T](len(rows), 8*len(row))
	for i := range rows {
		for j := range x[i] {
			x[i][j] = T(rows[i][j/8][j%8].Float32())
		}
	}
	return x
}

// furthest is how far rows are from the reference: the largest difference, as a part of the
// reference's largest number, or of 1/128 if that is larger. It is NaN if only one of the two has a
// NaN somewhere.
func furthest[R Row](got []R, want [][]float64) float64 {
	worst, largest := 0.0, 1.0/128
	for i, row := range wide[float64](got) {
		for j, x := range row {
			y := want[i][j]
			if math.IsNaN(x) && math.IsNaN(y) || math.IsInf(y, 0) && x == y {
				continue
			}
			worst = max(worst, math.Abs(x-y))
			largest = max(largest, math.Abs(y))
		}
	}
	return worst / largest
}
