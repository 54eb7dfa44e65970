package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/language/tune"
	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/spf13/cobra"
)

const tuneHelp = `Tune chooses the constants of kernels that a comment gives several values, and
writes the best into the source:

  //gpu:tune TestSum BenchmarkSum block=64,128,256 unroll=1,2,4
  const (
      block  = 256
      unroll = 1
  )

For each combination it compiles the package, with the changed source in a folder of its own, runs the
tests that the comment names (all of the package's if it names none), and then the benchmark. A
combination that does not compile, fails a test, or takes longer than -timeout is named and left out.
The package's folder is not touched until the end, so an interrupted tune leaves it as it was. At the
end the source gets the best values, and the kernels are compiled.

A benchmark may have several shapes, one a b.Run. The score of a combination is the geometric mean over
them of its costs relative to the values in the source. Lower is better.

  On a GPU the cost is time: what gputest.Time measures by the device's clock, if the benchmark calls
  it, and Go's time of an iteration if not. The values in the source stay if the best is not at least 2%
  faster.
  The time of the simulator says nothing about a GPU. There the cost is counted, by all launches of the
  benchmark: warp instructions + sectors of global memory + turns of the banks of shared memory beyond
  the fewest. It knows nothing about latency, caches or how many blocks run at a time.

If there are more than -n combinations, a sample is tried, which -seed decides.

The exit status is 0 when something was chosen for each comment, 1 when nothing could be, and 2 when it
was interrupted or the command line makes no sense.`

// tuneJob is a command line of gridstride tune.
type tuneJob struct {
	n         int
	seed      uint64
	json, dry bool
	timeout   time.Duration // of a choice
	benchtime time.Duration
	device    gridstride.Info
	out, err  io.Writer
}

func newTune() *cobra.Command {
	var j tuneJob
	cmd := &cobra.Command{
		Use:   "tune [packages]",
		Short: "Choose the constants of kernels by measurement",
		Long:  tuneHelp,
		Example: "  gridstride tune ./examples/transpose\n" +
			"  gridstride tune -n 20 -seed 7 -dry -json ./...",
		RunE: func(cmd *cobra.Command, patterns []string) error {
			j.out, j.err = cmd.OutOrStdout(), cmd.ErrOrStderr()
			if err := j.validate(); err != nil {
				return err
			}
			err := j.run(cmd.Context(), patterns)
			if cmd.Context().Err() != nil {
				fmt.Fprintln(j.err, "gridstride: interrupted; the sources of what was not finished are as they were")
				return &cli.StatusError{Status: 2, Err: nil}
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.IntVarP(&j.n, "n", "n", 64, "most `combinations` to try of each comment")
	flags.Uint64Var(&j.seed, "seed", 1, "`seed` of the sample, if there are more")
	flags.BoolVar(&j.json, "json", false, "write one JSON list, an object a comment")
	flags.BoolVar(&j.dry, "dry", false, "write nothing into the sources")
	flags.DurationVar(&j.timeout, "timeout", 2*time.Minute, "longest `time` that a combination may take, from compiling on")
	flags.DurationVar(&j.benchtime, "benchtime", 200*time.Millisecond, "`time` of a benchmark on a GPU, three times")
	return cmd
}

// mostTrials bounds -n.
const mostTrials = 100_000

func (j *tuneJob) validate() error {
	switch {
	case j.n < 1 || j.n > mostTrials:
		return usagef("-n %d: want 1 to %d", j.n, mostTrials)
	case j.timeout <= 0:
		return usagef("--timeout %v: must be more than 0", j.timeout)
	case j.benchtime <= 0:
		return usagef("--benchtime %v: must be more than 0", j.benchtime)
	}
	return nil
}

// run tunes what the packages have to tune, one comment after the other.
func (j *tuneJob) run(ctx context.Context, patterns []string) error {
	groups, err := tune.Find(ctx, ".", patterns...)
	if err != nil {
		return err
	}
	if len(groups) == 0 {
		return errors.New("nothing to tune: there is no //gpu:tune above a const declaration")
	}
	for _, g := range groups {
		if _, err := g.Combinations(); err != nil {
			return err
		}
		if err := g.Writable(); err != nil && !j.dry {
			return err
		}
	}
	dev, err := gridstride.Open()
	if err != nil {
		return err
	}
	j.device = dev.Info()
	if err := dev.Close(); err != nil {
		return err
	}
	var results []*tuned
	var failed error
	for i := range groups {
		r, err := j.tune(ctx, patterns, i)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r != nil {
			results = append(results, r)
		}
		failed = errors.Join(failed, err)
		if !j.json && r != nil {
			r.print(j.out)
		}
	}
	if j.json {
		failed = errors.Join(printTuned(j.out, results), failed)
	}
	return failed
}

// tune tunes one comment. It is read anew, as the one before may have changed its file.
func (j *tuneJob) tune(ctx context.Context, patterns []string, at int) (*tuned, error) {
	groups, err := tune.Find(ctx, ".", patterns...)
	if err != nil {
		return nil, err
	}
	if at >= len(groups) {
		return nil, errors.New("the sources were edited while they were measured")
	}
	g := groups[at]
	r, err := j.measure(ctx, g)
	if err != nil || ctx.Err() != nil {
		return r, err
	}
	best := r.choose()
	if best == nil {
		return r, fmt.Errorf("%v: no combination can be used; the first: %s", g.Pos, r.Tried[0].Skipped)
	}
	if !j.dry {
		r.Written, err = g.Write(best.choice)
	}
	return r, err
}
