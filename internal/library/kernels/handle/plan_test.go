package handle

import (
	"errors"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
)

type plan[T any] struct{ x T }

// TestPlanOf makes a plan of each type once, and keeps the error of one that cannot be made.
func TestPlanOf(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	s := dev.NewStream()
	defer s.Close()
	c, err := New("test", s)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	made := 0
	singles := func(on *gridstride.Device) (*plan[float32], error) {
		made++
		if on != dev {
			t.Errorf("the plan is made on another device")
		}
		return &plan[float32]{1}, nil
	}
	broken := errors.New("broken")
	doubles := func(*gridstride.Device) (*plan[float64], error) {
		made++
		return nil, broken
	}
	for range 2 {
		if p, err := PlanOf(c, singles); err != nil || p.x != 1 {
			t.Errorf("a plan of float32 is %v, %v", p, err)
		}
		if p, err := PlanOf(c, doubles); p != nil || !errors.Is(err, broken) {
			t.Errorf("a plan of float64 is %v, %v; want the error", p, err)
		}
	}
	if made != 2 {
		t.Errorf("%d plans were made, want one of each type", made)
	}
}
