package bench

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// A sample takes about sampleTime, except on the simulator, where it is one launch. There are most
// rounds of them. A variant whose rounds would take longer than variantTime has fewer, but at least
// fewest. A round has a sample of every variant, and the order is turned round from one to the
// next, so that no variant bears the changes of clock and temperature alone.
const (
	mostRounds   = 11
	fewestRounds = 3
	sampleTime   = 5 * time.Millisecond
	variantTime  = 500 * time.Millisecond
	mostRepeat   = 200
)

// limitFor is the longest time of a run, by its place: a longer one runs on a part, unless the
// variant is named.
var limitFor = map[string]time.Duration{"device": time.Second, "host": 2 * time.Second, "simulator": 20 * time.Second}

// timing is a row being made.
type timing struct {
	candidate
	row     *Row
	size    int
	repeat  int // launches a sample
	rounds  int
	samples []time.Duration // a launch
}

// measure warms every candidate up, compares its result, and times it.
func (ss *bencher) measure(ctx context.Context, p *problem) ([]Row, error) {
	rows := make([]Row, len(p.candidates))
	var onDevice, onHost []*timing
	for i, e := range p.candidates {
		rows[i] = ss.row(p, e)
		t := &timing{candidate: e, row: &rows[i], size: p.full}
		ss.progress("%s, %s: first run of %s", ss.o.What, rows[i].shape(ss.o.What), e.variant)
		if err := ss.prepare(ctx, p, t); err != nil {
			if !e.rival || ctx.Err() != nil {
				return nil, fmt.Errorf("%s: %w", e.variant, err)
			}
			rows[i].Skipped = err.Error()
		}
		switch {
		case rows[i].Skipped != "":
		case e.host != nil:
			onHost = append(onHost, t)
		default:
			onDevice = append(onDevice, t)
		}
	}
	if len(onDevice) > 0 {
		if err := ss.yard.warm(ss.s); err != nil {
			return nil, err
		}
	}
	for _, list := range [][]*timing{onDevice, onHost} { // apart: the device's clock falls while the host works
		if err := ss.time(ctx, list); err != nil {
			return nil, err
		}
		for _, t := range list {
			t.finish(p)
		}
	}
	for i := range rows {
		if rows[0].Rate > 0 {
			rows[i].Speedup = rows[i].Rate / rows[0].Rate
		}
	}
	return rows, nil
}

// row returns the row of a candidate before it has run.
func (ss *bencher) row(p *problem, e candidate) Row {
	row := Row{Setting: ss.o.Setting, What: ss.o.What, Variant: e.variant, About: e.about, DType: ss.o.DType,
		Data: ss.o.Data,
		Size: p.sized(p.full), ran: p.full, Skipped: e.skipped, On: "device", Unit: "GB/s"}
	if kinds[ss.o.What].operations {
		row.Unit = "GFLOP/s"
	}
	switch {
	case e.host != nil:
		row.On = "host"
	case ss.simulated():
		row.On = "simulator"
	}
	return row
}

// prepare decides on the size, runs the candidate once and compares the result, and decides how
// often to run it.
func (ss *bencher) prepare(ctx context.Context, p *problem, t *timing) error {
	if t.row.Skipped != "" {
		return nil
	}
	if err := ss.limit(ctx, p, t); err != nil {
		return err
	}
	took, err := ss.sample(ctx, t.candidate, t.size, 1)
	if err != nil {
		return err
	}
	if t.row.Error, t.row.Wrong, err = t.result(ctx, ss.s, t.size); err != nil {
		return err
	}
	if took < limitFor[t.row.On] { // in a longer run, what happens once is lost
		if took, err = ss.sample(ctx, t.candidate, t.size, 1); err != nil {
			return err
		}
	}
	t.repeat, t.rounds = 1, 3
	if t.row.On != "simulator" {
		t.repeat = max(1, min(int(sampleTime/max(took, 1)), mostRepeat))
		t.rounds = max(fewestRounds, min(int(variantTime/max(took, 1)), mostRounds))
	}
	return nil
}

// limit takes the candidate's part where the whole would take too long.
func (ss *bencher) limit(ctx context.Context, p *problem, t *timing) error {
	if t.part == 0 || t.part >= p.full || slices.Contains(ss.o.Variants, t.variant) {
		return nil
	}
	var took time.Duration
	runs := 2 // the first loads the kernel
	if t.host != nil {
		runs = 1
	}
	for range runs {
		var err error
		if took, err = ss.sample(ctx, t.candidate, t.part, 1); err != nil {
			return err
		}
	}
	expected := time.Duration(float64(took) * p.work(p.full) / p.work(t.part))
	if expected <= limitFor[t.row.On] {
		return nil
	}
	t.row.Limited = fmt.Sprintf("%s would take about %v", p.sized(p.full).shape(ss.o.What), expected.Round(time.Second))
	whole := t.row.Size
	t.size, t.row.ran, t.row.Size, t.row.Whole = t.part, t.part, p.sized(t.part), &whole
	return nil
}

// time takes the samples.
func (ss *bencher) time(ctx context.Context, list []*timing) error {
	for round := range mostRounds {
		for k := range list {
			t := list[k]
			if round%2 == 1 {
				t = list[len(list)-1-k]
			}
			if round >= t.rounds {
				continue
			}
			ss.progress("%s, %s: round %d of %d, %s", ss.o.What, t.row.shape(ss.o.What), round+1, t.rounds, t.variant)
			took, err := ss.sample(ctx, t.candidate, t.size, t.repeat)
			if err != nil {
				return fmt.Errorf("%s: %w", t.variant, err)
			}
			t.samples = append(t.samples, took/time.Duration(t.repeat))
		}
	}
	return nil
}

// finish puts what the samples say into the row.
func (t *timing) finish(p *problem) {
	slices.Sort(t.samples)
	n := len(t.samples)
	t.row.Launches = n * t.repeat
	t.row.Least, t.row.Median, t.row.Most = t.samples[0].Seconds(), t.samples[n/2].Seconds(), t.samples[n-1].Seconds()
	if t.row.Median > 0 {
		t.row.Rate = p.work(t.size) / t.row.Median / 1e9
		if t.share > 0 {
			t.row.Rate *= t.share
		}
	}
}

// sample is the time that count runs of a candidate take together: by the device's clock, or the
// host's for what runs there.
func (ss *bencher) sample(ctx context.Context, e candidate, size, count int) (time.Duration, error) {
	if e.host != nil {
		start := time.Now()
		for range count {
			e.host(size)
			if err := ctx.Err(); err != nil {
				return 0, err
			}
		}
		return time.Since(start), nil
	}
	if count > 1 {
		if err := ss.yard.occupy(ss.s, count); err != nil {
			return 0, err
		}
	}
	start := ss.s.Record()
	for i := range count {
		if err := e.launch(ss.s, i, size); err != nil {
			return 0, err
		}
	}
	return ss.s.Record().Since(ctx, start)
}
