package profile

// heat is how much of the whole a value is, in steps from 0 to 8. The first begins at a hundredth.
func heat(part, whole float64) int {
	if whole == 0 {
		return 0
	}
	return step(part/whole, 0.01, 0.04, 0.08, 0.14, 0.22, 0.32, 0.45, 0.60)
}

// heat is how much of the whole a counter counted.
func (c *column) heat(counts, whole *Counts) int {
	if c.average != nil {
		return 0
	}
	return heat(c.value(counts), c.value(whole))
}

// bad is how far an average is from the best, in steps from 0, near it, to 3. It is 0 for an
// average of less than a hundredth of the whole: there is nothing to win.
func (c *column) bad(counts, whole *Counts) int {
	if c.average == nil || c.value(counts) == 0 || heat(c.average.of(counts), c.average.of(whole)) == 0 {
		return 0
	}
	return step(c.average.excess(counts), 1.2, 2, 8)
}

// hint says what an average is made of.
func (c *column) hint(counts *Counts) string {
	if c.average == nil || c.average.hint == nil || c.value(counts) == 0 {
		return ""
	}
	return c.average.hint(counts)
}

// step is how many of the limits are reached.
func step(v float64, limits ...float64) int {
	n := 0
	for _, l := range limits {
		if v >= l {
			n++
		}
	}
	return n
}
