package check

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/sim"
)

// TestSameFileNames shows findings of two files of one name: more of the path tells them apart, as
// much as it takes.
func TestSameFileNames(t *testing.T) {
	at := func(file string, line int) *Finding {
		return &Finding{Kind: Trap, Places: []Place{{Role: "fault", Source: sim.Source{File: file, Line: line}, Thread: &Thread{}}}}
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
		r := &Report{}
		for i, file := range c.files {
			r.Findings = append(r.Findings, at(file, i+1))
		}
		text := r.String()
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%q: the report has no %q:\n%s", c.files, want, text)
			}
		}
	}
}

// TestEmptyJSON shows a report without findings.
func TestEmptyJSON(t *testing.T) {
	var s strings.Builder
	if err := (&Report{Launches: 1}).JSON(&s); err != nil {
		t.Fatal(err)
	}
	if want := `{"launches":1,"tools":null,"findings":[]}`; strings.Join(strings.Fields(s.String()), "") != want {
		t.Errorf("%s, want %s", &s, want)
	}
}

// TestBlockOfBarrier shows which block of several the threads at a barrier are of.
func TestBlockOfBarrier(t *testing.T) {
	b := compilePackage(t, "conformance")
	for _, kernel := range []string{"DivergentBranch", "TwoSites", "RaggedLoop"} {
		r := b.check(kernel, x(3), x(64), Options{}, map[string][]any{"DivergentBranch": {make([]int32, 66)}, "RaggedLoop": {make([]int32, 1024)}}[kernel]...)
		for _, f := range r.Failures() {
			if f.Tool == Synccheck && !strings.Contains(f.Text(), ") block (0,0,0) ") {
				t.Errorf("%s: no block is named:\n%s", kernel, f.Text())
			}
		}
	}
	p := ptxBench(t)
	r := p.check("waits", x(2), x(1), Options{Budget: 1000}, make([]uint32, 1))
	if text := r.String(); !strings.Contains(text, "1 thread (0) block (0,0,0) ") {
		t.Errorf("no block is named:\n%s", text)
	}
}

// TestPlacesWithoutLines holds places in PTX without line information to the PTX file's name and
// line.
func TestPlacesWithoutLines(t *testing.T) {
	b := ptxBench(t)
	r := b.check("reads", x(1), x(1), Options{}, make([]uint32, 4), 16)
	var s bytes.Buffer
	if err := r.SARIF(&s); err != nil {
		t.Fatal(err)
	}
	if f := r.Findings[0].Places[0]; f.Source.Line != 0 {
		t.Fatalf("the kernel has lines: %v", f.Source)
	}
	if text := s.String(); !strings.Contains(text, `"uri": "sync.ptx"`) || !strings.Contains(text, `"startLine": `) {
		t.Errorf("the place is not that of the PTX file:\n%s", text)
	}
}

// TestURI writes names that a URI cannot hold as they are.
func TestURI(t *testing.T) {
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

// TestFixOfOnePlace shows a race of one instruction with itself: no barrier has room between its
// two ends.
func TestFixOfOnePlace(t *testing.T) {
	b := loadModule(t, "one.ptx", `.version 7.0
.target sm_70
.address_size 64
.visible .entry one(.param .u64 p)
{
	.reg .b64 %p;
	.reg .b32 %t;
	ld.param.u64 %p, [p];
	mov.u32 %t, %tid.x;
	st.global.u32 [%p], %t;
	ret;
}
`)
	r := b.check("one", x(1), x(64), Options{}, make([]uint32, 1))
	if text := r.String(); !strings.Contains(text, "fix    bar.sync between the threads' turns at ptx:10, or a place for each thread\n") {
		t.Error(text)
	}
}
