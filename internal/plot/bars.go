package plot

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars is a horizontal bar a name, the first on top.
type Bars struct {
	Title string
	// Unit is the title of the axis of values, "GB/s".
	Unit string
	Bars []Bar
	// Marks are lines that all bars are held to.
	Marks []Mark
	// Label writes a value at the end of its bar; nil writes what Number does.
	Label func(v float64) string
}

// Bar is a name and its value. A bar that is Other stands beside those that the chart is about.
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

const barHeight = vg.Length(19)

func (b Bars) height() vg.Length {
	h := vg.Length(len(b.Bars))*barHeight + vg.Length(len(b.Marks))*legendRow + 40
	if b.Title != "" {
		h += 20
	}
	return h
}

func (b Bars) draw(c draw.Canvas) {
	p := base(b.Title, b.Unit, "")
	n := len(b.Bars)
	names := make([]string, n)
	ours, others := make(plotter.Values, n), make(plotter.Values, n)
	labels := plotter.XYLabels{XYs: make(plotter.XYs, n), Labels: make([]string, n)}
	label := b.Label
	if label == nil {
		label = Number
	}
	most := 0.0
	for i, bar := range b.Bars {
		at := n - 1 - i // the axis goes up
		names[at] = bar.Name
		if ours[at] = bar.Value; bar.Other {
			ours[at], others[at] = 0, bar.Value
		}
		labels.XYs[at] = plotter.XY{X: bar.Value, Y: float64(at)}
		labels.Labels[at] = label(bar.Value)
		most = max(most, bar.Value)
	}
	for _, m := range b.Marks {
		most = max(most, m.Value)
	}
	p.Add(grid(true, false))
	p.Add(barsOf(ours, barBlue), barsOf(others, rule))
	key := legend()
	for i, m := range b.Marks {
		line := &plotter.Line{XYs: plotter.XYs{{X: m.Value, Y: -0.5}, {X: m.Value, Y: float64(n) - 0.5}}, LineStyle: stroke(i + 1)}
		p.Add(line)
		key.Add(m.Name+": "+label(m.Value), line)
	}
	p.Add(valueLabels(labels))
	p.NominalY(names...)
	p.X.Min, p.X.Max = 0, most*1.12
	if most == 0 {
		p.X.Max = 1
	}
	p.X.Tick.Marker = linearTicks{}
	p.Y.Min, p.Y.Max = -0.5, float64(n)-0.5
	drawWithKey(p, key, len(b.Marks), c)
}

// barsOf are bars of one colour.
func barsOf(values plotter.Values, fill color.Color) *plotter.BarChart {
	bars, err := plotter.NewBarChart(values, 0.68*barHeight)
	if err != nil {
		panic("BUG: " + err.Error()) // there is a bar, of a finite value
	}
	bars.Horizontal = true
	bars.Color = fill
	bars.LineStyle.Width = 0
	return bars
}

// valueLabels are the values, at the ends of the bars.
func valueLabels(at plotter.XYLabels) *plotter.Labels {
	labels, err := plotter.NewLabels(at)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	for i := range labels.TextStyle {
		labels.TextStyle[i] = style(fontSize-1, ink, text.XLeft)
		labels.TextStyle[i].YAlign = text.YCenter
	}
	labels.Offset = vg.Point{X: 4, Y: 1.5} // where people see the middle of a number
	return labels
}

func grid(vertical, horizontal bool) *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical, g.Horizontal = draw.LineStyle{}, draw.LineStyle{}
	line := draw.LineStyle{Color: rule, Width: 0.6}
	if vertical {
		g.Vertical = line
	}
	if horizontal {
		g.Horizontal = line
	}
	return g
}

// drawWithKey draws a chart and, below it, its legend of so many entries.
func drawWithKey(p *plot.Plot, key plot.Legend, entries int, c draw.Canvas) {
	if entries > 0 {
		below := c
		below.Max.Y = c.Min.Y + vg.Length(entries)*legendRow
		below.Min.X += 40
		c.Min.Y = below.Max.Y + 4
		key.Draw(below)
	}
	p.BackgroundColor = color.White
	p.Draw(c)
}
