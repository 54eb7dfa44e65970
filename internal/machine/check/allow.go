package check

import (
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi/directive"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// allowances finds the comments that suppress findings, at the instructions of the kernel that ran:
// "//gpu:allow race all threads write the same flag". Such a comment ends the line of an access, or
// is alone on the line above it, and needs a reason.
func allowances(b *tool.Book) []report.Allowance {
	places := allowPlaces{text: b.Text, seen: map[event.Position]bool{}}
	for _, at := range b.Sites() {
		places.look(b.Kernel, at.Source, at.Stack)
	}
	var order []*report.Allowance // pointers: code that sorts the struct takes 25 KB of every program
	for i := range places.list {
		order = append(order, &places.list[i])
	}
	slices.SortFunc(order, func(x, y *report.Allowance) int {
		return report.CompareSources(event.Position{File: x.File, Line: x.Line}, event.Position{File: y.File, Line: y.Line})
	})
	var list []report.Allowance
	for _, a := range order {
		list = append(list, *a)
	}
	return list
}

// allowPlaces are source lines where comments were looked for, and those that were found.
type allowPlaces struct {
	text func(file string, line int) string // may be nil
	seen map[event.Position]bool
	list []report.Allowance
}

// look looks at a position, and where what is there was inlined.
func (p *allowPlaces) look(kernel string, source event.Position, stack []event.Position) {
	for _, s := range append([]event.Position{source}, stack...) {
		if s.Line > 0 && p.text != nil {
			p.line(kernel, event.Position{File: s.File, Line: s.Line}, false)
			p.line(kernel, event.Position{File: s.File, Line: s.Line - 1}, true)
		}
	}
}

// line looks at a line, for a comment that may have to stand alone.
func (p *allowPlaces) line(kernel string, at event.Position, alone bool) {
	text := strings.TrimSpace(p.text(at.File, at.Line))
	i := strings.Index(text, directive.AllowName)
	if i < 0 || alone && i > 0 || p.seen[at] {
		return
	}
	p.seen[at] = true
	what, reason, ok := directive.ParseAllow(text[i:])
	if !ok || what == "vet" { // a finding of gridstride vet, not of the checks
		return
	}
	p.list = append(p.list, report.Allowance{File: at.File, Line: at.Line, Kernel: kernel, What: report.Kind(what),
		Reason: reason})
}

// allow marks the findings that comments cover.
func allow(findings []*report.Finding, list []report.Allowance) {
	for i := range list {
		a := &list[i]
		if a.Reason == "" {
			continue
		}
		for _, f := range findings {
			if (f.Kind == a.What || string(f.Tool) == string(a.What)) &&
				slices.ContainsFunc(f.Witnesses, func(w report.Witness) bool { return covers(a, w) }) {
				f.Allowed = a.Reason
				a.Used++
			}
		}
	}
}

// covers reports whether the comment is at the line of a witness, or at the line above it.
func covers(a *report.Allowance, w report.Witness) bool {
	for _, s := range append([]event.Position{w.Source}, w.Stack...) {
		if s.File == a.File && (s.Line == a.Line || s.Line == a.Line+1) {
			return true
		}
	}
	return false
}
