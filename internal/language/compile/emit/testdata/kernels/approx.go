package p

import "github.com/gridstride/gridstride/gpu"

// Approx has an instruction for each function, without .ftz, and keeps the one whose operand is
// constant: what it gives is not known here.
//
//gpu:kernel
func Approx(a []float32) {
	for i, x := range a {
		x = gpu.ApproxExp2(x)
		x = gpu.ApproxLog2(x)
		x = gpu.ApproxSin(x)
		x = gpu.ApproxCos(x)
		x = gpu.ApproxRsqrt(x)
		a[i] = gpu.ApproxRcp(x) + gpu.ApproxRcp(3)
	}
}
