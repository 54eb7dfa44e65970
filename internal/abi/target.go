package abi

import (
	"fmt"
	"strconv"
	"strings"
)

// Target is the architecture that PTX is for, as in its .target directive: sm_70, sm_90a, sm_100f.
// The zero Target is none.
type Target struct {
	SM     int  // 90 of sm_90a
	Suffix byte // 'a', 'f' or 0
}

// ParseTarget reads "sm_90a".
func ParseTarget(s string) (Target, bool) {
	number, ok := strings.CutPrefix(s, "sm_")
	if !ok || number == "" {
		return Target{}, false
	}
	var t Target
	switch last := number[len(number)-1]; last {
	case 'a', 'f':
		t.Suffix, number = last, number[:len(number)-1]
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 10 || number[0] < '0' || number[0] > '9' {
		return Target{}, false
	}
	t.SM = n
	return t, true
}

// String is "sm_90a", and "" for the zero Target.
func (t Target) String() string {
	switch {
	case t == Target{}:
		return ""
	case t.Suffix == 0:
		return fmt.Sprintf("sm_%d", t.SM)
	}
	return fmt.Sprintf("sm_%d%c", t.SM, t.Suffix)
}

// RunsOn reports whether PTX for target t runs on a device of compute capability sm, 90 for 9.0
// (PTX ISA, ".target"): PTX for sm_90 on that and every newer one; for sm_90a, with what only this
// architecture has, on that one alone; for sm_100f, with what its family has, on that one and the
// newer ones of the same major number.
func (t Target) RunsOn(sm int) bool {
	switch t.Suffix {
	case 'a':
		return sm == t.SM
	case 'f':
		return sm >= t.SM && sm/10 == t.SM/10
	}
	return sm >= t.SM
}

// Compare orders targets from the oldest to the newest: of PTX that a device runs, the newest is
// the best for it. Of one number, the one for the architecture alone comes last, and that for the
// family before it.
func (t Target) Compare(u Target) int {
	if t.SM != u.SM {
		return t.SM - u.SM
	}
	rank := map[byte]int{0: 0, 'f': 1, 'a': 2}
	return rank[t.Suffix] - rank[u.Suffix]
}

// Has reports whether PTX for target t has all that PTX for need has: an instruction that needs
// sm_90 is in PTX for sm_90a and for sm_100, one that needs sm_90a in PTX for sm_90a alone.
func (t Target) Has(need Target) bool {
	switch need.Suffix {
	case 'a':
		return t == need
	case 'f':
		return t.Suffix != 0 && t.SM >= need.SM && t.SM/10 == need.SM/10
	}
	return t.SM >= need.SM
}

// SimTarget is the simulator's default target: the newest architecture whose instructions it knows.
var SimTarget = Target{90, 'a'}

// TargetOf is the newest target whose PTX runs on a device of compute capability sm.
func TargetOf(sm int) Target {
	if sm >= 90 {
		return Target{sm, 'a'}
	}
	return Target{SM: sm}
}

// ClusterTarget is the oldest target that has clusters.
var ClusterTarget = Target{SM: 90}

// OldestTarget is the oldest target there is PTX for. With it threads of a warp are scheduled
// independently: a module for an older one is compiled so that a warp runs in lockstep even on a
// newer GPU.
var OldestTarget = Target{SM: 70}
