package rand_test

import (
	"testing"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/rand"
)

// TestKnownAnswers has the vectors for philox4x32-10 of the authors' library Random123
// (tests/kat_vectors).
func TestKnownAnswers(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		counter gpu.Uint32x4
		key     gpu.Uint32x2
		want    gpu.Uint32x4
	}{
		{want: gpu.Uint32x4{X: 0x6627e8d5, Y: 0xe169c58d, Z: 0xbc57ac4c, W: 0x9b00dbd8}},
		{
			gpu.Uint32x4{X: 0xffffffff, Y: 0xffffffff, Z: 0xffffffff, W: 0xffffffff},
			gpu.Uint32x2{X: 0xffffffff, Y: 0xffffffff},
			gpu.Uint32x4{X: 0x408f276d, Y: 0x41c83b0e, Z: 0xa20bc7c6, W: 0x6d5451fd},
		},
		{ // the digits of π
			gpu.Uint32x4{X: 0x243f6a88, Y: 0x85a308d3, Z: 0x13198a2e, W: 0x03707344},
			gpu.Uint32x2{X: 0xa4093822, Y: 0x299f31d0},
			gpu.Uint32x4{X: 0xd16cfe09, Y: 0x94fdcceb, Z: 0x5001e420, W: 0x24126ea1},
		},
	} {
		if got := rand.Philox4x32(v.counter, v.key); got != v.want {
			t.Errorf("the block of counter %#x and key %#x is %#x, want %#x", v.counter, v.key, got, v.want)
		}
	}
}

// TestStandardWord has the 10,000th word that C++26 demands of std::philox4x32, whose default seed
// is 20111115 ([rand.predef]).
func TestStandardWord(t *testing.T) {
	t.Parallel()
	r := rand.New(20111115, 0)
	r.Skip(9999)
	if got := r.Uint32(); got != 1955073260 {
		t.Errorf("word 9999 is %d, want 1955073260", got)
	}
}
