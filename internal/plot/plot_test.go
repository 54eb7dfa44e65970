package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"strings"
	"testing"
)

func picture() Picture {
	bars := Bars{Title: "Speed", Unit: "GB/s", Marks: []Mark{{"cuBLAS", 4437}, {"copy", 4222}}}
	for i, name := range []string{"go", "products", "shared", "vector", "one pass"} {
		bars.Bars = append(bars.Bars, Bar{Name: name, Value: float64(i*i) * 280, Other: i == 0})
	}
	lines := Lines{Title: "Time", X: Axis{Title: "elements", Log: true}, Y: Axis{Title: "time of a launch", Log: true, Format: Seconds}}
	for i, name := range []string{"one pass", "cuBLAS"} {
		s := Series{Name: name}
		for n := 1000.0; n < 2e7; n *= 10 {
			s.Points = append(s.Points, Point{n, (5e-6 + n/5e11) * float64(i+1)})
		}
		lines.Series = append(lines.Series, s)
	}
	return Picture{Title: "dot of float32", Subtitle: "NVIDIA H200, n = 268,435,456", Columns: 2, Charts: []Chart{bars, lines, bars}}
}

func encode(t *testing.T, p Picture, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSVG: the picture is well formed, holds every text, and has the same bytes when it is drawn
// again.
func TestSVG(t *testing.T) {
	out := encode(t, picture(), "svg")
	if !bytes.Equal(out, encode(t, picture(), "svg")) {
		t.Error("the same data gives other bytes")
	}
	var texts strings.Builder
	for d := xml.NewDecoder(bytes.NewReader(out)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			texts.WriteString(string(text) + "\n")
		}
	}
	for _, want := range []string{"dot of float32", "NVIDIA H200, n = 268,435,456", "GB/s", "one pass", "4,480", "cuBLAS: 4,437", "elements", "time of a launch", "10 µs", "1M"} {
		if !strings.Contains(texts.String(), want+"\n") {
			t.Errorf("no %q in the picture", want)
		}
	}
	if path := os.Getenv("PLOT_TEST_OUT"); path != "" { // to look at it
		if err := os.WriteFile(path, encode(t, picture(), "png"), 0o644); err != nil {
			t.Error(err)
		}
	}
}

func TestPNG(t *testing.T) {
	img, err := png.Decode(bytes.NewReader(encode(t, picture(), "png")))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != 1440 || b.Dy() < 800 {
		t.Errorf("%v", b)
	}
}

// TestNothing: charts without data are drawn, empty.
func TestNothing(t *testing.T) {
	encode(t, Picture{Charts: []Chart{Lines{X: Axis{Log: true}, Y: Axis{Log: true}}, Bars{Bars: []Bar{{Name: "none"}}}}}, "svg")
	encode(t, Picture{Charts: []Chart{Lines{Series: []Series{{"flat", []Point{{1, 1}}}}}}}, "svg")
}

func TestFormat(t *testing.T) {
	for path, want := range map[string]string{"a.svg": "svg", "b/c.png": "png"} {
		if got, err := Format(path); got != want || err != nil {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	if _, err := Format("a.jpg"); err == nil || !strings.Contains(err.Error(), "a picture is a file.svg or a file.png") {
		t.Errorf("%v", err)
	}
	if err := picture().Write(io.Discard, "pdf"); err == nil {
		t.Error("a pdf was drawn")
	}
}

func TestNumbers(t *testing.T) {
	for want, got := range map[string]string{
		"0": Number(0), "0.25": Number(0.25), "4,455": Number(4455.2), "1.2M": Number(1.2e6), "268M": Number(1 << 28), "999": Number(999),
		"5.9 µs": Seconds(5.9e-6), "500 µs": Seconds(5e-4), "1 ms": Seconds(1e-3), "2.5 s": Seconds(2.5), "30 ns": Seconds(3e-8), "-1,500": Number(-1500),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
