package message

import (
	"github.com/gridstride/gridstride/internal/abi"
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
		kind abi.FaultKind
		x, y int
		fail func()
	}{
		{abi.FaultIndex, six, 3, func() { _ = three[six] }},
		{abi.FaultIndex, minusOne, 3, func() { _ = three[minusOne] }},
		{abi.FaultSliceHigh, six, 5, func() { _ = three[:six] }},
		{abi.FaultSliceHigh, minusOne, 5, func() { _ = three[:minusOne] }},
		{abi.FaultSliceLen, four, 3, func() { _ = array[:four] }},
		{abi.FaultSliceLen, minusOne, 3, func() { _ = array[:minusOne] }},
		{abi.FaultSliceLow, two, one, func() { _ = three[two:one] }},
		{abi.FaultSliceLow, minusOne, two, func() { _ = three[minusOne:two] }},
		{abi.FaultSliceMax, six, 5, func() { _ = three[:1:six] }},
		{abi.FaultSliceMax, minusOne, 5, func() { _ = three[:1:minusOne] }},
		{abi.FaultSliceMaxLen, four, 3, func() { _ = array[:1:four] }},
		{abi.FaultSliceMaxLen, minusOne, 3, func() { _ = array[:1:minusOne] }},
		{abi.FaultSliceHigh3, two, one, func() { _ = three[:two:one] }},
		{abi.FaultSliceHigh3, minusOne, one, func() { _ = three[:minusOne:one] }},
		{abi.FaultSliceLow3, two, one, func() { _ = three[two:one:4] }},
		{abi.FaultSliceLow3, minusOne, one, func() { _ = three[minusOne:one:4] }},
		{abi.FaultSliceToArr, 3, 4, func() { _ = [4]int(three) }},
		{abi.FaultDivide, 0, 0, func() { _ = one / zero }},
		{abi.FaultShift, minusOne, 0, func() { _ = one << minusOne }},
		{abi.FaultNil, 0, 0, func() { array = nil; array[0]++ }},
		{abi.FaultOverflow, 0, 0, func() { bits.Div64(2, 3, 1) }},
		{abi.FaultMakeLen, minusOne, 0, func() { _ = make([]int, minusOne) }},
	}
	for _, tt := range tests {
		r := abi.FaultRecord{Kind: tt.kind, X: int64(tt.x), Y: int64(tt.y)}
		if got, want := Of(r, "", nil), panicText(tt.fail); got != want {
			t.Errorf("kind %d: %q, Go says %q", tt.kind, got, want)
		}
	}
}

// panicText is the text of f's panic.
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
		kind abi.FaultKind
		y    int64
		fail func()
	}{
		{abi.FaultIndex, 3, func() { _ = three[large] }},
		{abi.FaultSliceHigh, 5, func() { _ = three[:large] }},
		{abi.FaultSliceLen, 3, func() { _ = array[:large] }},
		{abi.FaultSliceLow, 1, func() { _ = three[large:one] }},
		{abi.FaultSliceMax, 5, func() { _ = three[:1:large] }},
		{abi.FaultSliceMaxLen, 3, func() { _ = array[:1:large] }},
		{abi.FaultSliceHigh3, 1, func() { _ = three[:large:one] }},
		{abi.FaultSliceLow3, 1, func() { _ = three[large:one:4] }},
	}
	for _, tt := range tests {
		r := abi.FaultRecord{Kind: tt.kind, X: int64(large), Y: tt.y, Unsigned: true}
		if got, want := Of(r, "", nil), panicText(tt.fail); got != want {
			t.Errorf("kind %d: %q, Go says %q", tt.kind, got, want)
		}
	}
}

func TestFaultOwnMessages(t *testing.T) {
	tests := []struct {
		kind      abi.FaultKind
		msg, want string
	}{
		{abi.FaultAssert, "", "assertion failed"},
		{abi.FaultAssert, "n must be even", "assertion failed: n must be even"},
		{abi.FaultPanic, "", "panic"},
		{abi.FaultPanic, "unreachable", "panic: unreachable"},
		{7, "", "unknown failure 7"},
	}
	for _, tt := range tests {
		if got := Of(abi.FaultRecord{Kind: tt.kind}, tt.msg, nil); got != tt.want {
			t.Errorf("kind %d, message %q: %q, want %q", tt.kind, tt.msg, got, tt.want)
		}
	}
}
