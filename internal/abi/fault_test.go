package abi

import (
	"encoding/binary"
	"reflect"
	"testing"
)

// TestDecodeFault writes a record as a kernel does, by its offsets.
func TestDecodeFault(t *testing.T) {
	b := make([]byte, FaultSize)
	put := func(off int, words ...uint32) {
		for i, w := range words {
			binary.LittleEndian.PutUint32(b[off+4*i:], w)
		}
	}
	minus := int64(-5)
	put(FaultOffState, FaultWritten)
	put(FaultOffKind, uint32(FaultSliceLow)|FaultUnsigned)
	put(FaultOffFile, 2)
	put(FaultOffLine, 24)
	put(FaultOffCol, 9)
	binary.LittleEndian.PutUint64(b[FaultOffX:], uint64(minus))
	binary.LittleEndian.PutUint64(b[FaultOffY:], 1<<40)
	put(FaultOffTid, 3, 4, 5)
	put(FaultOffCtaid, 1<<31, 7, 8)
	binary.LittleEndian.PutUint64(b[FaultOffMsg:], 1<<47)
	want := FaultRecord{
		State: FaultWritten, Kind: FaultSliceLow, File: 2, Line: 24, Col: 9, X: -5, Y: 1 << 40,
		Unsigned: true,
		Thread:   [3]int{3, 4, 5}, Block: [3]int{1 << 31, 7, 8}, Msg: 1 << 47,
	}
	if got := DecodeFault(b); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestFaultKinds pins the numbers, which compiled kernels contain.
func TestFaultKinds(t *testing.T) {
	for want, k := range []FaultKind{
		FaultIndex, FaultSliceHigh, FaultSliceLen, FaultSliceLow, FaultSliceMax, FaultSliceHigh3,
		FaultSliceToArr, FaultDivide, FaultShift, FaultNil, FaultAssert, FaultPanic, FaultMakeLen,
		FaultSliceMaxLen, FaultSliceLow3, FaultOverflow, FaultType,
	} {
		if int(k) != want+32 {
			t.Errorf("kind %d, want %d", k, want+32)
		}
	}
}
