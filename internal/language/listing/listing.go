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

// Print writes one kernel of a module, with the module's variables that it needs. It has comments
// with the Go lines instead of .loc directives, so the listing is PTX too:
//
//	// kernel.go:22  sum += a[i] * b[i]
//	mul.rn.f32 %f3, %f1, %f2;
//
// The module must have the kernel.
func Print(w io.Writer, m *ptx.Module, entry string, source Source) error {
	p := printer{w: bufio.NewWriter(w), files: map[int]file{}}
	for index, name := range m.Files() {
		found := source(name)
		p.files[index] = file{found.Name, strings.Split(string(found.Text), "\n")}
	}
	for line := range strings.Lines(single(m, entry).String()) {
		p.line(line)
	}
	return p.w.Flush()
}

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
}

type file struct {
	name  string
	lines []string
}

// line prints one line of PTX, or the Go line that a .loc directive names.
func (p *printer) line(text string) {
	place, ok := strings.CutPrefix(strings.TrimSpace(text), ".loc ")
	if !ok {
		p.w.WriteString(text)
		return
	}
	fields := strings.Fields(place)
	index, _ := strconv.Atoi(fields[0])
	number, _ := strconv.Atoi(fields[1])
	f := p.files[index]
	if here := fmt.Sprintf("%s:%d", f.name, number); here != p.last {
		fmt.Fprintf(p.w, "\n\t// %s%s\n", here, f.line(number))
		p.last = here
	}
}

// line is a line of the file, set off by two spaces in place of its indentation, or empty if not
// known.
func (f file) line(number int) string {
	if number < 1 || number > len(f.lines) {
		return ""
	}
	return "  " + strings.TrimSpace(f.lines[number-1])
}
