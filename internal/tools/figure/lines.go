package figure

import (
	"cmp"
	"math"
)

// Lines is values over sizes, a line a series.
type Lines struct {
	Title  string
	X, Y   Axis
	Series []Series
}

// Axis is an axis: its title says the unit.
type Axis struct {
	Title string
	// Log makes it logarithmic. Then it omits values that are not positive. An axis that is not
	// logarithmic begins at zero or below.
	Log bool
	// Format writes the numbers at the ticks. nil writes what Number does.
	Format func(v float64) string
}

// Series is the points of one line, from left to right.
type Series struct {
	Name   string
	Points []Point
}

// Point is a point of a chart, or of a sheet.
type Point struct{ X, Y float64 }

const linesHigh = 370.0

func (l Lines) height(width float64) float64 {
	h := linesHigh + axisHigh
	if l.Title != "" {
		h += titleRow
	}
	if l.Y.Title != "" {
		h += unitRow
	}
	if l.X.Title != "" {
		h += unitRow
	}
	if keys := l.keys(l.drawn()); len(keys) > 0 {
		h += 8 + legend(nil, keys, 0, 0, width)
	}
	return h
}

// drawn are the series with the points that can be drawn.
func (l Lines) drawn() []Series {
	list := make([]Series, len(l.Series))
	for i, s := range l.Series {
		list[i].Name = s.Name
		for _, p := range s.Points {
			if !(l.X.Log && p.X <= 0 || l.Y.Log && p.Y <= 0) {
				list[i].Points = append(list[i].Points, p)
			}
		}
	}
	return list
}

// keys are the legend of the series that have points.
func (l Lines) keys(drawn []Series) (keys []key) {
	for i, s := range drawn {
		if len(s.Points) == 0 {
			continue
		}
		keys = append(keys, key{s.Name, func(c *Canvas, x, y float64) {
			c.Line(x, y, x+sampleWidth, y, stroke(i))
			dot(c, i, Point{x + sampleWidth/2, y})
		}})
	}
	return keys
}

func (l Lines) draw(c *Canvas, x, y, width float64) {
	if l.Title != "" {
		c.Text(x, y+16, cut(l.Title, titleSize, width), Letters{Size: titleSize})
		y += titleRow
	}
	if l.Y.Title != "" {
		c.Text(x, y+12, cut(l.Y.Title, labelSize, width), Letters{Size: labelSize})
		y += unitRow
	}
	drawn := l.drawn()
	vertical := l.Y.scale(drawn, func(p Point) float64 { return p.Y })
	vertical.from, vertical.to = y+linesHigh, y+10
	rows := l.Y.ticks(vertical, 8)
	thin(rows, vertical, func(string) float64 { return labelSize + 4 })
	var labels []string
	for _, t := range rows {
		labels = append(labels, t.label)
	}
	across := l.X.scale(drawn, func(p Point) float64 { return p.X })
	across.from, across.to = x+widest(labels, labelSize)+14, x+width-24
	l.axes(c, across, vertical, rows)
	for i, s := range drawn {
		points := make([]Point, len(s.Points))
		for k, p := range s.Points {
			points[k] = Point{across.at(p.X), vertical.at(p.Y)}
		}
		if len(points) > 1 {
			c.Polyline(points, stroke(i))
		}
		for _, p := range points {
			dot(c, i, p)
		}
	}
	below := vertical.from + axisHigh
	if l.X.Title != "" {
		title := cut(l.X.Title, labelSize, across.to-across.from)
		c.Text((across.from+across.to)/2, below+13, title, Letters{Size: labelSize, Anchor: Middle})
		below += unitRow
	}
	legend(c, l.keys(drawn), x, below+8, width)
}

// axes draws both axes and the grid.
func (l Lines) axes(c *Canvas, across, vertical scale, rows []tick) {
	columns := l.X.ticks(across, 10)
	thin(columns, across, func(label string) float64 { return TextWidth(label, labelSize) + 12 })
	bottom := vertical.from
	for _, t := range columns {
		at, long := across.at(t.value), 3.0
		if t.label != "" {
			long = 6
			c.Line(at, vertical.to, at, bottom, Shape{Stroke: grid})
			c.Text(at, bottom+20, t.label, Letters{Size: labelSize, Anchor: Middle})
		}
		c.Line(at, bottom, at, bottom+long, Shape{Stroke: Faint})
	}
	for _, t := range rows {
		at, long := vertical.at(t.value), 3.0
		if t.label != "" {
			long = 6
			c.Line(across.from, at, across.to, at, Shape{Stroke: grid})
			c.Text(across.from-10, at+0.36*labelSize, t.label, Letters{Size: labelSize, Anchor: End})
		}
		c.Line(across.from-long, at, across.from, at, Shape{Stroke: Faint})
	}
	c.Line(across.from, bottom, across.to, bottom, Shape{Stroke: Faint})
	c.Line(across.from, vertical.to, across.from, bottom, Shape{Stroke: Faint})
}

// scale is the range that the values of all points need. Without points it is any.
func (a Axis) scale(series []Series, of func(Point) float64) scale {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range series {
		for _, p := range s.Points {
			low, high = min(low, of(p)), max(high, of(p))
		}
	}
	if low > high {
		low, high = 1, 10
	}
	if a.Log {
		low, high = logRange(low, high)
		return scale{low: low, high: high, log: true}
	}
	low = min(low, 0)
	return scale{low: low, high: low + cmp.Or(1.06*(high-low), 1)}
}

func (a Axis) ticks(s scale, most int) []tick {
	format := a.Format
	if format == nil {
		format = Number
	}
	if a.Log {
		return logTicks(s.low, s.high, format)
	}
	return linearTicks(s.low, s.high, most, format)
}

// dot draws a point of series i, in a form that tells it from its neighbours.
func dot(c *Canvas, i int, at Point) {
	const r = 4.0
	colour := strokes[i%len(strokes)]
	shape := Shape{Fill: colour}
	if i/3%2 == 1 { // the second three are empty
		shape = Shape{Fill: Paper, Stroke: colour, Width: 1.5}
	}
	switch i % 3 {
	case 0:
		c.Circle(at.X, at.Y, r, shape)
	case 1:
		c.Rect(at.X-r, at.Y-r, 2*r, 2*r, shape)
	case 2:
		c.Polygon([]Point{{at.X, at.Y - 1.3*r}, {at.X + 1.2*r, at.Y + r}, {at.X - 1.2*r, at.Y + r}}, shape)
	}
}
