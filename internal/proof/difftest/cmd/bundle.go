package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/gridstride/gridstride/internal/proof/difftest"
)

// emit writes a bundle of random programs, or of the programs in files.
func emit(ctx context.Context, oracle *difftest.Oracle, compiler *difftest.Compiler, o options) error {
	f, err := os.Create(o.emit)
	if err != nil {
		return err
	}
	w := difftest.BundleWriter{Oracle: oracle, Compiler: compiler, Batch: o.batch, Module: o.module}
	if len(o.files) == 0 {
		return errors.Join(w.Write(ctx, f, o.seed, o.count), f.Close())
	}
	var sources []string
	for _, name := range o.files {
		text, err := os.ReadFile(name)
		if err != nil {
			return errors.Join(err, f.Close())
		}
		sources = append(sources, string(text))
	}
	return errors.Join(w.WriteSources(ctx, f, sources), f.Close())
}

// runBundle runs a bundle, and reports what was run also when something failed.
func runBundle(ctx context.Context, o options) (differ bool, err error) {
	f, err := os.Open(o.run)
	if err != nil {
		return false, err
	}
	defer f.Close()
	bundle, err := difftest.NewBundleReader(f)
	if err != nil {
		return false, err
	}
	processes, err := start(o.processes)
	if err != nil {
		return false, err
	}
	shown, last := 0, time.Time{}
	run := difftest.BundleRun{
		Limit: o.limit,
		Progress: func(s difftest.Summary) {
			if time.Since(last) > time.Second || s.Programs == bundle.Count {
				last = time.Now()
				fmt.Fprintf(os.Stderr, "%d of %d programs, %d differ, %.0f s\n", s.Programs, bundle.Count, s.Differ, s.Seconds)
			}
		},
		Differ: func(v difftest.Verdict) {
			if shown++; shown <= o.show {
				fmt.Printf("---- seed %d differs: %s\n", v.Program.Seed, v.Difference)
			}
		},
	}
	for _, p := range processes {
		run.Runners = append(run.Runners, p)
	}
	sum, err := run.Run(ctx, bundle)
	sum.Device, sum.Driver = processes[0].Device, processes[0].Driver
	for _, p := range processes {
		err = errors.Join(err, p.Close())
	}
	differ, errReport := report(sum, o)
	return differ, errors.Join(err, errReport)
}

// start starts n processes, one more of this program each, at the same time: each opens the device,
// which takes a while.
func start(n int) ([]*difftest.Process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	processes, errs := make([]*difftest.Process, max(n, 1)), make([]error, max(n, 1))
	var wg sync.WaitGroup
	for i := range processes {
		wg.Go(func() { processes[i], errs[i] = difftest.StartProcess(program, "-serve") })
	}
	wg.Wait()
	return processes, errors.Join(errs...)
}
