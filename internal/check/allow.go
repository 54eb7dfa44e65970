package check

import (
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi/directive"
	"github.com/gridstride/gridstride/internal/check/tool"
	"github.com/gridstride/gridstride/internal/report"
	"github.com/gridstride/gridstride/internal/sim"
)

// allowances finds the comments at the kernel's instructions that ran which suppress findings:
// "//gpu:allow race all threads write the same flag". One stands behind an access, or on a line of
// its own above it, and needs a reason.
func allowances(b *tool.Book) []report.Allowance {
	var list []report.Allowance
	if b.Text == nil {
		return nil
	}
	type position struct {
		file string
		line int
	}
	seen := map[position]bool{}
	look := func(file string, line int, alone bool) {
		text := strings.TrimSpace(b.Text(file, line))
		i := strings.Index(text, directive.AllowName)
		if i < 0 || alone && i > 0 || seen[position{file, line}] {
			return
		}
		seen[position{file, line}] = true
		what, reason, ok := directive.ParseAllow(text[i:])
		if !ok || what == "vet" { // a finding of gridstride vet, not of the checks
			return
		}
		list = append(list, report.Allowance{File: file, Line: line, Kernel: b.Kernel, What: report.Kind(what),
			Reason: reason})
	}
	for _, at := range b.Sites() {
		for _, s := range append([]sim.Position{at.Source}, at.Stack...) {
			if s.Line > 0 {
				look(s.File, s.Line, false)
				look(s.File, s.Line-1, true)
			}
		}
	}
	slices.SortFunc(list, func(x, y report.Allowance) int {
		return report.CompareSources(sim.Position{File: x.File, Line: x.Line}, sim.Position{File: y.File, Line: y.Line})
	})
	return list
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

// covers says whether the comment stands at a witness.
func covers(a *report.Allowance, w report.Witness) bool {
	for _, s := range append([]sim.Position{w.Source}, w.Stack...) {
		if s.File == a.File && (s.Line == a.Line || s.Line == a.Line+1) {
			return true
		}
	}
	return false
}
