package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gridstride/gridstride"
)

// callBencher is the calls of one size under way.
type callBencher[T element] struct {
	o    *Options
	size Size
	task endTask[T]
	dev  *gridstride.Device
	s    *gridstride.Stream
	rows []EndRow
}

func endToEnd[T element](ctx context.Context, open func() (*gridstride.Device, error), o *Options, size Size,
	task func(o *Options, size Size) endTask[T]) (_ []EndRow, err error) {
	es := &callBencher[T]{o: o, size: size, task: task(o, size)}
	start := time.Now()
	if es.dev, err = open(); err != nil {
		return nil, err
	}
	opened := time.Since(start).Seconds()
	defer func() { err = errors.Join(err, es.dev.Close()) }()
	info := es.dev.Info()
	o.Setting.Device, o.Setting.Capability, o.Setting.Driver = info.Name, info.Capability, info.Driver
	es.s = es.dev.NewStream()
	defer es.s.Close()
	if err := es.first(ctx, opened); err != nil {
		return nil, err
	}
	if err := es.again(ctx); err != nil {
		return nil, err
	}
	for _, way := range es.task.processor {
		es.o.progress("%s, %s: %s", o.What, size.shape(o.What), way.name)
		es.processor(way)
	}
	es.speedups()
	return es.rows, nil
}

// row makes a row of the medians of calls.
func (es *callBencher[T]) row(way string, calls []EndRow, wrong string) {
	row := EndRow{Setting: es.o.Setting, What: es.o.What, DType: es.o.DType, Data: es.o.Data, Size: es.size, Way: way,
		Simulated: es.dev.Info().Backend == "sim", Calls: len(calls), Wrong: wrong}
	for _, field := range phases {
		var samples []float64
		for i := range calls {
			samples = append(samples, *field.of(&calls[i]))
		}
		slices.Sort(samples)
		*field.of(&row) = samples[len(samples)/2]
	}
	es.rows = append(es.rows, row)
}

// clock gives the time since it was last asked, or made.
type clock struct{ last time.Time }

func (c *clock) lap() float64 {
	now := time.Now()
	d := now.Sub(c.last)
	c.last = now
	return d.Seconds()
}

func (es *callBencher[T]) ordinary() (in []hostMemory[T], out hostMemory[T]) {
	for _, x := range es.task.inputs {
		in = append(in, hostMemory[T]{data: x})
	}
	return in, hostMemory[T]{data: make([]T, es.task.outputs)}
}

// first is the first call on a device that took opened seconds to open.
func (es *callBencher[T]) first(ctx context.Context, opened float64) error {
	es.o.progress("%s, %s: first call", es.o.What, es.size.shape(es.o.What))
	c := clock{time.Now()}
	plan, err := es.task.load(es.dev, es.s)
	if err != nil {
		return err
	}
	load := c.lap()
	in, out := es.ordinary()
	row, wrong, err := es.call(ctx, plan, in, out)
	if err := errors.Join(err, plan.free()); err != nil {
		return err
	}
	row.Open, row.Load = opened, load
	row.Total += opened + load
	es.row(WayFirst, []EndRow{row}, wrong)
	return nil
}

// call makes buffers, copies the data there, runs the kernel, copies the result back and frees the
// buffers.
func (es *callBencher[T]) call(ctx context.Context, plan endPlan[T], in []hostMemory[T], out hostMemory[T]) (row EndRow,
	wrong string, err error) {
	c := clock{time.Now()}
	buffers := make([]gridstride.Buffer[T], len(in))
	for i := range in {
		if buffers[i], err = gridstride.Make[T](es.dev, len(in[i].data)); err != nil {
			return row, "", errors.Join(err, freeAll(buffers))
		}
	}
	row.Allocate = c.lap()
	for i := range in {
		if err := in[i].write(ctx, es.s, buffers[i]); err != nil {
			return row, "", errors.Join(err, freeAll(buffers))
		}
	}
	if err := es.s.Wait(ctx); err != nil {
		return row, "", errors.Join(err, freeAll(buffers))
	}
	row.CopyIn = c.lap()
	result, err := es.compute(ctx, plan, buffers, out, &row)
	c.lap()
	if err := errors.Join(err, freeAll(buffers)); err != nil {
		return row, "", err
	}
	row.Allocate += c.lap()
	row.Total = row.Allocate + row.CopyIn + row.Kernel + row.CopyOut
	return row, es.task.wrong(result, true), nil
}

// compute runs the kernel and copies the result back.
func (es *callBencher[T]) compute(ctx context.Context, plan endPlan[T], in []gridstride.Buffer[T], out hostMemory[T],
	row *EndRow) ([]T, error) {
	c := clock{time.Now()}
	if err := plan.launch(es.s, in); err != nil {
		return nil, err
	}
	if err := es.s.Wait(ctx); err != nil {
		return nil, err
	}
	row.Kernel = c.lap()
	result, err := plan.read(ctx, es.s, out)
	row.CopyOut = c.lap()
	row.Total = row.Kernel + row.CopyOut
	return result, err
}

func freeAll[T element](buffers []gridstride.Buffer[T]) (err error) {
	for _, b := range buffers {
		err = errors.Join(err, b.Free())
	}
	return err
}

// Calls are repeated until they have taken repeatTime, fewestCalls at least and mostCalls at most.
const (
	repeatTime  = 300 * time.Millisecond
	fewestCalls = 3
	mostCalls   = 21
)

// repeated makes a row of repeated calls, after one that is not counted.
func (es *callBencher[T]) repeated(way string, call func() (EndRow, string, error)) error {
	es.o.progress("%s, %s: %s", es.o.What, es.size.shape(es.o.What), way)
	if _, _, err := call(); err != nil {
		return fmt.Errorf("%s: %w", way, err)
	}
	var calls []EndRow
	wrong := ""
	for start := time.Now(); len(calls) < fewestCalls || len(calls) < mostCalls && time.Since(start) < repeatTime; {
		row, bad, err := call()
		if err != nil {
			return fmt.Errorf("%s: %w", way, err)
		}
		if bad != "" {
			wrong = bad
		}
		calls = append(calls, row)
	}
	es.row(way, calls, wrong)
	return nil
}

// again is the calls after the first.
func (es *callBencher[T]) again(ctx context.Context) (err error) {
	plan, err := es.task.load(es.dev, es.s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plan.free()) }()
	in, out := es.ordinary()
	if err := es.repeated(WayPageable, func() (EndRow, string,
		error) {
		return es.call(ctx, plan, in, out)
	}); err != nil {
		return err
	}
	if err := es.pinned(ctx, plan); err != nil {
		return err
	}
	buffers := make([]gridstride.Buffer[T], len(in))
	defer func() { err = errors.Join(err, freeAll(buffers)) }()
	for i := range in {
		if buffers[i], err = gridstride.CopyOf(es.dev, in[i].data); err != nil {
			return err
		}
	}
	return es.repeated(WayOnDevice, func() (row EndRow, wrong string, err error) {
		result, err := es.compute(ctx, plan, buffers, out, &row)
		if err == nil {
			wrong = es.task.wrong(result, true)
		}
		return row, wrong, err
	})
}

// pinned is the calls of data in pinned memory.
func (es *callBencher[T]) pinned(ctx context.Context, plan endPlan[T]) (err error) {
	pin := func(n int) (h hostMemory[T], err error) {
		h.pinned, err = gridstride.MakePinned[T](es.dev, n)
		h.data = h.pinned.Data()
		return h, err
	}
	var in []hostMemory[T]
	out, err := pin(es.task.outputs)
	defer func() {
		for _, h := range append(in, out) {
			err = errors.Join(err, h.pinned.Free())
		}
	}()
	if err != nil {
		return err
	}
	for _, x := range es.task.inputs {
		h, err := pin(len(x))
		if err != nil {
			return err
		}
		copy(h.data, x)
		in = append(in, h)
	}
	return es.repeated(WayPinned, func() (EndRow, string, error) { return es.call(ctx, plan, in, out) })
}

// processor is the calls of a way that needs no device.
func (es *callBencher[T]) processor(way processorWay[T]) {
	var calls []EndRow
	wrong := ""
	for start := time.Now(); len(calls) == 0 || len(calls) < mostCalls && time.Since(start) < repeatTime; {
		c := clock{time.Now()}
		result := way.run()
		calls = append(calls, EndRow{Total: c.lap()})
		wrong = es.task.wrong(result, false)
	}
	es.row(way.name, calls, wrong)
}

// speedups fills in the speeds against the processor's fastest way, where one was timed.
func (es *callBencher[T]) speedups() {
	host := math.Inf(1)
	for _, way := range es.task.processor {
		for _, r := range es.rows {
			if r.Way == way.name {
				host = min(host, r.Total)
			}
		}
	}
	if math.IsInf(host, 1) {
		return
	}
	for i := range es.rows {
		if es.rows[i].Total > 0 {
			es.rows[i].Speedup = host / es.rows[i].Total
		}
	}
}
