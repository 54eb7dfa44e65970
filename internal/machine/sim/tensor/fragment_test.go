package tensor

import (
	"fmt"
	"testing"
)

// TestFragments compares the rule for fragments with what the manual says of each shape.
func TestFragments(t *testing.T) {
	t.Parallel()
	pick := func(cond bool, x, y int) int {
		if cond {
			return x
		}
		return y
	}
	for _, m := range []struct {
		name        string
		shape       Shape
		perRegister int
		rowA, colA  func(group, thread, i int) int
		rowB        func(thread, i int) int
	}{
		{"f64", Shape{8, 8, 4}, 1,
			func(g, _, _ int) int { return g }, func(_, t, _ int) int { return t }, func(t, _ int) int { return t }},
		{"f64, tf32", Shape{16, 8, 4}, 1,
			func(g, _, i int) int { return pick(i == 0, g, g+8) }, func(_, t, _ int) int { return t }, func(t, _ int) int { return t }},
		{"f64, tf32", Shape{16, 8, 8}, 1,
			func(g, _, i int) int { return pick(i == 0 || i == 2, g, g+8) }, func(_, t, i int) int { return pick(i < 2, t, t+4) },
			func(t, i int) int { return pick(i == 0, t, t+4) }},
		{"f64", Shape{16, 8, 16}, 1,
			func(g, _, i int) int { return pick(i%2 == 0, g, g+8) }, func(_, t, i int) int { return pick(i%2 == 0, 2*i, 2*i-2) + t },
			func(t, i int) int { return t + 4*i }},
		{"f16, bf16", Shape{16, 8, 8}, 2,
			func(g, _, i int) int { return pick(i < 2, g, g+8) }, func(_, t, i int) int { return 2*t + i&1 },
			func(t, i int) int { return 2*t + i }},
		{"f16, bf16", Shape{16, 8, 16}, 2,
			func(g, _, i int) int { return pick(i < 2 || i >= 4 && i < 6, g, g+8) }, func(_, t, i int) int { return 2*t + i&1 + pick(i >= 4, 8, 0) },
			func(t, i int) int { return 2*t + i&1 + pick(i >= 2, 8, 0) }},
		{"s8", Shape{16, 8, 16}, 4,
			func(g, _, i int) int { return pick(i < 4, g, g+8) }, func(_, t, i int) int { return 4*t + i&3 },
			func(t, i int) int { return 4*t + i }},
		{"s8", Shape{16, 8, 32}, 4,
			func(g, _, i int) int { return pick(i < 4 || i >= 8 && i < 12, g, g+8) }, func(_, t, i int) int { return 4*t + i&3 + pick(i >= 8, 16, 0) },
			func(t, i int) int { return 4*t + i&3 + pick(i >= 4, 16, 0) }},
	} {
		t.Run(fmt.Sprint(m.name, m.shape), func(t *testing.T) {
			t.Parallel()
			s := m.shape
			var a, b, c, wantA, wantB, wantC [][2]int
			add := func(list *[][2]int, row, col int) { *list = append(*list, [2]int{row, col}) }
			for lane := range 32 {
				group, thread := lane>>2, lane%4
				for i := range s.M * s.K / 32 {
					row, col := s.A(lane, i, m.perRegister)
					add(&a, row, col)
					add(&wantA, m.rowA(group, thread, i), m.colA(group, thread, i))
				}
				for i := range s.K * s.N / 32 {
					row, col := s.B(lane, i, m.perRegister)
					add(&b, row, col)
					add(&wantB, m.rowB(thread, i), group)
				}
				for i := range s.M * s.N / 32 {
					row, col := s.C(lane, i)
					add(&c, row, col)
					add(&wantC, pick(i < 2, group, group+8), 2*thread+i&1)
				}
			}
			same(t, "A", a, wantA, s.M, s.K)
			same(t, "B", b, wantB, s.K, s.N)
			same(t, "C", c, wantC, s.M, s.N)
		})
	}
}

// same compares the elements of a matrix, which must each be there once.
func same(t *testing.T, name string, got, want [][2]int, rows, cols int) {
	t.Helper()
	seen := map[[2]int]bool{}
	for i, at := range got {
		if at != want[i] {
			t.Errorf("%s: element %d is %v, want %v", name, i, at, want[i])
		}
		if at[0] >= rows || at[1] >= cols || seen[at] {
			t.Errorf("%s: element %v is not there once in %d by %d", name, at, rows, cols)
		}
		seen[at] = true
	}
	if len(seen) != rows*cols {
		t.Errorf("%s: %d elements of %d by %d", name, len(seen), rows, cols)
	}
}
