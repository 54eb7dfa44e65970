// Package figuretest finds what cannot be read in a picture of package figure: texts that overlap,
// that a line crosses, or that leave the sheet.
package figuretest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/tools/figure"
)

// box is the area of a text or a rectangle on the sheet.
type box struct {
	left, top, right, bottom float64
	text                     string
}

func (b box) overlaps(c box) bool {
	return b.left < c.right && c.left < b.right && b.top < c.bottom && c.top < b.bottom
}

func (b box) within(c box) bool {
	return b.left >= c.left && b.right <= c.right && b.top >= c.top && b.bottom <= c.bottom
}

// segment is a straight line.
type segment struct{ x1, y1, x2, y2 float64 }

// crosses says whether the segment and the box have a point in common (by Liang and Barsky).
func (s segment) crosses(b box) bool {
	from, to := 0.0, 1.0
	dx, dy := s.x2-s.x1, s.y2-s.y1
	for _, side := range [][2]float64{{-dx, s.x1 - b.left}, {dx, b.right - s.x1}, {-dy, s.y1 - b.top},
		{dy, b.bottom - s.y1}} {
		switch p, q := side[0], side[1]; {
		case p == 0 && q < 0:
			return false
		case p < 0:
			from = max(from, q/p)
		case p > 0:
			to = min(to, q/p)
		}
	}
	return from <= to
}

// sheet is a picture as far as it has been read.
type sheet struct {
	all      box
	size     float64 // of letters
	texts    []box
	lines    []segment
	problems []string
}

// Problems describes what cannot be read in an SVG, a sentence each, or why the SVG itself cannot
// be read.
func Problems(svg []byte) []string {
	var s sheet
	var open *xml.StartElement
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return s.problems
		} else if err != nil {
			return append(s.problems, err.Error())
		}
		switch token := token.(type) {
		case xml.StartElement:
			open = &token
			s.element(attributes(token))
		case xml.CharData:
			if open != nil && open.Name.Local == "text" {
				s.text(attributes(*open), string(token))
			}
		case xml.EndElement:
			open = nil
		}
	}
}

// attributes are the attributes of an element, and its name as "".
func attributes(e xml.StartElement) map[string]string {
	attr := map[string]string{"": e.Name.Local}
	for _, a := range e.Attr {
		attr[a.Name.Local] = a.Value
	}
	return attr
}

func number(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64) // a missing number is 0
	return v
}

// element takes a shape into the sheet.
func (s *sheet) element(attr map[string]string) {
	switch attr[""] {
	case "svg":
		s.all = box{right: number(attr["width"]), bottom: number(attr["height"])}
		s.size = number(attr["font-size"])
	case "line":
		s.line(segment{number(attr["x1"]), number(attr["y1"]), number(attr["x2"]), number(attr["y2"])})
	case "polyline":
		points := strings.Fields(strings.ReplaceAll(attr["points"], ",", " "))
		for i := 0; i+3 < len(points); i += 2 {
			s.line(segment{number(points[i]), number(points[i+1]), number(points[i+2]), number(points[i+3])})
		}
	case "rect":
		if attr["fill"] == "none" {
			return
		}
		x, y := number(attr["x"]), number(attr["y"])
		s.cover(box{left: x, top: y, right: x + number(attr["width"]), bottom: y + number(attr["height"])})
	}
}

func (s *sheet) line(l segment) {
	s.lines = append(s.lines, l)
	for _, t := range s.texts {
		if l.crosses(t) {
			s.problems = append(s.problems, fmt.Sprintf("a line crosses %q", t.text))
		}
	}
}

// cover takes an area into the sheet. Lines that cross it cannot be seen there: they are cut.
func (s *sheet) cover(b box) {
	for _, t := range s.texts {
		if b.overlaps(t) {
			s.problems = append(s.problems, fmt.Sprintf("an area lies over %q", t.text))
		}
	}
	var seen []segment
	for _, l := range s.lines {
		if !l.crosses(b) {
			seen = append(seen, l)
			continue
		}
		seen = append(seen, outside(l, b)...)
	}
	s.lines = seen
}

// outside returns the visible parts of a segment under an area.
func outside(l segment, b box) (parts []segment) {
	switch {
	case l.y1 == l.y2:
		parts = []segment{{min(l.x1, l.x2), l.y1, b.left, l.y1}, {b.right, l.y1, max(l.x1, l.x2), l.y1}}
	case l.x1 == l.x2:
		parts = []segment{{l.x1, min(l.y1, l.y2), l.x1, b.top}, {l.x1, b.bottom, l.x1, max(l.y1, l.y2)}}
	default:
		return []segment{l}
	}
	var seen []segment
	for _, p := range parts {
		if p.x1 < p.x2 || p.y1 < p.y2 {
			seen = append(seen, p)
		}
	}
	return seen
}

// text takes a line of text into the sheet.
func (s *sheet) text(attr map[string]string, text string) {
	size := s.size
	if attr["font-size"] != "" {
		size = number(attr["font-size"])
	}
	width := figure.TextWidth(text, size)
	x, y := number(attr["x"]), number(attr["y"])
	switch attr["text-anchor"] {
	case "middle":
		x -= width / 2
	case "end":
		x -= width
	}
	b := box{left: x, top: y - 0.72*size, right: x + width, bottom: y + 0.05*size, text: text}
	if !b.within(s.all) {
		s.problems = append(s.problems, fmt.Sprintf("%q leaves the sheet", text))
	}
	for _, t := range s.texts {
		if b.overlaps(t) {
			s.problems = append(s.problems, fmt.Sprintf("%q lies over %q", text, t.text))
		}
	}
	for _, l := range s.lines {
		if l.crosses(b) {
			s.problems = append(s.problems, fmt.Sprintf("a line crosses %q", text))
		}
	}
	s.texts = append(s.texts, b)
}
