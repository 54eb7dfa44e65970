package main

import (
	"context"
	"time"

	"github.com/gridstride/gridstride"
)

// Run is the steps of one use of the device, in order.
type Run []Step

// Step is the time of one step, in microseconds.
type Step struct {
	What   string  `json:"what"`
	Micros float64 `json:"us"`
}

// block is the number of threads of a block.
const block = 256

// grid is enough blocks for n elements, and no more than keep a large GPU busy.
func grid(n int) gridstride.Config {
	return gridstride.Grid(min(max((n+block-1)/block, 1), 8448)).Block(block)
}

// steps does everything that a first use of the device takes, for n elements, and gives it all
// back.
func steps(ctx context.Context, dev *gridstride.Device, n, times int) (run Run, err error) {
	s := dev.NewStream()
	defer s.Close()
	clock := time.Now()
	step := func(what string, e error) {
		now := time.Now()
		run = append(run, Step{what, micros(now.Sub(clock))})
		clock = now
		if err == nil {
			err = e
		}
	}

	host, e := gridstride.MakePinned[float32](dev, n)
	step("make pinned memory", e)
	x, e := gridstride.Make[float32](dev, n)
	step("make the buffer", e)
	k, e := LoadIterate(dev)
	if e == nil {
		k.MaxThreads() // so that the kernel is compiled now, and not by its first launch
	}
	step("load the kernel", e)
	if err != nil {
		return nil, err
	}
	step("queue the copy in", x.WriteAsync(s, host))
	step("wait for it", s.Wait(ctx))
	start := s.Record()
	step("queue the kernel", k.Launch(s, grid(n), x, times))
	end := s.Record()
	step("wait for it", s.Wait(ctx))
	kernel, e := end.Since(ctx, start)
	step("", e)
	run[len(run)-1] = Step{"the kernel, by events", micros(kernel)}
	step("queue the copy out", x.ReadAsync(s, host))
	step("wait for it", s.Wait(ctx))
	step("free the buffer", x.Free())
	step("free the pinned memory", host.Free())
	return run, err
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
