package threads

import (
	"errors"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

// mirror is the output of Mirror for one block.
func mirror(in []int32, asked int) []int32 {
	out := make([]int32, len(in)+1)
	for i, v := range in {
		out[i] = v + in[len(in)-1-i]
		if i < asked {
			out[i] += 1000 * v
		}
	}
	out[len(in)] = int32(asked)
	return out
}

// TestLargeShared runs a kernel that declares more than 48 KB of shared memory.
func TestLargeShared(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	k := load[*MirrorKernel](t)(LoadMirror(dev))
	const declared = 120_064 // 12 bytes an element, rounded up to 128
	if k.StaticSharedBytes() != declared {
		t.Errorf("it has %d bytes of static shared memory, not %d", k.StaticSharedBytes(), declared)
	}
	for _, n := range []int{1, 31, 33, mirrored} {
		for _, asked := range []int{0, 1, 33} {
			in := make([]int32, n)
			for i := range in {
				in[i] = int32(i * i)
			}
			out := suitetest.OnDevice(t, dev, make([]int32, 2*(n+1)))
			asked = min(asked, n)
			suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(2).Block(96).Shared(4*asked), suitetest.OnDevice(t, dev, in), out))
			want := mirror(in, asked)
			if got := suitetest.Read(t, dev, out); !slices.Equal(got, slices.Concat(want, want)) {
				t.Errorf("%d elements, %d asked for: wrong", n, asked)
			}
		}
	}
	active, err := k.MaxActiveBlocks(96, 0)
	suitetest.Must(t, err)
	if most := dev.Info().MaxShared; active < 1 || active*declared > most+most/8 {
		t.Errorf("%d blocks are active at a time, with %d bytes", active, most)
	}
	cfg := gridstride.Grid(1).Block(32).Shared(dev.Info().MaxShared - declared + 1)
	if err := k.Launch(dev.Stream(), cfg, suitetest.OnDevice(t, dev, []int32{1}), suitetest.OnDevice(t, dev, []int32{0, 0})); !errors.Is(err, gridstride.ErrLimit) {
		t.Errorf("with more than a block can have: %v", err)
	}
}

// TestTooLittleShared launches it where a block has less.
func TestTooLittleShared(t *testing.T) {
	t.Parallel()
	dev, err := gridstride.Open(gridstride.Use("sim:sm_75"))
	suitetest.Must(t, err)
	defer dev.Close()
	k := load[*MirrorKernel](t)(LoadMirror(dev))
	err = k.Launch(dev.Stream(), gridstride.Grid(1).Block(32), gridstride.Buffer[int32]{}, gridstride.Buffer[int32]{})
	const want = "launch threads.Mirror: 0 bytes of dynamic shared memory and 120064 static, the limit is 65536 together"
	if !errors.Is(err, gridstride.ErrLimit) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
