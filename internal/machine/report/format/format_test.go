package format

import (
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// TestSameFileNames shows findings of two files of one name: more of the path tells them apart, as
// much as it takes.
func TestSameFileNames(t *testing.T) {
	t.Parallel()
	at := func(file string, line int) *report.Finding {
		return &report.Finding{Kind: report.Trap, Witnesses: []report.Witness{{Role: "fault", Source: event.Position{File: file, Line: line}, Thread: &report.Thread{}}}}
	}
	for _, c := range []struct {
		files []string
		want  []string
	}{
		{[]string{"m/a/k.go", "m/b/l.go"}, []string{" k.go:1", " l.go:2"}},
		{[]string{"m/a/k.go", "m/a/k.go"}, []string{" k.go:1", " k.go:2"}},
		{[]string{"m/a/k.go", "m/b/k.go", "m/b/l.go"}, []string{" a/k.go:1", " b/k.go:2", " l.go:3"}},
		{[]string{"m/a/c/k.go", "m/b/c/k.go", "k.go"}, []string{" a/c/k.go:1", " b/c/k.go:2", " k.go:3"}},
		{[]string{`C:\a\k.cu`, `C:\b\k.cu`}, []string{" a/k.cu:1", " b/k.cu:2"}},
	} {
		r := &report.Report{}
		for i, file := range c.files {
			r.Findings = append(r.Findings, at(file, i+1))
		}
		var text strings.Builder
		if err := Text(&text, r); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%q: the report has no %q:\n%s", c.files, want, &text)
			}
		}
	}
}

// TestEmptyJSON shows a report without findings.
func TestEmptyJSON(t *testing.T) {
	t.Parallel()
	var s strings.Builder
	if err := JSON(&s, &report.Report{Launches: 1}); err != nil {
		t.Fatal(err)
	}
	if want := `{"launches":1,"tools":null,"findings":[]}`; strings.Join(strings.Fields(s.String()), "") != want {
		t.Errorf("%s, want %s", &s, want)
	}
}

// TestURI writes names that a URI cannot hold as they are.
func TestURI(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"m/a/k.go":        "m/a/k.go",
		`a\k.cu`:          "a/k.cu",
		"with space/k.go": "with%20space/k.go",
		"100%/größe.go":   "100%25/gr%C3%B6%C3%9Fe.go",
	} {
		if got := uri(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
}

// TestColumns: text next to a long headline is told apart from it.
func TestColumns(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "x" + strings.Repeat(" ", 61) + "kernel", 59: "x   kernel", 60: "x   kernel", 90: "x   kernel"} {
		var b strings.Builder
		two(&b, strings.Repeat("x", n), "kernel")
		if got := b.String(); !strings.HasSuffix(got, want+"\n") {
			t.Errorf("%d characters: %q", n, got)
		}
	}
}
