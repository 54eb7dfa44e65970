package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/device/option"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/runptx"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// checkFile checks a launch of a kernel of a PTX file.
func (c *checkJob) checkFile(ctx context.Context, p *progress, job *runptx.Job) (*report.Report, error) {
	var mu sync.Mutex
	found := &report.Report{}
	config := &checked.Config{
		Options: c.options,
		Report: func(r *report.Report) error {
			mu.Lock()
			defer mu.Unlock()
			for _, f := range r.Findings {
				hideCommand(f)
			}
			found = report.Merge(found, r)
			return nil
		},
	}
	config.Options.Progress = p.launch
	config.ReadSources(c.launch.finder(job.File), anyCompiler)
	dev, err := gridstride.Open(gridstride.Use("sim"), option.Checks(config), gridstride.Output(c.out))
	if err != nil {
		return nil, err
	}
	runErr := job.Run(ctx, dev, io.Discard)
	closeErr := dev.Close() // the launch has ended then, and told what it found
	mu.Lock()
	defer mu.Unlock()
	failure, failed := errors.AsType[*gridstride.KernelError](errors.Join(runErr, closeErr))
	switch {
	case ctx.Err() != nil:
		found.Undone = []string{"interrupted"}
	case failed && len(found.Findings) == 0 && len(found.Undone) == 0: // of a tool that did not run
		found.Undone = append(found.Undone, failure.Error())
	case !failed && runErr != nil:
		return nil, runErr
	}
	return found, nil
}

// hideCommand takes lines of this command out of a finding.
func hideCommand(f *report.Finding) {
	f.LaunchedFrom = ""
	f.Witnesses = slices.DeleteFunc(f.Witnesses, func(w report.Witness) bool { return w.Host && w.Role == "made" })
	for i := range f.Witnesses {
		if w := &f.Witnesses[i]; w.Host {
			w.Source, w.Text = event.Position{}, "--out"
		}
	}
}
