package page

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// likes is a map of n nodes in two groups, even and odd.
func likes(n int) *Map {
	m := &Map{Centre: Node{ID: "centre", Similarity: 1}}
	for i := range n {
		m.Nodes = append(m.Nodes, Node{ID: fmt.Sprintf("node %d with quite a long name of several words", i), Similarity: 1 / float64(i+2)})
		for j := range i {
			if (i-j)%2 == 0 {
				m.Edges = append(m.Edges, Edge{j, i, 0.5})
			}
		}
	}
	return m
}

// TestAround puts what is alike side by side: of two groups each is one stretch of the ring.
func TestAround(t *testing.T) {
	t.Parallel()
	for n := range mapMost + 1 {
		ring := around(likes(n))
		if sorted := slices.Sorted(slices.Values(ring)); len(sorted) != n || n > 0 && (sorted[0] != 0 || sorted[n-1] != n-1 || len(slices.Compact(sorted)) != n) {
			t.Fatalf("%d nodes: ring %v", n, ring)
		}
		changes := 0
		for i := range ring {
			changes += (ring[i] + ring[(i+1)%n]) % 2
		}
		if n > 1 && changes != 2 {
			t.Errorf("%d nodes: ring %v changes groups %d times", n, ring, changes)
		}
	}
}

// TestDraw holds a drawing to its sheet: circles apart, labels within, nearer where more alike.
func TestDraw(t *testing.T) {
	t.Parallel()
	for n := 1; n <= mapMost; n++ {
		d := draw(likes(n))
		next := map[int]bool{}
		for i, s := range d.Spokes {
			next[s.Neighbour] = true
			if s.Number != i+1 || s.At.X < 0 || s.At.X > d.Width || s.At.Y < 0 || s.At.Y > d.Height || math.IsNaN(s.At.X+s.At.Y) {
				t.Errorf("%d nodes: spoke %+v", n, s)
			}
			for _, line := range s.Caption {
				if line.Y < 12 || line.Y > d.Height-4 || len(line.Text) > 40 {
					t.Errorf("%d nodes: label %+v", n, line)
				}
			}
			for _, other := range d.Spokes[:i] {
				if math.Hypot(s.At.X-other.At.X, s.At.Y-other.At.Y) < 12 {
					t.Errorf("%d nodes: %d and %d stand on each other", n, s.Number, other.Number)
				}
			}
		}
		if len(next) != n {
			t.Errorf("%d nodes: going round meets %d", n, len(next))
		}
	}
}
