package main

import (
	"cmp"
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/debugger"
	"github.com/gridstride/gridstride/internal/machine/debugger/adapter"
	"github.com/gridstride/gridstride/internal/machine/runptx"
	"github.com/spf13/cobra"
)

const dapHelp = `Dap is "gridstride debug" for an editor: it speaks the Debug Adapter Protocol on standard input and
output. The editor starts it, and says what to debug: the fields of a launch are package, kernel and
target, or ptx, entry and sources, and grid, block, shared, args, checkOrder, cwd and stopOnEntry. Or they
are package and test, a regexp, and perhaps the kernel of the test's first launch that is wanted.
docs/debug.md shows how editors are set up.`

func newDAP() *cobra.Command {
	return &cobra.Command{
		Use:   "dap",
		Short: "Let an editor step a kernel forth and back",
		Long:  dapHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return adapter.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), openTarget)
		},
	}
}

// openTarget is an adapter.Open.
func openTarget(ctx context.Context, l *adapter.Launch, output io.Writer, session adapter.Session) error {
	d := debugJob{
		launch: launchFlags{
			entry: l.Entry, grid: string(l.Grid), block: string(l.Block), shared: l.Shared, args: l.Args, sources: l.Sources, dir: l.Cwd,
		},
		options:  check.Options{Seed: 1, Budget: check.DefaultBudget},
		settings: debugger.Settings{Order: l.CheckOrder},
		target:   l.Target,
	}
	if l.CheckOrder < 0 {
		return usagef("checkOrder is %d: must not be negative", l.CheckOrder)
	}
	if l.Test != "" {
		return d.openTests(ctx, l, output, session)
	}
	if d.launch.grid == "" {
		d.launch.grid = "1"
	}
	job, sources, err := d.jobOf(ctx, l)
	if err != nil {
		return err
	}
	target := adapter.Target{Path: sources.Path}
	if l.PTX != "" {
		if target.PTX, err = filepath.Abs(d.launch.path(l.PTX)); err != nil {
			return err
		}
	}
	o := runptx.Observation{Options: d.options, Sources: sources, Output: output}
	return job.Debug(ctx, o, func(ctx context.Context, launch checked.Launch) error {
		target.Launch, target.Settings = launch, d.settings
		_, _, err := session(ctx, target)
		return err
	})
}

// openTests debugs the launches of tests.
func (d *debugJob) openTests(ctx context.Context, l *adapter.Launch, output io.Writer, session adapter.Session) error {
	pattern := cmp.Or(l.Package, ".")
	if strings.HasPrefix(pattern, "-") {
		return usagef("package is %q: want a folder or an import path", pattern)
	}
	p := &programJob{dir: d.launch.path("."), options: d.options, settings: d.settings, wanted: debugger.Wanted{Kernel: l.Kernel}, output: output}
	p.session = func(ctx context.Context, s *shownLaunch) (debugger.Wanted, bool, error) {
		return session(ctx, adapter.Target{Launch: s.Launch, Settings: s.settings, Path: s.sources.Path})
	}
	return p.run(ctx, func(ctx context.Context, env checked.Env) *exec.Cmd {
		return goTest(ctx, l.Test, []string{pattern}, env)
	})
}

func (d *debugJob) jobOf(ctx context.Context, l *adapter.Launch) (*runptx.Job, kernelSources, error) {
	switch {
	case l.PTX != "":
		return d.ofFile(l.PTX)
	case l.Package != "":
		return d.ofPackage(ctx, l.Package, l.Kernel)
	}
	return d.ofPackage(ctx, ".", l.Kernel)
}
