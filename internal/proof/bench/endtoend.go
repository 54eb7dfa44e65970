package bench

import (
	"context"
	"fmt"
	"slices"

	"github.com/gridstride/gridstride"
)

// EndRow is the cost of a whole call, from the data to the result on the host, in one way.
type EndRow struct {
	Setting
	What  string `json:"what"`
	DType string `json:"dtype"`
	Data  string `json:"data"`
	Size
	// Way is how: see the constants.
	Way string `json:"way"`
	// Simulated is set where the device is the simulator, whose times say nothing about a GPU.
	Simulated bool `json:"simulated,omitempty"`
	// Calls is how many calls there were. times are the medians of them, in seconds. Total is the
	// sum of the others, or the time of a way of the processor.
	Calls    int     `json:"calls"`
	Total    float64 `json:"seconds"`
	Open     float64 `json:"openSeconds,omitempty"`
	Load     float64 `json:"loadSeconds,omitempty"`
	Allocate float64 `json:"allocateSeconds,omitempty"` // and free
	CopyIn   float64 `json:"copyInSeconds,omitempty"`
	Kernel   float64 `json:"kernelSeconds,omitempty"` // launch and wait
	CopyOut  float64 `json:"copyOutSeconds,omitempty"`
	// Speedup is the speed as a multiple of the processor's at this size, 0 where that was not
	// timed.
	Speedup float64 `json:"speedup"`
	Wrong   string  `json:"wrong,omitempty"`
}

// The ways. The first three use the processor alone.
const (
	WayGo       = "go"        // a loop on one core
	WayCore     = "cpu"       // package blas or metric, on one core
	WayCores    = "cpu-all"   // … on all cores
	WayFirst    = "first"     // the first call: opens the device and loads the kernel
	WayPageable = "pageable"  // a call like any other, of data in ordinary memory and pooled buffers
	WayPinned   = "pinned"    // … of data in pinned memory
	WayOnDevice = "on-device" // … of data that is on the device, as are the buffers
)

// phases are the times of a row.
var phases = []struct {
	name string
	of   func(r *EndRow) *float64
}{
	{"total", func(r *EndRow) *float64 { return &r.Total }},
	{"open", func(r *EndRow) *float64 { return &r.Open }},
	{"load", func(r *EndRow) *float64 { return &r.Load }},
	{"allocate", func(r *EndRow) *float64 { return &r.Allocate }},
	{"copy in", func(r *EndRow) *float64 { return &r.CopyIn }},
	{"kernel", func(r *EndRow) *float64 { return &r.Kernel }},
	{"copy out", func(r *EndRow) *float64 { return &r.CopyOut }},
}

// EndToEnd times whole calls at each size. open opens the device, once a size. Where o has no
// sizes, they are 1, 10 and 100 million elements, matrices of 300, 1000 and 3000 rows, and less on
// the simulator.
func EndToEnd(ctx context.Context, open func() (*gridstride.Device, error), o Options) (rows []EndRow, err error) {
	if o.Data == "" {
		o.Data = Random
	}
	if slices.Contains(names, o.What) && !kinds[o.What].calls {
		return nil, fmt.Errorf("bench: %s is not timed end to end: take blas or matmul", o.What)
	}
	if len(o.Sizes) == 0 {
		if o.Sizes, err = endSizes(open, o.What); err != nil {
			return nil, err
		}
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	for _, size := range o.Sizes {
		more, err := endToEndOf(ctx, open, &o, size)
		if err != nil {
			return nil, fmt.Errorf("%s of %s, %s, end to end: %w", o.What, o.DType, size.shape(o.What), err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// endSizes are the sizes where none are given.
func endSizes(open func() (*gridstride.Device, error), what string) (sizes []Size, err error) {
	dev, err := open()
	if err != nil {
		return nil, err
	}
	lengths, sides := []int{1_000_000, 10_000_000, 100_000_000}, []int{300, 1000, 3000}
	if dev.Info().Backend == "sim" {
		lengths, sides = []int{1000, 10_000, 100_000}, []int{32, 64, 128}
	}
	if kinds[what].product {
		for _, n := range sides {
			sizes = append(sizes, Size{N: n, M: n, L: n})
		}
		return sizes, dev.Close()
	}
	for _, n := range lengths {
		sizes = append(sizes, Size{N: n})
	}
	return sizes, dev.Close()
}

func endToEndOf(ctx context.Context, open func() (*gridstride.Device, error), o *Options, size Size) ([]EndRow, error) {
	switch o.What + " " + o.DType {
	case "dot float32":
		return endToEnd(ctx, open, o, size, endDot[float32])
	case "dot float64":
		return endToEnd(ctx, open, o, size, endDot[float64])
	case "reduce float32":
		return endToEnd(ctx, open, o, size, endReduce[float32])
	case "reduce float64":
		return endToEnd(ctx, open, o, size, endReduce[float64])
	case "reduce int32":
		return endToEnd(ctx, open, o, size, endReduce[int32])
	case "reduce int64":
		return endToEnd(ctx, open, o, size, endReduce[int64])
	case "matmul float32":
		return endToEnd(ctx, open, o, size, endMatmul[float32])
	case "matmul float64":
		return endToEnd(ctx, open, o, size, endMatmul[float64])
	case "blas float32", "metric float32":
		return endNumbersOf[float32](ctx, open, o, size)
	case "blas float64", "metric float64":
		return endNumbersOf[float64](ctx, open, o, size)
	}
	panic("BUG: options that were not checked")
}

// endNumbersOf times the numbers of a benchmark, whose rows bear their names.
func endNumbersOf[T float](ctx context.Context, open func() (*gridstride.Device, error), o *Options,
	size Size) (rows []EndRow, err error) {
	for _, name := range endNumbers[o.What] {
		of := *o
		of.What = name
		more, err := endToEnd(ctx, open, &of, size, endNumber[T](o.What, name))
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}
