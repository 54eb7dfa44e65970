package runptx

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/device/option"
	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/profile"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// Observation says how a job runs on a simulated device that observes it.
type Observation struct {
	// Options are the tools, orders, seed, level, budget, time limit and progress. Profile uses only
	// the budget, the time limit and the progress.
	Options check.Options
	// Sources finds the sources of the kernel, whose lines reports quote and with which the PTX is
	// compared. nil finds none.
	Sources checked.Sources
	// Output gets what the kernel prints; nil discards it.
	Output io.Writer
}

// anyCompiler makes PTX of any version of gridstride fit: it need not be this one's.
const anyCompiler = ""

// open opens a simulated device with the checks of config, which quote o's sources.
func (o *Observation) open(config *checked.Config) (*gridstride.Device, error) {
	if o.Sources != nil {
		config.ReadSources(o.Sources, anyCompiler)
	}
	output := o.Output
	if output == nil {
		output = io.Discard
	}
	return gridstride.Open(gridstride.Use("sim"), option.Checks(config), gridstride.Output(output))
}

// run runs the job on a simulated device. look gets the report of the launch. closed is the error
// of closing the device.
func (j *Job) run(ctx context.Context, o *Observation, look func(*report.Report)) (err, closed error) {
	var mu sync.Mutex
	config := &checked.Config{
		Options: o.Options,
		Report: func(r *report.Report) error {
			mu.Lock()
			defer mu.Unlock()
			look(r)
			return nil
		},
	}
	dev, err := o.open(config)
	if err != nil {
		return err, nil
	}
	err = j.Run(ctx, dev, io.Discard)
	closed = dev.Close() // the launch has ended then, and has been reported
	mu.Lock()            // look has written
	defer mu.Unlock()
	return err, closed
}

// Check runs the job under the checks. Buffers of Outs are read when the kernel has run, as a use
// of what it wrote. A kernel that fails is a finding. A context that ends leaves the report
// undecided. The error is only of a job that could not be launched.
func (j *Job) Check(ctx context.Context, o Observation) (*report.Report, error) {
	found := &report.Report{}
	err, closed := j.run(ctx, &o, func(r *report.Report) {
		for _, f := range r.Findings {
			hideHost(f)
		}
		found = report.Merge(found, r)
	})
	failure, failed := errors.AsType[*gridstride.KernelError](errors.Join(err, closed))
	switch {
	case ctx.Err() != nil:
		found.Undone = []string{"interrupted"}
	case failed && len(found.Findings) == 0 && len(found.Undone) == 0: // of a tool that did not run
		found.Undone = append(found.Undone, failure.Error())
	case !failed && err != nil:
		return nil, err
	}
	return found, nil
}

// hideHost removes the lines of this package from a finding.
func hideHost(f *report.Finding) {
	f.LaunchedFrom = ""
	f.Witnesses = slices.DeleteFunc(f.Witnesses, func(w report.Witness) bool { return w.Host && w.Role == "made" })
	for i := range f.Witnesses {
		if w := &f.Witnesses[i]; w.Host {
			w.Source, w.Text = event.Position{}, "--out"
		}
	}
}

// Profile counts what the job does. failed says why the kernel did not run to its end, in which
// case it was counted until then; nil if it did. err is only of a job that could not be launched.
func (j *Job) Profile(ctx context.Context, o Observation) (counts *profile.Report, failed, err error) {
	o.Options = check.Options{Tools: slices.Clone(ProfileTools), Orders: 1, Profile: true, Budget: o.Options.Budget,
		TimeLimit: o.Options.TimeLimit, Progress: o.Options.Progress}
	var sum profile.Sum
	failed, closed := j.run(ctx, &o, func(r *report.Report) {
		for _, p := range r.Profiles {
			sum.Add(p)
		}
	})
	if failed == nil {
		failed = closed
	}
	if failed != nil && sum.Launches() == 0 && ctx.Err() == nil {
		return nil, nil, failed
	}
	return sum.Report(), failed, nil
}

// ProfileTools are the checks that run while counting: the cheapest.
var ProfileTools = []report.Tool{report.Memcheck}
