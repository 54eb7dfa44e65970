package lang

import "math"

type wave struct {
	at    complex128
	phase complex64
	on    bool
}

var twiddles = [...]complex64{1, 0.5 + 0.5i, 1i, -0.5 + 0.5i, -1, complex(0.25, -3)}

var waves = []wave{{at: 2 - 1i}, {phase: 1.5i, on: true}, {1e300 + 1e-300i, -1, false}}

var turned = turn(1+2i, 3)

func turn(z complex128, n int) complex128 {
	for range n {
		z *= 1i
	}
	return z
}

func (w *writer) complex(z complex128) {
	w.f64(number1(real(z)))
	w.f64(number1(imag(z)))
}

func (w *writer) complex64(z complex64) {
	w.f32(float32(number1(float64(real(z)))))
	w.f32(float32(number1(float64(imag(z)))))
}

// number1 is x, or 12345 for any NaN.
func number1(x float64) float64 {
	if x != x {
		return 12345
	}
	return x
}

func addUp[C complex64 | complex128](list ...C) (s C) {
	for _, z := range list {
		s += z
	}
	return s
}

// Complex is arithmetic on complex numbers, of all that is special.
//
//gpu:kernel
func Complex(in, out []int64) {
	w := writer{out: out}
	special := [...]float64{
		float64(in[0]), math.Float64frombits(uint64(in[5])), 0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e-310, 1.7e308,
		-0.1, float64(in[1]) / 3,
	}
	check := uint64(1)
	fold := func(z complex128) {
		check = check*31 + math.Float64bits(number1(real(z)))
		check = check*31 + math.Float64bits(number1(imag(z)))
	}
	for i, a := range special {
		for j, b := range special {
			x := complex(a, b)
			for _, c := range special[i&1:] {
				y := complex(c, special[j])
				fold(x + y)
				fold(x - y)
				fold(x * y)
				fold(x / y)
				z, v := complex64(x), complex64(y)
				fold(complex128(z*v) + complex128(z/v))
				fold(complex128(z - v))
				fold(-x)
				if x == y || z != v {
					check++
				}
			}
		}
	}
	w.put(int64(check))
	i := int(in[2] & 3)
	z := twiddles[i]
	w.complex64(z * twiddles[i+1])
	w.complex(waves[i%3].at / complex128(z))
	w.complex64(waves[1].phase)
	w.complex(turned)
	w.complex64(addUp(z, 2, 3i))
	w.complex(addUp[complex128]())
	var buf [4]complex64
	for k := range buf {
		buf[k] = complex64(complex(float32(k), float32(i)))
	}
	p := &buf[i]
	*p *= z
	w.complex64(buf[i&1])
	w.complex64(buf[2])
	x, y := wave{at: complex(1, float64(i)), phase: z}, wave{at: 1 + 2i, phase: 1}
	w.bool(x == y)
	y.at, y.phase = x.at, z
	w.bool(x == y)
	const c = 3 + 4i
	w.complex(c * c)
	w.put(int64(real(c*c)) + int64(imag(x.at)))
}
