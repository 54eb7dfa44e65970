package engines

import (
	"math"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim"
)

// TestPrograms holds each program to its twin in Go, with each engine.
func TestPrograms(t *testing.T) {
	t.Parallel()
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			_, inGo := p.inGo(p.small)
			want := inGo()
			mod := p.load(t)
			for _, e := range []sim.Engine{sim.Interpreter, sim.Compiled} {
				reset, run := p.start(newRig(t, e, 2, mod), p.small)
				for range 2 {
					reset()
					if got := run(); math.Abs(got-want) > p.within*max(math.Abs(got), math.Abs(want)) || got == 0 {
						t.Errorf("%s: %v; want %v", e, got, want)
					}
				}
			}
		})
	}
}
