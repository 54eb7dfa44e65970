package abi

import (
	"fmt"
	"strconv"
)

// boundsTexts are Go's messages of the checks of bounds. One of a negative X names no other number.
var boundsTexts = map[FaultKind]struct{ text, negative string }{
	FaultIndex:       {"index out of range [%s] with length %d", "index out of range [%s]"},
	FaultSliceHigh:   {"slice bounds out of range [:%s] with capacity %d", "slice bounds out of range [:%s]"},
	FaultSliceLen:    {"slice bounds out of range [:%s] with length %d", "slice bounds out of range [:%s]"},
	FaultSliceLow:    {"slice bounds out of range [%s:%d]", "slice bounds out of range [%s:]"},
	FaultSliceMax:    {"slice bounds out of range [::%s] with capacity %d", "slice bounds out of range [::%s]"},
	FaultSliceMaxLen: {"slice bounds out of range [::%s] with length %d", "slice bounds out of range [::%s]"},
	FaultSliceHigh3:  {"slice bounds out of range [:%s:%d]", "slice bounds out of range [:%s:]"},
	FaultSliceLow3:   {"slice bounds out of range [%s:%d:]", "slice bounds out of range [%s::]"},
}

// Message is the text that Go itself prints for this failure; msg is the string at Msg, for
// FaultAssert, FaultPanic and FaultType. formats are the module's, by number.
func (r FaultRecord) Message(msg string, formats map[int]Format) string {
	x := strconv.FormatInt(r.X, 10)
	if r.Unsigned {
		x = strconv.FormatUint(uint64(r.X), 10)
	}
	if b, ok := boundsTexts[r.Kind]; ok {
		if r.X < 0 && !r.Unsigned {
			return fmt.Sprintf(b.negative, x)
		}
		return fmt.Sprintf(b.text, x, r.Y)
	}
	switch r.Kind {
	case FaultSliceToArr:
		return fmt.Sprintf("cannot convert slice with length %d to array or pointer to array with length %d",
			r.X, r.Y)
	case FaultDivide:
		return "integer divide by zero"
	case FaultOverflow:
		return "integer overflow"
	case FaultShift:
		return "negative shift amount"
	case FaultNil:
		return "invalid memory address or nil pointer dereference"
	case FaultMakeLen:
		return "makeslice: len out of range"
	case FaultAssert:
		if f, ok := formats[int(r.X)-1]; ok {
			msg = f.Sprint(r.Args[:])
		}
		return "assertion failed" + suffix(msg)
	case FaultPanic:
		return "panic" + suffix(msg)
	case FaultType:
		return "interface conversion" + suffix(msg)
	}
	return fmt.Sprintf("unknown failure %d", r.Kind)
}

func suffix(msg string) string {
	if msg == "" {
		return ""
	}
	return ": " + msg
}
