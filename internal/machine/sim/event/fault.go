package event

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/ptx"
)

// FaultKind says what went wrong in a Fault. It is an error, so errors.Is(err, event.UseAfterFree)
// works.
type FaultKind = memory.FaultKind

// The kinds of fault that a thread's instruction can raise.
const (
	OutOfBounds   FaultKind = "out of bounds"
	Misaligned    FaultKind = "misaligned address"
	NullPointer   FaultKind = "null pointer"
	UseAfterFree            = memory.UseAfterFree
	WrongSpace    FaultKind = "wrong address space"
	ReadOnly      FaultKind = "write to constant memory"
	Trap          FaultKind = "trap"
	StackOverflow FaultKind = "stack overflow"
	BadTarget     FaultKind = "bad branch or call target"
	BadMask       FaultKind = "bad lane mask"
	PartOfWarp    FaultKind = "part of a warp"
	BadRegisters  FaultKind = "bad count of registers"
	BadDescriptor FaultKind = "bad matrix descriptor"
	BadTensorMap  FaultKind = "bad tensor map"
	BadTexture    FaultKind = "bad texture" // no texture, or one of another shape than the instruction reads
	BadSurface    FaultKind = "bad surface" // no surface, or one of another shape
	BadMatrix     FaultKind = "bad matrix"
	BadBarrier    FaultKind = "bad barrier"
	BadFree       FaultKind = "bad free"
	NoPeer        FaultKind = "no such block of the cluster" // or one that has ended
)

// Fault is an instruction that a thread could not execute: a bad access, a trap, a bad barrier
// operand. It ends the launch and is the launch's error. It unwraps to its Kind.
type Fault struct {
	Kind   FaultKind
	Kernel string
	Site   *Site
	Block  [3]int // block index
	Thread [3]int // thread index in the block
	Lane   int

	// Of a bad access:
	Access AccessKind
	Space  ptx.Space // where the address points, as far as known; GenericSpace when nowhere
	Addr   uint64    // as in the instruction: an address of the instruction's space, or generic
	Size   int       // bytes of the access
	Near   *memory.Allocation

	Detail string // more, for kinds that are no accesses
}

// Unwrap returns the kind.
func (f *Fault) Unwrap() error { return f.Kind }

func (f *Fault) Error() string {
	return fmt.Sprintf("%s: %s; thread %s block %s; %s", f.Kernel, f.What(), Dims(f.Thread), Dims(f.Block), f.Site)
}

// What returns the error without the kernel and the position.
func (f *Fault) What() string {
	var b strings.Builder
	b.WriteString(string(f.Kind))
	if f.Size > 0 {
		space := string(f.Space)
		if space == "" {
			space = "generic"
		}
		fmt.Fprintf(&b, ": %s of %d bytes at %s address %#x%s", f.Access, f.Size, space, f.Addr,
			f.Near.Describe(f.Addr))
	}
	if f.Detail != "" {
		fmt.Fprintf(&b, ": %s", f.Detail)
	}
	return b.String()
}
