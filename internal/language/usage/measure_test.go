package usage

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/load"
	"github.com/gridstride/gridstride/internal/ptx"
)

var measure = flag.String("measure", "", "compare the estimate with ptxas for all kernels of this module, and write the ratios to this `file`")

// measured is the file of TestMeasureEstimate.
type measured struct {
	What    string     `json:"what"`
	Date    string     `json:"date"`
	Commit  string     `json:"commit"` // for a person to fill in
	Command string     `json:"command"`
	Kernels int        `json:"kernels"`
	Deciles [9]float64 `json:"estimate_by_ptxas_deciles"` // of kernels by their ratio
	Exact   float64    `json:"same_occupancy"`            // share of the kernels
}

// TestMeasureEstimate holds the estimate to ptxas where a person asks, with PATH or CUDA_HOME naming a
// ptxas.
func TestMeasureEstimate(t *testing.T) {
	if *measure == "" {
		t.Skip("needs -measure FILE")
	}
	a := FindAssembler()
	if a == nil {
		t.Fatal("no ptxas")
	}
	sources, importer, err := load.Packages(t.Context(), "../../..", "./examples/...", "./docs/...", "./parallel/...",
		"./internal/library/kernels/...", "./internal/proof/textbook/...")
	if err != nil {
		t.Fatal(err)
	}
	var ratios []float64
	same := 0
	for _, s := range sources {
		r, err := compile.Compile(s.Source, importer, compile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range r.Set() {
			more, equal := compared(t, a, m.PTX)
			ratios, same = append(ratios, more...), same+equal
		}
	}
	slices.Sort(ratios)
	out := measured{
		What: "registers as estimated, by what ptxas takes, which counts as 32 if it is less",
		Date: time.Now().Format(time.DateOnly), Command: "go test ./internal/language/usage -run TestMeasureEstimate -args -measure FILE",
		Kernels: len(ratios), Exact: float64(same) / float64(len(ratios)),
	}
	for i := range out.Deciles {
		out.Deciles[i] = float64(int(100*ratios[(i+1)*len(ratios)/10])) / 100
	}
	text, err := json.MarshalIndent(out, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*measure, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// compared returns the registers of a module's kernels as estimated, by what ptxas takes, and how many
// kernels have the same occupancy.
func compared(t *testing.T, a *Assembler, m *ptx.Module) (ratios []float64, same int) {
	of, err := a.Measure(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	for _, fn := range m.Kernels() {
		got, known := of[fn.Name]
		if !known {
			continue
		}
		u, threads, to := estimate(fn), blockOf(fn), assembledFor(m)
		ratios = append(ratios, float64(u.Registers)/float64(max(got.Registers, usualLeast)))
		got.Shared = max(got.Shared, u.Shared)
		if occupancy(u, threads, to) == occupancy(got, threads, to) {
			same++
		}
	}
	return ratios, same
}
