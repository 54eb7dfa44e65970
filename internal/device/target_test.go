package device

import (
	"errors"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
)

func TestCheckTarget(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		target string
		sm     int
		want   string
	}{
		{"sm_70", 70, ""},
		{"sm_70", 90, ""},
		{"sm_90a", 90, ""},
		{"sm_100f", 103, ""},
		{"sm_90", 75, "needs sm_90, the device is sm_75 (GPU)"},
		{"sm_100", 90, "needs sm_100, the device is sm_90 (GPU)"},
		{"sm_90a", 80, "needs sm_90a, the device is sm_80 (GPU)"},
		{"sm_90a", 100, "is for sm_90a only, the device is sm_100 (GPU): compile it for a target without the letter"},
		{"sm_100f", 120, "is for sm_100f only, the device is sm_120 (GPU): compile it for a target without the letter"},
	} {
		target, _ := abi.ParseTarget(c.target)
		got := ""
		err := (&Info{Name: "GPU", SM: c.sm}).CheckTarget(target)
		if err != nil {
			got = err.Error()
		}
		if got != c.want || err != nil && !errors.Is(err, ErrTarget) {
			t.Errorf("%s on sm_%d: %q, want %q", c.target, c.sm, got, c.want)
		}
	}
}
