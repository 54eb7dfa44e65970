package main

import (
	"context"

	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/runptx"
)

// checkFile checks a launch of a kernel of a PTX file.
func (c *checkJob) checkFile(ctx context.Context, p *progress, job *runptx.Job) (*report.Report, error) {
	options := c.options
	options.Progress = p.launch
	return job.Check(ctx, runptx.Observation{Options: options, Sources: c.launch.finder(job.Name), Output: c.out})
}
