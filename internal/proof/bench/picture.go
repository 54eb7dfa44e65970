package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/counters"
	"github.com/gridstride/gridstride/internal/tools/figure"
)

// Picture draws rows: times as bars of speed, one chart a size, with other libraries and the limits
// of the device as lines across them. Three sizes or more are lines of time over size, and counts
// of the simulator are small multiples.
//
// Errors: no row has run.
func Picture(rows []Row) (figure.Picture, error) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Skipped != "" })
	if len(rows) == 0 {
		return figure.Picture{}, fmt.Errorf("bench: there is nothing to draw: no row has run")
	}
	var p figure.Picture
	for _, group := range grouped(rows, func(r *Row) string { return r.What + " of " + r.DType }) {
		sizes := grouped(group, func(r *Row) string { return r.whole().shape(r.What) })
		switch {
		case slices.ContainsFunc(group, counted):
			for _, same := range sizes {
				if slices.ContainsFunc(same, counted) {
					p.Charts = append(p.Charts, countCharts(same)...)
				} else {
					p.Charts = append(p.Charts, barsOf(same))
				}
			}
			p.Columns = 2
		case len(sizes) >= 3:
			p.Charts = append(p.Charts, linesOf(group))
		default:
			for _, same := range sizes {
				p.Charts = append(p.Charts, barsOf(same))
			}
		}
	}
	p.Title, p.Subtitle = titles(rows)
	if len(p.Charts) == 1 { // whose title says the same
		switch c := p.Charts[0].(type) {
		case figure.Bars:
			c.Title = ""
			p.Charts[0] = c
		case figure.Lines:
			c.Title = ""
			p.Charts[0] = c
		}
	}
	return p, nil
}

func counted(r Row) bool { return r.Counts != nil }

// grouped puts rows of one key together, in the order of each key's first.
func grouped[R any](rows []R, key func(r *R) string) (groups [][]R) {
	at := map[string]int{}
	for _, r := range rows {
		k := key(&r)
		i, ok := at[k]
		if !ok {
			i = len(groups)
			at[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// titles say what all rows have in common.
func titles(rows []Row) (title, subtitle string) {
	same := func(of func(r *Row) string) string {
		first := of(&rows[0])
		for i := range rows {
			if of(&rows[i]) != first {
				return ""
			}
		}
		return first
	}
	title = cmp.Or(kinds[same(func(r *Row) string { return r.What })].noun, "Benchmarks")
	if dtype := same(func(r *Row) string { return r.DType }); dtype != "" {
		title += " of " + dtype
	}
	device := rows[0].Device
	if rows[0].Driver != "" {
		device += " (" + rows[0].Driver + ")"
	}
	parts := []string{device}
	if size := same(func(r *Row) string { return r.whole().title(r.What) }); size != "" {
		parts = append(parts, size)
	}
	if data := rows[0].Data; data != "" && data != Random {
		parts = append(parts, data+" data")
	}
	return title, strings.Join(parts, ", ")
}

// title is the size for people: "n = 268,435,456", "4096×4096 by 4096×4096".
func (s Size) title(what string) string {
	switch k := kinds[what]; {
	case k.transposed:
		return fmt.Sprintf("%d×%d by %d×%d, transposed", s.M, s.N, s.L, s.N)
	case k.product:
		return fmt.Sprintf("%d×%d by %d×%d", s.M, s.N, s.N, s.L)
	}
	return "n = " + grouping(s.N)
}

// grouping is a number with a comma every three digits.
func grouping(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// libraries are the variants that are drawn as lines across the bars.
var libraries = map[string]string{"cublas": "cuBLAS", "cub": "CUB"}

// limitNames are the limits of the device, for legends.
var limitNames = map[string]string{"copy": "copy within the device", "peak": "multiply-adds on registers"}

// barsOf is the speed of the rows of one size.
func barsOf(rows []Row) figure.Bars {
	first := &rows[0]
	b := figure.Bars{Title: fmt.Sprintf("%s, %s", first.DType, first.whole().title(first.What)), Unit: first.Unit}
	limit := 0.0
	for _, r := range rows {
		if name := libraries[r.Variant]; name != "" {
			b.Marks = append(b.Marks, figure.Mark{Name: name, Value: r.Rate})
			continue
		}
		b.Bars = append(b.Bars, figure.Bar{Name: r.label(), Value: r.Rate, Other: r.On == "host"})
		limit = max(limit, r.Limit)
	}
	if limit > 0 {
		b.Marks = append(b.Marks, figure.Mark{Name: limitNames[limitName(first.What)], Value: limit})
	}
	return b
}

// label is the variant, and the size if it ran on a part of the problem.
func (r *Row) label() string {
	switch {
	case r.Whole == nil:
		return r.Variant
	case kinds[r.What].product:
		return fmt.Sprintf("%s (m = %s)", r.Variant, grouping(r.M))
	}
	return fmt.Sprintf("%s (n = %s)", r.Variant, grouping(r.N))
}

// linesOf is the time of the rows of one benchmark and type, by size.
func linesOf(rows []Row) figure.Lines {
	first := &rows[0]
	l := figure.Lines{Title: first.DType, X: figure.Axis{Title: axis(first.What), Log: true},
		Y: figure.Axis{Title: "time of a launch", Log: true, Format: figure.Seconds}}
	if slices.ContainsFunc(rows, func(r Row) bool { return r.On == "host" }) {
		l.Y.Title = "time of a launch, or on the host"
	}
	for _, same := range grouped(rows, func(r *Row) string { return r.Variant }) {
		s := figure.Series{Name: cmp.Or(libraries[same[0].Variant], same[0].Variant)}
		for _, r := range same {
			s.Points = append(s.Points, figure.Point{X: float64(r.N), Y: r.Median})
		}
		slices.SortFunc(s.Points, func(a, b figure.Point) int { return cmp.Compare(a.X, b.X) })
		l.Series = append(l.Series, s)
	}
	return l
}

// countCharts are the counts of a launch of each row that has any, a chart a count.
func countCharts(rows []Row) (charts []figure.Chart) {
	for _, c := range []struct {
		title, unit string
		of          func(*counters.Counts) float64
	}{
		{"Instructions", "warp instructions", func(c *counters.Counts) float64 { return float64(c.Instructions) }},
		{"Active lanes", "lanes of 32 in an instruction, on average", func(c *counters.Counts) float64 {
			return float64(c.LaneInstructions) / max(float64(c.Instructions), 1)
		}},
		{"Global memory", "sectors of 32 bytes", func(c *counters.Counts) float64 { return float64(c.GlobalSectors) }},
		{"Shared memory", "passes", func(c *counters.Counts) float64 { return float64(c.SharedPasses) }},
		{"Barriers", "waits of a warp", func(c *counters.Counts) float64 { return float64(c.BarrierWaits) }},
		{"Divergence", "divergent branches of a warp",
			func(c *counters.Counts) float64 { return float64(c.Divergent) }},
	} {
		b := figure.Bars{Title: c.title, Unit: c.unit}
		for _, r := range rows {
			if r.Counts != nil {
				b.Bars = append(b.Bars, figure.Bar{Name: r.label(), Value: c.of(r.Counts)})
			}
		}
		charts = append(charts, b)
	}
	return charts
}
