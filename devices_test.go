package gridstride_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
)

// twoDevices opens the device that GRIDSTRIDE_DEVICE chooses, and another of its kind: another
// simulator, the second GPU, or the only GPU once more.
func twoDevices(t *testing.T) (first, second *gridstride.Device) {
	t.Helper()
	first = open(t)
	if first.Info().Backend == "sim" {
		return first, open(t, gridstride.Use("sim"))
	}
	second, err := gridstride.Open(gridstride.Use("cuda:1"))
	if errors.Is(err, gridstride.ErrNoDevice) {
		return first, open(t)
	}
	must(t, err)
	t.Cleanup(func() { must(t, second.Close()) })
	return first, second
}

// TestCopyBetweenDevices copies there and back, on streams of either device.
func TestCopyBetweenDevices(t *testing.T) {
	first, second := twoDevices(t)
	for _, s := range []*gridstride.Stream{first.NewStream(), second.NewStream()} {
		for _, n := range append(sizes, 300_001) {
			a, b, back := copyOf(t, first, ramp(n)), copyOf(t, second, make([]float32, n)), copyOf(t, first, make([]float32, n))
			must(t, gridstride.Copy(s, b, a))
			must(t, gridstride.Copy(s, back, b))
			must(t, s.Wait(t.Context()))
			if !slices.Equal(read(t, first.Stream(), back), ramp(n)) {
				t.Errorf("%d elements come back different, on a stream of %v", n, s.Device())
			}
			must(t, errors.Join(a.Free(), b.Free(), back.Free()))
		}
	}
	third := open(t, gridstride.Use("sim"))
	a, b := copyOf(t, first, ramp(3)), copyOf(t, second, ramp(3))
	if first.Info().Backend == "sim" {
		err := gridstride.Copy(third.Stream(), a, b)
		wantError(t, err, gridstride.ErrWrongDevice, "copy: the buffers are on device 0 and device 1, the stream on device 2")
		return
	}
	err := gridstride.Copy(first.Stream(), a, copyOf(t, third, ramp(3)))
	wantError(t, err, gridstride.ErrWrongDevice, fmt.Sprintf("copy: a buffer is on %v, the stream on %v; Read and Write copy between them", third, first))
	err = first.Stream().After(third.Stream().Record())
	wantError(t, err, gridstride.ErrWrongDevice, fmt.Sprintf("after: the event is of %v, the stream of %v; Event.Wait waits for it", third, first))
}

// TestCopyFromClosedDevice copies from a device that is closed, and waits for its events.
func TestCopyFromClosedDevice(t *testing.T) {
	first, second := twoDevices(t)
	s := first.Stream()
	a := copyOf(t, first, ramp(3))
	b, err := gridstride.CopyOf(second, ramp(3))
	must(t, err)
	event := second.Stream().Record()
	must(t, event.Wait(t.Context()))
	if err := second.Close(); !errors.Is(err, gridstride.ErrLeak) {
		t.Errorf("close: %v", err)
	}
	wantError(t, gridstride.Copy(s, a, b), gridstride.ErrClosed, fmt.Sprintf("copy: %v is closed", second))
	wantError(t, s.After(event), gridstride.ErrClosed, fmt.Sprintf("after: %v is closed", second))
	wantError(t, second.Wait(t.Context()), gridstride.ErrClosed, fmt.Sprintf("wait: %v is closed", second))
	must(t, s.Wait(t.Context()))
}

// TestAfterOtherDevice orders a chain of kernels that two devices run in turn, on one buffer that
// they send each other.
func TestAfterOtherDevice(t *testing.T) {
	first, second := twoDevices(t)
	const n, rounds = 1000, 10
	at := copyOf(t, first, ramp(n))
	var last *gridstride.Event
	for i := range rounds {
		dev := []*gridstride.Device{second, first}[i%2]
		s := dev.NewStream()
		next := copyOf(t, dev, make([]float32, n))
		if last != nil {
			must(t, s.After(last))
		}
		must(t, gridstride.Copy(s, next, at))
		must(t, kernel(t, dev, "scale").Launch(s, gridstride.Grid(4).Block(64), next, float32(2)))
		last, at = s.Record(), next
		s.Close()
	}
	must(t, last.Wait(t.Context()))
	want := ramp(n)
	for i := range want {
		want[i] *= 1 << rounds
	}
	if !slices.Equal(read(t, first.Stream(), at), want) {
		t.Error("the copies and kernels of two devices are out of order")
	}
}

// TestAfterClosing: work that waits for a device which is being closed goes on when nothing runs there
// any more, and not before: what runs may still write to the memory that the work reads.
func TestAfterClosing(t *testing.T) {
	first, err := gridstride.Open(gridstride.Use("sim"))
	must(t, err)
	second := open(t, gridstride.Use("sim"))
	running, release, closed, passed := make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
	s := first.Stream()
	must(t, s.LaunchHostFunc(func() { close(running); <-release }))
	must(t, s.LaunchHostFunc(func() {}))
	must(t, second.Stream().After(s.Record()))
	must(t, second.Stream().LaunchHostFunc(func() { close(passed) }))
	<-running
	go func() { defer close(closed); first.Close() }()
	select {
	case <-passed:
		t.Error("the wait ended while the other device ran")
	case <-time.After(50 * time.Millisecond):
	}
	close(release)
	<-closed
	<-passed
	must(t, second.Stream().Wait(t.Context()))
}

// TestEventDone asks for an event until it has happened.
func TestEventDone(t *testing.T) {
	dev := open(t)
	s := dev.NewStream()
	must(t, kernel(t, dev, "check").Launch(s, gridstride.Grid(1).Block(6), 5))
	event := s.Record()
	for {
		done, err := event.Done()
		if !done && err == nil {
			continue
		}
		if _, failed := errors.AsType[*gridstride.KernelError](err); !done || !failed {
			t.Errorf("done: %t, %v; want the kernel's failure", done, err)
		}
		break
	}
	if done, err := event.Done(); !done || err != nil {
		t.Errorf("once more: %t, %v; want true", done, err)
	}
	s.Close()
	if _, err := s.Record().Done(); !errors.Is(err, gridstride.ErrClosed) {
		t.Errorf("an event of a closed stream: %v", err)
	}
}

// TestDeviceWait waits for the work of all streams, and gets the failures of them.
func TestDeviceWait(t *testing.T) {
	dev := open(t)
	must(t, dev.Wait(t.Context()))
	var events []*gridstride.Event
	for i := range 3 {
		s := dev.NewStream()
		if i > 0 {
			must(t, kernel(t, dev, "check").Launch(s, gridstride.Grid(1).Block(6+i), 5))
		}
		events = append(events, s.Record())
	}
	err := dev.Wait(t.Context())
	if err == nil || strings.Count(err.Error(), "index out of range") != 2 {
		t.Errorf("wait: %v, want the failures of two kernels", err)
	}
	for i, e := range events {
		if done, err := e.Done(); !done || err != nil {
			t.Errorf("event %d after the wait: %t, %v", i, done, err)
		}
	}
	must(t, dev.Wait(t.Context()))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := dev.Wait(ended); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("wait with a context that has ended: %v", err)
	}
}

// TestDevices opens each device of the list: it is the device that the list describes.
func TestDevices(t *testing.T) {
	list := gridstride.Devices()
	for i, info := range list {
		if last := i == len(list)-1; last != (info.Use == "sim") {
			t.Errorf("device %d of %d is %s", i, len(list), info.Use)
		}
		dev, err := gridstride.Open(gridstride.Use(info.Use))
		must(t, err)
		opened := dev.Info()
		opened.Why, info.Why = "", ""
		if opened != info {
			t.Errorf("%s is listed as\n%+v\nand opens as\n%+v", info.Use, info, opened)
		}
		must(t, dev.Close())
	}
	if why := list[len(list)-1].Why; len(list) == 1 && !strings.HasPrefix(why, "no GPU: ") {
		t.Errorf("the simulator alone, because %q", why)
	}
	if use := open(t, gridstride.Use("sim:sm_80")).Info().Use; use != "sim:sm_80" {
		t.Errorf("sim:sm_80 is opened by %s", use)
	}
}
