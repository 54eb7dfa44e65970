package fault

import (
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
)

// TestMessage makes each failure happen in Go itself and compares the texts.
func TestMessage(t *testing.T) {
	three := make([]int, 3, 5)
	array := new([3]int)
	minusOne, zero, one, two, four, six := -1, 0, 1, 2, 4, 6
	tests := []struct {
		kind Kind
		x, y int
		fail func()
	}{
		{Index, six, 3, func() { _ = three[six] }},
		{Index, minusOne, 3, func() { _ = three[minusOne] }},
		{SliceHigh, six, 5, func() { _ = three[:six] }},
		{SliceHigh, minusOne, 5, func() { _ = three[:minusOne] }},
		{SliceLen, four, 3, func() { _ = array[:four] }},
		{SliceLen, minusOne, 3, func() { _ = array[:minusOne] }},
		{SliceLow, two, one, func() { _ = three[two:one] }},
		{SliceLow, minusOne, two, func() { _ = three[minusOne:two] }},
		{SliceMax, six, 5, func() { _ = three[:1:six] }},
		{SliceMax, minusOne, 5, func() { _ = three[:1:minusOne] }},
		{SliceMaxLen, four, 3, func() { _ = array[:1:four] }},
		{SliceMaxLen, minusOne, 3, func() { _ = array[:1:minusOne] }},
		{SliceHigh3, two, one, func() { _ = three[:two:one] }},
		{SliceHigh3, minusOne, one, func() { _ = three[:minusOne:one] }},
		{SliceLow3, two, one, func() { _ = three[two:one:4] }},
		{SliceLow3, minusOne, one, func() { _ = three[minusOne:one:4] }},
		{SliceToArr, 3, 4, func() { _ = [4]int(three) }},
		{Divide, 0, 0, func() { _ = one / zero }},
		{Shift, minusOne, 0, func() { _ = one << minusOne }},
		{Nil, 0, 0, func() { array = nil; array[0]++ }},
		{MakeLen, minusOne, 0, func() { _ = make([]int, minusOne) }},
	}
	for _, tt := range tests {
		r := Record{Kind: tt.kind, X: int64(tt.x), Y: int64(tt.y)}
		if got, want := r.Message(""), panicText(tt.fail); got != want {
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

func TestOwnMessages(t *testing.T) {
	tests := []struct {
		kind      Kind
		msg, want string
	}{
		{Assert, "", "assertion failed"},
		{Assert, "n must be even", "assertion failed: n must be even"},
		{Panic, "", "panic"},
		{Panic, "unreachable", "panic: unreachable"},
		{7, "", "unknown failure 7"},
	}
	for _, tt := range tests {
		if got := (Record{Kind: tt.kind}).Message(tt.msg); got != tt.want {
			t.Errorf("kind %d, message %q: %q, want %q", tt.kind, tt.msg, got, tt.want)
		}
	}
}

// TestDecode writes a record as a kernel does, by its offsets.
func TestDecode(t *testing.T) {
	b := make([]byte, Size)
	put := func(off int, words ...uint32) {
		for i, w := range words {
			binary.LittleEndian.PutUint32(b[off+4*i:], w)
		}
	}
	minus := int64(-5)
	put(OffState, Written)
	put(OffKind, uint32(SliceLow))
	put(OffFile, 2)
	put(OffLine, 24)
	put(OffCol, 9)
	binary.LittleEndian.PutUint64(b[OffX:], uint64(minus))
	binary.LittleEndian.PutUint64(b[OffY:], 1<<40)
	put(OffTid, 3, 4, 5)
	put(OffCtaid, 1<<31, 7, 8)
	binary.LittleEndian.PutUint64(b[OffMsg:], 1<<47)
	want := Record{
		State: Written, Kind: SliceLow, File: 2, Line: 24, Col: 9, X: -5, Y: 1 << 40,
		Thread: [3]int{3, 4, 5}, Block: [3]int{1 << 31, 7, 8}, Msg: 1 << 47,
	}
	if got := Decode(b); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestKinds pins the numbers, which compiled kernels contain.
func TestKinds(t *testing.T) {
	for want, k := range []Kind{Index, SliceHigh, SliceLen, SliceLow, SliceMax, SliceHigh3, SliceToArr, Divide, Shift, Nil,
		Assert, Panic, MakeLen, SliceMaxLen, SliceLow3} {
		if int(k) != want+32 {
			t.Errorf("kind %d, want %d", k, want+32)
		}
	}
}
