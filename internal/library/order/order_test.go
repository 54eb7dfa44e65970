package order

import (
	"slices"
	"testing"
)

// TestPermutation is of each index once, and of the same order in every release: a program that shuffles by
// a seed wants its results again.
func TestPermutation(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 31, 33, 1000, 4097} {
		p, seen := PermutationOf(n, 7), make([]bool, n)
		for i := range n {
			at := p.Of(i)
			if seen[at] {
				t.Fatalf("of %d: %d twice", n, at)
			}
			seen[at] = true
		}
	}
	var got []int
	for i := range 10 {
		got = append(got, PermutationOf(10, 2).Of(i))
	}
	if want := []int{2, 6, 3, 0, 9, 1, 4, 8, 7, 5}; !slices.Equal(got, want) {
		t.Errorf("10 numbers by the seed 2: %v, want %v", got, want)
	}
}

// TestShapes has the shapes that the bits of sums and scans depend on.
func TestShapes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{0: 1, 4096: 1, 4097: 2, 1 << 22: 1024, 1 << 40: 1584} {
		if got := ReduceBlocks(n); got != want {
			t.Errorf("a sum of %d has %d blocks, want %d", n, got, want)
		}
	}
	got := []int{ScanItems[uint8](), ScanItems[float32](), ScanItems[float64](), ScanItems[[3]int32](), ScanItems[[5]int32]()}
	if want := []int{16, 16, 8, 4, 2}; !slices.Equal(got, want) {
		t.Errorf("a thread of a scan has %v elements, want %v", got, want)
	}
}
