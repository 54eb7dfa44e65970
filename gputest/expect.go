package gputest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// Finding describes findings that a test expects. Empty fields stand for anything.
type Finding struct {
	// Tool is "memcheck", "racecheck", "initcheck" or "synccheck".
	Tool string
	// Kind is "race", "same-value" (a note, which fails no test), "out-of-bounds", "misaligned",
	// "use-after-free", "null-pointer", "bad-address", "trap", "failed-check", "uninitialized",
	// "barrier", "warp-sync" or "no-progress".
	Kind string
	// Cause is the reason, like "missing block barrier" or "missing warp sync", or a part of it.
	Cause string
	// Kernel is the kernel's name in reports, "dot.Partial[float32]", or a part of it.
	Kernel string
	// At are source places that the finding must have, in any order: "kernel.go:24" or
	// "kernel.go:24:2", or a part of the source line: "cache[tid] = sum".
	At []string
}

// String is "racecheck race (missing block barrier) in dot.Partial at kernel.go:24 and
// kernel.go:29".
func (w Finding) String() string {
	var parts []string
	for _, s := range []string{w.Tool, w.Kind} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 {
		parts = []string{"a finding"}
	}
	if w.Cause != "" {
		parts = append(parts, "("+w.Cause+")")
	}
	if w.Kernel != "" {
		parts = append(parts, "in "+w.Kernel)
	}
	if len(w.At) > 0 {
		parts = append(parts, "at "+strings.Join(w.At, " and "))
	}
	return strings.Join(parts, " ")
}

// kinds are the values of Finding.Kind other than "".
var kinds = []report.Kind{
	report.Race, report.SameValue, report.OutOfBounds, report.Misaligned, report.UseAfterFree, report.NullPointer,
	report.BadAddress,
	report.Trap, report.FailedCheck, report.Uninitialized, report.Barrier, report.WarpSync, report.NoProgress,
}

// Expect says that the test's kernels are buggy: each of want must be found on devices of t by the
// end of the test, and fails it no more. Several findings may be what one of want describes.
//
// It is called before the launch, as it skips the test on a GPU: there nothing is checked, and a
// kernel that is known to race or to hang is not launched.
func Expect(t testing.TB, want ...Finding) {
	t.Helper()
	for _, w := range want {
		if w.Tool != "" && !slices.Contains(report.Tools, report.Tool(w.Tool)) {
			t.Fatalf("gputest.Expect: %q is no tool: there are %v", w.Tool, report.Tools)
		}
		if w.Kind != "" && !slices.Contains(kinds, report.Kind(w.Kind)) {
			t.Fatalf("gputest.Expect: %q is no kind of finding: there are %v", w.Kind, kinds)
		}
	}
	if onGPU() {
		t.Skipf("expects %v, which a GPU does not check", fmt.Sprint(want))
	}
	r := recorderOf(t)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.found.Launches > 0 {
		t.Fatal("gputest.Expect: call it before the launch")
	}
	r.want = append(r.want, want...)
}

// compare gives the findings that nothing expects, and the expectations that none of them meets.
func (r *recorder) compare(findings []*report.Finding) (unexpected []*report.Finding, missing []Finding) {
	met := make([]bool, len(r.want))
	for _, f := range findings {
		expected := false
		for i, w := range r.want {
			if w.describes(f) {
				met[i], expected = true, true
			}
		}
		if !expected && f.Level != report.Note && f.Allowed == "" {
			unexpected = append(unexpected, f)
		}
	}
	for i, w := range r.want {
		if !met[i] {
			missing = append(missing, w)
		}
	}
	return unexpected, missing
}

// describes reports whether f matches w.
func (w Finding) describes(f *report.Finding) bool {
	return (w.Tool == "" || w.Tool == string(f.Tool)) && (w.Kind == "" || w.Kind == string(f.Kind)) &&
		strings.Contains(string(f.Cause), w.Cause) && strings.Contains(f.Kernel, w.Kernel) && pairs(w.At, f.Witnesses)
}

// pairs reports whether each of at stands for its own place.
func pairs(at []string, places []report.Witness) bool {
	if len(at) == 0 {
		return true
	}
	for i, p := range places {
		if stands(at[0], p) && pairs(at[1:], slices.Delete(slices.Clone(places), i, i+1)) {
			return true
		}
	}
	return false
}

var position = regexp.MustCompile(`^[^\s:]+:\d+(:\d+)?$`)

// stands reports whether at names the place of a witness, or a call that was inlined there.
func stands(at string, p report.Witness) bool {
	if !position.MatchString(at) {
		return p.Text != "" && strings.Contains(p.Text, at)
	}
	for _, s := range append(slices.Clone(p.Stack), p.Source) {
		name := fmt.Sprintf("/%s:%d", s.File, s.Line)
		if strings.HasSuffix(name, "/"+at) || strings.HasSuffix(fmt.Sprintf("%s:%d", name, s.Col), "/"+at) {
			return true
		}
	}
	return false
}
