package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/checked"
	"github.com/gridstride/gridstride/internal/option"
	"github.com/gridstride/gridstride/internal/report"
	"github.com/gridstride/gridstride/internal/runptx"
	"github.com/gridstride/gridstride/internal/sourcetext"
)

// checkFile checks a launch of a kernel of a PTX file.
func (c *checkJob) checkFile(ctx context.Context, p *progress, job *runptx.Job) (*report.Report, error) {
	options := c.options
	options.Text = sourcetext.New(filepath.Dir(job.File), ".").Line
	options.Progress = p.launch
	var mu sync.Mutex
	found := &report.Report{}
	dev, err := gridstride.Open(gridstride.Use("sim"), option.Checks(&checked.Config{
		Options: options,
		Report: func(r *report.Report) error {
			mu.Lock()
			defer mu.Unlock()
			for _, f := range r.Findings {
				f.LaunchedFrom = "" // a line of this command
			}
			found = report.Merge(found, r)
			return nil
		},
	}))
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
	case failed && len(found.Findings) == 0: // of a tool that did not run
		found.Undone = append(found.Undone, failure.Error())
	case !failed && runErr != nil:
		return nil, runErr
	}
	return found, nil
}
