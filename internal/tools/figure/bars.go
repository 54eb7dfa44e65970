package figure

import "cmp"

// Bars is a horizontal bar a name, the first on top. The values are in a separate column, where no
// line crosses them.
type Bars struct {
	Title string
	// Unit is the title of the axis of values, "GB/s".
	Unit string
	Bars []Bar
	// Marks are lines that all bars are compared with.
	Marks []Mark
}

// Bar is a name and its value, which is drawn if it is positive. A bar that is Other is not a
// subject of the chart.
type Bar struct {
	Name  string
	Value float64
	Other bool
}

// Mark is a value that is marked by a line across the bars.
type Mark struct {
	Name  string
	Value float64
}

const (
	barRow   = 25.0
	barHigh  = 17.0
	barTop   = 4.0  // above the first bar
	axisHigh = 24.0 // of an axis with its numbers
	unitRow  = 20.0 // a title of an axis
)

func (b Bars) height(width float64) float64 {
	h := barTop + float64(len(b.Bars))*barRow + axisHigh
	if b.Title != "" {
		h += titleRow
	}
	if b.Unit != "" {
		h += unitRow
	}
	if len(b.Marks) > 0 {
		h += 8 + legend(nil, b.keys(), 0, 0, width)
	}
	return h
}

// keys are the legend of the marks.
func (b Bars) keys() (keys []key) {
	for i, m := range b.Marks {
		keys = append(keys, key{m.Name + ": " + Number(m.Value), func(c *Canvas, x, y float64) {
			c.Line(x, y, x+sampleWidth, y, stroke(i+1))
		}})
	}
	return keys
}

// most is the end of the axis of values.
func (b Bars) most() float64 {
	most := 0.0
	for _, bar := range b.Bars {
		most = max(most, bar.Value)
	}
	for _, m := range b.Marks {
		most = max(most, m.Value)
	}
	return cmp.Or(most, 1)
}

func (b Bars) draw(c *Canvas, x, y, width float64) {
	if b.Title != "" {
		c.Text(x, y+16, cut(b.Title, titleSize, width), Letters{Size: titleSize})
		y += titleRow
	}
	var names, values []string
	for _, bar := range b.Bars {
		names = append(names, cut(bar.Name, labelSize, 0.4*width))
		values = append(values, Number(bar.Value))
	}
	left, right := x+widest(names, labelSize)+10, x+width-widest(values, labelSize)-12
	s := scale{low: 0, high: b.most(), from: left, to: right}
	bottom := y + barTop + float64(len(b.Bars))*barRow
	b.axis(c, s, y, bottom)
	for i, bar := range b.Bars {
		top := y + barTop + float64(i)*barRow + (barRow-barHigh)/2
		fill := Tints[1]
		if bar.Other {
			fill = Rule
		}
		if to := s.at(bar.Value); to > left {
			c.Rect(left, top, to-left, barHigh, Shape{Fill: fill})
		}
		line := top + barHigh/2 + 0.36*labelSize
		c.Text(left-8, line, names[i], Letters{Size: labelSize, Anchor: End})
		c.Text(x+width, line, values[i], Letters{Size: labelSize, Anchor: End})
	}
	for i, m := range b.Marks {
		c.Line(s.at(m.Value), y, s.at(m.Value), bottom, stroke(i+1))
	}
	c.Line(left, y, left, bottom, Shape{Stroke: Faint})
	below := bottom + axisHigh
	if b.Unit != "" {
		unit := cut(b.Unit, labelSize, width)
		half := TextWidth(unit, labelSize) / 2
		middle := min(max((left+right)/2, x+half), x+width-half)
		c.Text(middle, below+13, unit, Letters{Size: labelSize, Anchor: Middle})
		below += unitRow
	}
	legend(c, b.keys(), x, below+8, width)
}

// axis draws the axis of values below the bars, and its grid under them.
func (b Bars) axis(c *Canvas, s scale, top, bottom float64) {
	room := func(label string) float64 { return TextWidth(label, labelSize) + 16 }
	fit := int((s.to - s.from) / room(Number(s.high)))
	ticks := linearTicks(s.low, s.high, min(max(fit, 1), 8), Number)
	thin(ticks, s, room)
	for _, t := range ticks {
		if t.value > 0 {
			c.Line(s.at(t.value), top, s.at(t.value), bottom, Shape{Stroke: grid})
		}
		c.Line(s.at(t.value), bottom, s.at(t.value), bottom+5, Shape{Stroke: Faint})
		c.Text(s.at(t.value), bottom+19, t.label, Letters{Size: labelSize, Anchor: Middle})
	}
	c.Line(s.from, bottom, s.to, bottom, Shape{Stroke: Faint})
}
