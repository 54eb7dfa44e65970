package figure

import "math"

// scale maps values to positions on the sheet, from low at from to high at to.
type scale struct {
	low, high float64
	from, to  float64
	log       bool
}

// at is the position of a value. A value outside the range is at the range's end.
func (s scale) at(v float64) float64 {
	low, high := s.low, s.high
	if s.log {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	part := (v - low) / (high - low)
	if !(part > 0) { // also what is no number
		part = 0
	}
	return s.from + min(part, 1)*(s.to-s.from)
}

// tick is a mark at an axis. Those between the numbers have no label.
type tick struct {
	value float64
	label string
}

// linearTicks are the multiples of 1, 2 or 5 times a power of ten from low to high, at most most of
// them.
func linearTicks(low, high float64, most int, format func(float64) string) (ticks []tick) {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(most))))
	for _, times := range []float64{1, 2, 5, 10} {
		if (high-low)/(times*step) <= float64(most) {
			step *= times
			break
		}
	}
	for i := math.Ceil(low / step); i*step <= high*(1+1e-9); i++ {
		ticks = append(ticks, tick{i * step, format(i * step)})
	}
	return ticks
}

// logTicks are the powers of ten from low to high, and between them ticks without a label. If there
// are fewer than two powers, 2 and 5 have labels too.
func logTicks(low, high float64, format func(float64) string) (ticks []tick) {
	first, last := int(math.Floor(math.Log10(low)))-1, int(math.Ceil(math.Log10(high)))+1
	few := math.Log10(high/low) < 2
	for e := first; e <= last; e++ {
		for m := 1; m < 10; m++ {
			v := float64(m) * math.Pow10(e)
			if v < low*(1-1e-9) || v > high*(1+1e-9) {
				continue
			}
			t := tick{value: v}
			if m == 1 || few && (m == 2 || m == 5) {
				t.label = format(v)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// logRange widens a range of positive values to 1, 2 or 5 times a power of ten.
func logRange(low, high float64) (float64, float64) {
	below, above := math.Inf(-1), math.Inf(1)
	for e := math.Floor(math.Log10(low)) - 1; e <= math.Ceil(math.Log10(high))+1; e++ {
		for _, m := range []float64{1, 2, 5} {
			v := m * math.Pow(10, e)
			if v <= low*(1+1e-9) {
				below = v
			}
			if v >= high*(1-1e-9) {
				above = min(above, v)
			}
		}
	}
	if below == above {
		return below / 2, above * 2
	}
	return below, above
}

// thin takes labels away that would touch the one before, at positions in one direction of an axis.
// room is the space that a label takes along the axis.
func thin(ticks []tick, s scale, room func(label string) float64) {
	last, end := 0.0, false
	for i, t := range ticks {
		if t.label == "" {
			continue
		}
		at, half := s.at(t.value), room(t.label)/2
		if s.to < s.from { // upwards
			at = -at
		}
		if end && at-half < last {
			ticks[i].label = ""
			continue
		}
		last, end = at+half, true
	}
}
