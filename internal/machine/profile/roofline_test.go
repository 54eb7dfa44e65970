package profile

import (
	"math"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/counters"
)

// TestRoofline bounds kernels by what they take longest at.
func TestRoofline(t *testing.T) {
	t.Parallel()
	l := Limits{Device: "toy", Source: "a toy", Memory: 32e9, Float32: 1e12, Tensor16: 100e12}
	for _, tt := range []struct {
		name  string
		of    counters.Counts
		bound string
		least float64
		text  string
	}{
		{"memory", counters.Counts{MemorySectors: 1000, Operations: counters.Operations{Float32: 2000}}, "memory", 1e-6,
			"on toy: 32,000 bytes, 2,000 float32 operations, 0.0625 a byte; bound by memory, 32 GB/s: at least 1 µs\n\n"},
		{"float32", counters.Counts{MemorySectors: 1, Operations: counters.Operations{Float32: 3e9, Tensor16: 100e9}}, "float32", 3e-3,
			"on toy: 32 bytes, 3,000,000,000 float32 operations, 100,000,000,000 tensor16 operations, 3.22e+09 a byte; bound by float32, 1 TFLOP/s: at least 3 ms\n\n"},
		{"tensor16", counters.Counts{Operations: counters.Operations{Float32: 5, Tensor16: 2e14}}, "tensor16", 2,
			"on toy: 0 bytes, 5 float32 operations, 200,000,000,000,000 tensor16 operations; bound by tensor16, 100 TFLOP/s: at least 2 s\n\n"},
		{"unknown", counters.Counts{Operations: counters.Operations{Float64: 7}}, "", 0,
			"on toy: 0 bytes, 7 float64 operations; nothing bounds it; no limit is known for float64\n\n"},
		{"nothing", counters.Counts{}, "", 0, "on toy: 0 bytes; nothing bounds it\n\n"},
	} {
		k := &Kernel{Name: tt.name, Total: Counts{Counts: tt.of}}
		r := Report{Kernels: []*Kernel{k}}
		r.On(&l)
		if got := k.Roofline; got.Bound != tt.bound || math.Abs(got.LeastSeconds-tt.least) > 1e-12 {
			t.Errorf("%s: %+v", tt.name, got)
		}
		var b strings.Builder
		if k.roofline(&b, r.Limits); b.String() != tt.text {
			t.Errorf("%s:\n%s, want\n%s", tt.name, &b, tt.text)
		}
	}
}

// TestPublished has a source and the limits of every unit, except those that the V100 does not have.
func TestPublished(t *testing.T) {
	t.Parallel()
	for name, l := range Published {
		if l.Device == "" || l.Source == "" {
			t.Errorf("%s: %+v", name, l)
		}
		for _, at := range roofsOf(&counters.Counts{}, &l) {
			if has := name != "v100" || at.name != "tensorTF32" && at.name != "tensor8" && at.name != "tensor64"; (at.rate > 0) != has {
				t.Errorf("%s: %s is %g a second", name, at.name, at.rate)
			}
		}
	}
}
