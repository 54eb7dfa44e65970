package report

import (
	"bytes"
	"reflect"
	"slices"
)

// Merge puts the reports of several launches together. Findings of one Identity become one: its
// counts are the sums, and it shows the smallest of the launches. The result does not depend on the
// order of the reports, and shares no memory with them that it changes.
func Merge(reports ...*Report) *Report {
	m := &Report{}
	merged := map[Identity]*Finding{}
	for _, r := range reports {
		m.Launches += r.Launches
		m.addTools(r.Tools)
		m.addAllows(r.Allows)
		m.Profiles = append(m.Profiles, r.Profiles...)
		for _, why := range r.Undone {
			m.AddUndone(why)
		}
		for _, f := range r.Findings {
			id := f.Identity()
			merged[id] = mergeFindings(merged[id], f)
		}
	}
	for _, f := range merged {
		m.Findings = append(m.Findings, f)
	}
	slices.SortFunc(m.Findings, (*Finding).Compare)
	slices.Sort(m.Undone)
	return m
}

// mergeFindings is both as one. x may be nil.
func mergeFindings(x, y *Finding) *Finding {
	if x == nil {
		c := *y
		return &c
	}
	shown, other := *x, y
	if y.smaller(x) {
		shown, other = *y, x
	}
	shown.Count += other.Count
	shown.Blocks = max(shown.Blocks, other.Blocks)
	shown.Every = x.Every && y.Every
	shown.Also = union(shown.Also, other.Also)
	if other.Allowed == "" {
		shown.Allowed = ""
	}
	shown.Orders = union(shown.Orders, other.Orders)
	shown.Tests = union(shown.Tests, other.Tests)
	return &shown
}

// union is what is in one of the lists or in both, sorted, each once.
func union(x, y []string) []string {
	both := slices.Concat(x, y)
	slices.Sort(both)
	return slices.Compact(both)
}

// smaller says whether f, of a smaller launch than g, is the one to show.
func (f *Finding) smaller(g *Finding) bool {
	if a, b := f.threads(), g.threads(); a != b {
		return a < b
	}
	if f.LaunchedFrom != g.LaunchedFrom {
		return f.LaunchedFrom < g.LaunchedFrom
	}
	return bytes.Compare(f.witnesses(), g.witnesses()) < 0
}

// witnesses are the witnesses as text, which two findings of one identity may be told apart by.
func (f *Finding) witnesses() []byte { return appendJSON(nil, reflect.ValueOf(f.Witnesses)) }

func (f *Finding) threads() int {
	n := 1
	for i := range 3 {
		n *= f.Grid[i] * f.Block[i]
	}
	return n
}

func (r *Report) addTools(tools []ToolRun) {
	for _, t := range tools {
		i := slices.IndexFunc(r.Tools, func(x ToolRun) bool { return x.Tool == t.Tool })
		if i < 0 {
			r.Tools = append(r.Tools, t)
			continue
		}
		r.Tools[i].Seen += t.Seen
		r.Tools[i].Findings += t.Findings
	}
	slices.SortFunc(r.Tools, func(x, y ToolRun) int {
		return slices.Index(Tools, x.Tool) - slices.Index(Tools,
			y.Tool)
	})
}

func (r *Report) addAllows(allows []Allowance) {
	for _, a := range allows {
		i := slices.IndexFunc(r.Allows, func(x Allowance) bool {
			return x.File == a.File && x.Line == a.Line && x.Kernel == a.Kernel && x.What == a.What
		})
		if i < 0 {
			r.Allows = append(r.Allows, a)
			continue
		}
		r.Allows[i].Used += a.Used
	}
}
