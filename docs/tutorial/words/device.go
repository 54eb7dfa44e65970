package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
)

// dense writes the vectors, each of length 1, as the rows of a matrix: a column for each term of
// the collection, and mostly zeros.
func (c *collection) dense() (matrix []float32, columns, numbers int) {
	all := vector{}
	for _, v := range c.vectors {
		maps.Copy(all, v)
	}
	column := map[string]int{}
	for i, term := range slices.Sorted(maps.Keys(all)) {
		column[term] = i
	}
	columns = len(column)
	matrix = make([]float32, len(c.vectors)*columns)
	for i, v := range c.vectors {
		length := math.Sqrt(dot(v, v))
		for term, x := range v {
			if x != 0 {
				matrix[i*columns+column[term]] = float32(x / length)
				numbers++
			}
		}
	}
	return matrix, columns, numbers
}

// onDevice computes the cosines of one document with all as the product of that matrix and one of
// its rows.
func (c *collection) onDevice(ctx context.Context, out io.Writer, self, k int) ([]hit, error) {
	matrix, columns, numbers := c.dense()
	rows := len(c.vectors)
	fmt.Fprintf(out, "%d packages, %d terms; %d numbers of the %d are not 0\n", rows, columns, numbers, len(matrix))
	fmt.Fprintf(out, "%.1f MB dense, %.1f MB as the numbers and their columns\n", 4e-6*float64(len(matrix)), 8e-6*float64(numbers))
	dev, err := gridstride.Open()
	if err != nil {
		return nil, err
	}
	scores, err := multiply(ctx, dev, rows, columns, matrix, self)
	if err = errors.Join(err, dev.Close()); err != nil {
		return nil, err
	}
	var hits []hit
	for i, score := range scores {
		if i != self {
			hits = append(hits, hit{c.documents[i].ID, float64(score)})
		}
	}
	return best(hits, k), nil
}

// multiply returns the dot products of a row of a matrix with all of them.
func multiply(ctx context.Context, dev *gridstride.Device, rows, columns int, matrix []float32, row int) ([]float32, error) {
	a, err := gridstride.CopyOf(dev, matrix)
	if err != nil {
		return nil, err
	}
	defer a.Free()
	y, err := gridstride.CopyOf(dev, make([]float32, rows))
	if err != nil {
		return nil, err
	}
	defer y.Free()
	h, err := gpublas.New(dev.Stream())
	if err != nil {
		return nil, err
	}
	defer h.Close()
	m := gpublas.MatrixOf(rows, columns, a)
	if err := gpublas.Gemv(h, gpublas.NoTrans, 1, m, m.Row(row), 0, gpublas.VectorOf(y)); err != nil {
		return nil, err
	}
	return y.Read(ctx, h.Stream(), nil)
}
