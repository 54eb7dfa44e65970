package figuretest

import (
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/tools/figure"
)

func TestProblems(t *testing.T) {
	t.Parallel()
	for want, draw := range map[string]func(c *figure.Canvas){
		"": func(c *figure.Canvas) {
			c.Line(0, 50, 200, 50, figure.Shape{Stroke: figure.Ink})
			c.Cell(60, 40, 80, 20, "covered", figure.Shape{Fill: figure.Paper}, figure.Letters{})
			c.Text(0, 20, "left", figure.Letters{})
			c.Text(200, 20, "right", figure.Letters{Anchor: figure.End})
		},
		`"b" lies over "aaaa"`: func(c *figure.Canvas) {
			c.Text(10, 20, "aaaa", figure.Letters{})
			c.Text(20, 22, "b", figure.Letters{})
		},
		`a line crosses "behind"`: func(c *figure.Canvas) {
			c.Line(0, 0, 200, 100, figure.Shape{Stroke: figure.Ink})
			c.Text(100, 55, "behind", figure.Letters{Anchor: figure.Middle})
		},
		`a line crosses "before"`: func(c *figure.Canvas) {
			c.Text(10, 50, "before", figure.Letters{})
			c.Polyline([]figure.Point{{X: 0, Y: 90}, {X: 15, Y: 90}, {X: 15, Y: 0}}, figure.Shape{Stroke: figure.Ink})
		},
		`an area lies over "hidden"`: func(c *figure.Canvas) {
			c.Text(10, 50, "hidden", figure.Letters{})
			c.Rect(0, 0, 90, 90, figure.Shape{Fill: figure.Idle})
		},
		`"far too long for this sheet" leaves the sheet`: func(c *figure.Canvas) {
			c.Text(100, 50, "far too long for this sheet", figure.Letters{})
		},
	} {
		c := figure.New(200, 100, "test")
		draw(c)
		if got := strings.Join(Problems(c.SVG()), "\n"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := Problems([]byte("<svg><text>\x00</text></svg>")); len(got) != 1 {
		t.Errorf("what is not XML: %q", got)
	}
}
