package duplicates

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// TestSets holds sets to their room: what has none is read again, and is right.
func TestSets(t *testing.T) {
	t.Parallel()
	reads := 0
	set := func(d uint32) []uint64 { return slices.Repeat([]uint64{uint64(d)}, 10) }
	s := sets{room: 1000, of: func(d uint32) ([]uint64, error) { return set(d), nil }}
	batch := []comparison{{documents: []uint32{1, 2, 3, 4, 5, 6, 7, 8, 9}}, {documents: []uint32{9, 10, 11, 12, 13, 14, 15, 16}}}
	if err := s.read(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if s.used > s.room || len(s.known) < 5 || len(s.known) > 12 {
		t.Errorf("%d sets take %d bytes of %d", len(s.known), s.used, s.room)
	}
	s.of = func(d uint32) ([]uint64, error) {
		reads++
		return set(d), nil
	}
	for range 2 {
		for _, d := range []uint32{1, 20, 21, 20, 21, 20, 1, 2} {
			if got, err := s.get(d); err != nil || !slices.Equal(got, set(d)) {
				t.Errorf("set %d is %v, %v", d, got, err)
			}
		}
	}
	if reads > 12 {
		t.Errorf("%d sets were read again", reads)
	}
	s.forget()
	if got, err := s.get(20); err != nil || len(got) != 10 || s.used != 0 {
		t.Errorf("after the end of a batch: %v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.read(ctx, batch); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
