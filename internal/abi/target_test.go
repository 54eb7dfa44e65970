package abi

import "testing"

func TestParseTarget(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Target{
		"sm_70": {SM: 70}, "sm_90a": {90, 'a'}, "sm_100f": {100, 'f'}, "sm_120": {SM: 120},
		"": {}, "sm_": {}, "sm_a": {}, "sm_90b": {}, "sm_+90": {}, "sm_7": {}, "compute_70": {}, "sm_-90": {},
	} {
		got, ok := ParseTarget(text)
		if got != want || ok != (want != Target{}) {
			t.Errorf("%q: %v %v, want %v", text, got, ok, want)
		}
		if ok && got.String() != text {
			t.Errorf("%q is printed as %q", text, got)
		}
	}
}

func TestRunsOn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int{
		"sm_70":   {70, 75, 80, 90, 100, 103, 120},
		"sm_90":   {90, 100, 103, 120},
		"sm_90a":  {90},
		"sm_100f": {100, 103},
		"sm_103f": {103},
		"sm_120a": {120},
	} {
		target, _ := ParseTarget(text)
		runs := map[int]bool{}
		for _, sm := range want {
			runs[sm] = true
		}
		for _, sm := range []int{60, 70, 75, 80, 90, 100, 103, 120} {
			if target.RunsOn(sm) != runs[sm] {
				t.Errorf("%s on a device of sm_%d: %v", text, sm, !runs[sm])
			}
		}
	}
}

func TestTargetOrder(t *testing.T) {
	t.Parallel()
	order := []string{"sm_70", "sm_80", "sm_90", "sm_90a", "sm_100", "sm_100f", "sm_100a", "sm_120"}
	for i, a := range order {
		for j, b := range order {
			x, _ := ParseTarget(a)
			y, _ := ParseTarget(b)
			if got := x.Compare(y); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("%s compared with %s: %d", a, b, got)
			}
		}
	}
}

func TestTargetHas(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		target, need string
		want         bool
	}{
		{"sm_90", "sm_80", true}, {"sm_80", "sm_90", false}, {"sm_90a", "sm_90", true}, {"sm_90a", "sm_90a", true},
		{"sm_90", "sm_90a", false}, {"sm_100a", "sm_90a", false}, {"sm_100a", "sm_100f", true},
		{"sm_103f", "sm_100f", true}, {"sm_120a", "sm_100f", false}, {"sm_103", "sm_100f", false},
	} {
		target, _ := ParseTarget(tt.target)
		need, _ := ParseTarget(tt.need)
		if got := target.Has(need); got != tt.want {
			t.Errorf("%s has what needs %s: %v", tt.target, tt.need, got)
		}
	}
}
