package profile

import (
	_ "embed"
	"html"
	"strconv"
	"strings"
)

//go:embed page.css
var style string

// markup is HTML. Package html/template would write it too, but a program with templates has to
// keep every exported method of its types, as a template may call it: the command would be 8 MB
// larger.
type markup struct{ strings.Builder }

// put appends parts, which are markup and text in turn. The text is escaped.
func (m *markup) put(parts ...string) {
	for i, s := range parts {
		if i%2 == 1 {
			s = html.EscapeString(s)
		}
		m.WriteString(s)
	}
}

// page appends the whole page.
func (m *markup) page(p *page) {
	m.put(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<title>Profile of `, p.Title, "</title>\n<style>\n"+style+"</style>\n</head>\n<body>\n<h1>Profile of ", p.Title, "</h1>\n<p>", p.Summary,
		" on the simulator. These are counts of what warps did, the same each time; they are no times.</p>\n")
	for _, why := range p.Incomplete {
		m.put(`<p class="warn">Incomplete: `, why, "</p>\n")
	}
	m.overview(&p.Overview)
	m.legend(p.Columns)
	for i := range p.Kernels {
		m.section(&p.Kernels[i])
	}
	m.put("</body>\n</html>\n")
}

// overview appends the table of the kernels.
func (m *markup) overview(g *grid) {
	m.put("<table>\n<thead>\n<tr><td></td>")
	m.groups(g.Groups)
	m.put("</tr>\n<tr><th class=\"name\">kernel</th>")
	m.titles(g.Columns)
	m.put("</tr>\n</thead>\n<tbody>\n")
	for _, r := range g.Rows {
		m.put(`<tr><td class="name"><a href="#`, r.Link, `">`, r.Text, "</a></td>")
		m.cells(r.Cells)
		m.put("</tr>\n")
	}
	if len(g.Rows) > 1 {
		m.put(`<tr class="total"><td class="name">total</td>`)
		m.cells(g.Total)
		m.put("</tr>\n")
	}
	m.put("</tbody>\n</table>\n")
}

// legend appends what the columns mean.
func (m *markup) legend(columns []column) {
	m.put("<details>\n<summary>What the columns mean</summary>\n<dl>\n")
	for _, c := range columns {
		m.put("<dt>", c.Label(), "</dt><dd>", c.what, "</dd>\n")
	}
	m.put(`</dl>
<p>The darker a cell, the more of the kernel's total it is; a line's source is shaded by its share of the instructions. Ratios and lanes are coloured where they are
far from the best: 1 and 32.</p>
</details>
`)
}

// section appends a kernel.
func (m *markup) section(s *section) {
	m.put("\n<section id=\"", s.ID, "\">\n<h2>", s.Name, "</h2>\n<p>", s.Launches, "</p>\n")
	for i := range s.Files {
		m.file(s, &s.Files[i])
	}
	m.put("</section>\n")
}

// file appends the annotated source of a file of a kernel.
func (m *markup) file(s *section, f *file) {
	name := f.Name
	if name == "" {
		name = "PTX of " + f.Func + ", without lines of source"
	}
	if f.Missing {
		name += " (its text was not found)"
	}
	m.put("\n<h3>", name, "</h3>\n<table>\n<thead>\n<tr>")
	m.groups(s.Groups)
	m.put("<td></td><td></td></tr>\n<tr>")
	m.titles(s.Columns)
	m.put("<th>line</th><td></td></tr>\n</thead>\n<tbody>\n")
	for i := range f.Rows {
		m.line(&f.Rows[i])
	}
	if f.Last {
		m.put(`<tr class="total">`)
		m.cells(s.Total)
		m.put("<td class=\"line\"></td><td class=\"name\">total of the kernel</td></tr>\n")
	}
	m.put("</tbody>\n</table>\n")
}

// line appends a line of source.
func (m *markup) line(r *row) {
	switch {
	case r.Gap:
		m.put(`<tr class="gap">`)
		m.cells(r.Cells)
		m.put("<td class=\"line\">⋮</td><td class=\"text\"></td></tr>\n")
		return
	case r.Ran:
		m.put("<tr>")
	default:
		m.put(`<tr class="quiet">`)
	}
	m.cells(r.Cells)
	m.put(`<td class="line">`, strconv.Itoa(r.Line), `</td><td class="text`+shade(" h", r.Heat)+`">`, r.Text, "</td></tr>\n")
}

func (m *markup) groups(heads []head) {
	for _, h := range heads {
		m.put(`<th class="group" colspan="`, strconv.Itoa(h.Span), `">`)
		if h.Name != "" {
			m.put("<span>", h.Name, "</span>")
		}
		m.put("</th>")
	}
}

func (m *markup) titles(columns []column) {
	for _, c := range columns {
		m.put(`<th title="`, c.what, `">`, c.title, "</th>")
	}
}

func (m *markup) cells(list []cell) {
	for _, c := range list {
		m.put(`<td class="n` + shade(" h", c.Heat) + shade(" b", c.Bad) + `"`)
		if c.Label != "" {
			m.put(` data-label="`, c.Label, `"`)
		}
		if c.Hint != "" {
			m.put(` title="`, c.Hint, `"`)
		}
		m.put(">", c.Text, "</td>")
	}
}

// shade is the class of a degree, "" for 0.
func shade(class string, degree int) string {
	if degree == 0 {
		return ""
	}
	return class + strconv.Itoa(degree)
}
