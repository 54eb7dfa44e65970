package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
)

// launchOn launches a kernel on a checked device on 0, 1, … n-1, and returns what it left.
func launchOn(t *testing.T, dev *gridstride.Device, name string, n, blocks, threads int) ([]int32, error) {
	t.Helper()
	k, err := kernels[name](dev)
	if err != nil {
		t.Fatal(err)
	}
	host := make([]int32, n)
	for i := range host {
		host[i] = int32(i)
	}
	x, err := gridstride.CopyOf(dev, host)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Free()
	s := dev.Stream()
	if err := k.Launch(s, gridstride.Grid(blocks).Block(threads), x); err != nil {
		t.Fatal(err)
	}
	return x.Read(t.Context(), s, nil)
}

// TestOwners has each element taken by the thread that the chapter says takes it, at odd sizes.
func TestOwners(t *testing.T) {
	dev := gputest.Device(t)
	for _, n := range []int{0, 1, 7, 27, 31, 33, 1000} {
		for _, grid := range [][2]int{{1, 1}, {2, 4}, {3, 33}, {5, 64}} {
			threads := grid[0] * grid[1]
			each := (n + threads - 1) / threads
			for name, owner := range map[string]func(i int) int{
				"stride": func(i int) int { return i % threads },
				"chunk":  func(i int) int { return i / each },
			} {
				got, err := launchOn(t, dev, name, n, grid[0], grid[1])
				if err != nil {
					t.Fatal(err)
				}
				for i, thread := range got {
					if int(thread) != owner(i) {
						t.Errorf("%s, %d elements, %v: element %d is thread %d's, want %d", name, n, grid, i, thread,
							owner(i))
					}
				}
			}
		}
	}
}

// TestSquare squares with more threads than elements, and with fewer.
func TestSquare(t *testing.T) {
	dev := gputest.Device(t)
	for _, test := range []struct {
		blocks int
		want   []int32
	}{{2, []int32{0, 1, 4, 9, 16}}, {1, []int32{0, 1, 4, 9, 4}}} {
		got, err := launchOn(t, dev, "square", 5, test.blocks, 4)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%d blocks: %v, %v; want %v", test.blocks, got, err, test.want)
		}
	}
}

// TestUnguarded fails at the first thread after the last element.
func TestUnguarded(t *testing.T) {
	gputest.Expect(t, gputest.Finding{Tool: "memcheck", Kind: "out-of-bounds", At: []string{"x[i] *= x[i]"}})
	_, err := launchOn(t, gputest.Device(t), "unguarded", 27, 7, 4)
	if err == nil || !strings.Contains(err.Error(), "index out of range [27] with length 27") {
		t.Errorf("error %v", err)
	}
}
