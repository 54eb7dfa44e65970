package blas_test

import (
	"fmt"

	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/metric"
)

func Example() {
	a, b := []float64{1, 2, 3}, []float64{4, 5, 6}
	fmt.Println(blas.Dot(a, b), metric.MSE(a, b))
	fmt.Printf("%.4f\n", metric.CosineSimilarity(a, b))
	// Output:
	// 32 9
	// 0.9746
}
