package figure

import (
	"fmt"
	"math"
	"strconv"
)

// Number writes a value as people do: 0, 0.25, 4,455, 1.2M.
func Number(v float64) string {
	switch a := math.Abs(v); {
	case v == 0:
		return "0"
	case a >= 999.5e6:
		return short(v/1e9) + "G"
	case a >= 999_999.5:
		return short(v/1e6) + "M"
	case a >= 999.5:
		return thousands(v)
	}
	return short(v)
}

// short is v with three digits, none of them a zero after the point.
func short(v float64) string {
	if a := math.Abs(v); a >= 100 && a < 1e6 {
		return fmt.Sprintf("%.0f", v)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// thousands is v, a whole number from 1,000 to 999,999.
func thousands(v float64) string {
	n := int64(math.Round(v))
	sign := ""
	if n < 0 {
		n, sign = -n, "-"
	}
	return fmt.Sprintf("%s%d,%03d", sign, n/1000, n%1000)
}

// Seconds writes a time: 5.9 µs, 0.5 ms, 2 s.
func Seconds(v float64) string {
	switch a := math.Abs(v); {
	case v == 0:
		return "0"
	case a < 0.9995e-6:
		return short(v*1e9) + " ns"
	case a < 0.9995e-3:
		return short(v*1e6) + " µs"
	case a < 0.9995:
		return short(v*1e3) + " ms"
	}
	return short(v) + " s"
}
