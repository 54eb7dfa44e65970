// Package fault is the contract between compiled kernels and their host about checks that fail on
// the device.
//
// Every kernel that can fail has a last, hidden parameter named Param: the address of a Record in
// device memory. The first thread whose check fails claims the record (compare-and-swap of State
// from Free to Claimed), writes the fields, fences, sets State to Written, and, if Host is not 0,
// the word it points to to 1; it and every later failing thread then exit. A failing thread looks
// at State before it tries to claim the record, so that a launch whose every thread fails does not
// take seconds.
//
// The host keeps one record for each kernel that a stream has launched, so that it knows whose it
// is; it looks whenever it waits for the stream, at the word where it has given one, and resets
// what it finds.
package fault

import (
	"encoding/binary"
	"fmt"
)

// Param is the name of the hidden kernel parameter, a .u64: the address of a Record, or 0 for "exit
// without a record".
const Param = "gridstride_fault"

// Layout of a Record in memory, little endian: byte offsets and the whole size. The address is
// aligned to 8.
const (
	OffState = 0  // u32
	OffKind  = 4  // u32 Kind
	OffFile  = 8  // u32 index of a .file directive of the module
	OffLine  = 12 // u32
	OffCol   = 16 // u32
	OffX     = 24 // s64
	OffY     = 32 // s64
	OffTid   = 40 // 3 × u32 thread index
	OffCtaid = 52 // 3 × u32 block index
	OffMsg   = 64 // u64 address of a NUL-terminated message in global memory, 0 for none
	OffHost  = 72 // u64 address of a u32 that the host reads without a copy, 0 for none; written by the host
	Size     = 80
)

// The states of a record.
const (
	Free    = 0
	Claimed = 1
	Written = 2
)

// Kind is which check failed. The numbers are part of compiled kernels: append only.
type Kind uint32

// The kinds, with what the record's X and Y hold.
const (
	Index       Kind = iota + 32 // index X, length Y
	SliceHigh                    // s[:X], capacity Y
	SliceLen                     // s[:X], length Y (arrays)
	SliceLow                     // s[X:Y]
	SliceMax                     // s[::X], capacity Y
	SliceHigh3                   // s[:X:Y]
	SliceToArr                   // slice of length X converted to an array of length Y
	Divide                       // integer division by zero
	Shift                        // shift by X < 0
	Nil                          // nil pointer dereference
	Assert                       // gpu.Assert, message at Msg
	Panic                        // panic, message at Msg
	MakeLen                      // length X out of range
	SliceMaxLen                  // s[::X], length Y (arrays)
	SliceLow3                    // s[X:Y:]
)

// Record is a fault record as the host reads it. An X or Y that the kernel holds as an unsigned
// number above the range of int64 reads as a negative one.
type Record struct {
	State           uint32
	Kind            Kind
	File, Line, Col int
	X, Y            int64
	Thread, Block   [3]int
	Msg             uint64
}

// Decode reads a record from its Size bytes.
func Decode(b []byte) Record {
	u32 := func(off int) int { return int(binary.LittleEndian.Uint32(b[off:])) }
	u64 := func(off int) uint64 { return binary.LittleEndian.Uint64(b[off:]) }
	return Record{
		State: uint32(u32(OffState)), Kind: Kind(u32(OffKind)),
		File: u32(OffFile), Line: u32(OffLine), Col: u32(OffCol),
		X: int64(u64(OffX)), Y: int64(u64(OffY)),
		Thread: [3]int{u32(OffTid), u32(OffTid + 4), u32(OffTid + 8)},
		Block:  [3]int{u32(OffCtaid), u32(OffCtaid + 4), u32(OffCtaid + 8)},
		Msg:    u64(OffMsg),
	}
}

// Message is the text that Go itself prints for this failure; msg is the string at Msg, for Assert
// and Panic.
func (r Record) Message(msg string) string {
	switch r.Kind {
	case Index:
		if r.X < 0 {
			return fmt.Sprintf("index out of range [%d]", r.X)
		}
		return fmt.Sprintf("index out of range [%d] with length %d", r.X, r.Y)
	case SliceHigh:
		return sliceMessage("[:%d]", r.X, fmt.Sprintf(" with capacity %d", r.Y))
	case SliceLen:
		return sliceMessage("[:%d]", r.X, fmt.Sprintf(" with length %d", r.Y))
	case SliceLow:
		if r.X < 0 {
			return fmt.Sprintf("slice bounds out of range [%d:]", r.X)
		}
		return fmt.Sprintf("slice bounds out of range [%d:%d]", r.X, r.Y)
	case SliceMax:
		return sliceMessage("[::%d]", r.X, fmt.Sprintf(" with capacity %d", r.Y))
	case SliceMaxLen:
		return sliceMessage("[::%d]", r.X, fmt.Sprintf(" with length %d", r.Y))
	case SliceHigh3:
		if r.X < 0 {
			return fmt.Sprintf("slice bounds out of range [:%d:]", r.X)
		}
		return fmt.Sprintf("slice bounds out of range [:%d:%d]", r.X, r.Y)
	case SliceLow3:
		if r.X < 0 {
			return fmt.Sprintf("slice bounds out of range [%d::]", r.X)
		}
		return fmt.Sprintf("slice bounds out of range [%d:%d:]", r.X, r.Y)
	case SliceToArr:
		return fmt.Sprintf("cannot convert slice with length %d to array or pointer to array with length %d", r.X, r.Y)
	case Divide:
		return "integer divide by zero"
	case Shift:
		return "negative shift amount"
	case Nil:
		return "invalid memory address or nil pointer dereference"
	case MakeLen:
		return "makeslice: len out of range"
	case Assert:
		return "assertion failed" + suffix(msg)
	case Panic:
		return "panic" + suffix(msg)
	}
	return fmt.Sprintf("unknown failure %d", r.Kind)
}

func sliceMessage(form string, x int64, limit string) string {
	s := "slice bounds out of range " + fmt.Sprintf(form, x)
	if x < 0 {
		return s
	}
	return s + limit
}

func suffix(msg string) string {
	if msg == "" {
		return ""
	}
	return ": " + msg
}
