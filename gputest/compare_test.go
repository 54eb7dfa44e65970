package gputest_test

import (
	"math"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/gputest"
)

// TestCompare compares numbers that are near and far.
func TestCompare(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		got, want []float64
		within    gputest.Tolerance
		says      string // a part of the failure
	}{
		{nil, nil, gputest.Tolerance{}, ""},
		{[]float64{1, nan, inf, -inf, 0}, []float64{1, nan, inf, -inf, math.Copysign(0, -1)}, gputest.Tolerance{}, ""},
		{[]float64{1, 2}, []float64{1, 2.0000001}, gputest.Tolerance{}, "y[1] is 2; want 2.0000001"},
		{[]float64{1.01, 0}, []float64{1, 1e-9}, gputest.Tolerance{Relative: 0.011, Absolute: 1e-8}, ""},
		{[]float64{1.01, 3}, []float64{1, 2}, gputest.Tolerance{Relative: 0.001, Absolute: 0.001},
			"y[1] is 3; want 2, with a relative error of 0.001 or an absolute one of 0.001 at most (2 of 2 numbers are too far away)"},
		{[]float64{-1}, []float64{1}, gputest.Tolerance{Relative: 1.9}, "y[0] is -1"},
		{[]float64{1, nan}, []float64{1, 1}, gputest.Tolerance{Relative: 10, Absolute: 10}, "y[1] is NaN; want 1"},
		{[]float64{1}, []float64{nan}, gputest.Tolerance{Relative: 10, Absolute: 10}, "y[0] is 1; want NaN"},
		{[]float64{inf}, []float64{math.MaxFloat64}, gputest.Tolerance{Relative: 10}, "y[0] is +Inf"},
		{[]float64{math.MaxFloat64}, []float64{inf}, gputest.Tolerance{Relative: 10}, "want +Inf"},
		{[]float64{-inf}, []float64{inf}, gputest.Tolerance{Relative: 10}, "want +Inf"},
		{[]float64{1}, []float64{1, 2}, gputest.Tolerance{}, "y has 1 numbers; want 2"},
		{nil, nil, gputest.Tolerance{Relative: -1}, "the tolerance of y is {-1 0}"},
		{nil, nil, gputest.Tolerance{Absolute: nan}, "the tolerance of y is {0 NaN}"},
		{nil, nil, gputest.Tolerance{Relative: inf}, "the tolerance of y is {+Inf 0}"},
	} {
		p := &probe{TB: t}
		func() {
			defer func() {
				if r := recover(); r != nil && r != (stop{}) {
					panic(r)
				}
			}()
			gputest.Compare(p, "y", c.got, c.want, c.within)
		}()
		if said := p.end(); (said != "") != (c.says != "") || !strings.Contains(said, c.says) {
			t.Errorf("%v and %v within %v: it says %q, want %q", c.got, c.want, c.within, said, c.says)
		}
	}
}
