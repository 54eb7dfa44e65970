package difftest

import (
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/proof/difftest/gen"
)

// TestWithout compiles the same programs without one pass after another.
func TestWithout(t *testing.T) {
	o := oracle(t)
	all, err := sharedCompiler()
	if err != nil {
		t.Fatal(err)
	}
	var programs []*Program
	for seed := range uint64(4) {
		programs = append(programs, parse(t, o, gen.Program(1<<41+seed)))
	}
	want, err := o.Run(t.Context(), programs)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Optional() {
		c, err := all.Without(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range c.Run(t.Context(), programs) {
			if d := programs[i].Compare(want[i], got); d != nil {
				t.Errorf("without %s, seed %d: %s\n%s", name, programs[i].Seed, d, programs[i].Source)
			}
		}
	}
	if _, err := all.Without("Layout"); err == nil || !strings.Contains(err.Error(), "those that may: [SimplifyCFG ") {
		t.Errorf("without Layout: %v, want the list of the passes that may be left out", err)
	}
}
