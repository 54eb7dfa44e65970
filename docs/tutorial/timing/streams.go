package main

import (
	"context"

	"github.com/gridstride/gridstride"
)

// Timeline has the times of operations, by the device's clock, with a number of streams.
type Timeline struct {
	Streams int     `json:"streams"`
	Micros  float64 `json:"us"` // from the first start to the last end
	Spans   []Span  `json:"spans"`
}

// Span is one operation, in microseconds from the start of the first.
type Span struct {
	Stream int     `json:"stream"`
	Piece  int     `json:"piece"`
	What   string  `json:"what"` // "copy in", "kernel", "copy out"
	From   float64 `json:"from_us"`
	To     float64 `json:"to_us"`
}

// pipeline copies a vector to the device in pieces, runs the kernel on each and copies it back, the
// pieces on streams in turn.
func pipeline(ctx context.Context, dev *gridstride.Device, n, times, pieces, streams int) (t Timeline, err error) {
	host, err := gridstride.MakePinned[float32](dev, n)
	if err != nil {
		return t, err
	}
	defer host.Free()
	x, err := gridstride.Make[float32](dev, n)
	if err != nil {
		return t, err
	}
	defer x.Free()
	k, err := LoadIterate(dev)
	if err != nil {
		return t, err
	}
	w := work{pieces: pieces, times: times, host: host, x: x, kernel: k}
	for range streams {
		s := dev.NewStream()
		defer s.Close()
		w.streams = append(w.streams, s)
	}
	for range 2 { // the first time warms up
		if t, err = w.run(ctx); err != nil {
			return t, err
		}
	}
	return t, nil
}

// work is a vector on the host and on the device, and what is done to it.
type work struct {
	pieces, times int
	host          gridstride.Pinned[float32]
	x             gridstride.Buffer[float32]
	kernel        *IterateKernel
	streams       []*gridstride.Stream
}

// run queues all pieces, waits, and reads the events.
func (w *work) run(ctx context.Context) (Timeline, error) {
	t := Timeline{Streams: len(w.streams)}
	begin := w.streams[0].Record()
	for _, s := range w.streams {
		if err := s.After(begin); err != nil {
			return t, err
		}
	}
	var events [][]*gridstride.Event
	for p := range w.pieces {
		e, err := w.queue(p)
		if err != nil {
			return t, err
		}
		events = append(events, e)
	}
	for p, e := range events {
		for i, what := range []string{"copy in", "kernel", "copy out"} {
			from, err := e[i].Since(ctx, begin)
			if err != nil {
				return t, err
			}
			to, err := e[i+1].Since(ctx, begin)
			if err != nil {
				return t, err
			}
			t.Spans = append(t.Spans, Span{p % len(w.streams), p, what, micros(from), micros(to)})
			t.Micros = max(t.Micros, micros(to))
		}
	}
	return t, nil
}

// queue queues one piece on its stream, and an event before, between and after its operations.
func (w *work) queue(piece int) ([]*gridstride.Event, error) {
	s := w.streams[piece%len(w.streams)]
	n := w.x.Len()
	from, to := n*piece/w.pieces, n*(piece+1)/w.pieces
	x, host := w.x.Slice(from, to), w.host.Slice(from, to)

	events := []*gridstride.Event{s.Record()}
	if err := x.WriteAsync(s, host); err != nil {
		return nil, err
	}
	events = append(events, s.Record())
	if err := w.kernel.Launch(s, grid(to-from), x, w.times); err != nil {
		return nil, err
	}
	events = append(events, s.Record())
	if err := x.ReadAsync(s, host); err != nil {
		return nil, err
	}
	return append(events, s.Record()), nil
}
