package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gridstride/gridstride/internal/device/cuda/guestlib"
	"github.com/gridstride/gridstride/internal/language/sourcetext"
	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/checked/collect"
	"github.com/gridstride/gridstride/internal/machine/profile"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/runptx"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/internal/tools/plain"
)

// profileFile counts what a launch of a kernel of a PTX file does. A kernel that fails was counted
// until then.
func (j *profileJob) profileFile(ctx context.Context, p *progress, job *runptx.Job) (*profiled, error) {
	done := &profiled{source: j.launch.finder(job.Name), title: filepath.Base(job.Name)}
	options := check.Options{Budget: j.budget, TimeLimit: j.limit, Progress: p.counting}
	var err error
	done.report, done.failed, err = job.Profile(ctx, runptx.Observation{Options: options, Sources: done.source, Output: j.out})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// profilePackages counts what the tests of packages launch.
func (j *profileJob) profilePackages(ctx context.Context, p *progress, patterns []string) (*profiled, error) {
	if err := findPackages(ctx, patterns); err != nil {
		return nil, err
	}
	var output bytes.Buffer
	start := func(env checked.Env) *exec.Cmd {
		tests := goTest(ctx, j.run, patterns, env)
		tests.Stdout, tests.Stderr = &output, &output
		return tests
	}
	done, err := j.observe(start, func(sum *profile.Sum) {
		p.show(fmt.Sprintf("running tests: %s counted", count.Of(sum.Launches(), "launch")))
	})
	if err != nil {
		return nil, err
	}
	done.title = strings.Join(patterns, " ")
	if _, failed := errors.AsType[*exec.ExitError](done.failed); failed && ctx.Err() == nil {
		p.clear()
		text := output.String()
		if done.report.Launches > 0 {
			text = failures(text)
		}
		fmt.Fprint(j.err, text)
		done.failed = errors.New("the tests fail")
	}
	return done, nil
}

// profileProgram counts what a program launches, in Go or through CUDA's driver API. It prints to
// standard error, and has no standard input.
func (j *profileJob) profileProgram(ctx context.Context) (*profiled, error) {
	library, err := guestlib.Folder(ctx)
	if err != nil {
		fmt.Fprintf(j.err, "gridstride: only kernels in Go are counted: %v\n", err)
	}
	start := func(env checked.Env) *exec.Cmd {
		cmd := observed(ctx, j.program, env)
		if err == nil {
			useDriver(cmd, library)
		}
		cmd.Stdout, cmd.Stderr = plain.Raw(j.err), plain.Raw(j.err)
		return cmd
	}
	done, err := j.observe(start, func(*profile.Sum) {})
	if err != nil {
		return nil, err
	}
	done.title = strings.Join(j.program, " ")
	done.source = sourcetext.New(".", "/").InModule(".") // any file of a program that was run anyway
	if exit, failed := errors.AsType[*exec.ExitError](done.failed); failed {
		done.failed = fmt.Errorf("%s: %w", done.title, exit)
	}
	return done, nil
}

// observe runs a command whose simulated devices count, and adds up what they say. look is called
// each second with the sum so far.
func (j *profileJob) observe(start func(checked.Env) *exec.Cmd, look func(*profile.Sum)) (*profiled, error) {
	dir, err := os.MkdirTemp("", "gridstride-profile-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	reports := collect.New(dir)
	var sum profile.Sum
	gather := func() error {
		list, err := reports.Next()
		for _, r := range list {
			addAll(&sum, r)
		}
		return err
	}
	cmd := start(checked.Env{Dir: dir, Tools: runptx.ProfileTools, Orders: 1, Profile: true, Budget: j.budget, Timeout: j.limit})
	stop := watch(func() {
		if gather() == nil {
			look(&sum)
		}
	})
	runErr := cmd.Run()
	stop()
	if err := gather(); err != nil {
		return nil, err
	}
	if _, exited := errors.AsType[*exec.ExitError](runErr); runErr != nil && !exited && sum.Launches() == 0 {
		return nil, runErr // it could not be started
	}
	return &profiled{report: sum.Report(), source: sourcetext.New().InModule("."), failed: runErr}, nil
}

func addAll(sum *profile.Sum, r *report.Report) {
	for _, p := range r.Profiles {
		sum.Add(p)
	}
}
