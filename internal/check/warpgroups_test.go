package check

import (
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
