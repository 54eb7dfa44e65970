package code

import "github.com/gridstride/gridstride/internal/ptx"

// Op is what an instruction does: an operation of PTX, or one of those below.
type Op = ptx.Op

// The operations that are not PTX's: the steps that the package comment lists.
const (
	// Special registers that change while a thread runs.
	OpClock         Op = "%clock"
	OpClockHi       Op = "%clock_hi"
	OpClock64       Op = "%clock64"
	OpGlobaltimer   Op = "%globaltimer"
	OpGlobaltimerLo Op = "%globaltimer_lo"
	OpGlobaltimerHi Op = "%globaltimer_hi"

	// Steps.
	OpExtract Op = "extract"
	OpJoin    Op = "join"
)
