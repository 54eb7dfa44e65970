package check

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/report"
)

// TestWarpgroups checks what warps of sm_90 do as a whole: elections, and the registers of a
// warpgroup.
func TestWarpgroups(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "warpgroups")
	ints := func(n int) []int64 { return make([]int64, n) }
	for _, c := range []struct {
		kernel  string
		threads int
		args    []any
		want    report.Kind
	}{
		{"Elected", 64, []any{ints(1), 32}, silent},
		{"Elected", 33, []any{ints(1), 31}, silent},
		{"ElectedInBranch", 64, []any{ints(1), 32}, silent},
		{"ElectedInBranch", 64, []any{ints(1), 5}, warp},
		{"Roles", 256, []any{ints(128), 256}, silent},
		{"Roles", 256, []any{ints(128), 255}, warp},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			b.tb = t
			verdict(t, b.check(c.kernel, x(1), x(c.threads), Options{}, c.args...), c.want)
		})
	}
}

// TestWarpgroupProducts checks products of warpgroups: what they read and write behind the threads'
// backs, in every way to get it wrong.
func TestWarpgroupProducts(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "warpgroups")
	args := func(way any) []any {
		return []any{make([]uint16, 64*16+1), make([]uint16, 16*16), make([]float32, 64*16), way}
	}
	for _, c := range []struct {
		kernel  string
		threads int
		args    []any
		want    report.Kind
		cause   report.Cause
	}{
		{"Product", 128, args(0), silent, ""},
		{"Product", 128, args(1), race, report.NoProxyFence},
		{"Product", 128, args(3), silent, ""},
		{"Product", 128, args(4), warp, ""},
		{"Product", 96, args(0), warp, ""},
		{"Product", 128, args(5), race, report.NoProductFence},
		{"Product", 128, args(6), silent, ""},
		{"Product", 128, args(7), race, report.NoProductFence},
		{"Product", 128, args(8), race, report.SumInFlight},
		{"Product", 128, args(9), race, report.FactorWritten},
		{"Product", 128, args(10), race, report.SumInFlight},
		{"Product", 128, args(11), race, report.SumInFlight},
		{"Product", 128, args(2), race, ""},
		{"Product", 128, args(12), race, ""},
		{"Fragments", 128, append(args(2), 0), silent, ""},
		{"Fragments", 128, append(args(2), 1), race, report.SumInFlight},
		{"Offsets", 128, []any{make([]float32, 128), 256}, silent, ""},
		{"Offsets", 128, []any{make([]float32, 128), 512}, outside, ""},
	} {
		t.Run(fmt.Sprint(c.kernel, c.args[len(c.args)-1], ", ", c.threads), func(t *testing.T) {
			b.tb = t
			r := b.check(c.kernel, x(1), x(c.threads), Options{}, c.args...)
			verdict(t, r, c.want)
			if f := r.Failures(); c.cause != "" && !slices.ContainsFunc(f, func(f *report.Finding) bool { return f.Cause == c.cause }) {
				t.Errorf("no finding has the cause %q: %v", c.cause, f)
			}
		})
	}
}
