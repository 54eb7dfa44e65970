package bench

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/tools/figure"
)

// EndText writes the rows as tables for people, one for each thing that was timed, and says from
// which size on the GPU pays.
func EndText(w io.Writer, rows []EndRow) error {
	for i, group := range grouped(rows, func(r *EndRow) string { return r.What }) {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := endTable(w, group); err != nil {
			return err
		}
	}
	return nil
}

// endTable writes the rows of one thing.
func endTable(w io.Writer, rows []EndRow) error {
	first := rows[0]
	fmt.Fprintf(w, "%s of %s, end to end, on %s\n\n", first.What, first.DType, first.Device)
	var t grid
	t.cell("size")
	t.cell("way")
	for _, p := range phases {
		t.cell(p.name)
	}
	t.cell("against CPU")
	t.row()
	for i := range rows {
		r := &rows[i]
		t.cell(r.shape(r.What))
		t.cell(r.Way)
		for _, p := range phases {
			if v := *p.of(r); v > 0 {
				t.cell(seconds(v))
			} else {
				t.cell("")
			}
		}
		if r.Speedup > 0 {
			t.cell(fmt.Sprintf("%.3gx", r.Speedup))
		} else {
			t.cell("")
		}
		t.row()
	}
	if err := t.write(w); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("\nThe first call opens the device and loads the kernel; later ones take their buffers from the " +
		"pool. Kernel is the launch and the wait for it.\n")
	if first.Simulated {
		b.WriteString("The simulator's times are of this machine's processor: they say nothing about a GPU.\n")
	}
	b.WriteString(Payoff(rows) + "\n")
	for _, r := range rows {
		if r.Wrong != "" {
			fmt.Fprintf(&b, "WRONG: %s, %s: %s\n", r.shape(r.What), r.Way, r.Wrong)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Payoff is a sentence that says from which of the measured sizes on the device is faster than the
// processor, with the data on the host or already on the device.
func Payoff(rows []EndRow) string {
	device := "GPU"
	if rows[0].Simulated {
		device = "simulator"
	}
	return fmt.Sprintf("The %s pays, against the fastest way on the processor: "+
		"with the data in ordinary memory %s; in pinned memory %s; already on the device %s.",
		device, paysFrom(rows, WayPageable), paysFrom(rows, WayPinned), paysFrom(rows, WayOnDevice))
}

// paysFrom is "from n=1000000 on", or "never up to n=…".
func paysFrom(rows []EndRow, way string) string {
	bySize := slices.SortedFunc(slices.Values(rows),
		func(a, b EndRow) int { return cmp.Compare(a.elements(), b.elements()) })
	from := -1
	var of []EndRow
	for _, r := range bySize {
		if r.Way != way || r.Speedup == 0 {
			continue
		}
		switch {
		case r.Speedup <= 1:
			from = -1
		case from < 0:
			from = len(of)
		}
		of = append(of, r)
	}
	if len(of) == 0 {
		return "is not measured"
	}
	last := of[len(of)-1]
	switch {
	case from < 0:
		return "never up to " + last.shape(last.What)
	case from == 0:
		return fmt.Sprintf("from %s on, the smallest measured, %.3gx at %s", of[0].shape(of[0].What), last.Speedup,
			last.shape(last.What))
	}
	return fmt.Sprintf("from %s on (not yet at %s), %.3gx at %s", of[from].shape(last.What),
		of[from-1].shape(last.What), last.Speedup, last.shape(last.What))
}

// elements is the size as one number: elements of a vector, or multiply-adds of a matrix product.
func (r *EndRow) elements() float64 {
	if kinds[r.What].product {
		return float64(r.M) * float64(r.N) * float64(r.L)
	}
	return float64(r.N)
}

// wayNames are the ways in legends. Others have no other name: another program may have written the
// rows.
var wayNames = map[string]string{
	WayGo: "a loop in Go", WayCore: "one core", WayCores: "all cores",
	WayFirst: "device, first call", WayPageable: "device, data in ordinary memory",
	WayPinned: "device, data in pinned memory", WayOnDevice: "device, data on the device",
}

// wayOrder is the order of legends: what does not use the device comes first.
func wayOrder(way string) int {
	return slices.Index([]string{WayFirst, WayPageable, WayPinned, WayOnDevice}, way)
}

// EndPicture draws the total times of the ways over the size, a chart for each thing that was
// timed.
func EndPicture(rows []EndRow) (figure.Picture, error) {
	if len(rows) == 0 {
		return figure.Picture{}, fmt.Errorf("bench: there is nothing to draw: no row has run")
	}
	first := rows[0]
	device := first.Device
	if first.Driver != "" {
		device += " (" + first.Driver + ")"
	}
	groups := grouped(rows, func(r *EndRow) string { return r.What })
	p := figure.Picture{Title: kinds[first.What].noun + " of " + first.DType + ", end to end", Subtitle: device}
	for _, group := range groups {
		l := endLines(group)
		if len(groups) > 1 {
			p.Title, l.Title = "Calls of "+first.DType+", end to end", kinds[group[0].What].noun
		}
		p.Charts = append(p.Charts, l)
	}
	return p, nil
}

// endLines is the chart of one thing.
func endLines(rows []EndRow) figure.Lines {
	l := figure.Lines{X: figure.Axis{Title: axis(rows[0].What), Log: true},
		Y: figure.Axis{Title: "time of a call", Log: true, Format: figure.Seconds}}
	inOrder := slices.SortedStableFunc(slices.Values(rows), func(a, b EndRow) int {
		return cmp.Or(cmp.Compare(wayOrder(a.Way), wayOrder(b.Way)), cmp.Compare(a.N, b.N))
	})
	for _, way := range grouped(inOrder, func(r *EndRow) string { return r.Way }) {
		s := figure.Series{Name: cmp.Or(wayNames[way[0].Way], way[0].Way)}
		for _, r := range way {
			s.Points = append(s.Points, figure.Point{X: float64(r.N), Y: r.Total})
		}
		l.Series = append(l.Series, s)
	}
	return l
}
