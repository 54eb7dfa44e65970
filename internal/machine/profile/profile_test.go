package profile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gridstride/gridstride/internal/machine/counters"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// kernelText is the source of the kernel of the goldens.
const kernelText = `package k

import "example.com/m/k/lib"

// Sum is a kernel whose y is <strided> & whose "cache" has conflicts.
//
//gpu:kernel
func Sum(x, y []int32) {
	cache := gpu.Shared[[1024]int32]()
	t := gpu.ThreadIdx.X

	if t < 16 {
		cache[32*t] = x[t] // 16 lanes in one bank
	}



	// A long way between.




	gpu.SyncThreads()
	y[8*t] = lib.Double(cache[t])
}
`

func sourceText(file string, line int) string {
	lines := strings.Split(kernelText, "\n")
	if file != "example.com/m/k/k.go" || line < 1 || line > len(lines) {
		return ""
	}
	return lines[line-1]
}

func line(file string, number int, text string, c counters.Counts) counters.LineProfile {
	function := "Sum"
	if file == "" {
		function = fmt.Sprintf("f%d", number)
	}
	return counters.LineProfile{Source: event.Position{File: file, Line: number}, Func: function, Text: text, Counts: c}
}

// launch is the profile of a launch. Its total is the sum of its lines.
func launch(kernel, file string, blocks int, lines ...counters.LineProfile) *counters.Profile {
	p := &counters.Profile{Kernel: kernel, File: file, Grid: [3]int{blocks, 1, 1}, Block: [3]int{32, 1, 1}}
	for _, l := range lines {
		p.Lines = append(p.Lines, l)
		p.Total.Add(&l.Counts)
	}
	return p
}

// launches are of three kernels: two have the same name, and one has no source.
func launches() []*counters.Profile {
	const own, lib = "example.com/m/k/k.go", "example.com/m/k/lib/lib.go"
	sum := func(n uint64) *counters.Profile {
		return launch("k.Sum", own, int(n),
			line(own, 12, "", counters.Counts{Instructions: 2 * n, LaneInstructions: 64 * n, Branches: n,
				Divergent: n}),
			line(own, 13, "", counters.Counts{
				Instructions: 4 * n, LaneInstructions: 64 * n, GlobalRequests: n, GlobalSectors: 2 * n,
				GlobalIdealSectors: 2 * n,
				SharedRequests:     n, SharedPasses: 16 * n, SharedIdealPasses: n,
			}),
			line(own, 23, "", counters.Counts{Instructions: n, LaneInstructions: 32 * n, BarrierWaits: n}),
			line(own, 24, "", counters.Counts{
				Instructions: 3 * n, LaneInstructions: 96 * n, GlobalRequests: n, GlobalSectors: 32 * n,
				GlobalIdealSectors: 4 * n,
				SharedRequests:     n, SharedPasses: n, SharedIdealPasses: n,
			}),
			line(lib, 3, "return 2 * x", counters.Counts{Instructions: 500 * n, LaneInstructions: 16000 * n}),
		)
	}
	return []*counters.Profile{
		sum(1), sum(2), sum(1), sum(3), sum(4),
		launch("k.Sum", "example.com/other/k.go", 1,
			line("example.com/other/k.go", 7, "x++", counters.Counts{Instructions: 1, LaneInstructions: 32})),
		launch(`<script>"spin"`, "", 1,
			line("", 8, "bra $again", counters.Counts{Instructions: 999, LaneInstructions: 31968}),
			line("", 7, "atom.global.add.u32 %r1, [%rd1], 1", counters.Counts{
				Instructions: 1, LaneInstructions: 1, GlobalRequests: 1, GlobalSectors: 1, GlobalIdealSectors: 1,
				Atomics: 1,
			})),
		launch("k.Refused", "", 1),
	}
}

func sample(list []*counters.Profile) *Report {
	var s Sum
	for _, p := range list {
		s.Add(p)
	}
	return s.Report()
}

// TestGoldens shows the three formats.
func TestGoldens(t *testing.T) {
	t.Parallel()
	r := sample(launches())
	r.Incomplete = []string{"interrupted <here>"}
	for name, write := range map[string]func(io.Writer) error{
		"profile.txt":  func(w io.Writer) error { return r.Text(w, sourceText) },
		"profile.json": r.JSON,
		"profile.html": func(w io.Writer) error { return r.HTML(w, "./k & others", sourceText) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; rewrite it with -update):\n%s", name, diff)
	}
}

// TestSum adds launches up in any order.
func TestSum(t *testing.T) {
	t.Parallel()
	list := launches()
	want := sample(list)
	slices.Reverse(list)
	if diff := cmp.Diff(want, sample(list)); diff != "" {
		t.Errorf("the other way round (-want +got):\n%s", diff)
	}
	if len(want.Kernels) != 3 || want.Launches != 7 {
		t.Fatalf("%d kernels, %d launches, want 3 and 7", len(want.Kernels), want.Launches)
	}
	k := want.Kernels[1]
	if diff := cmp.Diff([]Launch{
		{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Count: 2},
		{Grid: [3]int{4, 1, 1}, Block: [3]int{32, 1, 1}, Count: 1},
		{Grid: [3]int{3, 1, 1}, Block: [3]int{32, 1, 1}, Count: 1},
		{Grid: [3]int{2, 1, 1}, Block: [3]int{32, 1, 1}, Count: 1},
	}, k.Launches); diff != "" {
		t.Errorf("launches (-want +got):\n%s", diff)
	}
	var total counters.Counts
	for _, l := range k.Lines {
		total.Add(&l.Counts.Counts)
	}
	if total != k.Total.Counts {
		t.Errorf("the lines sum to %+v, the total is %+v", total, k.Total.Counts)
	}
	if l := k.Lines[1]; l.SharedRatio != 16 || l.ActiveLanes != 16 || l.GlobalRatio != 1 {
		t.Errorf("line 13: %+v, want ratios of 16 and 1, and 16 lanes", l)
	}
	if g := k.Lines[3].GlobalRatio; g != 8 {
		t.Errorf("line 24: %v sectors to the ideal, want 8", g)
	}
}

// TestReportIsACopy: what is added later does not change a report.
func TestReportIsACopy(t *testing.T) {
	t.Parallel()
	var s Sum
	s.Add(launches()[0])
	r := s.Report()
	before := fmt.Sprint(*r.Kernels[0].Lines[0])
	s.Add(launches()[0])
	if after := fmt.Sprint(*r.Kernels[0].Lines[0]); after != before {
		t.Errorf("%s became %s", before, after)
	}
}

// TestPageIsWhole holds the page to what a browser needs: well-formed, with nothing to load and
// nothing of the kernels that is markup.
func TestPageIsWhole(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]*Report{"sample": sample(launches()), "empty": sample(nil)} {
		for _, source := range []Source{sourceText, nil} {
			var b bytes.Buffer
			if err := r.HTML(&b, name, source); err != nil {
				t.Fatal(err)
			}
			for _, bad := range []string{"<script", "src=", "http", "url(", "@import", "ZgotmplZ"} {
				if strings.Contains(b.String(), bad) {
					t.Errorf("%s: the page has %q", name, bad)
				}
			}
			d := xml.NewDecoder(&b)
			d.Entity = xml.HTMLEntity
			for {
				_, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
	}
}

func TestHeat(t *testing.T) {
	t.Parallel()
	for part, want := range map[float64]int{0: 0, 0.9: 0, 1: 1, 5: 2, 25: 5, 60: 8, 100: 8} {
		if got := heat(part, 100); got != want {
			t.Errorf("%v of 100: %d, want %d", part, got, want)
		}
	}
	if heat(1, 0) != 0 {
		t.Error("a part of nothing is warm")
	}
}

func TestGrouped(t *testing.T) {
	t.Parallel()
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 1_002_003: "1,002,003",
		1 << 63: "9,223,372,036,854,775,808"} {
		if got := grouped(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
