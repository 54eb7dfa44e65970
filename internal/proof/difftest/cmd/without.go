package main

import (
	"context"
	"fmt"
	"maps"

	"github.com/gridstride/gridstride/internal/proof/difftest"
)

// each is the value of -without that stands for one pass after another.
const each = "each"

// withoutEach runs a campaign for each pass that may be left out. The seeds go on from one to the
// next.
func withoutEach(ctx context.Context, oracle *difftest.Oracle, c *difftest.Compiler, o options) (differ bool, err error) {
	all := record{Without: map[string]int{}}
	for _, name := range difftest.Optional() {
		device, err := c.Without(name)
		if err != nil {
			return differ, err
		}
		fmt.Printf("without %s: ", name)
		sum, err := campaign(ctx, difftest.Checker{Oracle: oracle, Device: device}, o)
		if err != nil {
			return differ, err
		}
		summarize(sum)
		all.Without[name] = sum.Programs
		all.add(sum)
		differ = all.Differ > 0
		o.seed += uint64(o.count)
	}
	return differ, write(all, o)
}

// add adds a campaign's summary to that of the ones before.
func (r *record) add(s difftest.Summary) {
	if r.Programs == 0 {
		r.Summary = s
		r.Kinds, r.Contain = maps.Clone(s.Kinds), maps.Clone(s.Contain)
		return
	}
	for kind, n := range s.Kinds {
		r.Kinds[kind] += n
	}
	for what, n := range s.Contain {
		r.Contain[what] += n
	}
	r.Programs += s.Programs
	r.Differ += s.Differ
	r.Seeds = append(r.Seeds, s.Seeds...)
	r.Timeouts += s.Timeouts
	r.Threads += s.Threads
	r.Failed += s.Failed
	r.WithFails += s.WithFails
	r.Lines += s.Lines
	r.Seconds += s.Seconds
}
