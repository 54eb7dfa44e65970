// Package indigo sets the checks against the Indigo suite: CUDA codes of irregular patterns on
// graphs, with planted bugs that their names tell (Liu, Azami, Walters and Burtscher, "The Indigo
// Program-Verification Microbenchmark Suite of Irregular Parallel Code Patterns", ISPASS 2022). The
// suite stays outside this repository:
//
//	git clone https://github.com/burtscher/IndigoSuite
//	internal/proof/indigo/generate IndigoSuite /tmp/indigo
//	go test ./internal/proof/indigo -v -run Suite -timeout 60m -args -suite /tmp/indigo
//
// A code is buggy where its name says so, and found where a check finds that kind of bug on one
// graph at least.
package indigo

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/ptx"
)

var (
	suite  = flag.String("suite", "", "the `folder` with the suite's codes and graphs, as generate writes it")
	graphs = flag.Int("graphs", 4, "how many graphs of each family")
	nodes  = flag.Int("nodes", 100, "the most nodes of a graph")
	orders = flag.Int("orders", 2, "in how many orders each launch is run")
	record = flag.String("record", "", "the `file` for the result, as JSON")
)

// bugs are the kinds of planted bugs: the tags of the codes that have them, and what finds them.
var bugs = []struct {
	name  string
	tags  []string
	finds func(f *report.Finding) bool
}{
	{"data race", []string{"atomicBug", "guardBug", "raceBug", "syncBug"}, func(f *report.Finding) bool { return f.Kind == report.Race }},
	{"out of bounds", []string{"boundsBug"}, func(f *report.Finding) bool { return f.Tool == report.Memcheck }},
}

// score counts codes by what is so and what was found.
type score struct {
	Bug            string   `json:"bug"`
	Codes          int      `json:"codes"`
	TruePositives  int      `json:"true_positives"`
	FalsePositives int      `json:"false_positives"`
	Misses         int      `json:"misses"`
	TrueNegatives  int      `json:"true_negatives"`
	Accuracy       float64  `json:"accuracy"`
	Recall         float64  `json:"recall"`
	Precision      float64  `json:"precision"`
	Missed         []string `json:"missed,omitempty"`
	Accused        []string `json:"accused,omitempty"`
}

func (s *score) add(code string, has, found bool) {
	s.Codes++
	switch {
	case has && found:
		s.TruePositives++
	case has:
		s.Misses++
		s.Missed = append(s.Missed, code)
	case found:
		s.FalsePositives++
		s.Accused = append(s.Accused, code)
	default:
		s.TrueNegatives++
	}
	s.Accuracy = ratio(s.TruePositives+s.TrueNegatives, s.Codes)
	s.Recall = ratio(s.TruePositives, s.TruePositives+s.Misses)
	s.Precision = ratio(s.TruePositives, s.TruePositives+s.FalsePositives)
}

// ratio is 1 if of is 0.
func ratio(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}

// has says whether a code's name has one of the tags.
func has(code string, tags []string) bool {
	return slices.ContainsFunc(strings.Split(code, "_"), func(s string) bool { return slices.Contains(tags, s) })
}

// shape is the launch of a code: one thread, warp or block for each node, and some to spare, so
// that a missing bound shows. The last barrier of a block needs a power of two.
func shape(code string, nodes int) (grid, block [3]int) {
	const threads = 64
	units := nodes + 2
	switch parts := strings.Split(code, "_"); {
	case slices.Contains(parts, "block"):
		units *= threads
	case slices.Contains(parts, "warp"):
		units *= abi.WarpSize
	}
	return [3]int{max(2, (units+threads-1)/threads), 1, 1}, [3]int{threads, 1, 1}
}

// run runs a code on a graph as the suite's host program does, under all checks. Its parameters are
// the graph, two arrays of data, and the number of nodes.
func run(t *testing.T, code string, mod *ptx.Module, g *graph) *report.Report {
	m := sim.New(sim.Config{Workers: 1})
	prog, err := m.Load(mod)
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	entry, err := prog.Entry(mod.Kernels()[0].Name)
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	n, e := g.nodes(), max(1, len(g.list))
	var params []byte
	for _, a := range []struct {
		size  int
		value func(i int) int32
	}{
		{n + 1, func(i int) int32 { return g.index[i] }},
		{e, func(i int) int32 { return append(g.list, 0)[i] }},
		{max(n, e), func(i int) int32 { return int32(rnd.IntN(n) * min(i, 1)) }}, // 0 at first, as counters are
		{max(n, e), func(i int) int32 { return int32(rnd.IntN(e) * min(i, 1)) }},
	} {
		addr, err := m.Alloc(int64(4 * a.size))
		if err != nil {
			t.Fatal(err)
		}
		mem, err := m.Bytes(addr, int64(4*a.size))
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.size {
			v := a.value(i)
			for k := range 4 {
				mem[4*i+k] = byte(v >> (8 * k))
			}
		}
		for k := range 8 {
			params = append(params, byte(addr>>(8*k)))
		}
	}
	for k := range 4 {
		params = append(params, byte(n>>(8*k)))
	}
	grid, block := shape(code, n)
	r, err := check.Run(t.Context(), m, entry, sim.Launch{Grid: grid, Block: block, Params: params},
		check.Options{Orders: *orders, Budget: 1 << 18})
	if err != nil {
		t.Fatalf("%s on %s: %v", code, g.name, err)
	}
	return r
}

// TestSuite runs every code on graphs under the checks and compares what they find with what is
// planted.
func TestSuite(t *testing.T) {
	if *suite == "" {
		t.Skip("needs -suite")
	}
	began := time.Now()
	codes, err := filepath.Glob(filepath.Join(*suite, "ptx", "*.ptx"))
	if err != nil || len(codes) == 0 {
		t.Fatalf("no codes under %s (%v)", *suite, err)
	}
	list, err := readGraphs(filepath.Join(*suite, "graphs"), *nodes, *graphs)
	if err != nil || len(list) == 0 {
		t.Fatalf("no graphs under %s (%v)", *suite, err)
	}
	scores := make([]score, len(bugs))
	for i := range bugs {
		scores[i].Bug = bugs[i].name
	}
	other := score{Bug: "anything else"} // of what no code has
	for _, path := range codes {
		code := strings.TrimSuffix(filepath.Base(path), ".ptx")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		mod, err := ptx.Parse(path, string(text))
		if err != nil {
			t.Fatal(err)
		}
		found := make([]bool, len(bugs)+1)
		for _, g := range list {
			for _, f := range run(t, code, mod, g).Failures() {
				kind := len(bugs)
				for i := range bugs {
					if bugs[i].finds(f) {
						kind = i
					}
				}
				if !found[kind] && (kind == len(bugs) || !has(code, bugs[kind].tags)) {
					t.Logf("%s on %s: %s %s, %s", code, g.name, f.Kind, f.Summary, f.Witnesses[0].PTX)
				}
				found[kind] = true
			}
		}
		for i := range bugs {
			scores[i].add(code, has(code, bugs[i].tags), found[i])
		}
		other.add(code, false, found[len(bugs)])
	}
	write(t, append(scores, other), len(list), time.Since(began))
}

// write logs the scores, and records them on request.
func write(t *testing.T, scores []score, graphs int, took time.Duration) {
	for _, s := range scores {
		t.Logf("%-14s %d codes, %d found, %d accused, %d missed: accuracy %.3f, recall %.3f, precision %.3f",
			s.Bug, s.Codes, s.TruePositives, s.FalsePositives, s.Misses, s.Accuracy, s.Recall, s.Precision)
		t.Logf("missed %q, accused %q", s.Missed, s.Accused)
	}
	t.Logf("%d graphs, %.0f s", graphs, took.Seconds())
	if *record == "" {
		return
	}
	data, err := json.MarshalIndent(map[string]any{
		"scores": scores, "graphs": graphs, "orders": *orders, "seconds": fmt.Sprintf("%.0f", took.Seconds()),
	}, "", "\t")
	if err == nil {
		err = os.WriteFile(*record, append(data, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestScore checks the scores, and the tags that names have.
func TestScore(t *testing.T) {
	t.Parallel()
	var s score
	for _, code := range []string{"push_node_neighbor", "push_node_neighbor_atomicBug", "pull_syncBug_boundsBug", "pull_boundsBug"} {
		s.add(code, has(code, bugs[0].tags), strings.Contains(code, "neighbor"))
	}
	if s.TruePositives != 1 || s.FalsePositives != 1 || s.Misses != 1 || s.TrueNegatives != 1 || s.Accuracy != 0.5 || s.Recall != 0.5 || s.Precision != 0.5 {
		t.Errorf("%+v", s)
	}
	for code, want := range map[string]int{"push_node_neighbors": 2, "push_node_neighbors_warp": 17, "push_node_neighbors_block_cond": 34} {
		if grid, _ := shape(code, 32); grid[0] != want {
			t.Errorf("%s has %d blocks for 32 nodes, want %d", code, grid[0], want)
		}
	}
}
