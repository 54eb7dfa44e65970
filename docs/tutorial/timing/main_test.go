package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
)

// iterated is Iterate's result for x.
func iterated(x float32, times int) float32 {
	for range times {
		x = float32(float32(3.75*x) * float32(1-x))
	}
	return x
}

// TestPipeline has the pieces of a vector copied, computed and copied back on several streams: each
// operation once, in its stream's order, and with the right result.
func TestPipeline(t *testing.T) {
	dev := gputest.Device(t)
	for _, n := range []int{0, 1, 31, 33, 1000} {
		for _, streams := range []int{1, 2, 5} {
			host, err := gridstride.MakePinned[float32](dev, n)
			if err != nil {
				t.Fatal(err)
			}
			for i := range host.Data() {
				host.Data()[i] = float32(i) / float32(n)
			}
			x, err := gridstride.Make[float32](dev, n)
			if err != nil {
				t.Fatal(err)
			}
			k, err := LoadIterate(dev)
			if err != nil {
				t.Fatal(err)
			}
			w := work{pieces: 3, times: 7, host: host, x: x, kernel: k}
			for range streams {
				w.streams = append(w.streams, dev.NewStream())
			}
			timeline, err := w.run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range host.Data() {
				if want := iterated(float32(i)/float32(n), 7); got != want {
					t.Fatalf("n %d, %d streams: element %d is %v, want %v", n, streams, i, got, want)
				}
			}
			inOrder(t, timeline, w.pieces)
			for _, s := range w.streams {
				s.Close()
			}
			if err := x.Free(); err != nil {
				t.Fatal(err)
			}
			if err := host.Free(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// inOrder fails where a stream's operations do not follow one another.
func inOrder(t *testing.T, timeline Timeline, pieces int) {
	t.Helper()
	if len(timeline.Spans) != 3*pieces {
		t.Errorf("%d spans of %d pieces", len(timeline.Spans), pieces)
	}
	at := map[int]float64{}
	for _, s := range timeline.Spans {
		if s.From < at[s.Stream] || s.To < s.From || s.To > timeline.Micros {
			t.Errorf("%+v starts before %v, where its stream is, or ends after everything, %v", s, at[s.Stream],
				timeline.Micros)
		}
		at[s.Stream] = s.To
	}
}

// TestResults reads back what the program writes.
func TestResults(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-n", "1000", "-times", "2", "-json"}, &out); err != nil {
		t.Fatal(err)
	}
	var r Results
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.N != 1000 || len(r.Runs) != 3 || len(r.Runs[0]) != 12 || len(r.Timelines) != 3 || r.Device == "" ||
		r.Command != "timing -n 1000 -times 2 -json" {
		t.Errorf("%+v", r)
	}
	for _, args := range [][]string{{"-n", "-1"}, {"-pieces", "0"}, {"more"}} {
		if err := run(t.Context(), args, &out); err == nil {
			t.Errorf("%q gives no error", args)
		}
	}
}
