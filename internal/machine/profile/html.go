package profile

import (
	"fmt"
	"io"
	"strings"
)

// HTML writes the report as one page that needs nothing else: no network, no script. It has a table
// of the kernels, and for each kernel its source with the counts of every line in front of it.
// title names the profiled program. Source lines are read from source, which may be nil. Of a file
// that it does not know, the page shows only the lines with counts.
func (r *Report) HTML(w io.Writer, title string, source Source) error {
	p := page{Title: title, Summary: r.summary(), Incomplete: r.Incomplete, Columns: columns, Overview: r.overview()}
	for i, k := range r.Kernels {
		p.Kernels = append(p.Kernels, k.section(sectionID(i), r.title(k), source))
	}
	var m markup
	m.page(&p)
	_, err := io.WriteString(w, m.String())
	return err
}

// page is the data of the template.
type page struct {
	Title, Summary string
	Incomplete     []string
	Columns        []column // all that there are, for the legend
	Overview       grid
	Kernels        []section
}

// grid is the data that the tables share.
type grid struct {
	Groups  []head
	Columns []column
	Rows    []row
	Total   []cell
}

// head is the head of a group of columns.
type head struct {
	Name string
	Span int
}

// section is a kernel. Its rows are in its files.
type section struct {
	ID, Name, Launches string
	grid
	Files []file
}

// file is the annotated source of a file, as far as it did something.
type file struct {
	Name    string // "" for one function of the PTX itself
	Func    string
	Missing bool // its text is not known
	Last    bool // of the kernel: the total follows
	Rows    []row
}

// row is a line of source, or a kernel of the overview.
type row struct {
	Gap   bool   // lines were left out here
	Ran   bool   // it did something
	Link  string // where its text leads
	Line  int
	Text  string
	Heat  int // the share of instructions
	Cells []cell
}

// cell is a value. See heat and bad of column.
type cell struct {
	Label, Text, Hint string
	Heat, Bad         int
}

// The properties of a column that the template uses.

func (c column) Title() string { return c.title }
func (c column) What() string  { return c.what }

// Label is the title with the group: "global sectors".
func (c column) Label() string {
	if c.group == "" {
		return c.title
	}
	return strings.TrimSuffix(c.group, " memory") + " " + c.title
}

func sectionID(i int) string { return fmt.Sprintf("kernel-%d", i+1) }

// overview has a row for each kernel.
func (r *Report) overview() grid {
	g := newGrid(&r.Total)
	for i, k := range r.Kernels {
		g.Rows = append(g.Rows, row{Link: sectionID(i), Text: r.title(k), Cells: cells(g.Columns, &k.Total, &r.Total)})
	}
	return g
}

// newGrid is a table without rows, with the columns that the total uses.
func newGrid(total *Counts) grid {
	g := grid{Columns: used(total)}
	for i, c := range g.Columns {
		if i > 0 && c.group != "" && c.group == g.Columns[i-1].group {
			g.Groups[len(g.Groups)-1].Span++
			continue
		}
		g.Groups = append(g.Groups, head{c.group, 1})
	}
	g.Total = cells(g.Columns, total, total)
	return g
}

// cells are the values of counts, which are a part of the whole.
func cells(columns []column, counts, whole *Counts) []cell {
	list := make([]cell, len(columns))
	for i, c := range columns {
		list[i] = cell{Label: c.Label(), Text: c.text(counts), Hint: c.hint(counts), Bad: c.bad(counts, whole)}
		if counts.Instructions < whole.Instructions { // all of it needs no shade
			list[i].Heat = c.heat(counts, whole)
		}
	}
	return list
}

// section is the annotated source of the kernel.
func (k *Kernel) section(id, name string, source Source) section {
	s := section{ID: id, Name: name, Launches: k.launchText(), grid: newGrid(&k.Total)}
	for i := 0; i < len(k.Lines); {
		end := i
		for end < len(k.Lines) && k.Lines[end].together(k.Lines[i]) {
			end++
		}
		s.Files = append(s.Files, k.file(s.Columns, k.Lines[i:end], source))
		i = end
	}
	s.Files[len(s.Files)-1].Last = true
	return s
}

// together says whether two lines are of one file, or of one function of PTX.
func (l *Line) together(o *Line) bool { return l.File == o.File && (l.File != "" || l.Func == o.Func) }

// file shows the lines of one file, and those around them where the text is known.
func (k *Kernel) file(columns []column, lines []*Line, source Source) file {
	f := file{Name: lines[0].File, Func: lines[0].Func, Missing: lines[0].File != "" && !source.knows(lines)}
	byNumber := map[int]*Line{}
	for _, l := range lines {
		byNumber[l.Line] = l
	}
	for _, number := range source.shown(lines) {
		l := byNumber[number]
		switch {
		case number == 0:
			f.Rows = append(f.Rows, row{Gap: true, Cells: make([]cell, len(columns))})
		case l == nil:
			f.Rows = append(f.Rows, row{Line: number, Text: source.text(f.Name, number),
				Cells: make([]cell, len(columns))})
		default:
			f.Rows = append(f.Rows, row{
				Ran: true, Line: number, Text: source.line(l), Cells: cells(columns, &l.Counts, &k.Total),
				Heat: heat(float64(l.Instructions), float64(k.Total.Instructions)),
			})
		}
	}
	return f
}
