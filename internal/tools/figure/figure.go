// Package figure draws pictures as SVG. A Canvas is a sheet for rectangles, lines, arrows and text.
// A Picture is one or several charts of measurements: bars, or lines over sizes.
//
// The same calls give the same bytes, so that a picture that is checked in can be compared with one
// drawn anew. The sheet is white whatever is under it, so that a picture can be read on a dark page
// and on a light one.
package figure

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// The colours of pictures. Ink on any of the tints can be read, and the tints can be told apart by
// people who see fewer colours (after M. Okabe and K. Ito, "Color Universal Design", 2008).
const (
	Ink   = "#1f2328"
	Faint = "#6e7781" // notes, arrows
	Rule  = "#c8ccd1" // edges of what is not in use
	Paper = "#ffffff"
	Idle  = "#f0f1f3" // idle parts
)

// Tints are colours for areas: four cool ones, then four warm ones.
var Tints = []string{"#cfe4f7", "#8fc1ea", "#b5e0cc", "#79c7a5", "#fbe3b6", "#f5bd62", "#f7c8b0", "#ee9a72"}

// Canvas is a picture under way. Its unit is a pixel of a screen, from the top left corner.
type Canvas struct {
	width, height float64
	title         string
	body          bytes.Buffer
}

// New starts a picture. Screen readers read its title out.
func New(width, height float64, title string) *Canvas {
	return &Canvas{width: width, height: height, title: title}
}

// Shape is how a rectangle or a line looks. Without Fill it is empty, without Stroke it has no
// edge.
type Shape struct {
	Fill, Stroke string
	Width        float64 // of the edge or line; 0 means 1
	Dashed       bool
	Dashes       string // lengths of dashes and gaps, "8 3 2 3", and Dashed alone is "4 3"
}

func (s Shape) attributes() string {
	text := fmt.Sprintf(`fill="%s"`, cmp.Or(s.Fill, "none"))
	if s.Stroke != "" {
		text += fmt.Sprintf(` stroke="%s"`, s.Stroke)
		if s.Width != 0 {
			text += fmt.Sprintf(` stroke-width="%s"`, number(s.Width))
		}
	}
	if s.Dashed || s.Dashes != "" {
		text += fmt.Sprintf(` stroke-dasharray="%s"`, cmp.Or(s.Dashes, "4 3"))
	}
	return text
}

// Rect draws a rectangle with its corner at x, y.
func (c *Canvas) Rect(x, y, w, h float64, s Shape) {
	fmt.Fprintf(&c.body, `<rect x="%s" y="%s" width="%s" height="%s" %s/>`+"\n",
		number(x), number(y), number(w), number(h), s.attributes())
}

// Line draws a line between two points.
func (c *Canvas) Line(x1, y1, x2, y2 float64, s Shape) {
	fmt.Fprintf(&c.body, `<line x1="%s" y1="%s" x2="%s" y2="%s" %s/>`+"\n",
		number(x1), number(y1), number(x2), number(y2), s.attributes())
}

// Polyline draws lines from each point to the next.
func (c *Canvas) Polyline(points []Point, s Shape) { c.through("polyline", points, s) }

// Polygon draws an area with corners at the points.
func (c *Canvas) Polygon(points []Point, s Shape) { c.through("polygon", points, s) }

func (c *Canvas) through(element string, points []Point, s Shape) {
	var at []string
	for _, p := range points {
		at = append(at, number(p.X)+","+number(p.Y))
	}
	fmt.Fprintf(&c.body, `<%s points="%s" %s/>`+"\n", element, strings.Join(at, " "), s.attributes())
}

// Circle draws a circle around x, y.
func (c *Canvas) Circle(x, y, radius float64, s Shape) {
	fmt.Fprintf(&c.body, `<circle cx="%s" cy="%s" r="%s" %s/>`+"\n",
		number(x), number(y), number(radius), s.attributes())
}

// Arrow draws a line with a head at its second point.
func (c *Canvas) Arrow(x1, y1, x2, y2 float64, s Shape) {
	fmt.Fprintf(&c.body, `<line x1="%s" y1="%s" x2="%s" y2="%s" %s marker-end="url(#head)"/>`+"\n",
		number(x1), number(y1), number(x2), number(y2), s.attributes())
}

// Anchor says which point of a text is at its x.
type Anchor string

// The anchors.
const (
	Start  Anchor = "start"
	Middle Anchor = "middle"
	End    Anchor = "end"
)

// Letters is how a text looks. The zero value is of size 14, in ink, from its start.
type Letters struct {
	Size   float64
	Color  string
	Anchor Anchor
	Bold   bool
	Code   bool // in a fixed width
}

// Text writes a line of text with its base line at y.
func (c *Canvas) Text(x, y float64, text string, l Letters) {
	attr := fmt.Sprintf(`x="%s" y="%s" fill="%s"`, number(x), number(y), cmp.Or(l.Color, Ink))
	if l.Size != 0 {
		attr += fmt.Sprintf(` font-size="%s"`, number(l.Size))
	}
	if l.Anchor != "" && l.Anchor != Start {
		attr += fmt.Sprintf(` text-anchor="%s"`, l.Anchor)
	}
	if l.Bold {
		attr += ` font-weight="bold"`
	}
	if l.Code {
		attr += ` font-family="monospace"`
	}
	fmt.Fprintf(&c.body, "<text %s>%s</text>\n", attr, escape(text))
}

// Cell draws a rectangle with a text in its middle.
func (c *Canvas) Cell(x, y, w, h float64, text string, s Shape, l Letters) {
	c.Rect(x, y, w, h, s)
	if text == "" {
		return
	}
	l.Anchor = Middle
	c.Text(x+w/2, y+h/2+0.36*cmp.Or(l.Size, 14), text, l)
}

// SVG is the picture.
func (c *Canvas) SVG() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s"`+
		` font-family="Helvetica, Arial, sans-serif" font-size="14">`+"\n",
		number(c.width), number(c.height), number(c.width), number(c.height))
	fmt.Fprintf(&b, "<title>%s</title>\n", escape(c.title))
	fmt.Fprintf(&b, `<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"`+
		` orient="auto"><path d="M0 0L8 4L0 8z" fill="%s"/></marker></defs>`+"\n", Faint)
	fmt.Fprintf(&b, `<rect width="%s" height="%s" fill="%s"/>`+"\n", number(c.width), number(c.height), Paper)
	b.Write(c.body.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// number writes a length with at most two decimals.
func number(x float64) string {
	text, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 2, 64), 64)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return strconv.FormatFloat(text, 'f', -1, 64)
}

// escape is the text as XML. What XML cannot hold, such as most control characters, becomes U+FFFD.
func escape(text string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(text)) // a Buffer takes everything
	return b.String()
}
