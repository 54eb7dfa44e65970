package main

import (
	"context"
	"errors"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/tools/cli"
)

// TestCheckStatus holds the exit status to what was found, and to 2 where the check was
// interrupted, whatever was found by then.
func TestCheckStatus(t *testing.T) {
	t.Parallel()
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	seen := []report.ToolRun{{Tool: report.Memcheck, Seen: 1}}
	clean := &report.Report{Tools: seen}
	found := &report.Report{Tools: seen, Findings: []*report.Finding{{Level: report.Error}}}
	undone := &report.Report{Tools: seen, Undone: []string{"the tests fail"}}
	for _, c := range []struct {
		ctx    context.Context
		report *report.Report
		want   int
	}{
		{t.Context(), clean, 0}, {t.Context(), found, 1}, {t.Context(), undone, 2}, {t.Context(), &report.Report{}, 2},
		{interrupted, clean, 2}, {interrupted, found, 2}, {interrupted, undone, 2},
	} {
		got := 0
		if s, ok := errors.AsType[*cli.StatusError](checkStatus(c.ctx, c.report)); ok {
			got = s.Status
		}
		if got != c.want {
			t.Errorf("%+v, %v: status %d, want %d", c.report, c.ctx.Err(), got, c.want)
		}
	}
}
