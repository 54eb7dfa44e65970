package lab

import (
	"context"

	"github.com/gridstride/gridstride/internal/language/sourcetext"
	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/runptx"
	"github.com/gridstride/gridstride/internal/tour/picture"
)

// Verdict has the checks' words about a launch.
type Verdict struct {
	Error    string    `json:"error"` // why it could not be checked
	Undone   []string  `json:"undecided"`
	Findings []Finding `json:"findings"`
	Seen     uint64    `json:"seen"` // accesses and barriers that the checks have looked at
}

// Finding is one thing that the checks have found.
type Finding struct {
	*report.Finding
	Lines []int         `json:"lines"` // of the witnesses
	Race  *picture.Race `json:"race,omitempty"`
}

// orders is how many orders a launch is checked in.
const orders = 2

// raceOrders is in how many orders a race's accesses are looked for.
const raceOrders = 6

// maxRaces is how many races of a launch are shown in both orders.
const maxRaces = 3

// Check checks a launch.
func (c *Compiled) Check(ctx context.Context, l Launch) *Verdict {
	v := &Verdict{Findings: []Finding{}, Undone: []string{}}
	job, k, err := c.job(l)
	if err != nil {
		v.Error = err.Error()
		return v
	}
	texts := sourcetext.Texts{pagePath + "/" + pageFile: c.text}
	found, err := job.Check(ctx, runptx.Observation{
		Options: check.Options{Orders: orders, Seed: 1, Budget: budget, TimeLimit: timeLimit, Kernel: k.Name}, Sources: texts,
	})
	if err != nil {
		v.Error = c.words(err)
		return v
	}
	v.Undone = append(v.Undone, found.Undone...)
	for _, t := range found.Tools {
		v.Seen += t.Seen
	}
	races := 0
	for _, f := range found.Findings {
		x := Finding{Finding: f, Lines: []int{}}
		for _, w := range f.Witnesses {
			x.Lines = append(x.Lines, c.witnessLine(w))
		}
		if races < maxRaces {
			if x.Race = c.race(ctx, l, f); x.Race != nil {
				races++
			}
		}
		v.Findings = append(v.Findings, x)
	}
	return v
}

// witnessLine is the line of the program of a witness; 0 if it has none.
func (c *Compiled) witnessLine(w report.Witness) int {
	if c.source {
		return ptxLine(w)
	}
	if isPage(w.Source.File) {
		return w.Source.Line
	}
	for _, p := range w.Stack {
		if isPage(p.File) {
			return p.Line
		}
	}
	return 0
}

// race runs a launch in several orders, to see how the two accesses of a race go. It is nil for a
// finding that is no race of two threads, and for one whose accesses no order shows.
func (c *Compiled) race(ctx context.Context, l Launch, f *report.Finding) *picture.Race {
	r := picture.NewRace(f, c.witnessLine)
	if r == nil {
		return nil
	}
	for i := range raceOrders {
		s := r.Sight(f)
		l.Order = i
		ran := c.Run(ctx, l, s)
		r.Names = append(r.Names, ran.order)
		if o, ok := s.Order(); ok {
			o.Name, o.Values, o.Result = ran.order, [2]string{value(o.Bytes[0], f), value(o.Bytes[1], f)}, ran.summary(l)
			r.Add(o)
		}
		if len(r.Orders) == 2 {
			break
		}
	}
	if len(r.Orders) == 0 {
		return nil
	}
	return r
}
