package twofold

import "github.com/gridstride/gridstride/internal/math/ieee"

// logOf is the natural logarithm of x, which is above 0: n*ln2 + 2*atanh((m-1)/(m+1)) for
// x = m * 2^n with m from sqrt(1/2) to sqrt(2).
func logOf(x Sum) Sum {
	m, n := ieee.Frexp(x.High)
	if m < 0.7071 {
		m *= 2
		n--
	}
	r := Sum{m, ieee.Ldexp(x.Low, -n)}
	return add(multiple(float64(n)), series(add(r, of(-1))))
}

// multiple is n*ln2.
func multiple(n float64) Sum {
	return add(add(of(float64(n*ln2A)), of(float64(n*ln2B))), times(of(n), ln2C))
}

// series is log(1+v), for 1+v from sqrt(1/2) to sqrt(2).
func series(v Sum) Sum {
	s := over(v, add(of(2), v))
	z := times(s, s)
	p := inverseOdd[len(inverseOdd)-1].High
	for k := len(inverseOdd) - 2; k > exact; k-- {
		p = ieee.FMA(p, z.High, inverseOdd[k].High)
	}
	q := of(p)
	for k := exact; k >= 0; k-- {
		q = add(times(q, z), inverseOdd[k])
	}
	return scaled(times(q, s), 2)
}

// logOfOnePlus is log(1+v), also where v is small.
func logOfOnePlus(v Sum) Sum {
	if v.High > -0.29 && v.High < 0.41 {
		return series(v)
	}
	return logOf(add(of(1), v))
}

// isPositive reports whether x is a number above 0.
func isPositive(x float64) bool { return x > 0 && isFinite(x) }

// Log is the natural logarithm.
func Log(x, _, _ float64) Value {
	if !isPositive(x) {
		return none()
	}
	return plain(logOf(of(x)))
}

// Log2 is the binary logarithm.
func Log2(x, _, _ float64) Value {
	if !isPositive(x) {
		return none()
	}
	return plain(times(logOf(of(x)), inverseLn2))
}

// Log10 is the decimal logarithm.
func Log10(x, _, _ float64) Value {
	if !isPositive(x) {
		return none()
	}
	return plain(times(logOf(of(x)), inverseLn10))
}

// Log1p is log(1+x).
func Log1p(x, _, _ float64) Value {
	if !(x > -1 && isFinite(x) && ieee.Abs(x) > tiny) {
		return none()
	}
	return plain(logOfOnePlus(of(x)))
}

// Asinh is the inverse hyperbolic sine, log(x + sqrt(x^2 + 1)).
func Asinh(x, _, _ float64) Value {
	a := ieee.Abs(x)
	if !(a > tiny && isFinite(x)) {
		return none()
	}
	var v Sum
	if a > 0x1p200 {
		v = add(logOf(of(a)), ln2)
	} else {
		z := product(a, a)
		v = logOfOnePlus(add(of(a), over(z, add(of(1), root(add(of(1), z))))))
	}
	return plain(scaled(v, ieee.Copysign(1, x)))
}

// Acosh is the inverse hyperbolic cosine, log(x + sqrt(x^2 - 1)).
func Acosh(x, _, _ float64) Value {
	if !(x > 1 && isFinite(x)) {
		return none()
	}
	if x > 0x1p200 {
		return plain(add(logOf(of(x)), ln2))
	}
	w := of(x - 1)
	if x > 2 {
		w = sum(x, -1)
	}
	return plain(logOfOnePlus(add(w, root(times(w, sum(x, 1))))))
}

// Atanh is the inverse hyperbolic tangent, log(1 + 2*x/(1-x)) / 2.
func Atanh(x, _, _ float64) Value {
	a := ieee.Abs(x)
	if !(a > tiny && a < 1) {
		return none()
	}
	v := logOfOnePlus(over(of(2*a), sum(1, -a)))
	return plain(scaled(v, ieee.Copysign(0.5, x)))
}
