package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/language/sourcetext"
	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/report/format"
	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/spf13/cobra"
)

const checkHelp = `Check finds what is wrong with kernels, on a simulated device:

  memcheck    accesses out of bounds, misaligned, to freed memory
  racecheck   accesses to the same bytes, of shared or global memory, that nothing orders
  initcheck   use of memory that nothing has written
  synccheck   barriers and warp operations that not all threads reach, kernels that do not end

With packages, as for the go command (default: the one in the current folder), it runs their tests;
every kernel that a test launches on a simulated device is checked. What a test expects with
gputest.Expect is not reported.

With a PTX file, from whichever compiler, it runs one kernel of it; --entry, --grid, --block,
--shared and --arg work as in "gridstride run". Source lines are quoted from the file's own folder
and from the Go module at hand, and from the folders that --sources names. With --out N argument N,
counted from 0, is read when the kernel has run, and initcheck finds what nothing has written of it.

After -- comes a program in any language, with its arguments: it runs with the simulator in the place
of CUDA's driver (libcuda.so.1), which is built at the first use with Go and a C compiler. Every
kernel that the program launches from PTX is checked, also by the programs that it starts. The
program prints to standard error.

With a PTX file, --share prints a link to the tour ("gridstride tour") that has the program and its
arguments in its fragment, for somebody else to run and watch. Nothing is sent anywhere.

Each launch is run --orders times, from the same memory but in another order of blocks and threads:
ascending, descending, the same with the sides of branches the other way round, the same with turns
after every few instructions, then random ones, which --seed decides.

The exit status is 0 when nothing was found, 1 when something was, and 2 when that could not be
decided, or the check was interrupted.`

// checkJob is a command line of gridstride check.
type checkJob struct {
	tools    []string
	program  []string // after --
	format   string
	run      string
	options  check.Options
	timeout  timeout
	launch   launchFlags
	outs     []string
	share    bool
	tour     string // the address of a tour
	out, err io.Writer
}

func newCheck() *cobra.Command {
	var c checkJob
	cmd := &cobra.Command{
		Use:   "check [packages | file.ptx | -- program]",
		Short: "Find races, bad accesses and divergent barriers in kernels",
		Long:  checkHelp,
		Example: "  gridstride check ./...\n" +
			"  gridstride check file.ptx --entry k --grid 4 --block 256 --arg f32[1024]=ramp --arg u32=1024\n" +
			"  gridstride check -- pytest tests",
		RunE: func(cmd *cobra.Command, what []string) error {
			c.out, c.err = cmd.OutOrStdout(), cmd.ErrOrStderr()
			if n := cmd.ArgsLenAtDash(); n >= 0 {
				what, c.program = what[:n], what[n:]
			}
			if err := c.validate(cmd, what); err != nil {
				return err
			}
			found, err := c.check(cmd.Context(), what)
			if err != nil {
				return &cli.StatusError{Status: int(report.Undecided), Err: err}
			}
			if err := c.tell(found, what); err != nil {
				return &cli.StatusError{Status: int(report.Undecided), Err: err}
			}
			return checkStatus(cmd.Context(), found)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&c.tools, "tool", nil,
		"`check` to run: memcheck, racecheck, initcheck or synccheck, several with commas (default: all)")
	flags.IntVar(&c.options.Orders, "orders", 2, "`number` of orders to run each launch in")
	flags.Uint64Var(&c.options.Seed, "seed", 1, "`seed` of the random orders")
	flags.BoolVar(&c.options.Pedantic, "pedantic", false,
		"report what works on today's GPUs but is not guaranteed, too")
	flags.Uint64Var(&c.options.Budget, "budget", check.DefaultBudget,
		"`instructions` of warps without progress after which a kernel is said never to end")
	c.timeout.add(cmd)
	flags.StringVar(&c.format, "format", "text", "`format` of the findings: text, json, sarif or junit")
	flags.StringVar(&c.run, "run", "", "run only the tests that match a `regexp`, as go test does")
	flags.StringArrayVar(&c.outs, "out", nil, "a `buffer` (N) of a PTX file's kernel to read when it has run, as a use")
	flags.BoolVar(&c.share, "share", false, "print a link to the tour with the PTX file and its arguments")
	flags.StringVar(&c.tour, "tour", "http://"+tourAddress+"/", "`address` of the tour that --share links to")
	c.launch.register(cmd)
	c.launch.registerSources(cmd)
	return cmd
}

// checkStatus is the exit status that a report is worth: nil for 0. An interrupted check is not
// decided, whatever was found by then.
func checkStatus(ctx context.Context, r *report.Report) error {
	v := r.Verdict()
	if ctx.Err() != nil {
		v = report.Undecided
	}
	if v == report.Clean {
		return nil
	}
	return &cli.StatusError{Status: int(v), Err: nil}
}

// isPTX reports whether the command line is about a PTX file, and not about packages.
func isPTX(what []string) bool {
	return slices.ContainsFunc(what, isPTXFile)
}

// validate refuses command lines that make no sense.
func (c *checkJob) validate(cmd *cobra.Command, what []string) error {
	for _, t := range c.tools {
		if !slices.Contains(report.Tools, report.Tool(t)) {
			return usagef("--tool %s: there are %v", t, report.Tools)
		}
		c.options.Tools = append(c.options.Tools, report.Tool(t))
	}
	if c.options.Orders < 1 {
		return usagef("--orders %d: must be at least 1", c.options.Orders)
	}
	if c.options.Budget < 1 {
		return usagef("--budget 0: must be at least 1")
	}
	var err error
	if c.options.TimeLimit, err = c.timeout.limit(); err != nil {
		return err
	}
	if !slices.Contains([]string{"text", "json", "sarif", "junit"}, c.format) {
		return usagef("--format %s: want text, json, sarif or junit", c.format)
	}
	return c.validateWhat(cmd, what)
}

// validateWhat refuses what cannot be checked, and flags that have nothing to do with it.
func (c *checkJob) validateWhat(cmd *cobra.Command, what []string) error {
	switch {
	case cmd.ArgsLenAtDash() >= 0 && len(c.program) == 0:
		return usagef("there is no program after --")
	case len(c.program) > 0 && len(what) > 0:
		return usagef("check takes either a program after -- or %s", strings.Join(what, " "))
	case len(c.program) > 0 && c.run != "":
		return usagef("--run is for tests of packages, not for a program")
	}
	if isPTX(what) {
		if len(what) > 1 {
			return usagef("check takes packages or one PTX file, not %s", strings.Join(what, " "))
		}
		if c.run != "" {
			return usagef("--run is for tests of packages, not for a PTX file")
		}
		return nil
	}
	if len(c.outs) > 0 {
		return usagef("--out is for a PTX file")
	}
	if c.share {
		return usagef("--share is for a PTX file; for a launch of a test there is gridstride debug --run, with its commands launch finding and share")
	}
	return c.launch.refuse(cmd)
}

// check runs the checks.
func (c *checkJob) check(ctx context.Context, what []string) (*report.Report, error) {
	if len(c.program) > 0 {
		return c.checkProgram(ctx)
	}
	p := newProgress(c.err)
	defer p.clear()
	if !isPTX(what) {
		return c.checkPackages(ctx, p, what)
	}
	job, err := c.launch.job(what[0], c.outs)
	if err != nil {
		return nil, err
	}
	for i, o := range job.Outs {
		if o.File != "" {
			return nil, usagef("--out %s: check writes no files; want the number of an argument", c.outs[i])
		}
	}
	return c.checkFile(ctx, p, job)
}

// print writes the report in the format asked for.
func (c *checkJob) print(r *report.Report) error {
	switch c.format {
	case "json":
		return format.JSON(c.out, r)
	case "junit":
		return format.JUnit(c.out, r)
	case "sarif":
		if err := locate(r); err != nil {
			return err
		}
		return format.SARIF(c.out, r)
	}
	if err := format.Text(c.out, r); err != nil {
		return err
	}
	_, err := io.WriteString(c.out, summary(r))
	return err
}

// locate names the source files of a report as those who read SARIF look for them: by path, from
// the current folder. A file that is not below it keeps its name.
func locate(r *report.Report) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	source := sourcetext.New(dir)
	for _, f := range r.Findings {
		for i := range f.Witnesses {
			file := &f.Witnesses[i].Source.File
			if path, err := filepath.Rel(dir, source.Path(*file)); err == nil && filepath.IsLocal(path) {
				*file = filepath.ToSlash(path)
			}
		}
	}
	return nil
}

// summary says what was looked at: a check that saw nothing has not passed.
func summary(r *report.Report) string {
	var b strings.Builder
	if r.Launches == 0 {
		fmt.Fprintln(&b, "no kernel was launched on a simulated device, so nothing was checked")
	} else {
		fmt.Fprintf(&b, "%s checked: %s\n", count.Of(r.Launches, "launch"), count.Of(len(r.Failures()), "finding"))
	}
	for _, t := range r.Tools {
		seen := "has seen nothing to check"
		switch {
		case t.Seen > 0 && t.Tool == report.Synccheck:
			seen = "has seen " + count.Of(int(t.Seen), "barrier or warp operation", "barriers and warp operations")
		case t.Seen > 0:
			seen = "has seen " + count.Of(int(t.Seen), "access")
		}
		fmt.Fprintf(&b, "  %-9s  %s\n", t.Tool, seen)
	}
	if len(r.Undone) == 0 && r.Launches > 0 && r.Verdict() == report.Undecided {
		fmt.Fprintln(&b, "could not decide: a check that has seen nothing has not passed")
	}
	for _, why := range r.Undone {
		fmt.Fprintf(&b, "could not decide: %s\n", why)
	}
	return b.String()
}
