package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/gridstride/gridstride/internal/check"
	"github.com/gridstride/gridstride/internal/checked"
)

// checkPackages runs the tests of packages with every simulated device checking.
func (c *checkJob) checkPackages(ctx context.Context, p *progress, patterns []string) (*check.Report, error) {
	dir, err := os.MkdirTemp("", "gridstride-check-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	o := c.options
	env := checked.Env{Dir: dir, Tools: o.Tools, Orders: o.Orders, Seed: o.Seed, Pedantic: o.Pedantic, Budget: o.Budget}
	tests := goTest(ctx, c.run, patterns, env)
	var output bytes.Buffer
	tests.Stdout, tests.Stderr = &output, &output

	report, collector := &check.Report{}, checked.NewCollector(dir)
	collect := func() error {
		reports, err := collector.Next()
		report = check.Merge(append(reports, report)...)
		return err
	}
	stop := watch(func() {
		if collect() == nil { // else it is reported at the end
			p.show(fmt.Sprintf("running tests: %s checked, %s", count(report.Launches, "launch", "launches"),
				count(len(report.Failures()), "finding", "findings")))
		}
	})
	runErr := tests.Run()
	stop()
	p.clear()

	if err := collect(); err != nil {
		return nil, err
	}
	_, failed := errors.AsType[*exec.ExitError](runErr)
	switch {
	case ctx.Err() != nil:
		report.Undone = []string{"interrupted"}
	case failed && report.Verdict() == check.Found:
		fmt.Fprintf(c.err, "gridstride: tests fail too, and what they do not reach is not checked:\n%s", failures(output.String()))
	case failed:
		fmt.Fprint(c.err, output.String())
		report.Undone = append(report.Undone, "the tests fail")
	case runErr != nil:
		return nil, runErr
	}
	return report, nil
}
