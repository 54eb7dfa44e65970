// Package format writes reports: as text for people, as JSON, and as SARIF for code scanners.
package format

import (
	"fmt"
	"io"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/internal/tools/plain"
)

// column is where the second column of a finding's headline begins.
const column = 62

// Text writes the findings of a report as people read them, one after the other, each followed by
// an empty line.
func Text(w io.Writer, r *report.Report) error {
	names := namesOf(r)
	for _, f := range r.Findings {
		if _, err := fmt.Fprintln(w, findingText(f, names)); err != nil {
			return err
		}
	}
	for _, a := range r.Unused() {
		if _, err := fmt.Fprintf(w, "UNUSED  //gpu:allow %s at %s:%d %s\n\n", a.What, names.of(a.File), a.Line,
			a.Idle()); err != nil {
			return err
		}
	}
	return nil
}

// Finding is a finding as people read it, several lines, each ended.
func Finding(f *report.Finding) string { return findingText(f, nil) }

func findingText(f *report.Finding, names fileNames) string {
	var b strings.Builder
	kernel := ""
	if f.Kernel != "" {
		kernel = fmt.Sprintf("kernel %s, grid %s, block %s", f.Kernel, times(f.Grid), times(f.Block))
	}
	two(&b, headline(f), kernel)
	if f.Object != nil {
		declared := ""
		if f.Object.Declared.Line > 0 {
			declared = fmt.Sprintf("declared %s:%d", names.of(f.Object.Declared.File), f.Object.Declared.Line)
		}
		two(&b, "  "+objectText(f.Object), declared)
	}
	writeWitnesses(&b, f, names)
	for _, line := range [][2]string{{"why", f.Why}, {"fix", f.Fix}, {"also", someOf(f.Also, "pairs of places")},
		{"allow", f.Allowed}, {"test", someOf(f.Tests, "tests")}} {
		if line[1] != "" {
			fmt.Fprintf(&b, "  %-6s %s\n", line[0], line[1])
		}
	}
	if f.Count > 0 && !(f.Tool == report.Synccheck && f.Every && f.LaunchedFrom == "") {
		launched := ""
		if f.LaunchedFrom != "" {
			launched = "      launched from " + f.LaunchedFrom
		}
		fmt.Fprintf(&b, "  %-6s %s%s\n", "seen", seenText(f), launched)
	}
	return plain.Text(b.String())
}

// headline is "RACE  write/read, shared memory, no barrier between".
func headline(f *report.Finding) string {
	word := strings.ToUpper(strings.ReplaceAll(string(f.Kind), "-", " "))
	switch f.Level {
	case report.Note:
		word = "NOTE  " + word
	case report.Pedantic:
		word = "PEDANTIC  " + word
	}
	return word + "  " + f.Summary
}

// two writes a line of two columns, which stay apart also where the first is too long.
func two(b *strings.Builder, left, right string) {
	if right == "" {
		fmt.Fprintln(b, left)
		return
	}
	fmt.Fprintf(b, "%-*s   %s\n", column-3, left, right)
}

func times(d [3]int) string { return fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2]) }

// objectText is "cache[128]  float32, bytes 512..515 of 1024".
func objectText(o *report.Object) string {
	return fmt.Sprintf("%s  %s, bytes %d..%d of %d", o.Element(o.Index), o.Type, o.From, o.To, o.Size)
}

// writeWitnesses writes a line for each witness, in columns.
func writeWitnesses(b *strings.Builder, f *report.Finding, names fileNames) {
	rows := make([][]string, len(f.Witnesses))
	var width [4]int
	for i := range f.Witnesses {
		rows[i] = witnessRow(f, &f.Witnesses[i], names)
		for k := range width {
			width[k] = max(width[k], len(rows[i][k]))
		}
	}
	for i, row := range rows {
		var line string
		if f.Witnesses[i].Thread != nil || f.Witnesses[i].Host {
			line = fmt.Sprintf("  %-*s %-*s   %-*s    %-*s   %s", max(width[0], 6), row[0], width[1], row[1], width[2],
				row[2], width[3], row[3], row[4])
		} else {
			line = fmt.Sprintf("  %-*s   %-*s  %-*s   %-*s   %s", width[1], row[1], max(width[0], 6), row[0], width[2],
				row[2], width[3], row[3], row[4])
		}
		fmt.Fprintln(b, strings.TrimRight(line, " "))
	}
}

// witnessRow is the cells of a witness's line: role, threads, position, text, value.
func witnessRow(f *report.Finding, p *report.Witness, names fileNames) []string {
	where, text := where(p, names), p.Text
	if text == "" && p.Source.Line == 0 {
		_, text, _ = strings.Cut(p.PTX, ": ")
	}
	if p.Host {
		return []string{p.Role, "the host", where, text, p.Note}
	}
	if p.Thread == nil {
		noun := "threads"
		if p.Threads == 1 {
			noun = "thread"
		}
		who := fmt.Sprintf("%d %s (%s)", p.Threads, noun, rangesText(p.Ranges))
		if p.Block != nil && f.Grid != [3]int{1, 1, 1} {
			who += " block " + index(*p.Block, f.Grid)
		}
		return []string{p.Role, who, where, text, p.Note}
	}
	t := p.Thread
	return []string{
		p.Role, fmt.Sprintf("thread %s block %s warp %d", index(t.Thread, f.Block), index(t.Block, f.Grid), t.Warp),
		where, text, valueText(p),
	}
}

// index is "(128,0,0)", with room for the largest index that there is.
func index(i, dim [3]int) string {
	var s [3]string
	for k := range i {
		s[k] = fmt.Sprintf("%*d", len(fmt.Sprint(dim[k]-1)), i[k])
	}
	return "(" + strings.Join(s[:], ",") + ")"
}

// where is "dot.go:24:2", or "ptx:57" without a source.
func where(p *report.Witness, names fileNames) string {
	if p.Source.Line > 0 {
		s := p.Source
		s.File = names.of(s.File)
		if n := len(p.Stack); n > 0 { // where the kernel itself calls
			at := p.Stack[n-1]
			return fmt.Sprintf("%v (%s:%d)", s, names.of(at.File), at.Line)
		}
		return s.String()
	}
	if line, _, ok := strings.Cut(p.PTX, ": "); ok {
		return line
	}
	return p.Func
}

func valueText(p *report.Witness) string {
	switch {
	case p.Value == "":
		return p.Note
	case p.Role == "read" && p.Note != "":
		return "saw " + p.Value + ", " + p.Note
	case p.Role == "read":
		return "saw " + p.Value
	}
	return "value " + p.Value
}

func rangesText(list [][2]int) string {
	var s []string
	for i, r := range list {
		if i == 4 && len(list) > 5 {
			s = append(s, "…", fmt.Sprint(list[len(list)-1][1]))
			break
		}
		if r[0] == r[1] {
			s = append(s, fmt.Sprint(r[0]))
		} else {
			s = append(s, fmt.Sprintf("%d..%d", r[0], r[1]))
		}
	}
	return strings.Join(s, ", ")
}

// someOf is "write k.go:3, read k.go:5; and 3 more pairs of places", where what says of what there are
// more.
func someOf(list []string, what string) string {
	const shown = 3
	if len(list) <= shown+1 {
		return strings.Join(list, "; ")
	}
	return strings.Join(list[:shown], "; ") + fmt.Sprintf("; and %d more %s", len(list)-shown, what)
}

// seenText is "512 times, 4 blocks, cache[128..255]", with a verdict on the orders.
func seenText(f *report.Finding) string {
	s := count.Of(f.Count, "time")
	if f.Blocks > 1 {
		s += ", " + count.Of(uint64(f.Blocks), "block")
	}
	switch o := f.Object; {
	case o == nil || o.First == o.Last:
	case o.Path == "":
		s += fmt.Sprintf(", %s[%d..%d]", o.Name, o.First, o.Last)
	case o.PathFirst != o.PathLast:
		s += fmt.Sprintf(", %s to %s", o.PathFirst, o.PathLast)
	}
	if len(f.Orders) == 0 { // the host's operations have no order
		return s
	}
	if f.Every {
		return s + "; every order gives this verdict"
	}
	return s + "; only in the " + strings.Join(f.Orders, " and the ") + " order"
}
