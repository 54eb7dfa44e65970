package check

import (
	"time"

	"github.com/gridstride/gridstride/internal/machine/check/initcheck"
	"github.com/gridstride/gridstride/internal/machine/check/streamcheck"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
)

// Options say what Run checks. The zero value is every tool at two orders, with every byte of
// global memory taken for initialised.
type Options struct {
	// Tools are the checks to run; all when empty.
	Tools []report.Tool
	// Orders is how often the launch is run: ascending, descending, then random ones. 0 means 2.
	Orders int
	// Seed decides the random orders.
	Seed uint64
	// Pedantic also reports what works on today's GPUs but is not guaranteed: see report.Level.
	Pedantic bool
	// Profile counts as well. The counts are of the ascending order.
	Profile bool
	// Budget is the number of warp instructions without progress after which a kernel is said not
	// to end. 0 means DefaultBudget. See sim.Launch.
	Budget uint64
	// TimeLimit is how long the launch may take, all orders together. 0 means DefaultTimeLimit, and
	// less than 0 as long as it likes.
	TimeLimit time.Duration
	// Init says which bytes of global memory the host has written. Run adds what the kernel writes.
	// nil takes all of it for initialised.
	Init *initcheck.Init

	// Touched gets the global memory that the kernel uses; nil is not asked for.
	Touched *streamcheck.Touched

	// Kernel is the kernel's name in reports, such as "dot.Partial[float32]". Empty means the name
	// of the entry.
	Kernel string
	// LaunchedFrom is the host's source position, such as "main.go:41". It may be empty.
	LaunchedFrom string
	// Buffers name global memory in reports. Where none fits, the kernel's pointer parameters do.
	Buffers []tool.Buffer
	// Text returns a line of a source file without its line end, "" when it is not known. lines
	// count from 1. nil is no text.
	Text func(file string, line int) string
	// Progress, when not nil, is called now and then from the goroutine that called Run.
	Progress func(Progress)
}

// Progress is how far Run has come.
type Progress struct {
	Order, Orders int // the order under way, from 0, and how many there are
	Blocks, Total int // blocks that ended in it, and the grid's
	Elapsed       time.Duration
	FindingsSoFar int
	Kernel        string
}
