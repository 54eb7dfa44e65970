// Package plot draws measurements: horizontal bars with reference lines, and lines over sizes,
// alone or several in one picture, as SVG or PNG. The same data gives the same bytes. It is
// gonum.org/v1/plot with the project's looks.
package plot

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Picture is charts under one title, in rows of Columns charts each.
type Picture struct {
	// Title says what is shown and Subtitle of what: device, size, element type.
	Title, Subtitle string
	Columns         int // 0 means 1
	Charts          []Chart
}

// Chart is Bars or Lines.
type Chart interface {
	// height is what the chart needs, its legend included.
	height() vg.Length
	// draw fills c, which is as high.
	draw(c draw.Canvas)
}

// The colours can be told apart by people who see fewer (after M. Okabe and K. Ito, "Color
// Universal Design", 2008), and in print.
var (
	ink     = color.RGBA{0x1f, 0x23, 0x28, 0xff}
	faint   = color.RGBA{0x6e, 0x77, 0x81, 0xff}
	rule    = color.RGBA{0xd8, 0xdb, 0xdf, 0xff}
	barBlue = color.RGBA{0x8f, 0xc1, 0xea, 0xff}
	strokes = []color.Color{
		color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x9e, 0x73, 0xff},
		color.RGBA{0xcc, 0x79, 0xa7, 0xff}, color.RGBA{0xb0, 0x80, 0x00, 0xff}, color.RGBA{0x56, 0xb4, 0xe9, 0xff}, ink,
	}
)

// dashes tell lines apart where colours do not.
var dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}, {1, 3}}

func stroke(i int) draw.LineStyle {
	return draw.LineStyle{Color: strokes[i%len(strokes)], Width: 1.6, Dashes: dashes[i%len(dashes)]}
}

const (
	width    = vg.Length(720) // of a picture
	margin   = vg.Length(14)
	gap      = vg.Length(18)
	fontSize = vg.Length(11)
)

// style is a text style.
func style(size vg.Length, c color.Color, x text.XAlignment) text.Style {
	return text.Style{Color: c, Font: font.From(sans, size), XAlign: x, YAlign: text.YTop, Handler: plot.DefaultTextHandler}
}

var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

// Write draws the picture as "svg" or "png".
func (p Picture) Write(w io.Writer, format string) error {
	switch format {
	case "svg":
		c := vgsvg.New(width, p.height())
		p.draw(draw.New(c))
		var out bytes.Buffer
		if _, err := c.WriteTo(&out); err != nil {
			return err
		}
		// Who has no Liberation Sans has one of those that are as wide.
		_, err := w.Write(bytes.ReplaceAll(out.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")))
		return err
	case "png":
		c := vgimg.NewWith(vgimg.UseWH(width, p.height()), vgimg.UseDPI(144))
		p.draw(draw.New(c))
		_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
		return err
	}
	return fmt.Errorf("plot: no format %q: want svg or png", format)
}

// Format is the format that a file's name asks for, or an error.
func Format(path string) (string, error) {
	switch ext := strings.TrimPrefix(filepath.Ext(path), "."); ext {
	case "svg", "png":
		return ext, nil
	default:
		return "", fmt.Errorf("plot: %s: a picture is a file.svg or a file.png", path)
	}
}

func (p Picture) columns() int { return max(p.Columns, 1) }

// heading is the height of the title and subtitle.
func (p Picture) heading() vg.Length {
	h := vg.Length(0)
	if p.Title != "" {
		h += 20
	}
	if p.Subtitle != "" {
		h += 16
	}
	if h > 0 {
		h += 6
	}
	return h
}

// rowHeight is that of the row that begins with chart i.
func (p Picture) rowHeight(i int) (h vg.Length) {
	for _, c := range p.Charts[i:min(i+p.columns(), len(p.Charts))] {
		h = max(h, c.height())
	}
	return h
}

func (p Picture) height() vg.Length {
	h := 2*margin + p.heading()
	for i := 0; i < len(p.Charts); i += p.columns() {
		h += p.rowHeight(i) + gap
	}
	return h - gap
}

func (p Picture) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	y := c.Max.Y
	if p.Title != "" {
		c.FillText(style(14, ink, text.XLeft), vg.Point{X: c.Min.X, Y: y}, p.Title)
		y -= 20
	}
	if p.Subtitle != "" {
		c.FillText(style(fontSize, faint, text.XLeft), vg.Point{X: c.Min.X, Y: y}, p.Subtitle)
	}
	y = c.Max.Y - p.heading()
	columns := vg.Length(p.columns())
	each := (c.Max.X - c.Min.X - gap*(columns-1)) / columns
	for i := 0; i < len(p.Charts); i += p.columns() {
		h := p.rowHeight(i)
		for k, chart := range p.Charts[i:min(i+p.columns(), len(p.Charts))] {
			at := c
			at.Min.X = c.Min.X + vg.Length(k)*(each+gap)
			at.Max.X, at.Max.Y, at.Min.Y = at.Min.X+each, y, y-chart.height()
			chart.draw(at)
		}
		y -= h + gap
	}
}

// base is an empty chart with the project's looks.
func base(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle = style(12, ink, text.XCenter)
	p.Title.Padding = 4
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle = draw.LineStyle{Color: faint, Width: 0.8}
		a.Tick.LineStyle = a.LineStyle
		a.Label.TextStyle.Font = font.From(sans, fontSize)
		a.Label.TextStyle.Color = ink
		a.Tick.Label.Font = font.From(sans, fontSize-1)
		a.Tick.Label.Color = ink
		a.Padding = 3
	}
	return p
}

// legend is entries in the looks of the charts.
func legend() plot.Legend {
	l := plot.NewLegend()
	l.TextStyle.Font = font.From(sans, fontSize)
	l.TextStyle.Color = ink
	l.Left, l.Top = true, true
	l.Padding = 3
	return l
}

// legendRow is the height of an entry.
const legendRow = vg.Length(16)
