package plot

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
	// Log makes it logarithmic; then values that are not positive are left out.
	Log bool
	// Format writes the numbers at the ticks; nil writes what Number does.
	Format func(v float64) string
}

// Series is the points of one line, from left to right.
type Series struct {
	Name   string
	Points []Point
}

// Point is a value at a place.
type Point struct{ X, Y float64 }

const linesHeight = vg.Length(300)

func (l Lines) height() vg.Length {
	h := linesHeight + vg.Length(len(l.Series))*legendRow
	if l.Title != "" {
		h += 20
	}
	return h
}

func (l Lines) draw(c draw.Canvas) {
	p := base(l.Title, l.X.Title, l.Y.Title)
	p.Add(grid(true, true))
	l.X.set(&p.X)
	l.Y.set(&p.Y)
	key := legend()
	drawn := 0
	for i, s := range l.Series {
		var points plotter.XYs
		for _, at := range s.Points {
			if !(l.X.Log && at.X <= 0 || l.Y.Log && at.Y <= 0) {
				points = append(points, plotter.XY(at))
			}
		}
		if len(points) == 0 {
			continue
		}
		line := &plotter.Line{XYs: points, LineStyle: stroke(i)}
		dots := &plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: strokes[i%len(strokes)], Radius: 2.6, Shape: shapes[i%len(shapes)]}}
		p.Add(line, dots)
		key.Add(s.Name, line, dots)
		drawn++
	}
	l.Y.room(&p.Y)
	if drawn == 0 { // gonum's axes need a range
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 1, 10, 1, 10
	}
	drawWithKey(p, key, drawn, c)
}

var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}

func (a Axis) set(to *plot.Axis) {
	format := a.Format
	if format == nil {
		format = Number
	}
	if a.Log {
		to.Scale = plot.LogScale{}
		to.Tick.Marker = decades{format}
		return
	}
	to.Tick.Marker = linearTicks{format}
}

// room leaves some above and below the lines; what is not logarithmic starts at zero.
func (a Axis) room(to *plot.Axis) {
	if a.Log {
		to.Min, to.Max = to.Min/1.3, to.Max*1.3
		return
	}
	to.Min, to.Max = min(to.Min, 0), to.Max*1.06
}
