package gridstride_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/gridstride/gridstride"
)

// TestTwoGPUs uses two GPUs from goroutines that change between them: each call must find the context of its own device, whatever its thread had before.
func TestTwoGPUs(t *testing.T) {
	openGPU(t, false)
	first := open(t, gridstride.Use("cuda:0"))
	second, err := gridstride.Open(gridstride.Use("cuda:1"))
	if errors.Is(err, gridstride.ErrNoDevice) {
		t.Skip(err)
	}
	must(t, err)
	t.Cleanup(func() { must(t, second.Close()) })
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 10 {
				dev := []*gridstride.Device{first, second}[(i+j)%2]
				s := dev.Stream()
				if err := work(t.Context(), dev, s, 33+j); err != nil {
					t.Error(err)
				}
				s.Close()
			}
		})
	}
	wg.Wait()
	b := copyOf(t, first, ramp(3))
	err = kernel(t, second, "scale").Launch(second.Stream(), one, b, float32(1))
	if !errors.Is(err, gridstride.ErrWrongDevice) {
		t.Errorf("a buffer of another GPU: %v", err)
	}
}
