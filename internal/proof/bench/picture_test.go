package bench

import (
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/counters"
	"github.com/gridstride/gridstride/internal/tools/figure"
	"github.com/gridstride/gridstride/internal/tools/figure/figuretest"
)

// onH200 is a row as a GPU gives it.
func onH200(variant string, n int, rate float64) Row {
	return Row{Setting: Setting{Device: "NVIDIA H200", Driver: "CUDA 13.0"}, What: "dot", Variant: variant,
		DType: "float32", Data: Random, Size: Size{N: n},
		On: "device", Rate: rate, Median: 8 * float64(n) / rate / 1e9, Unit: "GB/s", Limit: 4222}
}

// draw gives the picture and its SVG.
func draw(t *testing.T, rows []Row) (figure.Picture, string) {
	t.Helper()
	p, err := Picture(rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range figuretest.Problems(p.SVG()) {
		t.Error(problem)
	}
	return p, string(p.SVG())
}

func wantTexts(t *testing.T, svg string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(svg, ">"+text+"<") {
			t.Errorf("no %q in the picture", text)
		}
	}
}

// TestBars: one size gives bars of speed; libraries and the limit are lines, and what ran on a part
// says so.
func TestBars(t *testing.T) {
	host, part := onH200("go", 1<<28, 9), onH200("single", 1<<20, 0.02)
	host.On, host.Limit, part.Whole = "host", 0, &Size{N: 1 << 28}
	skipped := onH200("vector", 1<<28, 0)
	skipped.Skipped = "no room"
	p, svg := draw(t, []Row{host, part, onH200("onepass", 1<<28, 4452), skipped, onH200("cublas", 1<<28, 4365),
		onH200("cub", 1<<28, 4402)})
	bars, ok := p.Charts[0].(figure.Bars)
	if !ok || len(p.Charts) != 1 || len(bars.Bars) != 3 || !bars.Bars[0].Other || len(bars.Marks) != 3 {
		t.Errorf("%+v", p)
	}
	wantTexts(t, svg, "Dot product of float32", "NVIDIA H200 (CUDA 13.0), n = 268,435,456", "GB/s",
		"single (n = 1,048,576)", "4,452",
		"cuBLAS: 4,365", "CUB: 4,402", "copy within the device: 4,222")
}

// TestTable is the whole table of a GPU.
func TestTable(t *testing.T) {
	rows := []Row{onH200("go", 1<<28, 9), onH200("single", 1<<20, 0.02), onH200("onepass", 1<<28, 4452.3),
		onH200("cublas", 1<<28, 0)}
	rows[0].On, rows[0].Limit = "host", 0
	rows[1].Whole, rows[1].Limited = &Size{N: 1 << 28}, "n=268435456 would take about 1m47s"
	rows[3].Skipped = "cuBLAS is not found"
	for i := range rows {
		r := &rows[i]
		r.Speedup, r.Least, r.Most, r.Error = r.Rate/9, 0.99*r.Median, 1.02*r.Median, 1.3e-9
		if r.Limit > 0 {
			r.Share = r.Rate / r.Limit
		}
	}
	var text strings.Builder
	if err := Text(&text, rows); err != nil {
		t.Fatal(err)
	}
	const want = `dot of float32, n=268435456, on NVIDIA H200

  variant        time  spread  GB/s     speed    error  of copy
       go  238.609 ms   ±1.5%     9        1x  1.3e-09
   single  419.430 ms   ±1.5%  0.02  0.00222x  1.3e-09     0.0%
  onepass   482.33 µs   ±1.5%  4452      495x  1.3e-09   105.5%

The device copies 4222 GB/s, bytes read and written together, measured in this run.
single ran with n=1048576: n=268435456 would take about 1m47s. With -variants single it runs all the same.
cublas did not run: cuBLAS is not found
`
	if got := text.String(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestLines: several sizes give lines of time.
func TestLines(t *testing.T) {
	var rows []Row
	for _, n := range []int{1_000_000, 1000, 10_000} {
		rows = append(rows, onH200("onepass", n, float64(n)/1000), onH200("cublas", n, float64(n)/2000))
	}
	p, svg := draw(t, rows)
	lines, ok := p.Charts[0].(figure.Lines)
	if !ok || len(lines.Series) != 2 || lines.Series[1].Name != "cuBLAS" || lines.Series[0].Points[0].X != 1000 ||
		lines.Series[0].Points[2].X != 1e6 {
		t.Errorf("%+v", p)
	}
	wantTexts(t, svg, "elements of a vector", "time of a launch", "NVIDIA H200 (CUDA 13.0)", "cuBLAS")
}

// TestCountCharts: rows of the simulator give a chart a count, and types and sizes are next to each
// other.
func TestCountCharts(t *testing.T) {
	row := onH200("tiled-8", 64, 1)
	row.What, row.Device, row.Driver, row.On, row.Size = "matmul", "simulator", "", "simulator",
		Size{N: 64, M: 32, L: 16}
	row.Counts = &counters.Counts{Instructions: 1234, LaneInstructions: 1234 * 16, SharedPasses: 99}
	p, svg := draw(t, []Row{row})
	if len(p.Charts) != 6 || p.Columns != 2 {
		t.Errorf("%+v", p)
	}
	wantTexts(t, svg, "Matrix product of float32", "simulator, 32×64 by 64×16", "Instructions", "1,234", "16", "99",
		"passes")

	double := onH200("onepass", 1000, 2)
	double.DType = "float64"
	_, svg = draw(t, []Row{onH200("onepass", 1000, 1), double})
	wantTexts(t, svg, "Dot product", "float32, n = 1,000", "float64, n = 1,000")

	if _, err := Picture([]Row{{Skipped: "x"}}); err == nil ||
		!strings.Contains(err.Error(), "there is nothing to draw") {
		t.Errorf("%v", err)
	}
}
