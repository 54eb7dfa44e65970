package picture

import (
	"slices"
	"testing"
)

// TestPlace places blocks of different lengths. No slot has two blocks at once, and none is idle while a
// block waits.
func TestPlace(t *testing.T) {
	t.Parallel()
	g := Grid{Multiprocessors: 2, Resident: 2}
	g.place([]int{5, 1, 3, 2, 4, 1, 7})
	want := []Placed{{0, 0, 0, 5}, {1, 2, 0, 1}, {2, 1, 0, 3}, {3, 3, 0, 2}, {4, 2, 1, 4}, {5, 3, 2, 1}, {6, 1, 3, 7}}
	if !slices.Equal(g.Places, want) || g.Length != 10 {
		t.Errorf("%+v, length %d", g.Places, g.Length)
	}
	g = Grid{Multiprocessors: 4, Resident: 8}
	g.place(make([]int, MaxBlocks+5))
	if len(g.Places) != MaxBlocks || g.Dropped != 5 {
		t.Errorf("%d places, %d dropped", len(g.Places), g.Dropped)
	}
}
