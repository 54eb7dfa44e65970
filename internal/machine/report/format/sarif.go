package format

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// rules are the kinds with what they say, for SARIF, in its order.
var rules = []struct {
	kind report.Kind
	text string
}{
	{report.Race, "two threads access one place, one of them writes, and nothing orders them"},
	{report.SameValue, "threads write the same value to one place, and nothing orders them"},
	{report.OutOfBounds, "an access outside of what is allocated"},
	{report.Misaligned, "an access at an address that is no multiple of its size"},
	{report.UseAfterFree, "an access to memory that was freed"},
	{report.NoPeer, "an access to the shared memory of a block of the cluster that has ended, or that there is not"},
	{report.BadFree, "a kernel frees what its malloc did not return, or frees it twice"},
	{report.NullPointer, "an access through a null pointer"},
	{report.BadAddress, "an access to another address space, or a write to constant memory"},
	{report.Trap, "the kernel stopped itself, or called or branched nowhere"},
	{report.FailedCheck, "a check that the kernel makes itself failed"},
	{report.Uninitialized, "a use of data that nothing has written"},
	{report.Barrier, "a block barrier that not all threads of the block reach"},
	{report.WarpSync, "a warp operation whose mask and lanes do not fit"},
	{report.NoProgress, "a kernel that does not end"},
	{unusedAllow, "a comment that allows findings where there are none, or gives no reason"},
}

// unusedAllow is the rule that an idle //gpu:allow comment breaks. It is no finding of a tool.
const unusedAllow report.Kind = "unused-allow"

// The parts of SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format) that a report needs.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver struct {
			Name  string      `json:"name"`
			Rules []sarifRule `json:"rules"`
		} `json:"driver"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Properties   *sarifProperties   `json:"properties,omitempty"`
	}
	sarifLocation struct {
		ID       int `json:"id,omitempty"`
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region *sarifRegion `json:"region,omitempty"`
		} `json:"physicalLocation"`
		Logical []sarifLogical `json:"logicalLocations,omitempty"`
		Message *sarifText     `json:"message,omitempty"`
	}
	sarifRegion struct {
		StartLine   int        `json:"startLine"`
		StartColumn int        `json:"startColumn,omitempty"`
		Snippet     *sarifText `json:"snippet,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifProperties struct {
		Tests        []string `json:"tests,omitempty"`
		LaunchedFrom string   `json:"launchedFrom,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
)

// SARIF writes the findings of a report in the format of code scanners.
func SARIF(w io.Writer, r *report.Report) error {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver.Name = "gridstride"
	for _, rule := range rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{string(rule.kind), sarifText{rule.text}})
	}
	for _, f := range r.Findings {
		run.Results = append(run.Results, findingResult(f))
	}
	for _, a := range r.Unused() {
		run.Results = append(run.Results, unusedResult(&a))
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func findingResult(f *report.Finding) sarifResult {
	r := newSarifResult(f.Kind, "error", message(f))
	switch f.Level {
	case report.Note:
		r.Level = "note"
	case report.Pedantic:
		r.Level = "warning"
	}
	for i := range f.Witnesses {
		l := location(&f.Witnesses[i])
		if i == 0 {
			l.Logical = []sarifLogical{{f.Kernel, "function"}}
			r.Locations = append(r.Locations, l)
			continue
		}
		l.ID = i
		l.Message = &sarifText{f.Witnesses[i].Role}
		r.Related = append(r.Related, l)
	}
	if f.Allowed != "" {
		r.Suppressions = []sarifSuppression{{"inSource", f.Allowed}}
	}
	if len(f.Tests) > 0 || f.LaunchedFrom != "" {
		r.Properties = &sarifProperties{f.Tests, f.LaunchedFrom}
	}
	return r
}

// unusedResult is an allowance that allows nothing.
func unusedResult(a *report.Allowance) sarifResult {
	r := newSarifResult(unusedAllow, "note", fmt.Sprintf("//gpu:allow %s %s", a.What, a.Idle()))
	w := report.Witness{Source: event.Position{File: a.File, Line: a.Line}}
	r.Locations = []sarifLocation{location(&w)}
	return r
}

func newSarifResult(rule report.Kind, level, message string) sarifResult {
	r := sarifResult{RuleID: string(rule), Level: level, Message: sarifText{message}}
	for i := range rules {
		if rules[i].kind == rule {
			r.RuleIndex = i
		}
	}
	return r
}

// message is the finding in a sentence or two.
func message(f *report.Finding) string {
	s := fmt.Sprintf("%s: %s", f.Kind, f.Summary)
	if f.Object != nil {
		s += " (" + f.Object.Element(f.Object.Index) + ")"
	}
	if f.Why != "" {
		s += "; " + f.Why
	}
	if f.Fix != "" {
		s += "; fix: " + f.Fix
	}
	return s
}

func location(p *report.Witness) sarifLocation {
	var l sarifLocation
	l.Physical.Artifact.URI = uri(p.Source.File)
	if p.Source.Line == 0 { // PTX without line information
		var line int
		if _, err := fmt.Sscanf(p.PTX, "ptx:%d:", &line); err == nil {
			l.Physical.Region = &sarifRegion{StartLine: line}
		}
		return l
	}
	l.Physical.Region = &sarifRegion{StartLine: p.Source.Line, StartColumn: p.Source.Col}
	if p.Text != "" {
		l.Physical.Region.Snippet = &sarifText{p.Text}
	}
	return l
}

// uri is a file name as SARIF writes it: with forward slashes, and what URIs do not allow as its
// code.
func uri(file string) string {
	u := url.URL{Path: strings.ReplaceAll(file, `\`, "/")}
	return u.EscapedPath()
}
