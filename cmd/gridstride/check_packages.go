package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/gridstride/gridstride/internal/machine/checked/collect"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/tools/count"
)

// checkPackages runs the tests of packages with every simulated device checking.
func (c *checkJob) checkPackages(ctx context.Context, p *progress, patterns []string) (*report.Report, error) {
	if err := findPackages(ctx, patterns); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "gridstride-check-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	tests := goTest(ctx, c.run, patterns, c.env(dir))
	var output bytes.Buffer
	tests.Stdout, tests.Stderr = &output, &output

	found, collector := &report.Report{}, collect.New(dir)
	gather := func() error {
		reports, err := collector.Next()
		found = report.Merge(append(reports, found)...)
		return err
	}
	stop := watch(func() {
		if gather() == nil { // else it is reported at the end
			p.show(fmt.Sprintf("running tests: %s checked, %s", count.Of(found.Launches, "launch"),
				count.Of(len(found.Failures()), "finding")))
		}
	})
	runErr := tests.Run()
	stop()
	p.clear()

	if err := gather(); err != nil {
		return nil, err
	}
	unreported, err := collect.Unreported(dir)
	if err != nil {
		return nil, err
	}
	if unreported > 0 {
		found.Undone = append(found.Undone, "a program ended before its last launches had been checked")
	}
	_, failed := errors.AsType[*exec.ExitError](runErr)
	switch {
	case ctx.Err() != nil:
		found.Undone = []string{"interrupted"}
	case failed && found.Verdict() == report.Found:
		fmt.Fprintf(c.err, "gridstride: tests fail too, and what they do not reach is not checked:\n%s",
			failures(output.String()))
	case failed:
		fmt.Fprint(c.err, output.String())
		found.Undone = append(found.Undone, "the tests fail")
	case runErr != nil:
		return nil, runErr
	}
	return found, nil
}
