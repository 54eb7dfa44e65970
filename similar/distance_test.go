package similar

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDistances holds distances with shared rows to a whole matrix for each word, over random sorted
// words of few letters.
func TestDistances(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		s := make([]rune, r.IntN(8))
		for i := range s {
			s[i] = []rune("abcéß東")[r.IntN(6)]
		}
		return string(s)
	}
	compared := 0
	for range 300 {
		list := make([]string, 100)
		for i := range list {
			list[i] = word()
		}
		slices.Sort(list)
		to, most := word(), r.IntN(3)
		d, before := newDistances(to, most), ""
		for _, w := range list {
			same := 0
			for same < min(len(w), len(before)) && w[same] == before[same] {
				same++
			}
			before = w
			got, want := d.of(w, same), matrix([]rune(w), []rune(to))
			if min(got, most+1) != min(want, most+1) {
				t.Fatalf("%q is %d from %q, want %d", w, got, to, want)
			}
			compared++
		}
	}
	if compared != 30_000 {
		t.Errorf("%d words", compared)
	}
}

// matrix is the distance by a matrix of all pairs of beginnings.
func matrix(a, b []rune) int {
	m := make([][]int, len(a)+1)
	for i := range m {
		m[i] = make([]int, len(b)+1)
		for j := range m[i] {
			switch {
			case i == 0 || j == 0:
				m[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				m[i][j] = m[i-1][j-1]
			default:
				m[i][j] = 1 + min(m[i-1][j], m[i][j-1], m[i-1][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				m[i][j] = min(m[i][j], m[i-2][j-2]+1)
			}
		}
	}
	return m[len(a)][len(b)]
}
