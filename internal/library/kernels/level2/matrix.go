package level2

import "github.com/gridstride/gridstride/gpu"

// Shape is the layout of a matrix and the vectors. Row i of the matrix begins at element i*Row.
// Element i of x is x[X+i*IncX], and of y it is y[Y+i*IncY].
type Shape struct {
	Rows, Cols, Row  int
	X, IncX, Y, IncY int
}

// matrix is a matrix in memory. av is its elements as vectors of 16 bytes, where its rows begin at
// multiples of these, and otherwise empty.
type matrix[T gpu.Float, V gpu.FloatVector[T, V]] struct {
	av []V
	a  []T
	Shape
}

// at is the elements of a row from column col on, which is a multiple of the lanes of a V. Elements
// after the last column are 0.
func (m matrix[T, V]) at(row, col int) (v V) {
	if len(m.av) > 0 && col+v.Lanes() <= m.Cols {
		return m.av[(row*m.Row+col)/v.Lanes()]
	}
	for l := range v.Lanes() {
		if col+l < m.Cols {
			v = v.With(l, m.a[row*m.Row+col+l])
		}
	}
	return v
}

// set writes what at reads.
func (m matrix[T, V]) set(row, col int, v V) {
	if len(m.av) > 0 && col+v.Lanes() <= m.Cols {
		m.av[(row*m.Row+col)/v.Lanes()] = v
		return
	}
	for l := range v.Lanes() {
		if col+l < m.Cols {
			m.a[row*m.Row+col+l] = v.Lane(l)
		}
	}
}

// lanesOf is v[first+i*inc] for the lanes i of a V. From index n on they are 0.
func lanesOf[T gpu.Float, V gpu.FloatVector[T, V]](v []T, first, inc, i, n int) (w V) {
	for l := range w.Lanes() {
		if i+l < n {
			w = w.With(l, v[first+(i+l)*inc])
		}
	}
	return w
}
