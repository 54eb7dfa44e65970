package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"

	"github.com/gridstride/gridstride/internal/language/build"
	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/debugger"
	"github.com/gridstride/gridstride/internal/machine/runptx"
	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/spf13/cobra"
)

const debugHelp = `Debug runs one kernel on the simulator under a debugger that goes in both directions: it stops at
lines, for threads, at accesses of memory, at faults and at what the checks find. It steps a thread,
a warp or a block forth and back, shows variables, registers and memory, and says who wrote something.

The kernel is one of a PTX file, from whichever compiler, or of a package, which is compiled: then
registers have the names of Go's variables. --entry, --grid, --block, --shared and --arg work as in
"gridstride run", --sources as in "gridstride check". Blocks, warps and lanes run in the order that
--check-order says, as the orders of "gridstride check" are numbered from 0: ascending, descending, and
so on.

With --run it runs the tests of packages that match, and debugs each launch on a simulated device as it
is about to happen. "launch" goes on to the next one, and the test goes on meanwhile, under the checks.
The tests print to standard error.

Commands are read from standard input, one a line; "help" lists them. If it is no terminal, each is
printed before what it says, and the first that fails ends the debugger with status 1.`

// debugJob is a command line of gridstride debug.
type debugJob struct {
	launch   launchFlags
	options  check.Options
	settings debugger.Settings
	target   string
	run      string
	in       io.Reader
	out, err io.Writer
}

func newDebug() *cobra.Command {
	var d debugJob
	cmd := &cobra.Command{
		Use:   "debug file.ptx | [package] Kernel | --run test [packages]",
		Short: "Step a kernel forth and back",
		Long:  debugHelp,
		Example: "  gridstride debug file.ptx --entry k --grid 4 --block 256 --arg f32[1024]=ramp --arg u32=1024\n" +
			"  gridstride debug --run TestDot ./examples/dot\n" +
			"  gridstride debug ./examples/dot 'Partial[float32]' --grid 2 --arg f32[1000]=ramp --arg f32[1000]=ones --arg f32[2]",
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("run") {
				return refuseLaunch(cmd, args)
			}
			if len(args) < 1 || len(args) > 2 || len(args) == 2 && isPTX(args) {
				return usagef("debug takes a PTX file, or a package and a kernel of it, or a kernel of the package in this folder")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, what []string) error {
			d.in, d.out, d.err = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			if d.settings.Order < 0 {
				return usagef("--check-order %d: must not be negative", d.settings.Order)
			}
			if cmd.Flags().Changed("run") {
				return d.debugTests(cmd.Context(), what)
			}
			return d.debug(cmd.Context(), what)
		},
	}
	d.launch.register(cmd)
	d.launch.registerSources(cmd)
	flags := cmd.Flags()
	flags.IntVar(&d.settings.Order, "check-order", 0, "`number` of the order to run in")
	flags.Uint64Var(&d.options.Seed, "seed", 1, "`seed` of the random orders")
	flags.Uint64Var(&d.options.Budget, "budget", check.DefaultBudget,
		"`instructions` of warps without progress after which the launch ends")
	flags.StringVar(&d.run, "run", "", "debug the launches of the tests that match a `regexp`, as go test does")
	flags.StringVar(&d.target, "target", "", "compile a package for this one of the kernel's `targets`, such as sm_90a (default the first)")
	return cmd
}

// debug debugs a kernel.
func (d *debugJob) debug(ctx context.Context, what []string) error {
	job, sources, err := d.job(ctx, what)
	if err != nil {
		return err
	}
	if isTerminal(d.in) { // an interrupt ends a command of the debugger
		ctx = context.WithoutCancel(ctx)
	}
	o := runptx.Observation{Options: d.options, Sources: sources, Output: d.out}
	return job.Debug(ctx, o, d.session)
}

// kernelSources finds sources, and their files on disk.
type kernelSources interface {
	checked.Sources
	Path(file string) string
}

// job is the launch to debug, and what finds its sources.
func (d *debugJob) job(ctx context.Context, what []string) (*runptx.Job, kernelSources, error) {
	if isPTX(what) {
		return d.ofFile(what[0])
	}
	if len(what) == 2 {
		return d.ofPackage(ctx, what[0], what[1])
	}
	return d.ofPackage(ctx, ".", what[0])
}

func (d *debugJob) ofFile(file string) (*runptx.Job, kernelSources, error) {
	job, err := d.launch.job(file, nil)
	return job, d.launch.finder(file), err
}

func (d *debugJob) ofPackage(ctx context.Context, pattern, kernel string) (*runptx.Job, kernelSources, error) {
	k, err := build.CompileKernel(ctx, d.launch.path("."), pattern, kernel, d.target)
	if err != nil {
		return nil, nil, err
	}
	d.settings.Variables = k.Variables
	if d.launch.entry != "" {
		return nil, nil, usagef("--entry is for a PTX file")
	}
	job, err := d.launch.jobOf(kernel, k.Entry, nil)
	if err != nil {
		return nil, nil, err
	}
	job.PTX = k.PTX
	return job, k, nil
}

// refuseLaunch is the error of a command line that has tests, and a kernel besides.
func refuseLaunch(cmd *cobra.Command, args []string) error {
	if isPTX(args) {
		return usagef("--run is for tests of packages, not for a PTX file")
	}
	for _, name := range []string{"entry", "grid", "block", "shared", "arg", "sources", "target"} {
		if cmd.Flags().Changed(name) {
			return usagef("--%s is for one kernel; with --run the test launches", name)
		}
	}
	return nil
}

// debugTests debugs the launches of tests.
func (d *debugJob) debugTests(ctx context.Context, patterns []string) error {
	if err := findPackages(ctx, patterns); err != nil {
		return err
	}
	if isTerminal(d.in) {
		ctx = context.WithoutCancel(ctx)
	}
	lines := bufio.NewScanner(d.in)
	p := &programJob{dir: ".", options: d.options, settings: d.settings, output: d.err}
	p.session = func(ctx context.Context, l *shownLaunch) (debugger.Wanted, bool, error) {
		s, err := debugger.Start(ctx, l.Launch, l.settings, d.out)
		if err != nil {
			return debugger.Wanted{}, false, err
		}
		defer s.Close()
		fmt.Fprintln(d.out, l.title)
		err = d.talk(ctx, s, lines)
		p.settings.Stops = s.Stops()
		w, ok := s.Wanted()
		return w, ok, err
	}
	return p.run(ctx, func(ctx context.Context, env checked.Env) *exec.Cmd { return goTest(ctx, d.run, patterns, env) })
}

// session is a session of the one launch.
func (d *debugJob) session(ctx context.Context, l checked.Launch) error {
	s, err := debugger.Start(ctx, l, d.settings, d.out)
	if err != nil {
		return err
	}
	defer s.Close()
	return d.talk(ctx, s, bufio.NewScanner(d.in))
}

// talk does commands until one ends the session, until the end of the input, or if that is no terminal,
// until an error.
func (d *debugJob) talk(ctx context.Context, s *debugger.Session, lines *bufio.Scanner) error {
	s.Intro()
	terminal := isTerminal(d.in)
	last := ""
	for d.prompt(terminal); lines.Scan(); d.prompt(terminal) {
		line := strings.TrimSpace(lines.Text())
		if !terminal {
			fmt.Fprintf(d.out, "> %s\n", line)
		} else if line == "" {
			line = last // as debuggers do
		}
		last = line
		quit, err := d.do(ctx, s, line)
		switch {
		case quit:
			return nil
		case err != nil && !terminal:
			return &cli.StatusError{Status: 1, Err: err}
		case err != nil:
			fmt.Fprintln(d.out, err)
		}
	}
	return lines.Err()
}

// do does a command, which an interrupt of the terminal ends.
func (d *debugJob) do(ctx context.Context, s *debugger.Session, line string) (quit bool, err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	quit, err = s.Do(ctx, line)
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	return quit, err
}

func (d *debugJob) prompt(terminal bool) {
	if terminal {
		fmt.Fprint(d.out, "(gridstride) ")
	}
}

// isTerminal reports whether somebody types what is read.
func isTerminal(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
