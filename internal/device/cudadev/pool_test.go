package cudadev

import (
	"context"
	"io"
	"testing"

	"github.com/gridstride/gridstride/internal/device"
)

// TestJobAgainTakesNoMemory does a job with its data on the host twice: the second time the
// device's memory does not grow. The pools are the driver's and our own.
func TestJobAgainTakesNoMemory(t *testing.T) {
	b, real := open(t)
	own := newSizeClasses(b.ctx)
	taken := func() int64 {
		n := int64(len(own.size))
		for _, kept := range own.kept {
			n += int64(len(kept))
		}
		return n
	}
	if real { // the simulated driver has no pool that keeps memory
		jobTwice(t, b, func() int64 {
			n, err := b.ctx.PoolReserved()
			must(t, err)
			return n
		})
	}
	b.blocks = own
	jobTwice(t, b, taken)
	if n := taken(); n != 3 {
		t.Errorf("a job of 3 buffers took %d blocks", n)
	}
	if err := own.trim(); err != nil || taken() != 0 {
		t.Errorf("after a trim there are %d blocks, %v", taken(), err)
	}
}

// jobTwice does a job twice and compares the memory taken.
func jobTwice(t *testing.T, b *Backend, taken func() int64) {
	t.Helper()
	s, err := b.NewStream()
	must(t, err)
	defer s.Retire()
	host := make([]byte, 40_000_000)
	var before int64
	for range 2 {
		before = taken()
		var blocks [3]uint64
		for i := range blocks {
			blocks[i], err = b.Alloc(int64(len(host)))
			must(t, err)
			must(t, b.Write(blocks[i], host))
		}
		must(t, s.CopyOut(context.Background(), host, blocks[2], nil))
		for _, addr := range blocks {
			b.Retire(addr)
		}
	}
	if after := taken(); after != before {
		t.Errorf("the second job took %d, after %d", after-before, before)
	}
}

// open opens the GPU that GRIDSTRIDE_DEVICE=cuda asks for, else the simulated driver if there is
// one (standin_linux_test.go), until the end of the test.
func open(t testing.TB) (b *Backend, real bool) {
	t.Helper()
	b, err := Open(0, device.NewPrinter(0, io.Discard), func(f *device.Failure) error { t.Errorf("a kernel failed: %+v", f); return f.Cause })
	if err != nil {
		t.Skipf("needs a GPU: %v", err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b, b.Info().Name != "Simulated GPU"
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
