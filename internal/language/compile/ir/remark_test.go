package ir

import "testing"

// TestAround finds the innermost loop around two, from either side.
func TestAround(t *testing.T) {
	t.Parallel()
	outer := NewSourceLoop(Pos{Line: 1}, nil)
	left, right := NewSourceLoop(Pos{Line: 2}, outer), NewSourceLoop(Pos{Line: 5}, outer)
	deep := NewSourceLoop(Pos{Line: 4}, NewSourceLoop(Pos{Line: 3}, left))
	other := NewSourceLoop(Pos{Line: 9}, nil)
	for _, c := range []struct{ x, y, want *SourceLoop }{
		{nil, nil, nil}, {nil, left, left}, {outer, outer, outer}, {deep, left, left}, {deep, right, outer},
		{deep, outer, outer}, {deep, other, nil}, {outer, other, nil},
	} {
		if got := c.x.Around(c.y); got != c.want {
			t.Errorf("%v and %v: %v, want %v", c.x, c.y, got, c.want)
		}
		if got := c.y.Around(c.x); got != c.want {
			t.Errorf("%v and %v: %v, want %v", c.y, c.x, got, c.want)
		}
	}
}

// TestRemarksOnce adds remarks twice, too many, and to nobody.
func TestRemarksOnce(t *testing.T) {
	t.Parallel()
	var none *Remarks
	none.Add(Remark{Deed: "unrolled"})
	var r Remarks
	for i := range 2 * (maxRemarks + 5) {
		r.Add(Remark{Deed: "unrolled", Of: Pos{Line: int32(i / 2)}})
	}
	if len(r.List) != maxRemarks || !r.Cut || r.List[1].Of.Line != 1 {
		t.Errorf("%d remarks, cut is %v", len(r.List), r.Cut)
	}
}
