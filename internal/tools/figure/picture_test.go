package figure_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/tools/figure"
	"github.com/gridstride/gridstride/internal/tools/figure/figuretest"
)

func picture() figure.Picture {
	bars := figure.Bars{Title: "Speed", Unit: "GB/s",
		Marks: []figure.Mark{{Name: "cuBLAS", Value: 4437}, {Name: "copy", Value: 4222}}}
	for i, name := range []string{"go", "products", "shared", "vector", "one pass"} {
		bars.Bars = append(bars.Bars, figure.Bar{Name: name, Value: float64(i*i) * 280, Other: i == 0})
	}
	lines := figure.Lines{Title: "Time", X: figure.Axis{Title: "elements", Log: true},
		Y: figure.Axis{Title: "time of a launch", Log: true, Format: figure.Seconds}}
	for i, name := range []string{"one pass", "cuBLAS"} {
		s := figure.Series{Name: name}
		for n := 1000.0; n < 2e7; n *= 10 {
			s.Points = append(s.Points, figure.Point{X: n, Y: (5e-6 + n/5e11) * float64(i+1)})
		}
		lines.Series = append(lines.Series, s)
	}
	return figure.Picture{Title: "dot of float32", Subtitle: "NVIDIA H200, n = 268,435,456", Columns: 2,
		Charts: []figure.Chart{bars, lines, bars}}
}

// readable fails the test where something in the picture cannot be read.
func readable(t *testing.T, p figure.Picture) {
	t.Helper()
	for _, problem := range figuretest.Problems(p.SVG()) {
		t.Error(problem)
	}
}

// texts are the texts of a picture, a line each.
func texts(t *testing.T, svg []byte) string {
	t.Helper()
	var b strings.Builder
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return b.String()
		} else if err != nil {
			t.Fatalf("%v\n%s", err, svg)
		}
		if text, ok := token.(xml.CharData); ok {
			b.WriteString(string(text) + "\n")
		}
	}
}

// TestPicture: the picture is well formed, holds every text, and has the same bytes when it is
// drawn again.
func TestPicture(t *testing.T) {
	t.Parallel()
	out := picture().SVG()
	if !bytes.Equal(out, picture().SVG()) {
		t.Error("the same data gives other bytes")
	}
	all := texts(t, out)
	for _, want := range []string{"dot of float32", "NVIDIA H200, n = 268,435,456", "GB/s", "one pass", "4,480",
		"cuBLAS: 4,437",
		"elements", "time of a launch", "10 µs", "1M"} {
		if !strings.Contains(all, want+"\n") {
			t.Errorf("no %q in the picture", want)
		}
	}
	readable(t, picture())
}

// TestReadable draws charts of extreme values: whatever they are, no text touches another or a
// line.
func TestReadable(t *testing.T) {
	t.Parallel()
	values := []float64{0, 3e-9, 0.9996, 31.9, 99_999.9, 268_435_456, 1e300}
	for i, least := range values {
		for _, most := range values[i:] {
			bars := figure.Bars{Title: "bars", Unit: "a unit that is longer than all of its axis, or nearly so",
				Marks: []figure.Mark{{Name: "least", Value: least}}}
			lines := figure.Lines{Title: "lines", X: figure.Axis{Title: "x", Log: true},
				Y: figure.Axis{Title: "y", Log: true}}
			linear := figure.Lines{X: figure.Axis{Title: "x"}, Y: figure.Axis{Title: "y", Format: figure.Seconds}}
			for _, v := range []float64{least, most} {
				bars.Bars = append(bars.Bars, figure.Bar{Name: strings.Repeat("name ", 12), Value: v})
				series := figure.Series{Name: strings.Repeat("series ", 25),
					Points: []figure.Point{{X: least, Y: v}, {X: most, Y: least}}}
				lines.Series, linear.Series = append(lines.Series, series), append(linear.Series, series)
			}
			for _, columns := range []int{1, 3} {
				readable(t, figure.Picture{Title: "t", Columns: columns, Charts: []figure.Chart{bars, lines, linear}})
			}
			if t.Failed() {
				t.Fatalf("from %g to %g", least, most)
			}
		}
	}
}

// TestLogAxis: a logarithmic axis has its powers of ten at equal distances.
func TestLogAxis(t *testing.T) {
	t.Parallel()
	lines := figure.Lines{X: figure.Axis{Log: true}, Y: figure.Axis{Log: true},
		Series: []figure.Series{{Name: "s",
			Points: []figure.Point{{X: 1, Y: 1}, {X: 100, Y: 100}, {X: 10_000, Y: 10_000}}}}}
	svg := string(figure.Picture{Charts: []figure.Chart{lines}}.SVG())
	_, after, _ := strings.Cut(svg, `<polyline points="`)
	var x, y [3]float64
	list, _, _ := strings.Cut(after, `"`)
	for i, at := range strings.Fields(list) {
		if _, err := fmt.Sscanf(at, "%g,%g", &x[i], &y[i]); err != nil {
			t.Fatal(err)
		}
	}
	if math.Abs(x[1]-(x[0]+x[2])/2) > 0.02 || math.Abs(y[1]-(y[0]+y[2])/2) > 0.02 || x[0] >= x[2] || y[0] <= y[2] {
		t.Errorf("points at %v, %v", x, y)
	}
	for _, label := range []string{"1", "10", "100", "1,000", "10,000"} {
		if strings.Count(svg, ">"+label+"<") != 2 {
			t.Errorf("not one %s on each axis", label)
		}
	}
}

// TestNothing: charts without data are drawn, empty.
func TestNothing(t *testing.T) {
	t.Parallel()
	for _, charts := range [][]figure.Chart{
		nil,
		{figure.Bars{}},
		{figure.Lines{X: figure.Axis{Log: true}, Y: figure.Axis{Log: true}},
			figure.Bars{Bars: []figure.Bar{{Name: "none"}}}},
		{figure.Lines{Series: []figure.Series{{Name: "flat", Points: []figure.Point{{X: 1, Y: 1}}}}}},
		{figure.Bars{Bars: []figure.Bar{{Name: "negative", Value: -1}},
			Marks: []figure.Mark{{Name: "below", Value: -3}}}},
	} {
		readable(t, figure.Picture{Charts: charts})
	}
}

// TestControlBytes: texts from files, whatever bytes they hold, leave the picture XML.
func TestControlBytes(t *testing.T) {
	t.Parallel()
	evil := "a\x00\x1b[31m\x07\xff\u202e<b>&\n"
	p := figure.Picture{Title: evil, Subtitle: evil, Charts: []figure.Chart{
		figure.Bars{Title: evil, Unit: evil, Bars: []figure.Bar{{Name: evil, Value: 1}},
			Marks: []figure.Mark{{Name: evil, Value: 2}}},
		figure.Lines{Title: evil, X: figure.Axis{Title: evil},
			Series: []figure.Series{{Name: evil, Points: []figure.Point{{X: 1, Y: 2}}}}},
	}}
	if all := texts(t, p.SVG()); strings.Contains(all, "\x1b") {
		t.Errorf("%q", all)
	}
}

func TestCheckName(t *testing.T) {
	t.Parallel()
	if err := figure.CheckName("b/c.svg"); err != nil {
		t.Error(err)
	}
	if err := figure.CheckName("a.png"); err == nil ||
		!strings.Contains(err.Error(), "a.png: pictures are written as SVG: name a file.svg") {
		t.Errorf("%v", err)
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0": figure.Number(0), "0.25": figure.Number(0.25), "4,455": figure.Number(4455.2),
		"1.2M": figure.Number(1.2e6), "268M": figure.Number(1 << 28),
		"999": figure.Number(999), "1,000": figure.Number(999.7), "1M": figure.Number(999_999.9),
		"1G": figure.Number(999.9e6), "-1,500": figure.Number(-1500),
		"5.9 µs": figure.Seconds(5.9e-6), "500 µs": figure.Seconds(5e-4), "1 ms": figure.Seconds(1e-3),
		"2.5 s": figure.Seconds(2.5), "30 ns": figure.Seconds(3e-8),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
