package abi

import "testing"

func TestLimits(t *testing.T) {
	t.Parallel()
	for sm, want := range map[int][3]int{
		60: {96 << 10, 2048, 32}, 70: {96 << 10, 2048, 32}, 72: {96 << 10, 2048, 32}, 75: {64 << 10, 1024, 16},
		80: {163 << 10, 2048, 32}, 86: {99 << 10, 1536, 16}, 89: {99 << 10, 1536, 24}, 90: {227 << 10, 2048, 32},
		100: {227 << 10, 2048, 32}, 103: {227 << 10, 2048, 32}, 120: {99 << 10, 1536, 24}, 121: {99 << 10, 1536, 24},
	} {
		l := LimitsOf(sm)
		if got := [3]int{l.Shared, l.Resident, l.Blocks}; got != want {
			t.Errorf("sm_%d: %v, want %v", sm, got, want)
		}
	}
	if l := AnyLimits(); l != LimitsOf(90) {
		t.Errorf("no device has more than one of 9.0; got %+v", l)
	}
}

func TestParamLimit(t *testing.T) {
	t.Parallel()
	for v, want := range map[[3]int]int{
		{6, 0, 70}: 4352, {8, 0, 90}: 4352, {8, 1, 90}: 32764, {8, 1, 70}: 32764, {9, 0, 100}: 32764, {8, 1, 60}: 4352,
	} {
		if got := ParamLimit(v[0], v[1], v[2]); got != want {
			t.Errorf("PTX %d.%d for sm_%d: %d bytes, want %d", v[0], v[1], v[2], got, want)
		}
	}
}
