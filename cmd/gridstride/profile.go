package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gridstride/gridstride/internal/language/sourcetext"
	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/profile"
	"github.com/gridstride/gridstride/internal/tools/atomicfile"
	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/spf13/cobra"
)

const profileHelp = `Profile counts what kernels do on a simulated device, and shows it by source
line, in Go or in whatever the PTX was compiled from.

With a PTX file it runs one kernel of it. --entry, --grid, --block, --shared and --arg work as in
"gridstride run", and --sources as in "gridstride check". With packages, as for the go command
(default: the one in the current folder), it runs their tests, and with a command after "--" that
program, in any language: as in "gridstride check", the simulator is in the place of CUDA's driver. It
counts what they launch on simulated devices, kernel by kernel, over all processes. What a program
prints goes to standard error.

The counts are exact and the same each time. They are no times, but explain them:

  instr      instructions that warps run
  lanes      lanes, of a warp's 32, that take part in an instruction on average; few take part
             after branches diverge
  sectors    pieces of 32 bytes of global memory that the requests of warps touch; their ratio is to
             the fewest that hold the bytes asked
             for: 1.00 is coalesced
  passes     turns that the 32 banks of shared memory take to serve the requests; their ratio is to
             the fewest that would do: 1.00 is free
             of bank conflicts
  products   products of matrices that warps have tensor cores compute, as mma, and their
             multiply-adds
  copies     asynchronous copies, their bytes, and the waits for groups of copies or of products, or
             at mbarriers
  in flight  bytes of copies to the shared memory of a block that are under way, from the copy to the
             wait for it, on average over the longest chain of instructions in the block; and the
             most at once
  atomics    atomic operations of warps, which are among the requests
  waits      warps that wait at a block barrier
  divergent  conditional branches whose lanes go both ways

With -device it says what bounds each kernel on a GPU, by the roofline model: its bytes are the sectors
that it reads before it has written them, and those that it writes, each once, as if the caches were
large enough for all; its operations are counted by type, a multiply-add as two. The limit at which they
take longest bounds the kernel, and no run takes less time. The limits are those that NVIDIA publishes
(a100, h100, h200, v100), those of the GPU of this machine (measured; they are measured once, and kept in
the user's cache), or those of a JSON file, whose form -format json shows.

The exit status is 0 when all was counted, 1 when something failed, and 2 when it was interrupted or
the command line makes no sense; what was counted until then is shown.`

// profileJob is a command line of gridstride profile.
type profileJob struct {
	format, output string
	run            string
	device         string // whose limits bound the kernels, "" for none
	limits         *profile.Limits
	budget         uint64
	timeout        timeout
	limit          time.Duration // the timeout, as options have it
	launch         launchFlags
	program        []string // after "--"
	out, err       io.Writer
}

// profiled is the result of a count.
type profiled struct {
	report *profile.Report
	source *sourcetext.Finder
	title  string
	failed error // why the count is not complete, nil if it is, or if it was interrupted
}

func newProfile() *cobra.Command {
	var j profileJob
	cmd := &cobra.Command{
		Use:   "profile [packages | file.ptx | -- program]",
		Short: "Count what kernels do, by source line",
		Long:  profileHelp,
		Example: "  gridstride profile file.ptx --entry k --grid 4 --block 256 --arg f32[1024]=ramp --arg u32=1024\n" +
			"  gridstride profile -- pytest tests\n" +
			"  gridstride profile -run TestSum -o profile.html ./examples/ladder/reduce\n" +
			"  gridstride profile -- go run ./examples/dot -n 100000",
		RunE: func(cmd *cobra.Command, what []string) error {
			j.out, j.err = cmd.OutOrStdout(), cmd.ErrOrStderr()
			if n := cmd.ArgsLenAtDash(); n >= 0 {
				what, j.program = what[:n], what[n:]
			}
			if err := j.validate(cmd, what); err != nil {
				return err
			}
			return j.profile(cmd.Context(), what)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&j.format, "format", "",
		"`format`: text, json or html (default: by the ending of -o, else text)")
	flags.StringVarP(&j.output, "o", "o", "", "`file` to write instead of standard output")
	flags.StringVar(&j.run, "run", "", "run only the tests that match a `regexp`, as go test does")
	flags.StringVar(&j.device, "device", "",
		"say what bounds each kernel on a GPU: a100, h100, h200, v100, measured, or a `file` of limits")
	flags.Uint64Var(&j.budget, "budget", check.DefaultBudget,
		"`instructions` of warps without progress after which a kernel is said never to end")
	j.timeout.add(cmd)
	j.launch.register(cmd)
	j.launch.registerSources(cmd)
	return cmd
}

// validate refuses command lines that make no sense.
func (j *profileJob) validate(cmd *cobra.Command, what []string) error {
	if j.budget < 1 {
		return usagef("--budget 0: must be at least 1")
	}
	var err error
	if j.limit, err = j.timeout.limit(); err != nil {
		return err
	}
	if err := j.validateOutput(); err != nil {
		return err
	}
	if err := checkDevice(j.device); err != nil {
		return err
	}
	switch {
	case cmd.ArgsLenAtDash() >= 0 && len(j.program) == 0:
		return usagef("there is no program after --")
	case len(j.program) > 0 && len(what) > 0:
		return usagef("profile takes either a program after -- or %s", strings.Join(what, " "))
	case isPTX(what) && len(what) > 1:
		return usagef("profile takes packages or one PTX file, not %s", strings.Join(what, " "))
	case j.run != "" && (isPTX(what) || len(j.program) > 0):
		return usagef("--run is for tests of packages")
	case isPTX(what):
		return nil
	}
	return j.launch.refuse(cmd)
}

// validateOutput settles the format, and refuses a file that could not be written after all the
// work.
func (j *profileJob) validateOutput() error {
	formats := []string{"text", "json", "html"}
	switch ext := strings.TrimPrefix(filepath.Ext(j.output), "."); {
	case j.format == "" && slices.Contains(formats, ext):
		j.format = ext
	case j.format == "":
		j.format = "text"
	case !slices.Contains(formats, j.format):
		return usagef("--format %s: want text, json or html", j.format)
	}
	if j.output == "" {
		return nil
	}
	if info, err := os.Stat(j.output); err == nil && info.IsDir() {
		return usagef("-o %s: is a folder", j.output)
	}
	if info, err := os.Stat(filepath.Dir(j.output)); err != nil || !info.IsDir() {
		return usagef("-o %s: there is no folder %s", j.output, filepath.Dir(j.output))
	}
	return nil
}

// profile counts, and writes what was counted.
func (j *profileJob) profile(ctx context.Context, what []string) error {
	if j.device != "" {
		var err error
		if j.limits, err = limitsOf(ctx, j.device); err != nil {
			return err
		}
	}
	p := newProgress(j.err)
	defer p.clear()
	done, err := j.count(ctx, p, what)
	p.clear()
	interrupted := ctx.Err() != nil
	switch {
	case err != nil:
		return err
	case interrupted:
		done.report.Incomplete = append(done.report.Incomplete, "interrupted")
	case done.failed != nil:
		why, _, _ := strings.Cut(done.failed.Error(), "\n")
		done.report.Incomplete = append(done.report.Incomplete, why)
	case done.report.Launches == 0:
		return fmt.Errorf("no kernel was launched on a simulated device, so nothing was counted")
	}
	if err := j.write(done); err != nil {
		return err
	}
	switch {
	case interrupted:
		return &cli.StatusError{Status: 2, Err: nil}
	case done.failed != nil:
		return &cli.StatusError{Status: 1, Err: done.failed}
	}
	return nil
}

// count does what the command line asks for.
func (j *profileJob) count(ctx context.Context, p *progress, what []string) (*profiled, error) {
	switch {
	case len(j.program) > 0:
		return j.profileProgram(ctx)
	case !isPTX(what):
		return j.profilePackages(ctx, p, what)
	}
	job, err := j.launch.job(what[0], nil)
	if err != nil {
		return nil, err
	}
	return j.profileFile(ctx, p, job)
}

// write writes the report in the requested format, to the requested place.
func (j *profileJob) write(done *profiled) error {
	if j.limits != nil {
		done.report.On(j.limits)
	}
	var b bytes.Buffer
	var err error
	switch j.format {
	case "json":
		err = done.report.JSON(&b)
	case "html":
		err = done.report.HTML(&b, done.title, done.source.Line)
	default:
		err = done.report.Text(&b, done.source.Line)
	}
	if err != nil {
		return err
	}
	if j.output != "" {
		return atomicfile.Write(j.output, b.Bytes())
	}
	_, err = j.out.Write(b.Bytes())
	return err
}
