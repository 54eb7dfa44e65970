package check

import (
	"bytes"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report/format"
)

// TestFormats shows a report as JSON and SARIF: of PTX from a file, so that it does not change with
// the compiler.
func TestFormats(t *testing.T) {
	t.Parallel()
	lines := []string{"// Hands over what it has not written yet.", "", "", "  barrier_arrive(1, 64);", "  s[t] = t;", "", "  barrier_sync(1, 64);", "  out[t] = s[t];"}
	b := ptxBench(t)
	b.text = func(file string, line int) string {
		if file != "late.cu" || line > len(lines) {
			return ""
		}
		return lines[line-1]
	}
	r := b.check("producer_late", x(1), x(64), Options{LaunchedFrom: "late_test.go:9"}, make([]int32, 32))
	var j, s bytes.Buffer
	if err := format.JSON(&j, r.Report); err != nil {
		t.Fatal(err)
	}
	if err := format.SARIF(&s, r.Report); err != nil {
		t.Fatal(err)
	}
	golden(t, "late.json", j.Bytes())
	golden(t, "late.sarif", s.Bytes())
	golden(t, "late.txt", []byte(r.String()))
}

// TestSameEveryTime checks racy kernels again and again, in random orders too: the report is the
// same, byte for byte.
func TestSameEveryTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dir, kernel string
		grid, block [3]int
		args        []any
	}{
		{"conformance", "TreeNoBarriers", x(1), x(64), []any{ramp(64), make([]int32, 1)}},
		{"conformance", "LastBlockNoFence", x(4), x(64), []any{ramp(1000), make([]int32, 4), make([]int32, 1), make([]uint32, 1)}},
		{"sync", "BlockFlagNoBarrier", x(2), x(64), []any{make([]int32, 1), make([]int32, 64), make([]int32, 64)}},
		{"sync", "Mixed", x(3), x(40), []any{make([]int32, 1), make([]int32, 120)}},
	} {
		var first string
		for i := range 3 {
			b := compilePackage(t, c.dir)
			var out bytes.Buffer
			r := b.check(c.kernel, c.grid, c.block, Options{Orders: 4, Seed: 3}, c.args...)
			if err := format.JSON(&out, r.Report); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = out.String()
			} else if out.String() != first {
				t.Errorf("%s: run %d differs:\n%s\n%s", c.kernel, i, first, &out)
			}
		}
	}
}

// TestMemoryIsTheFirstOrders runs a kernel whose result depends on the order. Every order must
// start from the memory before the launch, and Run must leave memory as the ascending order makes
// it.
func TestMemoryIsTheFirstOrders(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "conformance")
	y := b.alloc([]float32{1, 1})
	b.check("Saxpy", x(3), x(2), Options{Orders: 5}, float32(0.5), b.alloc([]float32{2, 4}), 2, y, 2)
	raw, err := b.m.Bytes(y, 8)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"4", "7"} { // 1 + 3*0.5*x
		if got := tool.FormatValue("f32", raw[4*i:]); got != want {
			t.Errorf("y[%d] = %s, want %s", i, got, want)
		}
	}
}
