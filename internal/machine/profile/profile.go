// Package profile adds up what launches did, kernel by kernel and source line by source line, and
// shows it: as text, as JSON, and as a page of HTML with the annotated source. The counts
// themselves are package counters'.
package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/counters"
)

// Report is the counts of launches.
type Report struct {
	Kernels    []*Kernel `json:"kernels"` // sorted by name and file
	Launches   int       `json:"launches"`
	Total      Counts    `json:"total"`
	Limits     *Limits   `json:"limits,omitempty"`     // of the device that On was given
	Incomplete []string  `json:"incomplete,omitempty"` // why not everything was counted: "interrupted"
}

// Kernel is the counts of all launches of a kernel.
type Kernel struct {
	Name     string    `json:"kernel"`
	File     string    `json:"file"`     // its source, as the PTX names it; "" without line information
	Launches []Launch  `json:"launches"` // the most frequent first
	Total    Counts    `json:"total"`
	Roofline *Roofline `json:"roofline,omitempty"` // if Report.On was called
	Lines    []*Line   `json:"lines"`              // sorted by file and line, the lines of File first
}

// Launch is a grid that a kernel was launched with, and how often.
type Launch struct {
	Grid  [3]int `json:"grid"`
	Block [3]int `json:"block"`
	Count int    `json:"count"`
}

// Line is the counts of the instructions of a source line. In PTX without line information it is a
// line of the PTX, and File is empty.
type Line struct {
	File string `json:"file"` // as the PTX names it
	Line int    `json:"line"`
	Func string `json:"function"`       // of the PTX
	Text string `json:"text,omitempty"` // without white space around it; "" if it is not known
	Counts
}

// Counts are the counters and what follows from them.
type Counts struct {
	counters.Counts
	ActiveLanes float64 `json:"activeLanes"`           // of 32, in an instruction, on average
	GlobalRatio float64 `json:"globalRatio,omitempty"` // sectors to the fewest possible; 0 without requests
	SharedRatio float64 `json:"sharedRatio,omitempty"` // passes to the fewest possible; 0 without requests
	// BytesInFlight is the average number of bytes of the line's copies that are under way to a block.
	// The lines of a kernel add up to the kernel's.
	BytesInFlight float64 `json:"bytesInFlight,omitempty"`
}

func (c *Counts) add(o *counters.Counts) {
	c.Add(o)
	c.ActiveLanes, c.GlobalRatio, c.SharedRatio = c.Counts.ActiveLanes(), c.Counts.GlobalRatio(), c.Counts.SharedRatio()
}

// Sum adds up the profiles of launches. The zero value is empty. It is not for several goroutines
// at once.
type Sum struct {
	kernels map[kernelKey]*kernelSum
	total   Counts
	n       int
}

// kernelKey tells kernels apart: the programs of two packages may both have a kernel main.Partial.
type kernelKey struct{ name, file string }

type kernelSum struct {
	launches map[[2][3]int]int // by grid and block
	total    Counts
	lines    map[lineKey]*Line
}

type lineKey struct {
	file, function string
	line           int
}

// Add adds the profile of a launch. One that was refused, and did nothing, does not count.
func (s *Sum) Add(p *counters.Profile) {
	if p.Total.Instructions == 0 {
		return
	}
	if s.kernels == nil {
		s.kernels = map[kernelKey]*kernelSum{}
	}
	key := kernelKey{p.Kernel, p.File}
	k := s.kernels[key]
	if k == nil {
		k = &kernelSum{launches: map[[2][3]int]int{}, lines: map[lineKey]*Line{}}
		s.kernels[key] = k
	}
	s.n++
	s.total.add(&p.Total)
	k.launches[[2][3]int{p.Grid, p.Block}]++
	k.total.add(&p.Total)
	for i := range p.Lines {
		k.line(&p.Lines[i]).add(&p.Lines[i].Counts)
	}
}

// line is the sum for a line.
func (k *kernelSum) line(p *counters.LineProfile) *Line {
	key := lineKey{file: p.Source.File, line: p.Source.Line}
	if key.file == "" {
		key.function = p.Func // the PTX of two functions may be in two files
	}
	l := k.lines[key]
	if l == nil {
		l = &Line{File: p.Source.File, Line: p.Source.Line, Func: p.Func, Text: strings.TrimSpace(p.Text)}
		k.lines[key] = l
	}
	return l
}

// Launches is how many there were.
func (s *Sum) Launches() int { return s.n }

// Report is the sum so far. It does not depend on the order of the launches.
func (s *Sum) Report() *Report {
	r := &Report{Kernels: []*Kernel{}, Launches: s.n, Total: s.total}
	r.Total.BytesInFlight = s.total.Counts.BytesInFlight(s.total.ChainInstructions)
	for key, k := range s.kernels {
		r.Kernels = append(r.Kernels, k.report(key))
	}
	slices.SortFunc(r.Kernels, func(x, y *Kernel) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), strings.Compare(x.File, y.File))
	})
	return r
}

func (k *kernelSum) report(key kernelKey) *Kernel {
	out := &Kernel{Name: key.name, File: key.file, Total: k.total}
	chain := k.total.ChainInstructions
	out.Total.BytesInFlight = k.total.Counts.BytesInFlight(chain)
	for l, n := range k.launches {
		out.Launches = append(out.Launches, Launch{Grid: l[0], Block: l[1], Count: n})
	}
	slices.SortFunc(out.Launches, func(x, y Launch) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), slices.Compare(y.Grid[:], x.Grid[:]),
			slices.Compare(y.Block[:], x.Block[:]))
	})
	for _, l := range k.lines {
		copied := *l
		copied.BytesInFlight = l.Counts.Counts.BytesInFlight(chain)
		out.Lines = append(out.Lines, &copied)
	}
	slices.SortFunc(out.Lines, out.compareLines)
	return out
}

// compareLines sorts by file and line, the kernel's own file first, and lines of PTX by function
// before that.
func (k *Kernel) compareLines(x, y *Line) int {
	switch {
	case x.File == y.File && x.File == "":
		return cmp.Or(strings.Compare(x.Func, y.Func), cmp.Compare(x.Line, y.Line))
	case x.File == y.File:
		return cmp.Compare(x.Line, y.Line)
	case x.File == k.File:
		return -1
	case y.File == k.File:
		return 1
	}
	return strings.Compare(x.File, y.File)
}
