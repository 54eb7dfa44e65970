package sim

import (
	"errors"
	"fmt"

	"github.com/gridstride/gridstride/internal/machine/sim/memory"
)

// Errors of the host's calls, for errors.Is.
var (
	ErrOutOfMemory  = memory.ErrOutOfMemory
	ErrDoubleFree   = memory.ErrDoubleFree
	ErrNotAllocated = memory.ErrNotAllocated
	ErrNoEntry      = errors.New("no such kernel")
	ErrNoGlobal     = errors.New("no such variable")
	ErrUnloaded     = errors.New("module is unloaded")
)

// LimitError is a launch refused before it starts because a size is over, or under, a limit.
type LimitError struct {
	Kernel string
	What   string // "block size", "grid y dimension", "shared memory", "parameter bytes", …
	Got    int64
	Limit  int64
	// Exact means that Got must equal Limit (parameter bytes, a fixed block size). Otherwise Got
	// must be from 1 (or 0) to Limit.
	Exact bool
}

func (e *LimitError) Error() string {
	switch {
	case e.Exact:
		return fmt.Sprintf("launch %s: %s is %d, the kernel needs %d", e.Kernel, e.What, e.Got, e.Limit)
	case e.Got <= 0:
		return fmt.Sprintf("launch %s: %s is %d, must be at least 1", e.Kernel, e.What, e.Got)
	}
	return fmt.Sprintf("launch %s: %s is %d, the limit is %d", e.Kernel, e.What, e.Got, e.Limit)
}

// ErrUseAfterFree is memory.UseAfterFree under the name that host accesses use.
var ErrUseAfterFree error = memory.UseAfterFree
