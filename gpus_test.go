package gridstride_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
)

// twoGPUs opens both GPUs, and skips the test if there is only one.
func twoGPUs(t *testing.T, real bool) (first, second *gridstride.Device) {
	t.Helper()
	openGPU(t, real)
	first = open(t, gridstride.Use("cuda:0"))
	second, err := gridstride.Open(gridstride.Use("cuda:1"))
	if errors.Is(err, gridstride.ErrNoDevice) {
		t.Skip(err)
	}
	must(t, err)
	t.Cleanup(func() { must(t, second.Close()) })
	return first, second
}

// TestTwoGPUs uses two GPUs from goroutines that change between them: each call must find its
// device's context, whatever its thread had before.
func TestTwoGPUs(t *testing.T) {
	first, second := twoGPUs(t, false)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 10 {
				dev := []*gridstride.Device{first, second}[(i+j)%2]
				s := dev.NewStream()
				if err := work(t.Context(), dev, s, 33+j); err != nil {
					t.Error(err)
				}
				s.Close()
			}
		})
	}
	wg.Wait()
	b := copyOf(t, first, ramp(3))
	err := kernel(t, second, "scale").Launch(second.Stream(), one, b, float32(1))
	wantError(t, err, gridstride.ErrWrongDevice, "launch scale: argument 1 (a) is on device 1, the kernel on device 2")
}

// TestTwoGPUsAtOnce runs a kernel on each of two GPUs: together they take as long as one.
func TestTwoGPUsAtOnce(t *testing.T) {
	first, second := twoGPUs(t, true)
	const run = 100 * time.Millisecond
	var streams []*gridstride.Stream
	var kernels []*gridstride.Kernel
	for _, dev := range []*gridstride.Device{first, second} {
		streams, kernels = append(streams, dev.NewStream()), append(kernels, gpuKernel(t, dev, "spin"))
	}
	start := time.Now()
	for i, s := range streams {
		must(t, kernels[i].Launch(s, one, uint64(run)))
	}
	for _, s := range streams {
		must(t, s.Wait(t.Context()))
	}
	took := time.Since(start)
	t.Logf("two kernels of %v on two GPUs took %v", run, took)
	if took < run || took > run*3/2 {
		t.Errorf("two kernels of %v on two GPUs took %v", run, took)
	}
}
