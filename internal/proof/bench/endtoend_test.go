package bench

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/tools/figure"
)

// TestEndToEnd times calls of every benchmark: all ways are there, their phases add up, and only
// the first call opens and loads.
func TestEndToEnd(t *testing.T) {
	var on gridstride.Info
	open := func() (*gridstride.Device, error) {
		dev, err := gridstride.Open()
		if err == nil {
			on = dev.Info()
		}
		return dev, err
	}
	payer := map[string]string{"sim": "simulator", "cuda": "GPU"}
	for _, o := range []Options{
		{What: "dot", DType: "float32", Sizes: vector(1000, 33)},
		{What: "dot", DType: "float64", Sizes: vector(0), Data: Ramp},
		{What: "reduce", DType: "int64", Sizes: vector(1001)},
		{What: "reduce", DType: "float32", Sizes: vector(1001)},
		{What: "matmul", DType: "float64", Sizes: []Size{{M: 20, N: 30, L: 40}}},
		{What: "blas", DType: "float64", Sizes: vector(1001)},
		{What: "metric", DType: "float32", Sizes: vector(1001)},
	} {
		rows, err := EndToEnd(t.Context(), open, o)
		if err != nil {
			t.Fatal(err)
		}
		ways := []string{WayFirst, WayPageable, WayPinned, WayOnDevice, WayGo}
		things := 1
		if names := endNumbers[o.What]; names != nil {
			ways, things = append(ways[:4], WayCore, WayCores), len(names)
		}
		var got []string
		for i := range rows {
			r := &rows[i]
			got = append(got, r.Way)
			if r.Total <= 0 || r.Calls < 1 || r.Wrong != "" || r.Speedup <= 0 || r.Simulated != (on.Backend == "sim") {
				t.Errorf("%+v", r)
			}
			if first := r.Way == WayFirst; first != (r.Open > 0) || first != (r.Load > 0) {
				t.Errorf("%+v", r)
			}
			if onHost := slices.Contains(ways[4:], r.Way); onHost == (r.Kernel > 0) {
				t.Errorf("%+v", r)
			}
		}
		slices.Sort(got)
		for _, way := range ways {
			if n := len(got) / len(ways); n != len(o.Sizes)*things || !slices.Contains(got, way) {
				t.Errorf("%+v: ways %v, want %v for each size", o, got, ways)
			}
		}
		var text, list strings.Builder
		if err := EndText(&text, rows); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{rows[0].What + " of " + o.DType + ", end to end, on ", "copy in", "against CPU",
			"The " + payer[on.Backend] + " pays, against"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("no %q in\n%s", want, &text)
			}
		}
		if err := JSON(&list, rows); err != nil {
			t.Fatal(err)
		}
		none, back, err := Read([]byte(list.String()))
		if err != nil || none != nil || len(back) != len(rows) || back[0] != rows[0] {
			t.Errorf("%v: %v", err, back)
		}
	}
}

// endRows are rows of two sizes where the device is faster than the processor by the speedups.
func endRows(way string, speedups ...float64) (rows []EndRow) {
	n := 1_000_000
	for _, s := range speedups {
		rows = append(rows, EndRow{What: "dot", DType: "float32", Size: Size{N: n}, Way: way, Speedup: s, Total: 1 / s})
		n *= 10
	}
	return rows
}

func TestPayoff(t *testing.T) {
	rows := slices.Concat(endRows(WayPageable, 0.1, 0.5, 0.9), endRows(WayPinned, 0.5, 1.5, 4),
		endRows(WayOnDevice, 7, 8, 90))
	want := "The GPU pays, against the fastest way on the processor: with the data in ordinary memory never up to n=100000000; " +
		"in pinned memory from n=10000000 on (not yet at n=1000000), 4x at n=100000000; already on the device from " +
		"n=1000000 on, the smallest measured, 90x at n=100000000."
	if got := Payoff(rows); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	slices.Reverse(rows)
	if got := Payoff(rows); got != want {
		t.Errorf("in another order: %s", got)
	}
	if got := paysFrom(endRows(WayPinned, 2, 0.5, 3), WayPinned); !strings.HasPrefix(got,
		"from n=100000000 on (not yet at n=10000000)") {
		t.Errorf("a size at which it does not pay in between: %s", got)
	}
}

func TestEndPicture(t *testing.T) {
	p, err := EndPicture(slices.Concat(endRows(WayGo, 1, 1), endRows(WayOnDevice, 3, 2)))
	if err != nil {
		t.Fatal(err)
	}
	lines := p.Charts[0].(figure.Lines)
	if len(lines.Series) != 2 || lines.Series[1].Name != "device, data on the device" ||
		len(lines.Series[1].Points) != 2 || p.Title != "Dot product of float32, end to end" {
		t.Errorf("%+v", p)
	}
	if _, err := EndPicture(nil); err == nil {
		t.Error("nothing was drawn")
	}
}

func TestRead(t *testing.T) {
	text, err := json.Marshal([]Row{{Variant: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	if rows, ends, err := Read(text); err != nil || len(rows) != 1 || ends != nil {
		t.Errorf("%v, %v, %v", rows, ends, err)
	}
	if _, _, err := Read([]byte("{}")); err == nil {
		t.Error("an object was read as a list")
	}
}
