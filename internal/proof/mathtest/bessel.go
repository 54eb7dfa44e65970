package mathtest

import (
	"fmt"
	"math"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/proof/mathtest/mathkernels"
	"github.com/gridstride/gridstride/internal/proof/mpfr"
	"github.com/gridstride/gridstride/internal/proof/ulp"
)

// bessels are the Bessel functions. NVIDIA documents ULP up to 8, and absolute errors beyond.
var bessels = []Function{
	{Name: "J0", Single: of(gpu.J0[float32]), Double: of(gpu.J0[float64]), Exact: unary("j0"), Floor: mathkernels.Swing, FloorSource: "mathkernels.Swing",
		Usual: in(-20, 20), Library: "j0",
		Limit: bessel, CUDA: Bound{9, 7}, Near: waves, Hard: []float64{2.404825557695773, 5.520078110286311, 8.653727912911013},
		Special: "0:1 -0:1 Inf:0 -Inf:0 NaN:NaN"},
	{Name: "J1", Single: of(gpu.J1[float32]), Double: of(gpu.J1[float64]), Exact: unary("j1"), Floor: mathkernels.Swing, FloorSource: "mathkernels.Swing",
		Usual: in(-20, 20), Library: "j1",
		Limit: bessel, CUDA: Bound{9, 7}, Near: waves, Hard: []float64{3.8317059702075125, 7.015586669815619, -7.015586669815619},
		Special: "0:0 -0:-0 Inf:0 -Inf:0 NaN:NaN"},
	{Name: "Jn", Pair: true, Single: func(n, x float32) float32 { return gpu.Jn(mathkernels.Order(n), x) },
		Double: func(n, x float64) float64 { return gpu.Jn(mathkernels.Order(n), x) }, Exact: ofOrder("jn"), Floor: mathkernels.SwingOfOrder, FloorSource: "mathkernels.SwingOfOrder",
		Usual: pair(-5, 5, 0.1, 20), Source: "func(n, x T) T { return gpu.Jn(mathkernels.Order(n), x) }",
		Limit: bessel, Near: []Box{{Interval{-8, 8}, Interval{-100, 100}}, {Interval{0, 25}, Interval{0, 50}}, {Interval{0, 4}, Interval{0, 8}}},
		Special: "0,0:1 0,-0:1 1,0:0 1,-0:-0 -1,0:-0 2,0:0 2,Inf:0 3,NaN:NaN"},
	{Name: "Y0", Single: of(gpu.Y0[float32]), Double: of(gpu.Y0[float64]), Exact: unary("y0"), Floor: mathkernels.Swing, FloorSource: "mathkernels.Swing",
		Usual: in(0.1, 20), Library: "y0",
		Limit: bessel, CUDA: Bound{9, 7}, Near: waves, Hard: []float64{0.8935769662791675, 3.957678419314858, 7.086051060301773, 0.6, 1.2, 2.6},
		Special: "0:-Inf -0:-Inf -1:NaN Inf:0 -Inf:NaN NaN:NaN"},
	{Name: "Y1", Single: of(gpu.Y1[float32]), Double: of(gpu.Y1[float64]), Exact: unary("y1"), Floor: mathkernels.Swing, FloorSource: "mathkernels.Swing",
		Usual: in(0.1, 20), Library: "y1",
		Limit: bessel, CUDA: Bound{9, 7}, Near: waves, Hard: []float64{2.197141326031017, 5.429681040794135, 1.6},
		Special: "0:-Inf -0:-Inf -1:NaN Inf:0 -Inf:NaN NaN:NaN"},
	{Name: "Yn", Pair: true, Single: func(n, x float32) float32 { return gpu.Yn(mathkernels.Order(n), x) },
		Double: func(n, x float64) float64 { return gpu.Yn(mathkernels.Order(n), x) }, Exact: ofOrder("yn"), Floor: mathkernels.SwingOfOrder, FloorSource: "mathkernels.SwingOfOrder",
		Usual: pair(-5, 5, 0.1, 20), Source: "func(n, x T) T { return gpu.Yn(mathkernels.Order(n), x) }",
		Limit: bessel, Near: []Box{{Interval{-8, 8}, Interval{0, 100}}, {Interval{0, 25}, Interval{0, 50}}, {Interval{0, 4}, Interval{0, 8}}},
		Hard:    []float64{23, 0x1.529abp-02},
		Special: "0,0:-Inf 2,0:-Inf -1,0:Inf -2,0:-Inf 2,Inf:0 3,NaN:NaN 2,-1:NaN"},
}

var bessel = Bound{8, 16}

var waves = []Box{in(0, 8.2), in(0, 3), in(-8, 8), in(8, 100), in(0, 1e6)}

// ofOrder is a function of MPFR's of an order and a number.
func ofOrder(name string) Reference {
	return func(l *mpfr.Library) (Exact, error) {
		f, err := l.OfInteger(name)
		if err != nil {
			return nil, fmt.Errorf("MPFR's %s: %w", name, err)
		}
		z, n := mpfr.New(), mpfr.New()
		return func(order, x float64) ulp.Real {
			k := mathkernels.Order(order)
			if k >= 0 {
				f(z, k, n.Set(x))
				return z.Real()
			}
			f(z, -k, n.Set(x)) // MPFR takes long for a negative order
			r := z.Real()
			if k%2 != 0 && !math.IsInf(x, 0) {
				r.High, r.Low = -r.High, -r.Low
			}
			return r
		}, nil
	}
}
