package cmplx_test

import (
	"fmt"

	"github.com/gridstride/gridstride/gpu/cmplx"
)

func Example() {
	z := cmplx.Rect(2, 0.5)
	fmt.Printf("%.3f\n", cmplx.Abs(cmplx.Sqrt(z)))
	fmt.Printf("%.3f\n", cmplx.Exp(complex64(1i)))
	// Output:
	// 1.414
	// (0.540+0.841i)
}
