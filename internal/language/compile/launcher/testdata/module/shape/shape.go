// Package shape has a type that kernels of another package take.
package shape

// Point is a point in the plane, with a mark.
type Point struct {
	X, Y float32
	Mark uint8
}

// Path is points, one after the other.
type Path struct {
	Points []Point
	Closed bool
}
