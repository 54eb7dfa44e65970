package pass

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGuardBoundaries runs the loop of a sieve before and after Guard and all passes, where its first
// number and its step are at the ends of what lets the checks hold, and of 32 bits.
func TestGuardBoundaries(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/Guard/sieve.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(data), "-- before --\n")
	text, _, _ = strings.Cut(text, "-- after --\n")
	before, once, all := parsed(t, text), parsed(t, text), parsed(t, text)
	Guard(once)
	if once.NumBlocks() == before.NumBlocks() {
		t.Fatal("nothing is copied")
	}
	if err := RunVerified(all, List); err != nil {
		t.Fatal(err)
	}
	faults, fine := 0, 0
	for _, first := range []int32{math.MinInt32, -33, -32, -1, 0, 1, 31, 32, 8191, 8192, math.MaxInt32} {
		for _, step := range []int32{math.MinInt32, -8192, -1, 61, 4096, 1 << 30, 1<<30 + 1, math.MaxInt32 - 8191, math.MaxInt32} {
			in := input{args: []uint64{memBase, uint64(uint32(first)), uint64(uint32(step))}, mem: make([]byte, 1024)}
			want := interpret(before, in)
			if want.Err != "" { // it runs too long, as in the loop from 8191 down
				continue
			}
			if want.Fault != "" {
				faults++
			} else {
				fine++
			}
			for name, got := range map[string]outcome{"Guard": interpret(once, in), "all passes": interpret(all, in)} {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, from %d by %d: -want +got:\n%s", name, first, step, diff)
				}
			}
		}
	}
	if faults < 20 || fine < 20 {
		t.Errorf("%d runs fail and %d do not; want more", faults, fine)
	}
}
