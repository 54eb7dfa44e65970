package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/gridstride/gridstride/internal/device/cuda/guestlib"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/checked/collect"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/tools/plain"
)

// checkProgram runs a program, in any language, and what it starts, with every simulated device
// checking: those that gridstride opens, and those that the program opens through CUDA's driver API.
// The program prints to standard error, so that standard output is the report's.
func (c *checkJob) checkProgram(ctx context.Context) (*report.Report, error) {
	library, err := guestlib.Folder(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "gridstride-check-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := observed(ctx, c.program, c.env(dir))
	useDriver(cmd, library)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, plain.Raw(c.err), plain.Raw(c.err)
	runErr := cmd.Run()

	reports, err := collect.All(dir)
	if err != nil {
		return nil, err
	}
	found := report.Merge(reports...)
	unreported, err := collect.Unreported(dir)
	if err != nil {
		return nil, err
	}
	if unreported > 0 {
		found.AddUndone("a program ended before its last launches had been checked")
	}
	return found, c.ended(ctx, found, runErr)
}

// ended notes how the program ended. One that was not started is an error.
func (c *checkJob) ended(ctx context.Context, found *report.Report, runErr error) error {
	exit, exited := errors.AsType[*exec.ExitError](runErr)
	switch {
	case ctx.Err() != nil:
		found.Undone = []string{"interrupted"}
	case exited && found.Verdict() == report.Found:
		fmt.Fprintf(c.err, "gridstride: %s: %v\n", strings.Join(c.program, " "), exit)
	case exited:
		found.AddUndone(fmt.Sprintf("%s: %v", strings.Join(c.program, " "), exit))
	case runErr != nil:
		return runErr
	}
	return nil
}

// env has the settings of the programs' devices, which report to a folder.
func (c *checkJob) env(dir string) checked.Env {
	o := c.options
	return checked.Env{Dir: dir, Tools: o.Tools, Orders: o.Orders, Seed: o.Seed, Pedantic: o.Pedantic, Budget: o.Budget,
		Timeout: o.TimeLimit}
}
