package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// JSON writes the rows as one list, an object a row.
func JSON(w io.Writer, rows []Row) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(rows)
}

// Text writes the rows as a table for people.
func Text(w io.Writer, rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	first := rows[0]
	fmt.Fprintf(w, "%s of %s, %s, on %s\n\n", first.What, first.DType, first.Shape, first.Device)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	simulated, shares := false, false
	for _, r := range rows {
		simulated = simulated || r.On == "simulator"
		shares = shares || r.Share > 0
	}
	head := []string{"variant", "time", "spread", first.Unit, "speed", "error"}
	switch {
	case simulated:
		head = append(head, "instructions", "lanes", "sectors", "passes", "barriers", "divergent")
	case shares:
		head = append(head, "of copy")
	}
	fmt.Fprintln(t, strings.Join(head, "\t")+"\t")
	for _, r := range rows {
		fmt.Fprintln(t, strings.Join(r.cells(simulated, shares), "\t")+"\t")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if simulated {
		fmt.Fprintln(w, "The times are of this machine's processor, which simulates the launches: the counts say more about a GPU. Per launch, instructions and")
		fmt.Fprintln(w, "branches are a warp's; lanes is how many of 32 took part on average; a sector is 32 bytes of global memory; a pass is a turn of shared memory.")
	}
	for _, r := range rows {
		if r.Shape != first.Shape {
			fmt.Fprintf(w, "%s ran with %s.\n", r.Variant, r.Shape)
		}
		if r.Wrong != "" {
			fmt.Fprintf(w, "WRONG: %s: %s\n", r.Variant, r.Wrong)
		}
	}
	return nil
}

func (r *Row) cells(simulated, shares bool) []string {
	spread := "-"
	if r.Median > 0 {
		spread = fmt.Sprintf("±%.1f%%", 50*(r.Most-r.Least)/r.Median)
	}
	cells := []string{r.Variant, seconds(r.Median), spread, fmt.Sprintf("%.4g", r.Rate), fmt.Sprintf("%.3gx", r.Speedup), fmt.Sprintf("%.1e", r.Error)}
	switch {
	case simulated && r.Counts == nil:
		cells = append(cells, "", "", "", "", "", "")
	case simulated:
		c := r.Counts
		cells = append(cells, fmt.Sprint(c.Instructions), fmt.Sprintf("%.1f", float64(c.LaneInstructions)/max(float64(c.Instructions), 1)),
			fmt.Sprint(c.GlobalSectors), fmt.Sprint(c.SharedPasses), fmt.Sprint(c.BarrierWaits), fmt.Sprint(c.Divergent))
	case shares && r.Share > 0:
		cells = append(cells, fmt.Sprintf("%.1f%%", 100*r.Share))
	case shares:
		cells = append(cells, "")
	}
	return cells
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
