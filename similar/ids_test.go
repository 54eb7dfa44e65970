package similar

import (
	"fmt"
	"slices"
	"testing"
)

// TestIDs lists ids in order, over several segments and without those that were deleted.
func TestIDs(t *testing.T) {
	t.Parallel()
	x, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{5, 3, 8, 1, 7, 2} {
		if err := x.Add(t.Context(), Document{ID: fmt.Sprint(i), Text: "heap"}); err != nil {
			t.Fatal(err)
		}
	}
	x.Delete("3", "8")
	for after, want := range map[string][]string{"": {"1", "2", "5", "7"}, "2": {"5", "7"}, "3": {"5", "7"}, "7": nil} {
		if got := slices.Collect(x.IDs(after)); !slices.Equal(got, want) {
			t.Errorf("after %q: %v, want %v", after, got, want)
		}
	}
	for id := range x.IDs("") {
		if id != "1" {
			t.Errorf("goes on after a break, to %s", id)
		}
		break
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	for id := range x.IDs("") {
		t.Errorf("after Close: %s", id)
	}
}
