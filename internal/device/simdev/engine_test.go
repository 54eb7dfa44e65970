package simdev

import (
	"errors"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim"
)

// TestUnknownEngine opens a device while GRIDSTRIDE_ENGINE names no engine.
func TestUnknownEngine(t *testing.T) {
	t.Setenv("GRIDSTRIDE_ENGINE", "jit")
	_, err := New(Config{}, nil, nil)
	var typed *sim.EngineError
	if !errors.As(err, &typed) || typed.Name != "jit" {
		t.Errorf("the error is %v", err)
	}
}
