// Package report is the output of the checks: findings with their witnesses, their identity, and
// the merge of the reports of several launches. Package format, below it, prints them.
package report

import (
	"slices"

	"github.com/gridstride/gridstride/internal/machine/counters"
)

// Report is the checks' report about one launch, or, merged, about several.
type Report struct {
	Launches int                 `json:"launches"`
	Tools    []ToolRun           `json:"tools"`
	Orders   []OrderRun          `json:"orders,omitempty"` // of the launch; not kept by Merge
	Findings []*Finding          `json:"findings"`
	Profiles []*counters.Profile `json:"profiles,omitempty"`
	Undone   []string            `json:"undecided,omitempty"` // why a check could not decide, each once
	Allows   []Allowance         `json:"allowances,omitempty"`
}

// ToolRun says what one tool looked at. A tool that saw nothing has not passed.
type ToolRun struct {
	Tool     Tool   `json:"tool"`
	Seen     uint64 `json:"seen"`     // lane accesses, or barriers and warp operations for synccheck
	Findings int    `json:"findings"` // of level error, or pedantic when asked for
}

// OrderRun is one run of the launch.
type OrderRun struct {
	Name string `json:"name"` // "ascending", "descending", "random seed 7"
	Seed uint64 `json:"seed"`
	Err  string `json:"error,omitempty"` // why it did not come to its end
	// Cause is the simulator's error: also of a run that came to its end in spite of faults.
	Cause error `json:"-"`
}

// Allowance is a //gpu:allow comment that was met, and how many findings it covers.
type Allowance struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Kernel string `json:"kernel"`
	What   Kind   `json:"what"`
	Reason string `json:"reason"`
	Used   int    `json:"used"`
}

// Idle says why an unused comment allows nothing.
func (a *Allowance) Idle() string {
	if a.Reason == "" {
		return "needs a reason: //gpu:allow race <reason>"
	}
	return "allows nothing: no such finding here"
}

// Verdict is the outcome of a check. Its value is the command's exit status.
type Verdict int

// The verdicts.
const (
	Clean     Verdict = 0
	Found     Verdict = 1
	Undecided Verdict = 2 // a run timed out, or a tool did not run
)

// Verdict is Found when a finding fails the check, else Undecided when a run did not come to its
// end or no tool saw anything, else Clean.
func (r *Report) Verdict() Verdict {
	switch {
	case len(r.Failures()) > 0:
		return Found
	case len(r.Undone) > 0 || !slices.ContainsFunc(r.Tools, func(t ToolRun) bool { return t.Seen > 0 }):
		return Undecided
	}
	return Clean
}

// Unused are the //gpu:allow comments that were met and allow nothing, or give no reason.
func (r *Report) Unused() []Allowance {
	return slices.DeleteFunc(slices.Clone(r.Allows), func(a Allowance) bool { return a.Used > 0 })
}

// Failures are the findings that fail the check: no notes, none that a comment allows.
func (r *Report) Failures() []*Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings),
		func(f *Finding) bool { return f.Level == Note || f.Allowed != "" })
}

// AddUndone adds why a check could not decide, once.
func (r *Report) AddUndone(why string) {
	if !slices.Contains(r.Undone, why) {
		r.Undone = append(r.Undone, why)
	}
}
