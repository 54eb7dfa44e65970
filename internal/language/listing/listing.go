// Package listing shows a kernel's PTX with the Go line of each part.
package listing

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/ptx"
)

// File is a source file.
type File struct {
	Name string // as the listing shows it
	Text []byte // nil if not known
}

// Source finds a source file by the name that the module's .file directives give it.
type Source func(name string) File

// Remark is a text about a line of a source file, which a listing shows below the line.
type Remark struct {
	File string // as Source names it
	Line int
	Text string
}

// Print writes one kernel of a module, with the module's variables that it needs. It has comments
// with the Go lines instead of .loc directives, so the listing is PTX too:
//
//	// kernel.go:22  sum += a[i] * b[i]
//	mul.rn.f32 %f3, %f1, %f2;
//
// Remarks follow the first place of their line. Lines without instructions, such as the line of a
// loop that is unrolled, precede the first Go line. The module must have the kernel.
func Print(w io.Writer, m *ptx.Module, entry string, source Source, remarks []Remark) error {
	p := printer{w: bufio.NewWriter(w), files: map[int]file{}, remarks: map[string][]Remark{}}
	for index, name := range m.Files() {
		found := source(name)
		p.files[index] = file{found.Name, strings.Split(string(found.Text), "\n")}
	}
	text := single(m, entry).String()
	p.sort(remarks, text)
	for line := range strings.Lines(text) {
		p.line(line)
	}
	return p.w.Flush()
}

// sort puts the remarks to the lines that the text of the kernel names. It puts remarks about other
// lines aside.
func (p *printer) sort(remarks []Remark, text string) {
	named := map[string]bool{}
	for line := range strings.Lines(text) {
		if f, number, ok := p.place(line); ok {
			named[at(f.name, number)] = true
		}
	}
	for _, r := range remarks {
		if here := at(r.File, r.Line); named[here] {
			p.remarks[here] = append(p.remarks[here], r)
		} else {
			p.aside = append(p.aside, r)
		}
	}
}

// place is the Go line that a .loc directive names.
func (p *printer) place(text string) (f file, number int, ok bool) {
	place, ok := strings.CutPrefix(strings.TrimSpace(text), ".loc ")
	if !ok {
		return file{}, 0, false
	}
	fields := strings.Fields(place)
	index, _ := strconv.Atoi(fields[0])
	number, _ = strconv.Atoi(fields[1])
	return p.files[index], number, true
}

func at(name string, line int) string { return fmt.Sprintf("%s:%d", name, line) }

// single is the module with one kernel only, and the variables and functions that are named in it.
func single(m *ptx.Module, entry string) *ptx.Module {
	one := &ptx.Module{Version: m.Version, Target: m.Target, AddressSize: m.AddressSize}
	text := ""
	for _, d := range m.Decls {
		if f, ok := d.(*ptx.Func); ok && f.Entry && f.Name == entry {
			text = (&ptx.Module{Decls: []ptx.Decl{f}}).String()
		}
	}
	for _, d := range m.Decls {
		switch d := d.(type) {
		case *ptx.Var:
			if strings.Contains(text, d.Name) {
				one.Decls = append(one.Decls, d)
			}
		case *ptx.Func:
			if d.Name == entry || !d.Entry && strings.Contains(text, d.Name) {
				one.Decls = append(one.Decls, d)
			}
		}
	}
	return one
}

type printer struct {
	w     *bufio.Writer
	files map[int]file // by their number in the module
	last  string       // the place printed last

	remarks map[string][]Remark // by the place of their line
	aside   []Remark            // of lines that have no place
}

type file struct {
	name  string
	lines []string
}

// line prints one line of PTX, or the Go line that a .loc directive names.
func (p *printer) line(text string) {
	f, number, ok := p.place(text)
	if !ok {
		p.w.WriteString(text)
		return
	}
	for len(p.aside) > 0 {
		r := p.aside[0]
		n := 1
		for n < len(p.aside) && p.aside[n].File == r.File && p.aside[n].Line == r.Line {
			n++
		}
		p.goLine(p.named(r.File), r.Line, p.aside[:n])
		p.aside = p.aside[n:]
	}
	if here := at(f.name, number); here != p.last {
		p.goLine(f, number, p.remarks[here])
		delete(p.remarks, here)
		p.last = here
	}
}

// goLine prints a line of a source file and the remarks about it.
func (p *printer) goLine(f file, number int, remarks []Remark) {
	fmt.Fprintf(p.w, "\n\t// %s%s\n", at(f.name, number), f.line(number))
	for _, r := range remarks {
		fmt.Fprintf(p.w, "\t//   %s\n", r.Text)
	}
}

// named is the file of a name.
func (p *printer) named(name string) file {
	for _, f := range p.files {
		if f.name == name {
			return f
		}
	}
	return file{name: name}
}

// line is a line of the file, set off by two spaces in place of its indentation, or empty if not
// known.
func (f file) line(number int) string {
	if number < 1 || number > len(f.lines) {
		return ""
	}
	return "  " + strings.TrimSpace(f.lines[number-1])
}
