package event

// Branch is a conditional branch, or an indexed one. Lanes of Mask that are not in Taken fall
// through. Lanes that an indexed branch sends to different places have an event for each.
type Branch struct {
	Warp
	Taken uint32
	Entry int // of the table of an indexed branch; 0 for the others
}

// Call is lanes that enter a function. Frame is the caller's. Callee and CalleeFrame are the
// function and its frame.
type Call struct {
	Warp
	Callee      string
	CalleeFrame uint64
	Local       int    // where the callee's local memory begins, as in Access.Addrs
	Copies      []Copy // the arguments
}

// Return is lanes that go back to a caller, whose frame is CallerFrame. Frame is the one they
// leave. A function of the device, such as malloc, has no frame: there both are the caller's.
type Return struct {
	Warp
	CallerFrame uint64
	Copies      []Copy // the results
}

// Copy is a parameter on its way between the frames of a call, without a memory access.
type Copy struct{ From, To CallOperand }

// CallOperand is where a parameter is in a frame: a register, or bytes of each thread's local
// memory.
type CallOperand struct {
	Reg       int // number of the register; -1 for a constant or for memory
	Offset    int // in local memory, as in Access.Addrs
	Size      int // bytes in memory; 0 for a register, a constant, or a result that is thrown away
	Immediate bool
}

// Malloc is a lane to which malloc gave fresh memory.
type Malloc struct {
	Warp
	Addr uint64
	Size int64
}

// Exit is lanes that end.
type Exit struct{ Warp }

// Step is an instruction about to be run by the lanes of Mask, sent only in a launch that asks for
// steps. Site has the registers it reads and writes. Lanes whose guard is false are in a Skip.
type Step struct {
	Warp
	Predicates
}

// Predicates are the predicate registers of the frame that an instruction runs in.
type Predicates interface {
	// Predicate returns what the predicate register of a number of Site.Reads holds, a bit a lane.
	Predicate(reg int) uint32
}

// Skip is lanes that do not run an instruction, as its guard is false for them. It precedes the
// Step of the other lanes, and is sent whenever steps are.
type Skip struct{ Warp }
