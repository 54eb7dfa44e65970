package main

import (
	"context"
	"errors"
	"testing"

	"github.com/gridstride/gridstride/internal/check"
)

// TestCheckStatus holds the exit status to what was found, and to 2 where the check was
// interrupted, whatever was found by then.
func TestCheckStatus(t *testing.T) {
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	seen := []check.ToolRun{{Tool: check.Memcheck, Seen: 1}}
	clean := &check.Report{Tools: seen}
	found := &check.Report{Tools: seen, Findings: []*check.Finding{{Level: check.Error}}}
	undone := &check.Report{Tools: seen, Undone: []string{"the tests fail"}}
	for _, c := range []struct {
		ctx    context.Context
		report *check.Report
		want   int
	}{
		{t.Context(), clean, 0}, {t.Context(), found, 1}, {t.Context(), undone, 2}, {t.Context(), &check.Report{}, 2},
		{interrupted, clean, 2}, {interrupted, found, 2}, {interrupted, undone, 2},
	} {
		got := 0
		if s, ok := errors.AsType[*statusError](checkStatus(c.ctx, c.report)); ok {
			got = s.status
		}
		if got != c.want {
			t.Errorf("%+v, %v: status %d, want %d", c.report, c.ctx.Err(), got, c.want)
		}
	}
}
