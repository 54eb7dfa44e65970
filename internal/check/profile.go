package check

import "github.com/gridstride/gridstride/internal/sim"

// Profile is what a launch did, by source line. It never fails a check.
type Profile struct {
	Kernel string        `json:"kernel"`
	File   string        `json:"file"` // the kernel's own, as the PTX names it; "" without line information
	Grid   [3]int        `json:"grid"`
	Block  [3]int        `json:"block"`
	Total  Counts        `json:"total"`
	Lines  []LineProfile `json:"lines"` // sorted by file and line
}

// LineProfile is what the instructions of one source line did. Without line information it is one
// instruction's.
type LineProfile struct {
	Source sim.Source `json:"source"` // Col is 0
	Func   string     `json:"function"`
	Text   string     `json:"text,omitempty"`
	Counts
}

// Counts are the counters. Requests are warp instructions; a request's sectors are the distinct
// aligned 32-byte pieces of global memory that its lanes touch; its passes are the turns that 32
// banks of 4 bytes need to serve it.
type Counts struct {
	Instructions     uint64 `json:"instructions"` // warp instructions
	LaneInstructions uint64 `json:"laneInstructions"`

	GlobalRequests     uint64 `json:"globalRequests"`
	GlobalSectors      uint64 `json:"globalSectors"`
	GlobalIdealSectors uint64 `json:"globalIdealSectors"` // the fewest that hold the bytes the lanes touch

	SharedRequests    uint64 `json:"sharedRequests"`
	SharedPasses      uint64 `json:"sharedPasses"`
	SharedIdealPasses uint64 `json:"sharedIdealPasses"`

	Atomics      uint64 `json:"atomics"`      // warp instructions
	BarrierWaits uint64 `json:"barrierWaits"` // warps that waited at a block barrier
	Branches     uint64 `json:"branches"`     // conditional, warp instructions
	Divergent    uint64 `json:"divergent"`    // those whose lanes went both ways
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

func ratio(actual, ideal uint64) float64 {
	if ideal == 0 {
		return 0
	}
	return float64(actual) / float64(ideal)
}
