// Package ir is the kernel IR: one function a kernel, every call inlined, in static single
// assignment form.
//
// The front end (internal/language/compile/lower) produces it from go/ssa; passes
// (internal/language/compile/pass) rewrite it. internal/language/compile/emit prints it as PTX.
//
// # Values
//
// A value has one of six types. Go's smaller integers are I32 values kept normalised: an int8 is
// always sign-extended to 32 bits, a uint16 always zero-extended. Lowering adds the Sext8, Zext16,
// … after an operation that can leave the range. Structs, arrays, slices and tuples have no values
// here: lowering takes them apart. A slice is a Ptr, an I64 length and an I64 capacity.
//
// # Memory
//
// A Ptr is a 64-bit generic address. Its state space is a fact about it (Value.Space) that the
// address space pass infers from its origin. Only a pointer whose space stays Generic is accessed
// with generic instructions.
//
// # Checks
//
// A Check is an instruction, not a branch: a thread for which it fails records the failure and
// exits. Checks are ordered among themselves and with stores, atomics, barriers and the other
// convergent operations. They are not ordered with loads and pure operations, save that a load
// never moves above a check that guards it.
package ir

import "github.com/gridstride/gridstride/internal/abi"

// Pos is a source position. File indexes Func.Files. Line 0 means unknown.
type Pos struct {
	File, Line, Col int32
	// Call is where the kernel's package calls into the package of the position, if that is
	// another.
	Call Call
}

// Call is the position of a call.
type Call struct{ File, Line, Col int32 }

// Type is the type of a value.
type Type uint8

// The value types. Void is the type of an instruction without a result.
const (
	Void Type = iota
	Bool
	I32
	I64
	F32
	F64
	Ptr
)

// Mem is the type of a value in memory.
type Mem uint8

// The memory types. A bool is U8, 0 or 1.
const (
	MemNone Mem = iota
	U8
	S8
	U16
	S16
	B32
	B64
	MF32
	MF64
	MPtr
)

// Space is a state space of memory.
type Space uint8

// The spaces. Unknown is the state before inference, Generic its last resort.
const (
	Unknown Space = iota
	Global
	Shared
	Local
	Constant
	Generic
)

// Func is one kernel.
type Func struct {
	Name   string // the PTX entry name
	GoName string // as a person writes it: "dot.Partial[float32]"
	Params []*Param
	Files  []string // source files, as .file names them
	Blocks []*Block // Blocks[0] is the entry; it has no predecessors
	Vars   []*Var   // shared variables, and constant data: tables, messages
	// BlockDim is the fixed block size of the directive, or zero if free.
	BlockDim [3]int
	// MinBlocks is the number of blocks that the directive wants on a multiprocessor at a time, or
	// zero if it says nothing.
	MinBlocks int
	// Cluster is the fixed shape of a cluster, in blocks, or zero if free.
	Cluster  [3]int
	Pos      Pos
	NoBounds bool // //gpu:nobounds: lowering emits no index and slice checks
	// Notes are details for a person who asks: arrays left in local memory, checks that stayed.
	Notes []Note
	// Alike are the values, by ID, that are the same in all threads of a block, as pass Uniform found.
	Alike []bool
	// Remarks collects what passes did to loops, nil where nobody asks.
	Remarks *Remarks

	names                  map[string]int // of variables and parameters, for VarName: not 0 if taken
	namedVars, namedParams int            // how many are in names

	nextID    int // the next value's ID
	nextBlock int // the next block's ID
}

// Note is something the compiler found out about a kernel that is not an error: "acc (1024 bytes)
// stays in local memory".
type Note struct {
	Pos  Pos
	Text string
	// At is the position of the reason at the end of the text, or zero if it names none.
	At Pos
	// Of is the Alloca that the note is about, nil for another note.
	Of *Value
}

// Param is one PTX parameter of the kernel. A Go parameter may be several.
type Param struct {
	Name string
	Mem  Mem
	// Space and Align are known facts of a pointer: a slice parameter points to global memory,
	// aligned for its element.
	Space Space
	Align int
	// Role is "" for a scalar, "ptr" and "len" for the parts of a slice, a field path for a part of
	// a struct or array.
	Role string
	// A part of a struct or array is at byte Offset of the PTX parameter Value. The parts of one
	// parameter are adjacent in Params and share Value. Value is nil for a parameter that is a PTX
	// parameter of its own.
	Value  *ParamValue
	Offset int64
	Type   *abi.Shape // of what a pointer points to, where its accesses do not tell; else nil
}

// ParamValue is a PTX parameter that holds a Go struct or array: .param .align Align .b8
// Name[Size].
type ParamValue struct {
	Name  string
	Size  int64
	Align int
	// Address says that what is read is the generic address of the parameter: a tensor map's.
	Address bool
}

// Var is a variable in shared memory, or constant data: a table, a message.
type Var struct {
	Name    string
	Space   Space // Shared; or Constant, or Global, with Init
	Size    int64 // bytes; 0 for dynamic shared memory
	Align   int
	Elem    Mem // how a person would read it, for declarations such as ".shared .f32 cache[256]"
	Init    []byte
	Refs    []Ref // addresses in Init, by their offsets
	Dynamic bool
	Pos     Pos
	Type    *abi.Shape // of a variable in shared memory, where Elem does not tell; else nil
}

// Ref is a generic address in constant data, 8 bytes at offset Off: the address of a variable plus
// the number in those bytes of Init.
type Ref struct {
	Off int64
	Var *Var
}

// Constant reports whether v points into constant data, which nothing writes.
func (v *Value) Constant() bool {
	for v.Op == PtrAdd {
		v = v.Args[0]
	}
	return v.Op == VarAddr && v.Var.Init != nil
}

// Block is a basic block. Its last instruction, and only that, is a terminator. Phis come first.
type Block struct {
	ID     int
	Instrs []*Value
	Preds  []*Block // in the order of the arguments of phis; one entry an edge
	Succs  []*Block // in the order the terminator names them
	// From is the innermost loop of the source that the block is from, if remarks are asked for and
	// it is known.
	From *SourceLoop
}

// Value is an instruction and, unless its Type is Void, its result.
type Value struct {
	ID    int
	Op    Op
	Type  Type
	Args  []*Value
	Block *Block
	Pos   Pos

	// Int holds the bits of a Const (Bool is 0 or 1, I32 is zero-extended, F32 and F64 are IEEE
	// bits), the index of a ParamVal's parameter, and the lane of an Extract.
	Int uint64
	// Mem is the memory type of a Load, a Store or an atomic. A Load or Store with 2 or 4 Lanes is
	// a vector access: Extract reads the Load's result, and the Store's Args are the pointer and
	// the lanes. So is an Atomic with 2.
	Mem   Mem
	Lanes int
	// Space is the inferred space of a Ptr value, and of the pointer of a Load, a Store, an atomic,
	// a MemZero or a MemCopy (of its destination).
	Space Space
	// Align is the known alignment in bytes of a Ptr value or of an access; 0 is natural alignment
	// of Mem.
	Align int
	// Sub is the comparison of a Cmp, the register of an SReg, and the kind of other operations
	// that have several.
	Sub Sub
	// Scope is how far an atomic or a Fence reaches, and Order the memory order of an atomic.
	Scope Scope
	Order Order
	// Var is the variable of a VarAddr.
	Var *Var
	// Size is the size in bytes of an Alloca, MemZero or MemCopy.
	Size int64
	// Uniform says of a Branch that all threads of a block that run it go the same way.
	Uniform bool
	// Fast permits an operation on floats to be inexact: its product may be fused into a sum, its
	// quotient be a product with an approximate reciprocal. It need not care for NaN.
	Fast bool
	// Unsigned says of a Check or Panic of an index that the index is an unsigned number of 64 bits
	// in Go, which its message must print as one.
	Unsigned bool
	// Name is the name for a person, if known: a local variable, for printing and for -v notes.
	Name string
}
