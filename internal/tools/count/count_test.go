package count

import "testing"

func TestOf(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0 blocks":      Of(0, "block"),
		"1 block":       Of(1, "block"),
		"2 blocks":      Of(uint64(2), "block"),
		"1 launch":      Of(1, "launch"),
		"31 launches":   Of(31, "launch"),
		"2 accesses":    Of(2, "access"),
		"3 matrices":    Of(3, "matrix", "matrices"),
		"1 matrix":      Of(1, "matrix", "matrices"),
		"-1 bad blocks": Of(-1, "bad block"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
