package abi

import (
	"math/bits"
	"strings"
	"testing"
)

// TestFaultMessage makes each failure happen in Go itself and compares the texts.
func TestFaultMessage(t *testing.T) {
	three := make([]int, 3, 5)
	array := new([3]int)
	minusOne, zero, one, two, four, six := -1, 0, 1, 2, 4, 6
	tests := []struct {
		kind FaultKind
		x, y int
		fail func()
	}{
		{FaultIndex, six, 3, func() { _ = three[six] }},
		{FaultIndex, minusOne, 3, func() { _ = three[minusOne] }},
		{FaultSliceHigh, six, 5, func() { _ = three[:six] }},
		{FaultSliceHigh, minusOne, 5, func() { _ = three[:minusOne] }},
		{FaultSliceLen, four, 3, func() { _ = array[:four] }},
		{FaultSliceLen, minusOne, 3, func() { _ = array[:minusOne] }},
		{FaultSliceLow, two, one, func() { _ = three[two:one] }},
		{FaultSliceLow, minusOne, two, func() { _ = three[minusOne:two] }},
		{FaultSliceMax, six, 5, func() { _ = three[:1:six] }},
		{FaultSliceMax, minusOne, 5, func() { _ = three[:1:minusOne] }},
		{FaultSliceMaxLen, four, 3, func() { _ = array[:1:four] }},
		{FaultSliceMaxLen, minusOne, 3, func() { _ = array[:1:minusOne] }},
		{FaultSliceHigh3, two, one, func() { _ = three[:two:one] }},
		{FaultSliceHigh3, minusOne, one, func() { _ = three[:minusOne:one] }},
		{FaultSliceLow3, two, one, func() { _ = three[two:one:4] }},
		{FaultSliceLow3, minusOne, one, func() { _ = three[minusOne:one:4] }},
		{FaultSliceToArr, 3, 4, func() { _ = [4]int(three) }},
		{FaultDivide, 0, 0, func() { _ = one / zero }},
		{FaultShift, minusOne, 0, func() { _ = one << minusOne }},
		{FaultNil, 0, 0, func() { array = nil; array[0]++ }},
		{FaultOverflow, 0, 0, func() { bits.Div64(2, 3, 1) }},
		{FaultMakeLen, minusOne, 0, func() { _ = make([]int, minusOne) }},
	}
	for _, tt := range tests {
		r := FaultRecord{Kind: tt.kind, X: int64(tt.x), Y: int64(tt.y)}
		if got, want := r.Message("", nil), panicText(tt.fail); got != want {
			t.Errorf("kind %d: %q, Go says %q", tt.kind, got, want)
		}
	}
}

// panicText is what f panics with.
func panicText(f func()) (text string) {
	defer func() {
		text = strings.TrimPrefix(recover().(error).Error(), "runtime error: ")
	}()
	f()
	return ""
}

// TestFaultUnsigned does the same with an index above the range of int64.
func TestFaultUnsigned(t *testing.T) {
	three := make([]int, 3, 5)
	array := new([3]int)
	one, large := 1, ^uint64(5)
	tests := []struct {
		kind FaultKind
		y    int64
		fail func()
	}{
		{FaultIndex, 3, func() { _ = three[large] }},
		{FaultSliceHigh, 5, func() { _ = three[:large] }},
		{FaultSliceLen, 3, func() { _ = array[:large] }},
		{FaultSliceLow, 1, func() { _ = three[large:one] }},
		{FaultSliceMax, 5, func() { _ = three[:1:large] }},
		{FaultSliceMaxLen, 3, func() { _ = array[:1:large] }},
		{FaultSliceHigh3, 1, func() { _ = three[:large:one] }},
		{FaultSliceLow3, 1, func() { _ = three[large:one:4] }},
	}
	for _, tt := range tests {
		r := FaultRecord{Kind: tt.kind, X: int64(large), Y: tt.y, Unsigned: true}
		if got, want := r.Message("", nil), panicText(tt.fail); got != want {
			t.Errorf("kind %d: %q, Go says %q", tt.kind, got, want)
		}
	}
}

func TestFaultOwnMessages(t *testing.T) {
	tests := []struct {
		kind      FaultKind
		msg, want string
	}{
		{FaultAssert, "", "assertion failed"},
		{FaultAssert, "n must be even", "assertion failed: n must be even"},
		{FaultPanic, "", "panic"},
		{FaultPanic, "unreachable", "panic: unreachable"},
		{7, "", "unknown failure 7"},
	}
	for _, tt := range tests {
		if got := (FaultRecord{Kind: tt.kind}).Message(tt.msg, nil); got != tt.want {
			t.Errorf("kind %d, message %q: %q, want %q", tt.kind, tt.msg, got, tt.want)
		}
	}
}
