package check

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/report"

	"github.com/gridstride/gridstride/internal/machine/report/format"
)

// TestBlockOfBarrier shows which block of several the threads at a barrier are of.
func TestBlockOfBarrier(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "conformance")
	for _, kernel := range []string{"DivergentBranch", "TwoSites", "RaggedLoop"} {
		r := b.check(kernel, x(3), x(64), Options{}, map[string][]any{"DivergentBranch": {make([]int32, 66)}, "RaggedLoop": {make([]int32, 1024)}}[kernel]...)
		for _, f := range r.Failures() {
			if f.Tool == report.Synccheck && !strings.Contains(format.Finding(f), ") block (0,0,0) ") {
				t.Errorf("%s: no block is named:\n%s", kernel, format.Finding(f))
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
	t.Parallel()
	b := ptxBench(t)
	r := b.check("reads", x(1), x(1), Options{}, make([]uint32, 4), 16)
	var s bytes.Buffer
	if err := format.SARIF(&s, r.Report); err != nil {
		t.Fatal(err)
	}
	if f := r.Findings[0].Witnesses[0]; f.Source.Line != 0 {
		t.Fatalf("the kernel has lines: %v", f.Source)
	}
	if text := s.String(); !strings.Contains(text, `"uri": "sync.ptx"`) || !strings.Contains(text, `"startLine": `) {
		t.Errorf("the place is not that of the PTX file:\n%s", text)
	}
}

// TestFixOfOnePlace shows a race of one instruction with itself: no barrier has room between its
// two ends.
func TestFixOfOnePlace(t *testing.T) {
	t.Parallel()
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
	if text := r.String(); !strings.Contains(text, "fix    let one thread do it, or give each thread a place\n") {
		t.Error(text)
	}
}
