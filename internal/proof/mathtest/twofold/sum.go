package twofold

import "github.com/gridstride/gridstride/internal/math/ieee"

// Sum is the number High + Low, where Low is at most half a unit in the last place of High.
type Sum struct{ High, Low float64 }

// Value is the number (High + Low) * 2^Exponent, whose High is neither huge nor tiny, or one of
// float64. It is NaN where a function of this package has no value.
type Value struct {
	Sum
	Exponent int
}

// none is the Value of arguments that do not count.
func none() Value { return Value{Sum: Sum{High: ieee.NaN[float64]()}} }

// fast is a + b, for an a that is not smaller than b.
func fast(a, b float64) Sum {
	s := a + b
	return Sum{s, b - (s - a)}
}

// sum is a + b (Knuth, The Art of Computer Programming, volume 2).
func sum(a, b float64) Sum {
	s := a + b
	c := s - a
	return Sum{s, (a - (s - c)) + (b - c)}
}

// product is a * b.
func product(a, b float64) Sum {
	p := float64(a * b)
	return Sum{p, ieee.FMA(a, b, -p)}
}

// add, times, over and root are within a few 2^-104 of the exact result (M. Joldes, J.-M. Muller
// and V. Popescu, Tight and rigorous error bounds for basic building blocks of double-word
// arithmetic, 2017).
func add(a, b Sum) Sum {
	s, t := sum(a.High, b.High), sum(a.Low, b.Low)
	s = fast(s.High, s.Low+t.High)
	return fast(s.High, s.Low+t.Low)
}

func times(a, b Sum) Sum {
	p := product(a.High, b.High)
	return fast(p.High, p.Low+ieee.FMA(a.High, b.Low, float64(a.Low*b.High)))
}

func over(a, b Sum) Sum {
	q := a.High / b.High
	a = sub(a, times(Sum{q, 0}, b))
	r := a.High / b.High
	a = sub(a, times(Sum{r, 0}, b))
	return add(fast(q, r), Sum{a.High / b.High, 0})
}

func root(a Sum) Sum {
	q := ieee.Sqrt(a.High)
	if q == 0 {
		return Sum{}
	}
	return fast(q, sub(a, product(q, q)).High/(2*q))
}

func sub(a, b Sum) Sum { return add(a, negative(b)) }

func negative(a Sum) Sum { return Sum{-a.High, -a.Low} }

// scaled is a * f, where that is exact.
func scaled(a Sum, f float64) Sum { return Sum{float64(a.High * f), float64(a.Low * f)} }

// of is the number x.
func of(x float64) Sum { return Sum{x, 0} }

// plain is a Value without an exponent.
func plain(a Sum) Value { return Value{Sum: a} }

// power is 2^n, rounded once, or infinite.
func power(n int) float64 { return ieee.Ldexp(1.0, n) }

// isFinite reports whether x is a number.
func isFinite(x float64) bool { return x-x == 0 }

// nearest gives the nearest integer to x, which is less than 2^51.
func nearest(x float64) float64 { return ieee.RoundToEven(x) }
