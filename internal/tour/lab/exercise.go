package lab

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strconv"
)

// Course is an exercise for a page: its hidden tests, and a simple kernel that is right.
type Course struct {
	Want   string  `json:"want"`  // the program with the simple kernel
	Tests  []Test  `json:"tests"` // the last one is measured
	Limits []Limit `json:"limits"`
	// Close is the relative error that numbers may have; 0 if they must have the same bytes.
	Close float64 `json:"close,omitempty"`
}

// Test is one launch of an exercise. The simple kernel is launched with one thread and the same
// arguments, and both must leave the same bytes.
type Test struct {
	Name string `json:"name"`
	Launch
}

// Limit bounds a count of the last test. A par is no bound: who stays below it has done well.
type Limit struct {
	Count string `json:"count"` // instructions, sectors, passes or barriers
	Most  uint64 `json:"most"`
	Par   bool   `json:"par"`
}

// Grade says how a program does at an exercise.
type Grade struct {
	Passed  bool      `json:"passed"`
	Errors  []Error   `json:"errors"` // of the compiler
	Trials  []Trial   `json:"tests"`
	Counted []Counted `json:"limits"`
}

// Trial says how a test went. Tests after the first that fails do not run.
type Trial struct {
	Name     string    `json:"name"`
	OK       bool      `json:"ok"`
	Why      string    `json:"why"`
	Findings []Finding `json:"findings,omitempty"`
}

// Counted is a limit with the count.
type Counted struct {
	Limit
	Got uint64 `json:"got"`
	OK  bool   `json:"ok"`
}

// Grade tests a program.
func (l *Lab) Grade(ctx context.Context, e *Course, text string) *Grade {
	g := &Grade{Errors: []Error{}, Trials: []Trial{}, Counted: []Counted{}}
	c := l.program(text)
	if len(c.Errors) > 0 {
		g.Errors = c.Errors
		return g
	}
	want := l.Compile(e.Want)
	if len(want.Errors) > 0 {
		g.Errors = append(g.Errors, Error{Message: "the exercise is broken: " + want.Errors[0].Message})
		return g
	}
	g.Passed = len(e.Tests) > 0
	for i, t := range e.Tests {
		trial, result := c.try(ctx, t, want, e.Close)
		g.Trials = append(g.Trials, trial)
		if !trial.OK {
			g.Passed = false
			return g
		}
		if i == len(e.Tests)-1 {
			g.limit(e.Limits, result)
		}
	}
	return g
}

// limit holds the counts of the last test to the limits.
func (g *Grade) limit(limits []Limit, r *Result) {
	for _, limit := range limits {
		got, ok := r.count(limit.Count)
		c := Counted{Limit: limit, Got: got, OK: ok && got <= limit.Most}
		g.Counted = append(g.Counted, c)
		g.Passed = g.Passed && (c.OK || limit.Par)
	}
}

// count is one of the counts of a launch, by the name that a Limit gives it.
func (r *Result) count(name string) (n uint64, ok bool) {
	switch name {
	case "instructions":
		return r.Total.Instructions, true
	case "sectors":
		return r.Total.GlobalSectors, true
	case "passes":
		return r.Total.SharedPasses, true
	case "barriers":
		return r.Total.BarrierWaits, true
	case "divergent":
		return r.Total.Divergent, true
	case "atomics":
		return r.Total.Atomics, true
	}
	return 0, false
}

// CountNames are the counts that a Limit may bound.
const CountNames = "instructions, sectors, passes, barriers, divergent, atomics"

// IsCount reports whether a Limit may bound a count.
func IsCount(name string) bool {
	_, ok := (&Result{}).count(name)
	return ok
}

// try runs and checks one test.
func (c *Compiled) try(ctx context.Context, t Test, want *Compiled, close float64) (Trial, *Result) {
	trial := Trial{Name: t.Name}
	got := c.Run(ctx, t.Launch, nil)
	if got.Error != "" {
		trial.Why = got.Error
		return trial, got
	}
	simple := t.Launch
	simple.Grid, simple.Block, simple.Shared, simple.Kernel = []int{1}, []int{1}, 0, ""
	right := want.Run(ctx, simple, nil)
	if right.Error != "" {
		trial.Why = "the exercise is broken: " + right.Error
		return trial, got
	}
	if trial.Why = got.differs(right, close); trial.Why != "" {
		return trial, got
	}
	v := c.Check(ctx, t.Launch)
	trial.Findings = v.Findings
	switch {
	case v.Error != "":
		trial.Why = v.Error
	case len(v.Findings) > 0:
		f := v.Findings[0]
		trial.Why = fmt.Sprintf("the results are right, and the checks find: %s: %s", f.Kind, f.Summary)
	}
	trial.OK = trial.Why == ""
	return trial, got
}

// differs says where results differ by more than a relative error; "" if they do not.
func (r *Result) differs(right *Result, close float64) string {
	for i := range r.Buffers {
		got, want := &r.Buffers[i], &right.Buffers[i]
		if bytes.Equal(got.bytes, want.bytes) {
			continue
		}
		for k := range got.Len {
			x, y := got.elem.Format(got.bytes, k), want.elem.Format(want.bytes, k)
			if x != y && !near(x, y, close) {
				return fmt.Sprintf("%s[%d] is %s; want %s", got.Name, k, x, y)
			}
		}
	}
	return ""
}

// near reports whether a number is as near to another as a relative error says.
func near(x, y string, close float64) bool {
	a, err := strconv.ParseFloat(x, 64)
	b, bad := strconv.ParseFloat(y, 64)
	return err == nil && bad == nil && math.Abs(a-b) <= close*max(math.Abs(a), math.Abs(b))
}
