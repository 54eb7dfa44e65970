package report

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Tool is one of the checks. Its value is the name that the command line and reports use.
type Tool string

// The tools, under the names that NVIDIA's compute-sanitizer made known.
const (
	Memcheck  Tool = "memcheck"  // out of bounds, misaligned, use after free, wrong address space
	Racecheck Tool = "racecheck" // two threads that nothing orders, on one byte of shared or global memory
	Initcheck Tool = "initcheck" // use of memory that nothing has written
	Synccheck Tool = "synccheck" // barriers and warp masks, kernels that do not end
)

// Tools are all of them, in the order of reports.
var Tools = []Tool{Memcheck, Racecheck, Initcheck, Synccheck}

// Level says how grave a finding is.
type Level string

// The levels. Only Errors fail a check, and with Options.Pedantic the findings of level Pedantic
// too.
const (
	Error    Level = "error"
	Pedantic Level = "pedantic" // works on today's GPUs, but no manual promises it; found only with Options.Pedantic
	Note     Level = "note"
)

// Kind is the kind of a finding. Its value is the rule's id in JSON and SARIF.
type Kind string

// The kinds.
const (
	Race          Kind = "race"           // racecheck: conflicting accesses that nothing orders
	SameValue     Kind = "same-value"     // racecheck, a note: threads write the same value to one address
	OutOfBounds   Kind = "out-of-bounds"  // memcheck
	Misaligned    Kind = "misaligned"     // memcheck
	UseAfterFree  Kind = "use-after-free" // memcheck
	NoPeer        Kind = "no-such-block"  // memcheck: access to a block of the cluster that is not there, or has ended
	BadFree       Kind = "bad-free"       // memcheck: free of what malloc did not return, or twice
	NullPointer   Kind = "null-pointer"   // memcheck
	BadAddress    Kind = "bad-address"    // memcheck: an address of another space, a write to constant memory
	Trap          Kind = "trap"           // memcheck: the kernel stopped itself, or called or branched nowhere
	FailedCheck   Kind = "failed-check"   // memcheck: a check of the kernel's own, as gpu.Assert
	Uninitialized Kind = "uninitialized"  // initcheck
	Barrier       Kind = "barrier"        // synccheck: a block barrier that not all threads reach, or at two positions
	WarpSync      Kind = "warp-sync"      // synccheck: lanes and masks of warp operations
	NoProgress    Kind = "no-progress"    // synccheck: threads that wait or spin for ever
)

// Cause names why a race is one.
type Cause string

// The causes.
const (
	NoCause             Cause = ""
	NoBarrier           Cause = "missing block barrier"
	NoWarpSync          Cause = "missing warp sync"
	BarrierTooLate      Cause = "barrier too late"
	NoClusterBarrier    Cause = "no barrier of the cluster"
	BlocksUnordered     Cause = "blocks cannot be ordered inside a launch"
	StreamsUnordered    Cause = "streams not ordered"
	HostTooEarly        Cause = "host does not wait for a copy"
	AtomicWithPlain     Cause = "atomic mixed with plain"
	ScopeTooNarrow      Cause = "scope too narrow"
	NoReleaseFence      Cause = "release fence missing"
	NoAcquireFence      Cause = "acquire fence missing"
	NoFenceAtFlag       Cause = "acquire fence missing after a flag"
	LockNotHeld         Cause = "lock not held"
	SameInstruction     Cause = "one instruction, several lanes"
	BranchSplits        Cause = "barrier inside a branch that splits the block"
	TwoBarriers         Cause = "two barriers"
	EarlyReturn         Cause = "threads returned before the barrier"
	OtherRound          Cause = "different rounds of a loop"
	NotInMask           Cause = "caller not in its mask"
	LaneNeverArrives    Cause = "named lane never arrives"
	AbsentLane          Cause = "shuffle reads a lane that takes no part"
	NoCopyWait          Cause = "no wait for the copy"
	CopyNotCommitted    Cause = "copy in no group"
	CopyLeft            Cause = "the wait leaves the copy in flight"
	WaitTooLate         Cause = "the wait comes too late"
	NoMbarrierWait      Cause = "no wait at the mbarrier"
	NoProxyFence        Cause = "no proxy fence between"
	FactorWritten       Cause = "factor written while a product reads it"
	SumInFlight         Cause = "registers of a product used in flight"
	ProductNotCommitted Cause = "registers of a product in no group used"
	NoProductFence      Cause = "no fence before a product"
	CopyAtExit          Cause = "copy in flight at the end"
	InitUnordered       Cause = "init of the mbarrier not ordered"
	InitNotFenced       Cause = "no fence after the init of the mbarrier"
	PhasesMixed         Cause = "arrivals of two phases not ordered"
	WrongPhase          Cause = "wait for the wrong phase"
	NoMbarrier          Cause = "no mbarrier there"
	LiveMbarrier        Cause = "init of an mbarrier in use"
	TooManyArrivals     Cause = "too many arrivals"
	PhaseNeverEnds      Cause = "phase never ends"

	RegistersNeverCome Cause = "registers never come"

	OtherSwizzle Cause = "a product has another swizzle than its tile"
)

// Finding is one thing that is wrong, with witnesses and counts. Its Identity says what makes two
// findings one.
type Finding struct {
	Tool  Tool  `json:"tool"`
	Kind  Kind  `json:"kind"`
	Level Level `json:"level"`
	Cause Cause `json:"cause,omitempty"`
	// Summary is the headline after the kind: "write/read, shared memory, no barrier between".
	Summary string `json:"summary"`

	Kernel    string    `json:"kernel"`
	Grid      [3]int    `json:"grid"`
	Block     [3]int    `json:"block"`
	Space     ptx.Space `json:"space,omitempty"`
	Object    *Object   `json:"object,omitempty"`
	Witnesses []Witness `json:"places"`
	Why       string    `json:"why,omitempty"`
	Fix       string    `json:"fix,omitempty"`

	// Count is how often it was seen, in the order that saw it first, and Blocks in how many blocks
	// (of the second witness, for a race between blocks).
	Count  uint64 `json:"count"`
	Blocks int    `json:"blocks"`
	// Orders are the orders that show it. Every says that all do.
	Orders []string `json:"orders"`
	Every  bool     `json:"everyOrder"`
	// LaunchedFrom is the host's source position, "" when not known.
	LaunchedFrom string `json:"launchedFrom,omitempty"`
	// Tests are the tests that show it, by the names that their framework told the simulated driver.
	Tests []string `json:"tests,omitempty"`
	// Also are the other pairs of places with the same cause, which the same fix mends.
	Also []string `json:"also,omitempty"`
	// Inserts are the fix in PTX where inserting instructions is all of it.
	Inserts []Insertion `json:"inserts,omitempty"`
	// Allowed is the reason of the suppression that covers the finding, which then fails nothing.
	Allowed string `json:"allowed,omitempty"`
}

// Insertion is PTX that goes before an instruction of a function, of the number At.
type Insertion struct {
	Func string `json:"function"`
	At   int    `json:"at"`
	PTX  string `json:"ptx"`
}

// Object is the variable or buffer that a finding is about.
type Object struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"` // of an element, "float32"
	// Index is the witness's element, and First and Last are the extremes of all sightings. All are -1
	// for a variable that is no array.
	Index int64 `json:"index"`
	First int64 `json:"first"`
	Last  int64 `json:"last"`
	// From and To are the witness's bytes of the object, both included. Size is the object's size
	// in bytes.
	From     int64          `json:"from"`
	To       int64          `json:"to"`
	Size     int64          `json:"size"`
	Declared event.Position `json:"declared"` // the zero Source when not known
	// Path is the witness's element as Go writes it, "tile[19][0]", of an array of arrays or a struct
	// whose declaration has a type; "" otherwise, and of other objects. PathFirst and PathLast are
	// those of First and Last.
	Path      string `json:"element,omitempty"`
	PathFirst string `json:"firstElement,omitempty"`
	PathLast  string `json:"lastElement,omitempty"`
}

// Span makes the extremes of two objects, which are one, those of both.
func (o *Object) Span(p *Object) {
	if p.First < o.First {
		o.First, o.PathFirst = p.First, p.PathFirst
	}
	if p.Last > o.Last {
		o.Last, o.PathLast = p.Last, p.PathLast
	}
}

// Element is "cache[128]", or the name alone of a variable that is no array.
func (o *Object) Element(i int64) string {
	if i == o.Index && o.Path != "" {
		return o.Path
	}
	if o.Index < 0 && i <= 0 && o.Size > 0 && o.From >= 0 && o.To < o.Size {
		return o.Name
	}
	return fmt.Sprintf("%s[%d]", o.Name, i)
}

// Witness is a position in the kernel's source, and which threads did what there.
type Witness struct {
	Role   string           `json:"role"`           // "write", "read", "atomic", "wait at", "finished at", "use", …
	Host   bool             `json:"host,omitempty"` // a call of the host's program, with Source and Text alone
	Source event.Position   `json:"source"`
	Stack  []event.Position `json:"inlinedAt,omitempty"` // where the function of Source was inlined, innermost first
	Func   string           `json:"function"`            // PTX function
	PTX    string           `json:"ptx"`                 // the instruction, "ptx:57: st.shared.f32 …"
	Text   string           `json:"text,omitempty"`      // of the source line
	// Thread is the thread; nil for many threads, which Threads then counts and Ranges lists.
	Thread  *Thread  `json:"thread,omitempty"`
	Threads int      `json:"threads,omitempty"`
	Ranges  [][2]int `json:"ranges,omitempty"` // of linear thread indices, both ends included
	Block   *[3]int  `json:"block,omitempty"`  // of those threads
	// Value is the value written or read there, "" when not known.
	Value string `json:"value,omitempty"`
	Note  string `json:"note,omitempty"`
}

// Ended reports whether the witness says where threads have ended.
func (w *Witness) Ended() bool { return strings.HasPrefix(w.Role, "finished") }

// Thread is a thread of a launch.
type Thread struct {
	Thread [3]int `json:"thread"`
	Block  [3]int `json:"block"`
	Warp   int    `json:"warp"` // in the block
	Lane   int    `json:"lane"`
}
