package counters

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// Profile has the counts of a launch by source line.
type Profile struct {
	Kernel string        `json:"kernel"`
	File   string        `json:"file"` // the kernel's source, as the PTX names it; "" without line information
	Grid   [3]int        `json:"grid"`
	Block  [3]int        `json:"block"`
	Total  Counts        `json:"total"`
	Lines  []LineProfile `json:"lines"` // sorted by file and line
}

// lineKey tells the lines of a profile apart. Without line information a line is one of the PTX,
// and without that a single instruction.
type lineKey struct {
	file     string
	line     int
	function string
	index    int
}

func keyOf(at *event.Site) lineKey {
	switch {
	case at.Source.Line > 0:
		return lineKey{file: at.Source.File, line: at.Source.Line}
	case at.Instr != nil && at.Instr.Pos.Line > 0:
		return lineKey{line: at.Instr.Pos.Line}
	}
	return lineKey{function: at.Func, index: at.Index}
}

// Profile makes the profile of a launch of e, with the given name for the kernel. text returns a
// line of a source file, "" when it is not known; nil is no text.
func (c *Counter) Profile(kernel string, e *event.Kernel, grid, block [3]int,
	text func(file string, line int) string) *Profile {
	p := &Profile{Kernel: kernel, File: c.kernelFile(e), Grid: grid, Block: block}
	lines := map[lineKey]*LineProfile{}
	for n, at := range c.sites {
		if c.counts[n] == (Counts{}) {
			continue
		}
		key := keyOf(at)
		if lines[key] == nil {
			lines[key] = lineOf(at, text)
		}
		lines[key].Add(&c.counts[n])
		p.Total.Add(&c.counts[n])
	}
	// Pointers are sorted: code that sorts the struct takes 40 KB of every program.
	inOrder := slices.SortedFunc(maps.Values(lines), func(x, y *LineProfile) int {
		return cmp.Or(cmp.Compare(x.Source.File, y.Source.File), cmp.Compare(x.Source.Line, y.Source.Line),
			cmp.Compare(x.Func, y.Func))
	})
	for _, l := range inOrder {
		p.Lines = append(p.Lines, *l)
	}
	return p
}

// lineOf is the line of an instruction, with nothing counted.
func lineOf(at *event.Site, text func(file string, line int) string) *LineProfile {
	line := &LineProfile{Source: event.Position{File: at.Source.File, Line: at.Source.Line}, Func: at.Func}
	switch {
	case at.Source.Line == 0 && at.Instr != nil:
		line.Text, line.Source.Line = at.Instr.String(), at.Instr.Pos.Line
	case at.Source.Line > 0 && text != nil:
		line.Text = strings.TrimSpace(text(at.Source.File, at.Source.Line))
	}
	return line
}

// kernelFile is the source file of the kernel itself, and not of a function that it calls.
func (c *Counter) kernelFile(e *event.Kernel) string {
	for _, at := range c.sites {
		if at.Func != e.Name || at.Source.Line == 0 {
			continue
		}
		if n := len(at.Stack); n > 0 {
			return at.Stack[n-1].File
		}
		return at.Source.File
	}
	return ""
}

// LineProfile has the counts of the instructions of one source line, or without line information of
// one instruction.
type LineProfile struct {
	Source event.Position `json:"source"` // Col is 0
	Func   string         `json:"function"`
	Text   string         `json:"text,omitempty"`
	Counts
}

// Counts are the counters. A request is a warp instruction that accesses memory. Its sectors are
// the distinct aligned 32-byte pieces of global memory that its lanes touch. Its passes are the
// turns that 32 banks of 4 bytes need to serve it.
type Counts struct {
	Instructions     uint64 `json:"instructions"` // warp instructions
	LaneInstructions uint64 `json:"laneInstructions"`

	GlobalRequests uint64 `json:"globalRequests"`
	GlobalSectors  uint64 `json:"globalSectors"`
	// GlobalIdealSectors is the fewest sectors that could hold the bytes that the lanes touch.
	GlobalIdealSectors uint64 `json:"globalIdealSectors"`

	// MemorySectors is the sectors that must come from memory or go there, however large the caches are:
	// each that the launch reads before it has written it, once, and each that it writes, once.
	MemorySectors uint64 `json:"memorySectors,omitempty"`

	SharedRequests    uint64 `json:"sharedRequests"`
	SharedPasses      uint64 `json:"sharedPasses"`
	SharedIdealPasses uint64 `json:"sharedIdealPasses"`

	TensorInstructions uint64 `json:"tensorInstructions"` // products of matrices, warp instructions
	TensorMultiplyAdds uint64 `json:"tensorMultiplyAdds"`

	Operations Operations `json:"operations,omitzero"`

	Copies      uint64 `json:"copies"`      // asynchronous, between global and shared memory, warp instructions
	CopiedBytes uint64 `json:"copiedBytes"` // of a multicast for each block
	CopyWaits   uint64 `json:"copyWaits"`   // for groups of copies or products, and tests of mbarriers, warp instructions

	// ChainInstructions is the length of the longest dependency chain of a block, summed over
	// blocks: warp instructions ordered by their warp or by a barrier. It is counted at the line
	// where the chain ends.
	ChainInstructions uint64 `json:"chainInstructions"`
	// FlightBytes are the bytes of copies to shared memory, each multiplied by the number of
	// instructions of the chain between the copy and the first wait that finds it complete.
	// MostBytesInFlight is the most bytes that are under way to a block at once, counted at the
	// line of the copy that reaches that number.
	FlightBytes       uint64 `json:"flightBytes"`
	MostBytesInFlight uint64 `json:"mostBytesInFlight"`

	Atomics      uint64 `json:"atomics"`      // warp instructions
	BarrierWaits uint64 `json:"barrierWaits"` // warps that waited at a block barrier
	Branches     uint64 `json:"branches"`     // conditional, warp instructions
	Divergent    uint64 `json:"divergent"`    // branches whose lanes went both ways
}

// Add adds what another line or launch did.
func (c *Counts) Add(o *Counts) {
	c.Instructions += o.Instructions
	c.LaneInstructions += o.LaneInstructions
	c.GlobalRequests += o.GlobalRequests
	c.GlobalSectors += o.GlobalSectors
	c.GlobalIdealSectors += o.GlobalIdealSectors
	c.SharedRequests += o.SharedRequests
	c.SharedPasses += o.SharedPasses
	c.SharedIdealPasses += o.SharedIdealPasses
	c.MemorySectors += o.MemorySectors
	c.Operations.add(&o.Operations, 1)
	c.TensorInstructions += o.TensorInstructions
	c.TensorMultiplyAdds += o.TensorMultiplyAdds
	c.Copies += o.Copies
	c.CopiedBytes += o.CopiedBytes
	c.CopyWaits += o.CopyWaits
	c.ChainInstructions += o.ChainInstructions
	c.FlightBytes += o.FlightBytes
	c.MostBytesInFlight = max(c.MostBytesInFlight, o.MostBytesInFlight)
	c.Atomics += o.Atomics
	c.BarrierWaits += o.BarrierWaits
	c.Branches += o.Branches
	c.Divergent += o.Divergent
}

// ActiveLanes is how many lanes of a warp, of 32, took part in an instruction on average; 0 without
// instructions.
func (c *Counts) ActiveLanes() float64 { return ratio(c.LaneInstructions, c.Instructions) }

// GlobalRatio is how many times as many sectors were moved as the bytes that lanes touched fill; 0
// without requests.
func (c *Counts) GlobalRatio() float64 { return ratio(c.GlobalSectors, c.GlobalIdealSectors) }

// SharedRatio is how many times as many passes were made as 32 banks would need without conflicts;
// 0 without requests.
func (c *Counts) SharedRatio() float64 { return ratio(c.SharedPasses, c.SharedIdealPasses) }

// BytesInFlight is the average number of bytes of copies under way to the shared memory of a block
// over its chain of instructions; 0 without instructions. chain is the chain's length.
func (c *Counts) BytesInFlight(chain uint64) float64 { return ratio(c.FlightBytes, chain) }

func ratio(actual, ideal uint64) float64 {
	if ideal == 0 {
		return 0
	}
	return float64(actual) / float64(ideal)
}
