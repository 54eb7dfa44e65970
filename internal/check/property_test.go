package check

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/compile"
)

var (
	programs = flag.Int("programs", 40, "random programs that TestRandomPrograms checks, each with all its mutants")
	seed     = flag.Uint64("seed", 7, "seed of the random programs")
)

// TestRandomPrograms checks random correct programs, which must be silent, and the same with one barrier, warp sync or fence left out or
// weaker, which must be found exactly when that makes two threads race.
func TestRandomPrograms(t *testing.T) {
	rnd := rand.New(rand.NewPCG(*seed, 7))
	racy, all := 0, 0
	for range *programs {
		p := randomProgram(rnd)
		p.makeCorrect()
		list := append([]*program{p}, p.mutants()...)
		all += len(list)
		racy += checkPrograms(t, list)
		if t.Failed() {
			break
		}
	}
	t.Logf("%d programs, of which %d race", all, racy)
	if *programs > 0 && (racy < *programs || racy > all*9/10) {
		t.Errorf("%d of %d programs race: the test does not test", racy, all)
	}
}

// checkPrograms compares what the checks find in each program with what the oracle says, and counts those that race.
func checkPrograms(t *testing.T, list []*program) (racy int) {
	var text strings.Builder
	text.WriteString("package random\n\nimport \"github.com/gridstride/gridstride/gpu\"\n\n")
	for i, p := range list {
		text.WriteString(p.kernel(fmt.Sprintf("K%d", i)) + "\n")
	}
	b := compileSource(t, &compile.Source{
		Path: "example.com/random", Name: "random", Files: []compile.File{{Name: "random.go", Text: []byte(text.String())}},
	})
	for i, p := range list {
		const blocks = 2
		cells := blocks * p.threads
		g := map[string]any{"int8": make([]int8, cells), "int16": make([]int16, cells), "int32": make([]int32, cells), "int64": make([]int64, cells)}
		r := b.check(fmt.Sprintf("K%d", i), x(blocks), x(p.threads), Options{Orders: 2 + i%2}, g[p.elems[2]], make([]uint32, 1), make([]int64, cells))
		races := p.race() >= 0
		if races {
			racy++
		}
		if found := len(r.Findings) > 0; found != races {
			t.Errorf("found: %v, want %v:\n%s\n%v", found, races, p.kernel("K"), r)
		}
		for _, f := range r.Findings {
			if f.Tool != Racecheck {
				t.Errorf("a finding of %s:\n%s\n%v", f.Tool, p.kernel("K"), r)
			}
		}
	}
	return racy
}
