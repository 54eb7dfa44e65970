package abi

// This file is the contract about checks that fail on the device.
//
// Every kernel that can fail has a last, hidden parameter named FaultParam: the address of a fault
// record in device memory. The first thread whose check fails claims the record (compare-and-swap
// of State from Free to Claimed), writes the fields, fences, sets State to Written, and, if Host is
// not 0, the word it points to to 1. It and every later failing thread then exit. A failing thread
// looks at State before it tries to claim the record, so that a launch whose every thread fails
// does not take seconds.
//
// The host keeps one record for each kernel that a stream has launched, so that it knows whose it
// is. Whenever it waits for the stream, it looks at the record, or at the word if it has given one,
// and resets a record that it finds.
//
// The record also has the two words through which the blocks of a grid meet (see [SyncGrid]), and
// the data that a kernel needs to print (see print.go).

import "encoding/binary"

// FaultParam is the name of the hidden kernel parameter, a .u64: the address of a fault record, or
// 0 for "exit without a record".
const FaultParam = "gridstride_fault"

// Layout of a fault record in memory, little endian: byte offsets and the whole size. The address
// is aligned to 8.
const (
	FaultOffState = 0  // u32
	FaultOffKind  = 4  // u32 FaultKind, with FaultUnsigned where X is an unsigned number
	FaultOffFile  = 8  // u32 index of a .file directive of the module
	FaultOffLine  = 12 // u32
	FaultOffCol   = 16 // u32
	FaultOffX     = 24 // s64, or u64 with FaultUnsigned
	FaultOffY     = 32 // s64
	FaultOffTid   = 40 // 3 × u32 thread index
	FaultOffCtaid = 52 // 3 × u32 block index
	FaultOffMsg   = 64 // u64 address of a NUL-terminated message in global memory, 0 for none
	FaultOffHost  = 72 // u64 address of a u32 that the host reads without a copy; 0 for none
	FaultOffGrid  = 80 // u32 barrier of the grid
	FaultOffEnded = 84 // u32, not 0 where a thread of a launch that calls SyncGrid has failed
	FaultOffPrint = 88 // u64 address of the stream's print buffer, 0 for none: see print.go
	FaultOffTag   = 96 // u32 number of the kernel, for lines of the print buffer
	FaultOffArgs  = 104
	FaultSize     = FaultOffArgs + 8*AssertValues
)

// AssertValues is how many values an assertion may report. They are at FaultOffArgs, 8 bytes each,
// and X is then the number of their format, from 1.
const AssertValues = 8

// The states of a fault record.
const (
	FaultFree    = 0
	FaultClaimed = 1
	FaultWritten = 2
)

// FaultKind is which check failed. The numbers are part of compiled kernels: append only.
type FaultKind uint32

// The kinds of faults, with what the record's X and Y hold.
const (
	FaultIndex       FaultKind = iota + 32 // index X, length Y
	FaultSliceHigh                         // s[:X], capacity Y
	FaultSliceLen                          // s[:X], length Y (arrays)
	FaultSliceLow                          // s[X:Y]
	FaultSliceMax                          // s[::X], capacity Y
	FaultSliceHigh3                        // s[:X:Y]
	FaultSliceToArr                        // slice of length X converted to an array of length Y
	FaultDivide                            // integer division by zero
	FaultShift                             // shift by X < 0
	FaultNil                               // nil pointer dereference
	FaultAssert                            // gpu.Assert, message at Msg, or of format X-1
	FaultPanic                             // panic, message at Msg
	FaultMakeLen                           // length X out of range
	FaultSliceMaxLen                       // s[::X], length Y (arrays)
	FaultSliceLow3                         // s[X:Y:]
	FaultOverflow                          // the quotient of bits.Div is too large
	FaultType                              // a type assertion does not hold, message at Msg
)

// FaultUnsigned is a bit of the word at FaultOffKind. It is set where X is an index of type uint
// or uint64, which is to be printed as one. A Y is never above the range of int64.
const FaultUnsigned = 1 << 16

// FaultRecord is a fault record as the host reads it. X holds the bits of an unsigned number where
// Unsigned is set.
type FaultRecord struct {
	State           uint32
	Kind            FaultKind
	File, Line, Col int
	X, Y            int64
	Unsigned        bool
	Thread, Block   [3]int
	Msg             uint64
	Args            [AssertValues]uint64
}

// DecodeFault reads a record from its FaultSize bytes.
func DecodeFault(b []byte) FaultRecord {
	u32 := func(off int) int { return int(binary.LittleEndian.Uint32(b[off:])) }
	u64 := func(off int) uint64 { return binary.LittleEndian.Uint64(b[off:]) }
	kind := u32(FaultOffKind)
	r := FaultRecord{
		State: uint32(u32(FaultOffState)), Kind: FaultKind(kind &^ FaultUnsigned),
		File: u32(FaultOffFile), Line: u32(FaultOffLine), Col: u32(FaultOffCol),
		X: int64(u64(FaultOffX)), Y: int64(u64(FaultOffY)), Unsigned: kind&FaultUnsigned != 0,
		Thread: [3]int{u32(FaultOffTid), u32(FaultOffTid + 4), u32(FaultOffTid + 8)},
		Block:  [3]int{u32(FaultOffCtaid), u32(FaultOffCtaid + 4), u32(FaultOffCtaid + 8)},
		Msg:    u64(FaultOffMsg),
	}
	for i := range r.Args {
		r.Args[i] = u64(FaultOffArgs + 8*i)
	}
	return r
}
