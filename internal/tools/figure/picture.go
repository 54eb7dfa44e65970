package figure

import (
	"fmt"
	"path/filepath"
	"strings"
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
	// height is the height of the chart at that width, its legend included.
	height(width float64) float64
	// draw draws the chart with its top left corner at x, y.
	draw(c *Canvas, x, y, width float64)
}

// strokes are the colours of lines. They can be told apart by people who see fewer (after M. Okabe
// and K. Ito, "Color Universal Design", 2008), and in print.
var strokes = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b08000", "#56b4e9", Ink}

// dashes tell lines apart where colours do not.
var dashes = []string{"", "8 4", "3 3", "10 4 3 4", "1.5 4"}

// stroke is the look of line i.
func stroke(i int) Shape {
	return Shape{Stroke: strokes[i%len(strokes)], Width: 2, Dashes: dashes[i%len(dashes)]}
}

// The measures of pictures, in pixels.
const (
	sheetWidth = 960.0
	margin     = 18.0
	gap        = 26.0 // between charts
	labelSize  = 13.0
	titleSize  = 15.0 // of a chart
	titleRow   = 30.0
)

// grid is the colour of the lines under the values.
const grid = "#e1e4e8"

// CheckName is an error unless the file's name is a picture's, file.svg.
func CheckName(path string) error {
	if filepath.Ext(path) != ".svg" {
		return fmt.Errorf("%s: pictures are written as SVG: name a file.svg", path)
	}
	return nil
}

// SVG is the picture.
func (p Picture) SVG() []byte {
	heading := p.heading()
	columns := float64(p.columns())
	each := (sheetWidth - 2*margin - gap*(columns-1)) / columns
	high := 2*margin + heading
	for i := 0; i < len(p.Charts); i += p.columns() {
		if i > 0 {
			high += gap
		}
		high += p.rowHeight(i, each)
	}
	c := New(sheetWidth, high, strings.Trim(p.Title+". "+p.Subtitle, ". "))
	const wide = sheetWidth - 2*margin
	if p.Title != "" {
		c.Text(margin, margin+16, cut(p.Title, 18, wide), Letters{Size: 18})
	}
	if p.Subtitle != "" {
		c.Text(margin, margin+heading-20, cut(p.Subtitle, 14, wide), Letters{Color: Faint})
	}
	y := margin + heading
	for i := 0; i < len(p.Charts); i += p.columns() {
		for k, chart := range p.row(i) {
			chart.draw(c, margin+float64(k)*(each+gap), y, each)
		}
		y += p.rowHeight(i, each) + gap
	}
	return c.SVG()
}

func (p Picture) columns() int { return max(p.Columns, 1) }

// row is the row of charts that begins with chart i.
func (p Picture) row(i int) []Chart { return p.Charts[i:min(i+p.columns(), len(p.Charts))] }

// heading is the height of the title and subtitle.
func (p Picture) heading() float64 {
	h := 0.0
	if p.Title != "" {
		h += 24
	}
	if p.Subtitle != "" {
		h += 20
	}
	if h > 0 {
		h += 16
	}
	return h
}

// rowHeight is the height of the row that begins with chart i.
func (p Picture) rowHeight(i int, width float64) (h float64) {
	for _, c := range p.row(i) {
		h = max(h, c.height(width))
	}
	return h
}

// key is an entry of a legend: its text, and what draws its sample of sampleWidth at x, y.
type key struct {
	text   string
	sample func(c *Canvas, x, y float64)
}

const (
	sampleWidth = 34.0
	legendRow   = 21.0
)

// legend puts keys side by side, in as many rows as they need at that width, and says how high that
// is. It draws if there is a canvas.
func legend(c *Canvas, keys []key, x, y, width float64) (height float64) {
	if len(keys) == 0 {
		return 0
	}
	at, row := 0.0, 0.0
	for _, k := range keys {
		text := cut(k.text, labelSize, width-sampleWidth-8)
		wide := sampleWidth + 8 + TextWidth(text, labelSize)
		if at > 0 && at+wide > width {
			at, row = 0, row+1
		}
		if c != nil {
			k.sample(c, x+at, y+row*legendRow+legendRow/2)
			c.Text(x+at+sampleWidth+8, y+row*legendRow+legendRow/2+0.36*labelSize, text, Letters{Size: labelSize})
		}
		at += wide + 22
	}
	return (row + 1) * legendRow
}
