package simdev

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/device"
)

// TestQueue compares the ring with a slice, over growth and wrapping around.
func TestQueue(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var q queue
	var want [][]byte
	for i := range 10_000 {
		if r.IntN(100) < 52 {
			params := make([]byte, r.IntN(200))
			for j := range params {
				params[j] = byte(i + j)
			}
			q.push(operation{launch: device.Launch{Params: params}})
			want = append(want, slices.Clone(params))
			clear(params) // push must have copied
		} else if len(want) > 0 {
			if got := q.front(); !slices.Equal(got.launch.Params, want[0]) {
				t.Fatalf("step %d: front is %v, want %v", i, got.launch.Params, want[0])
			}
			q.pop()
			want = want[1:]
		}
		if q.n != len(want) {
			t.Fatalf("step %d: length %d, want %d", i, q.n, len(want))
		}
	}
	if len(want) < 100 {
		t.Fatalf("the queue never grew: %d at the end", len(want))
	}
}
