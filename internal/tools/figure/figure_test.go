package figure

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestSVG reads a picture back: it is well-formed, and says what was drawn.
func TestSVG(t *testing.T) {
	t.Parallel()
	c := New(100, 50.5, "a < b & c")
	c.Cell(10, 10, 1.0/3, 5, "x < y", Shape{Fill: Tints[0], Stroke: Ink, Width: 2}, Letters{Size: 12, Code: true})
	c.Arrow(0, 0, 10, 10, Shape{Stroke: Faint, Dashed: true})
	svg := string(c.SVG())
	var texts []string
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v\n%s", err, svg)
		}
		if text, ok := token.(xml.CharData); ok && strings.TrimSpace(string(text)) != "" {
			texts = append(texts, string(text))
		}
	}
	if len(texts) != 2 || texts[0] != "a < b & c" || texts[1] != "x < y" {
		t.Errorf("the texts are %q", texts)
	}
	for _, want := range []string{
		`<rect x="10" y="10" width="0.33" height="5" fill="#cfe4f7" stroke="#1f2328" stroke-width="2"/>`,
		`<line x1="0" y1="0" x2="10" y2="10" fill="none" stroke="#6e7781" stroke-dasharray="4 3" marker-end="url(#head)"/>`,
		`height="50.5"`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
}
