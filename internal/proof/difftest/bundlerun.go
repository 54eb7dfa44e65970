package difftest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/gridstride/gridstride"
)

// Runner runs batches of a bundle, one at a time.
type Runner interface {
	// Run runs the programs of a batch from the from-th on, and returns the results in their order.
	// There are fewer than programs where the device cannot be used after the last of them.
	Run(ctx context.Context, b *Batch, from int) ([]Result, error)
}

// Result is the result of a program of a bundle.
type Result struct {
	Difference *Difference
	// Same is whether the memory equals the simulator's to the byte, including bytes that may
	// differ: NaNs' bits and padding.
	Same bool
}

// programLimitGPU is how long a program may run on a device. The simulator has proved that it ends.
const programLimitGPU = 20 * time.Second

// Local is a Runner on a machine of this process.
type Local struct{ Machine }

// Run implements Runner.
func (l Local) Run(ctx context.Context, b *Batch, from int) ([]Result, error) {
	kernels, err := loadModules(l, b.Modules)
	if errors.Is(err, gridstride.ErrLost) {
		return nil, err
	} else if err != nil {
		results := make([]Result, len(b.Programs)-from)
		for i := range results {
			results[i].Difference = &Difference{"load", err.Error()}
		}
		return results, nil
	}
	defer kernels.Close()
	var results []Result
	for i := from; i < len(b.Programs); i++ {
		o := b.launch(ctx, kernels, i)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d := b.Programs[i].Compare(b.Want[i], o)
		results = append(results, Result{d, d == nil && digest(o.Memory) == b.Simulated[i]})
		if errors.Is(o.Err, gridstride.ErrLost) || errors.Is(o.Err, context.DeadlineExceeded) {
			break
		}
	}
	return results, nil
}

func (b *Batch) launch(ctx context.Context, kernels Kernels, i int) Outcome {
	ctx, cancel := context.WithTimeout(ctx, programLimitGPU)
	defer cancel()
	return b.Programs[i].launch(ctx, kernels, i)
}

// BundleRun is a run of a bundle.
type BundleRun struct {
	Runners []Runner
	// Limit is after what time no more batches are begun, zero for never.
	Limit time.Duration
	// Progress, if not nil, is called after each batch; Differ for every program that differs. One
	// call at a time.
	Progress func(Summary)
	Differ   func(Verdict)
}

// Run runs the bundle on all runners. One that fails runs no more batches, and the others go on.
// The summary is of what was run, the error of what failed.
func (r *BundleRun) Run(ctx context.Context, bundle *BundleReader) (Summary, error) {
	start := time.Now()
	c := Campaign{Differ: r.Differ}
	sum := Summary{Oracle: bundle.Oracle, First: bundle.First, Kinds: map[string]int{}, Contain: map[string]int{}}
	var mu sync.Mutex // for sum, and one call at a time
	work := make(chan *Batch)
	var wg sync.WaitGroup
	errs := make([]error, len(r.Runners)+1)
	for i, runner := range r.Runners {
		wg.Go(func() {
			for b := range work {
				results, err := runAll(ctx, runner, b)
				mu.Lock()
				c.addResults(&sum, b, results)
				sum.Seconds = time.Since(start).Seconds()
				if r.Progress != nil {
					r.Progress(sum)
				}
				mu.Unlock()
				if err != nil {
					errs[i] = fmt.Errorf("%v: %w", b, err)
					return
				}
			}
		})
	}
	idle := make(chan struct{})
	go func() {
		wg.Wait()
		close(idle)
	}()
	errs[len(r.Runners)] = r.read(bundle, work, idle, start)
	close(work)
	<-idle
	return sum, errors.Join(errs...)
}

// read hands out the batches until the time is over or no runner remains.
func (r *BundleRun) read(bundle *BundleReader, work chan<- *Batch, idle <-chan struct{}, start time.Time) error {
	for r.Limit == 0 || time.Since(start) < r.Limit {
		b, err := bundle.Next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		select {
		case work <- b:
		case <-idle:
			return nil
		}
	}
	return nil
}

// runAll runs a batch to its end, also where a program leaves the device unusable.
func runAll(ctx context.Context, r Runner, b *Batch) ([]Result, error) {
	var results []Result
	for len(results) < len(b.Programs) {
		more, err := r.Run(ctx, b, len(results))
		if err != nil {
			return results, err
		}
		results = append(results, more...)
	}
	return results, nil
}

func (c *Campaign) addResults(s *Summary, b *Batch, results []Result) {
	verdicts := make([]Verdict, len(results))
	for i, res := range results {
		p := b.Programs[i]
		verdicts[i] = Verdict{p, p.Threads(), len(b.Want[i].Failures), res.Difference}
		switch {
		case res.Same:
			s.Same++
		case res.Difference == nil:
			s.Other = append(s.Other, p.Seed)
		}
	}
	c.add(s, b.Programs[:len(results)], verdicts)
}
