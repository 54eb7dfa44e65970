package vet

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/proof/difftest/gen"
	"golang.org/x/tools/go/analysis"
)

// TestConformance looks at the kernels of the conformance table of the checks of
// internal/machine/check, and at the compiler's. It must find all that the checks find in a run for
// a reason that the code shows, and nothing that works.
func TestConformance(t *testing.T) {
	t.Parallel()
	want := []string{
		"allow Allowed", // it shows that the checks pay no heed to such a comment
		"barrier Caveat", "barrier CountSome", "barrier DivergentBranch", "barrier GridOrBlock", "barrier HalfReturns", "barrier InlinedOneBehindOther",
		"barrier InlinedTwice",
		"barrier OtherRound", "barrier RaggedLoop", "barrier TwoSites",
		"shared OneCell", "shared SharedPerBlock", "shared WidthMix", // they show races, and do not care for the result
		"warpsync MissingLane",
	}
	var got []string
	for _, f := range findings(t, Analyzers, "../../..", nil, "./internal/machine/check/testdata/conformance",
		"./internal/machine/check/testdata/dot",
		"./internal/machine/check/testdata/sync", "./internal/language/compile/emit/testdata/kernels",
		"./internal/language/compile/testdata/device", "./internal/language/compile/testdata/lang") {
		got = append(got, f.analyzer+" "+f.function)
		t.Logf("%s: %s", f.at, f.message)
	}
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("findings in %q\nwant %q", got, want)
	}
}

// TestRandomPrograms looks at random kernels that are right, all of whose threads reach their
// barriers and shuffles: nothing may be found. With one barrier put under a branch that splits a
// warp, each must be found. Of those without a barrier the first are enough.
func TestRandomPrograms(t *testing.T) {
	t.Parallel()
	const barrier = "gpu.SyncThreads()\n"
	g := newGopath(t)
	mutants := 0
	for seed := range uint64(300) {
		text := gen.Program(seed)
		mutant := strings.Replace(text, barrier, "if gpu.LaneID() == 3 { "+barrier+"}\n", 1)
		if mutant != text {
			g.write(t, fmt.Sprintf("wrong/p%d", seed), "kernel.go", mutant)
			mutants++
		}
		if mutant != text || seed < 60 {
			g.write(t, fmt.Sprintf("right/p%d", seed), "kernel.go", text)
		}
	}
	analyzers := []*analysis.Analyzer{BarrierAnalyzer, WarpSyncAnalyzer} // some have shared memory that nobody reads
	for _, f := range g.findings(t, analyzers, "right/...") {
		t.Errorf("%s: %s", f.at, f.message)
	}
	found := map[string]bool{}
	for _, f := range g.findings(t, analyzers, "wrong/...") {
		found[filepath.Dir(f.at.Filename)] = true
	}
	if len(found) != mutants || mutants < 20 {
		t.Errorf("of %d programs with a barrier that only one lane reaches, %d are found", mutants, len(found))
	}
}
