package plot

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// Number writes a value as people do: 0, 0.25, 4,455, 1.2M.
func Number(v float64) string {
	switch a := math.Abs(v); {
	case v == 0:
		return "0"
	case a >= 1e9:
		return short(v/1e9) + "G"
	case a >= 1e6:
		return short(v/1e6) + "M"
	case a >= 1000:
		return thousands(v)
	}
	return short(v)
}

// short is v, less than 1,000, with three digits, none of them a zero behind the point.
func short(v float64) string {
	if math.Abs(v) >= 100 {
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

// linearTicks are gonum's, in our writing.
type linearTicks struct{ format func(float64) string }

func (l linearTicks) Ticks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i := range ticks {
		switch {
		case ticks[i].Label == "":
		case l.format == nil:
			ticks[i].Label = Number(ticks[i].Value)
		default:
			ticks[i].Label = l.format(ticks[i].Value)
		}
	}
	return ticks
}

// decades are the powers of ten, and between them ticks without a label; where there are fewer than
// two powers, 2 and 5 have labels too.
type decades struct{ format func(float64) string }

func (d decades) Ticks(low, high float64) (ticks []plot.Tick) {
	first, last := int(math.Floor(math.Log10(low))), int(math.Ceil(math.Log10(high)))
	few := math.Log10(high/low) < 2
	for e := first; e <= last; e++ {
		for m := 1; m < 10; m++ {
			v := float64(m) * math.Pow10(e)
			if v < low || v > high {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 || few && (m == 2 || m == 5) {
				t.Label = d.format(v)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}
