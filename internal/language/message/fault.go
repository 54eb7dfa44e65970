package message

import (
	"fmt"
	"strconv"

	"github.com/gridstride/gridstride/internal/abi"
)

// boundsTexts are Go's messages of the checks of bounds. One of a negative X names no other number.
var boundsTexts = map[abi.FaultKind]struct{ text, negative string }{
	abi.FaultIndex:       {"index out of range [%s] with length %d", "index out of range [%s]"},
	abi.FaultSliceHigh:   {"slice bounds out of range [:%s] with capacity %d", "slice bounds out of range [:%s]"},
	abi.FaultSliceLen:    {"slice bounds out of range [:%s] with length %d", "slice bounds out of range [:%s]"},
	abi.FaultSliceLow:    {"slice bounds out of range [%s:%d]", "slice bounds out of range [%s:]"},
	abi.FaultSliceMax:    {"slice bounds out of range [::%s] with capacity %d", "slice bounds out of range [::%s]"},
	abi.FaultSliceMaxLen: {"slice bounds out of range [::%s] with length %d", "slice bounds out of range [::%s]"},
	abi.FaultSliceHigh3:  {"slice bounds out of range [:%s:%d]", "slice bounds out of range [:%s:]"},
	abi.FaultSliceLow3:   {"slice bounds out of range [%s:%d:]", "slice bounds out of range [%s::]"},
}

// Of is the text that Go itself prints for a failure. msg is the string at Msg, for FaultAssert,
// FaultPanic and abi.FaultType. formats are the module's, by number.
func Of(r abi.FaultRecord, msg string, formats map[int]abi.Format) string {
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
	case abi.FaultSliceToArr:
		return fmt.Sprintf("cannot convert slice with length %d to array or pointer to array with length %d",
			r.X, r.Y)
	case abi.FaultDivide:
		return "integer divide by zero"
	case abi.FaultOverflow:
		return "integer overflow"
	case abi.FaultShift:
		return "negative shift amount"
	case abi.FaultNil:
		return "invalid memory address or nil pointer dereference"
	case abi.FaultMakeLen:
		return "makeslice: len out of range"
	case abi.FaultAssert:
		if f, ok := formats[int(r.X)-1]; ok {
			msg = Sprint(f, r.Args[:])
		}
		return "assertion failed" + suffix(msg)
	case abi.FaultPanic:
		return "panic" + suffix(msg)
	case abi.FaultType:
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
