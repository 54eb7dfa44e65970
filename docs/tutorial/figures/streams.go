package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/internal/tools/figure"
)

// timing has the results of docs/tutorial/timing on a GPU.
const timing = "docs/measurements/2026-11-21-h200-timing.json"

// timeline has the times of operations with a number of streams, in microseconds.
type timeline struct {
	Streams int
	Us      float64
	Spans   []struct {
		Stream, Piece int
		What          string
		From          float64 `json:"from_us"`
		To            float64 `json:"to_us"`
	}
}

// streams draws when the pieces of a vector were copied in, computed and copied out, on one stream
// and on several.
func streams(r *repository) (picture, error) {
	text, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(timing)))
	if err != nil {
		return nil, err
	}
	var measured struct{ Timelines []timeline }
	if err := json.Unmarshal(text, &measured); err != nil {
		return nil, err
	}
	const left, wide, top, row = 84.0, 720.0, 34.0, 28.0
	longest, rows := 0.0, 0
	for _, t := range measured.Timelines {
		longest, rows = max(longest, t.Us), rows+t.Streams
	}
	c := figure.New(left+wide+16, top+row*float64(rows)+38*float64(len(measured.Timelines))-8,
		"Copies and kernels on one stream follow one another; on several streams they run beside each other")
	colours := map[string]string{"copy in": figure.Tints[1], "kernel": figure.Tints[5], "copy out": figure.Tints[3]}
	for i, what := range []string{"copy in", "kernel", "copy out"} {
		c.Cell(left+float64(i)*96, 8, 90, 20, what, figure.Shape{Fill: colours[what]}, figure.Letters{Size: 12})
	}
	y := top
	for _, t := range measured.Timelines {
		y += 26
		c.Text(12, y-6, fmt.Sprintf("%s: %.2f ms", count.Of(t.Streams, "stream"), t.Us/1000),
			figure.Letters{Size: 13, Bold: true})
		for s := range t.Streams {
			c.Text(12, y+17+float64(s)*row, fmt.Sprintf("stream %d", s+1),
				figure.Letters{Size: 12, Color: figure.Faint})
			c.Rect(left, y+float64(s)*row, wide, row-4, figure.Shape{Fill: figure.Idle})
		}
		for _, s := range t.Spans {
			x, width, label := left+s.From/longest*wide, (s.To-s.From)/longest*wide, fmt.Sprint(s.Piece+1)
			if width < 12 {
				label = ""
			}
			c.Cell(x, y+float64(s.Stream)*row, width, row-4, label,
				figure.Shape{Fill: colours[s.What], Stroke: figure.Paper}, figure.Letters{Size: 12})
		}
		y += row*float64(t.Streams) + 12
	}
	return c, nil
}
