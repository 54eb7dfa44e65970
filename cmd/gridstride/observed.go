package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/checked/collect"
)

// Programs that are run so that their simulated devices say what happens on them: the tests of
// packages, or any other.

// goTest is the go command that runs the tests of packages that match run, all when it is empty.
func goTest(ctx context.Context, run string, patterns []string, env checked.Env) *exec.Cmd {
	// The checks take their time, and kernels that never end are given up without a time limit.
	args := []string{"go", "test", "-count=1", "-timeout=0"}
	if run != "" {
		args = append(args, "-run="+run)
	}
	return observed(ctx, append(args, patterns...), env)
}

// findPackages is an error where patterns of the go command name nothing whose tests could run, in
// the words of the go command.
func findPackages(ctx context.Context, patterns []string) error {
	for _, p := range patterns {
		if strings.HasSuffix(p, ".go") {
			return usagef("%s is a Go file: name the package, by its folder or import path", p)
		}
	}
	out, err := exec.CommandContext(ctx, "go", append([]string{"list", "--"}, patterns...)...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && ctx.Err() == nil {
		return errors.New(strings.TrimPrefix(strings.TrimSpace(string(exit.Stderr)), "go: "))
	}
	if err == nil && len(out) == 0 {
		return fmt.Errorf("%s: no packages", strings.Join(patterns, " "))
	}
	return err
}

// lastReports is how long an interrupted program may take to report the launches under way.
const lastReports = 5 * time.Second

// observed is a program that does on its simulated devices what env asks for. When ctx ends it is
// interrupted, with all that it has started, once its launches under way have been reported.
func observed(ctx context.Context, command []string, env checked.Env) *exec.Cmd {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "GRIDSTRIDE_DEVICE=sim", checked.EnvVar+"="+env.String())
	cmd.WaitDelay = 5 * time.Second
	apart(cmd)
	cmd.Cancel = func() error { return errors.Join(collect.Interrupt(env.Dir, lastReports), interrupt(cmd)) }
	return cmd
}

// useDriver makes a program find the simulated CUDA driver that is in a folder.
func useDriver(cmd *exec.Cmd, folder string) {
	if list := os.Getenv("LD_LIBRARY_PATH"); list != "" {
		folder += string(os.PathListSeparator) + list
	}
	cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+folder)
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

// watch calls look each second until it is stopped.
func watch(look func()) (stop func()) {
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
				look()
			}
		}
	})
	return func() {
		close(done)
		wait.Wait()
	}
}
