package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// JSON writes rows, a []Row or []EndRow, as one list, an object a row.
func JSON(w io.Writer, rows any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(rows)
}

// Read reads what JSON wrote: rows of either kind.
func Read(text []byte) (rows []Row, ends []EndRow, err error) {
	var kinds []struct{ Way string }
	if err := json.Unmarshal(text, &kinds); err != nil {
		return nil, nil, err
	}
	if len(kinds) > 0 && kinds[0].Way != "" {
		return nil, ends, json.Unmarshal(text, &ends)
	}
	return rows, nil, json.Unmarshal(text, &rows)
}

// Text writes the rows as tables for people, one for each size.
func Text(w io.Writer, rows []Row) error {
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].whole() == rows[0].whole() {
			n++
		}
		if err := table(w, rows[:n]); err != nil {
			return err
		}
		if rows = rows[n:]; len(rows) > 0 {
			fmt.Fprintln(w)
		}
	}
	return nil
}

// table writes the rows of one size.
func table(w io.Writer, rows []Row) error {
	first := rows[0]
	fmt.Fprintf(w, "%s of %s, %s, on %s\n\n", first.What, first.DType, first.whole().shape(first.What), first.Device)
	simulated, limit := false, 0.0
	for _, r := range rows {
		simulated = simulated || r.On == "simulator"
		limit = max(limit, r.Limit)
	}
	columns := []column{
		{"variant", func(r *Row) string { return r.Variant }},
		{"time", func(r *Row) string { return seconds(r.Median) }},
		{"spread", spread},
		{first.Unit, func(r *Row) string { return fmt.Sprintf("%.4g", r.Rate) }},
		{"speed", func(r *Row) string { return fmt.Sprintf("%.3gx", r.Speedup) }},
		{"error", func(r *Row) string { return fmt.Sprintf("%.1e", r.Error) }},
	}
	switch {
	case simulated:
		columns = append(columns, countColumns...)
	case limit > 0:
		columns = append(columns, column{"of " + limitName(first.What), share})
	}
	var t grid
	for _, c := range columns {
		t.cell(c.head)
	}
	t.row()
	for _, r := range rows {
		if r.Skipped != "" {
			continue
		}
		for _, c := range columns {
			t.cell(c.cell(&r))
		}
		t.row()
	}
	if err := t.write(w); err != nil {
		return err
	}
	return remarks(w, rows, simulated, limit)
}

// grid is the cells of a table, row by row.
type grid struct{ cells strings.Builder }

func (g *grid) cell(text string) { g.cells.WriteString(text + "\t") }

func (g *grid) row() { g.cells.WriteByte('\n') }

// write writes the columns one under the other, right-aligned, and no spaces at the ends of lines.
func (g *grid) write(w io.Writer) error {
	var aligned strings.Builder
	t := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', tabwriter.AlignRight)
	if _, err := io.WriteString(t, g.cells.String()); err != nil {
		return err
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(aligned.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// remarks writes what the columns do not say.
func remarks(w io.Writer, rows []Row, simulated bool, limit float64) error {
	var b strings.Builder
	if simulated {
		b.WriteString("The times are of this machine's processor, which simulates the launches: the counts say more " +
			"about a GPU. Per launch, instructions and\n")
		b.WriteString("branches are a warp's; lanes is how many of 32 took part on average; a sector is 32 bytes of " +
			"global memory; a pass is a turn of shared memory.\n")
	}
	switch {
	case limit > 0 && kinds[rows[0].What].operations:
		fmt.Fprintf(&b, "The peak is what the device does in multiply-adds on registers, measured in this run: %.4g "+
			"GFLOP/s.\n", limit)
	case limit > 0:
		fmt.Fprintf(&b, "The device copies %.4g GB/s, bytes read and written together, measured in this run.\n", limit)
	}
	for _, r := range rows {
		switch {
		case r.Skipped != "":
			fmt.Fprintf(&b, "%s did not run: %s\n", r.Variant, r.Skipped)
		case r.Limited != "":
			fmt.Fprintf(&b, "%s ran with %s: %s. With -variants %s it runs all the same.\n", r.Variant, r.shape(r.What),
				r.Limited, r.Variant)
		}
		if r.Wrong != "" {
			fmt.Fprintf(&b, "WRONG: %s: %s\n", r.Variant, r.Wrong)
		}
	}
	if b.Len() == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\n%s", b.String())
	return err
}

// column is a column of a table.
type column struct {
	head string
	cell func(r *Row) string
}

// countColumns are the counts of a launch, empty for rows without.
var countColumns = []column{
	countColumn("instructions", func(r *Row) string { return fmt.Sprint(r.Counts.Instructions) }),
	countColumn("lanes", func(r *Row) string {
		return fmt.Sprintf("%.1f", float64(r.Counts.LaneInstructions)/max(float64(r.Counts.Instructions), 1))
	}),
	countColumn("sectors", func(r *Row) string { return fmt.Sprint(r.Counts.GlobalSectors) }),
	countColumn("passes", func(r *Row) string { return fmt.Sprint(r.Counts.SharedPasses) }),
	countColumn("barriers", func(r *Row) string { return fmt.Sprint(r.Counts.BarrierWaits) }),
	countColumn("divergent", func(r *Row) string { return fmt.Sprint(r.Counts.Divergent) }),
}

func countColumn(head string, cell func(r *Row) string) column {
	return column{head, func(r *Row) string {
		if r.Counts == nil {
			return ""
		}
		return cell(r)
	}}
}

func spread(r *Row) string {
	if r.Median == 0 {
		return "-"
	}
	return fmt.Sprintf("±%.1f%%", 50*(r.Most-r.Least)/r.Median)
}

func share(r *Row) string {
	if r.Share == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f%%", 100*r.Share)
}

// limitName names the limit of a benchmark's rate.
func limitName(what string) string {
	if kinds[what].operations {
		return "peak"
	}
	return "copy"
}

// seconds prints a time with four digits.
func seconds(s float64) string {
	d := time.Duration(s * 1e9)
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.3f s", s)
	case d >= time.Millisecond:
		return fmt.Sprintf("%.3f ms", s*1e3)
	}
	return fmt.Sprintf("%.2f µs", s*1e6)
}
