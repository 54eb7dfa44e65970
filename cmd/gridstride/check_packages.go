package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/gridstride/gridstride/internal/check"
	"github.com/gridstride/gridstride/internal/checking"
)

// checkPackages runs the tests of packages with every simulated device checking.
func (c *checkJob) checkPackages(ctx context.Context, p *progress, patterns []string) (*check.Report, error) {
	dir, err := os.MkdirTemp("", "gridstride-check-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	o := c.options
	env := checking.Env{Dir: dir, Tools: o.Tools, Orders: o.Orders, Seed: o.Seed, Pedantic: o.Pedantic, Budget: o.Budget}
	tests := c.goTest(ctx, patterns, env)
	var output bytes.Buffer
	tests.Stdout, tests.Stderr = &output, &output

	stop := watch(p, dir)
	runErr := tests.Run()
	stop()
	p.clear()

	reports, err := checking.Collected(dir)
	if err != nil {
		return nil, err
	}
	report := check.Merge(reports...)
	_, failed := errors.AsType[*exec.ExitError](runErr)
	switch {
	case ctx.Err() != nil:
		report.Undone = append(report.Undone, "interrupted")
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

// goTest is the go command that runs the tests.
func (c *checkJob) goTest(ctx context.Context, patterns []string, env checking.Env) *exec.Cmd {
	// The checks take their time, and kernels that never end are given up without a time limit.
	args := []string{"test", "-count=1", "-timeout=0"}
	if c.run != "" {
		args = append(args, "-run="+c.run)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, patterns...)...)
	cmd.Env = append(os.Environ(), "GRIDSTRIDE_DEVICE=sim", checking.EnvVar+"="+env.String())
	cmd.WaitDelay = 5 * time.Second
	interruptible(cmd)
	return cmd
}

// failures are the lines of the output of go test that name the tests and packages that fail.
func failures(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, "FAIL\t") || strings.HasPrefix(strings.TrimSpace(line), "--- FAIL:") {
			fmt.Fprintf(&b, "  %s\n", strings.TrimSpace(line))
		}
	}
	return b.String()
}

// watch shows the reports there are in the folder so far, until it is stopped.
func watch(p *progress, dir string) (stop func()) {
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if reports, err := checking.Collected(dir); err == nil {
				r := check.Merge(reports...)
				p.show(fmt.Sprintf("running tests: %s checked, %s", count(r.Launches, "launch", "launches"),
					count(len(r.Failures()), "finding", "findings")))
			}
		}
	})
	return func() {
		close(done)
		wait.Wait()
	}
}
