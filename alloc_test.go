package gridstride_test

import (
	"context"
	"testing"

	"github.com/gridstride/gridstride"
)

// typedLaunch launches like a generated launcher.
func typedLaunch(k *gridstride.Kernel, s *gridstride.Stream, cfg gridstride.Config, a gridstride.Buffer[float32], f float32) error {
	args := k.Args()
	gridstride.ArgBuffer(args, a)
	gridstride.ArgValue(args, f)
	return args.Launch(s, cfg)
}

// TestLaunchAllocs counts the allocations of a launch through a generated launcher. The stream
// waits meanwhile, so that the simulator's own work is not counted.
func TestLaunchAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector drops pooled memory at random")
	}
	const launches = 500
	dev := open(t, gridstride.Use("sim"))
	s, k := dev.Stream(), kernel(t, dev, "scale")
	b := copyOf(t, dev, ramp(33))
	queue := func() {
		if err := typedLaunch(k, s, gridstride.Grid(1).Block(32), b, 1); err != nil {
			t.Error(err)
		}
	}
	gate := dev.Stream()
	never := kernel(t, dev, "forever")
	must(t, never.Launch(gate, gridstride.Grid(1).Block(1)))
	must(t, s.After(gate.Record()))
	for range 1024 { // the queue now has room for as many more
		queue()
	}
	if n := testing.AllocsPerRun(launches, queue); n != 0 {
		t.Errorf("a launch allocates %v times", n)
	}
}

// TestSimulatedLaunchAllocs counts the allocations of a launch on the simulator, with the wait for
// it.
func TestSimulatedLaunchAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector drops pooled memory at random")
	}
	dev := open(t, gridstride.Use("sim"))
	s, k := dev.Stream(), kernel(t, dev, "scale")
	b := copyOf(t, dev, ramp(33))
	n := testing.AllocsPerRun(100, func() {
		must(t, typedLaunch(k, s, gridstride.Grid(1).Block(33), b, 1))
		must(t, s.Wait(t.Context()))
	})
	if n > 5 {
		t.Errorf("a launch allocates %v times, more than 5", n)
	}
	t.Logf("a launch allocates %v times", n)
}

// BenchmarkLaunch measures launches of an empty kernel, a thousand for each wait.
func BenchmarkLaunch(b *testing.B) {
	dev := open(b)
	s, k := dev.Stream(), kernel(b, dev, "nothing")
	for i := 1; b.Loop(); i++ {
		must(b, k.Args().Launch(s, gridstride.Grid(1).Block(1)))
		if i%1000 == 0 {
			must(b, s.Wait(context.Background()))
		}
	}
	must(b, s.Wait(context.Background()))
}
