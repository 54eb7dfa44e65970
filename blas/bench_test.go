package blas

import (
	"fmt"
	"testing"
)

// BenchmarkGemm measures small products, for which the call itself takes a part of the time.
func BenchmarkGemm(b *testing.B) {
	for _, n := range []int{4, 8, 16, 32, 64} {
		x, y, z := MatrixOf[float32](n, n, nil), MatrixOf[float32](n, n, nil), MatrixOf[float32](n, n, nil)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Gemm(NoTrans, NoTrans, 1, x, y, 0, z)
			}
		})
	}
}
