package profile

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gridstride/gridstride/internal/tools/count"
)

// Text writes the report as people read it: a table for each kernel, with a row for each source
// line and one for their total, and one table of all kernels if there are several. Source lines are
// read from source, which may be nil. Text shows lines that it does not know ("") without their
// indentation.
func (r *Report) Text(w io.Writer, source Source) error {
	b := bufio.NewWriter(w)
	for _, k := range r.Kernels {
		fmt.Fprintf(b, "%s  %s\n\n", r.title(k), k.launchText())
		k.table(source).write(b)
		fmt.Fprintln(b)
		k.roofline(b, r.Limits)
	}
	if len(r.Kernels) > 1 {
		r.table().write(b)
		fmt.Fprintln(b)
	}
	fmt.Fprintln(b, r.summary())
	if r.Limits != nil {
		fmt.Fprintf(b, "limits of %s: %s\n", r.Limits.Device, r.Limits.Source)
	}
	for _, why := range r.Incomplete {
		fmt.Fprintf(b, "incomplete: %s\n", why)
	}
	return b.Flush()
}

// summary says how much was counted.
func (r *Report) summary() string {
	return count.Of(len(r.Kernels), "kernel") + ", " + count.Of(r.Launches, "launch") + " counted"
}

// title is the kernel's name, with its file where another has the same.
func (r *Report) title(k *Kernel) string {
	for _, other := range r.Kernels {
		if other != k && other.Name == k.Name {
			return fmt.Sprintf("%s (%s)", k.Name, k.File)
		}
	}
	return k.Name
}

// launchText is "1 launch, grid 4x1x1, block 256x1x1".
func (k *Kernel) launchText() string {
	const most = 3
	all := 0
	for _, l := range k.Launches {
		all += l.Count
	}
	if len(k.Launches) == 1 {
		return count.Of(all, "launch") + ", " + k.Launches[0].String()
	}
	var parts []string
	rest := all
	for _, l := range k.Launches[:min(most, len(k.Launches))] {
		parts = append(parts, fmt.Sprintf("%d of %v", l.Count, l))
		rest -= l.Count
	}
	if rest > 0 {
		parts = append(parts, count.Of(rest, "other"))
	}
	return fmt.Sprintf("%s: %s", count.Of(all, "launch"), strings.Join(parts, "; "))
}

// String is "grid 4x1x1, block 256x1x1".
func (l Launch) String() string {
	return fmt.Sprintf("grid %s, block %s", times(l.Grid), times(l.Block))
}

func times(d [3]int) string { return fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2]) }

// table is a table of text: a name, the columns, right-aligned, and a rest of any length.
type table struct {
	columns []column
	rows    [][]string // cells. The last row has the totals
}

// table has a row for each line of the kernel.
func (k *Kernel) table(source Source) *table {
	t := &table{columns: used(&k.Total)}
	texts := indented(k.Lines, source)
	for i, l := range k.Lines {
		t.add(l.where(), &l.Counts, texts[i])
	}
	t.add("total", &k.Total, "")
	return t
}

// table has a row for each kernel.
func (r *Report) table() *table {
	t := &table{columns: used(&r.Total)}
	for _, k := range r.Kernels {
		t.add(r.title(k), &k.Total, "")
	}
	t.add("total", &r.Total, "")
	return t
}

func (t *table) add(name string, c *Counts, rest string) {
	row := []string{name}
	for i := range t.columns {
		row = append(row, t.columns[i].text(c))
	}
	t.rows = append(t.rows, append(row, rest))
}

// where is "dot.go:24", or "ptx:57" of a line of the PTX itself.
func (l *Line) where() string {
	if l.File == "" {
		return fmt.Sprintf("ptx:%d", l.Line)
	}
	return fmt.Sprintf("%s:%d", base(l.File), l.Line)
}

func base(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }

// write writes the table with its heads: the groups over their columns, and the titles.
func (t *table) write(w io.Writer) {
	groups, titles := []string{""}, []string{""}
	for _, c := range t.columns {
		groups, titles = append(groups, c.group), append(titles, c.title)
	}
	widths := make([]int, len(titles))
	for _, row := range append(t.rows, titles) {
		for i := range widths {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	t.writeGroups(w, groups, widths)
	writeRow(w, append(titles, ""), widths)
	for i, row := range t.rows {
		if i == len(t.rows)-1 {
			writeRow(w, rules(widths), widths)
		}
		writeRow(w, row, widths)
	}
}

// writeGroups writes the name of each group in the middle over its columns.
func (t *table) writeGroups(w io.Writer, groups []string, widths []int) {
	var b strings.Builder
	fmt.Fprintf(&b, "%*s", widths[0], "")
	for i := 1; i < len(groups); {
		end, width := i, 0
		for ; end < len(groups) && groups[end] == groups[i] && (end == i || groups[i] != ""); end++ {
			width += widths[end] + gap
		}
		name := groups[i]
		if name != "" {
			dashes := max(width-gap-len(name)-2, 0)
			name = strings.Repeat("-", dashes/2) + " " + name + " " + strings.Repeat("-", dashes-dashes/2)
		}
		fmt.Fprintf(&b, "%*s", width, name)
		i = end
	}
	if text := strings.TrimRight(b.String(), " "); text != "" {
		fmt.Fprintln(w, text)
	}
}

// gap is the space between columns.
const gap = 2

func writeRow(w io.Writer, row []string, widths []int) {
	var b strings.Builder
	for i, width := range widths {
		pad := strings.Repeat(" ", width-utf8.RuneCountInString(row[i]))
		if i == 0 {
			b.WriteString(row[i] + pad)
		} else {
			b.WriteString(strings.Repeat(" ", gap) + pad + row[i])
		}
	}
	b.WriteString("   " + row[len(widths)])
	fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
}

func rules(widths []int) []string {
	row := make([]string, len(widths)+1)
	for i, width := range widths {
		row[i] = strings.Repeat("-", width)
	}
	return row
}
