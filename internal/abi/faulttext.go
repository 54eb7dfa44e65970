package abi

import "fmt"

// Message is the text that Go itself prints for this failure; msg is the string at Msg, for
// FaultAssert and FaultPanic.
func (r FaultRecord) Message(msg string) string {
	switch r.Kind {
	case FaultIndex:
		if r.X < 0 {
			return fmt.Sprintf("index out of range [%d]", r.X)
		}
		return fmt.Sprintf("index out of range [%d] with length %d", r.X, r.Y)
	case FaultSliceHigh:
		return sliceMessage("[:%d]", r.X, fmt.Sprintf(" with capacity %d", r.Y))
	case FaultSliceLen:
		return sliceMessage("[:%d]", r.X, fmt.Sprintf(" with length %d", r.Y))
	case FaultSliceLow:
		if r.X < 0 {
			return fmt.Sprintf("slice bounds out of range [%d:]", r.X)
		}
		return fmt.Sprintf("slice bounds out of range [%d:%d]", r.X, r.Y)
	case FaultSliceMax:
		return sliceMessage("[::%d]", r.X, fmt.Sprintf(" with capacity %d", r.Y))
	case FaultSliceMaxLen:
		return sliceMessage("[::%d]", r.X, fmt.Sprintf(" with length %d", r.Y))
	case FaultSliceHigh3:
		if r.X < 0 {
			return fmt.Sprintf("slice bounds out of range [:%d:]", r.X)
		}
		return fmt.Sprintf("slice bounds out of range [:%d:%d]", r.X, r.Y)
	case FaultSliceLow3:
		if r.X < 0 {
			return fmt.Sprintf("slice bounds out of range [%d::]", r.X)
		}
		return fmt.Sprintf("slice bounds out of range [%d:%d:]", r.X, r.Y)
	case FaultSliceToArr:
		return fmt.Sprintf("cannot convert slice with length %d to array or pointer to array with length %d",
			r.X, r.Y)
	case FaultDivide:
		return "integer divide by zero"
	case FaultShift:
		return "negative shift amount"
	case FaultNil:
		return "invalid memory address or nil pointer dereference"
	case FaultMakeLen:
		return "makeslice: len out of range"
	case FaultAssert:
		return "assertion failed" + suffix(msg)
	case FaultPanic:
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
