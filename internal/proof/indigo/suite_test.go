// Package indigo sets the checks against the Indigo suite: CUDA codes of irregular patterns on
// graphs, with planted bugs that their names tell (Liu, Azami, Walters and Burtscher, "The Indigo
// Program-Verification Microbenchmark Suite of Irregular Parallel Code Patterns", ISPASS 2022). The
// suite stays outside this repository:
//
//	git clone https://github.com/burtscher/IndigoSuite
//	internal/proof/indigo/generate IndigoSuite /tmp/indigo
//	go test ./internal/proof/indigo -v -run Suite -timeout 60m -args -suite /tmp/indigo
//
// TestEngines (-run Engines) holds compiled kernels to interpreted ones on the same codes and graphs.
//
// A code is buggy where its name says so, and found where a check finds that kind of bug on one
// graph at least.
package indigo

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
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

// budget is how many instructions of warps a code may run without progress.
const budget = 1 << 18

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

// setup is a code on a graph, ready to launch as the suite's host program does.
type setup struct {
	machine *sim.Machine
	entry   *sim.Entry
	launch  sim.Launch
	arrays  [][]byte // the memory of the code's parameters
}

// prepare loads a code and makes its parameters: the graph, two arrays of data, and the number of
// nodes.
func prepare(t *testing.T, code string, mod *ptx.Module, g *graph, engine sim.Engine) *setup {
	t.Helper()
	s := &setup{machine: sim.New(sim.Config{Workers: 1, Engine: engine})}
	prog, err := s.machine.Load(mod)
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	if s.entry, err = prog.Entry(mod.Kernels()[0].Name); err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	n, e := g.nodes(), max(1, len(g.list))
	random := func(size, bound int) []int32 {
		a := make([]int32, size)
		for i := range a {
			a[i] = int32(rnd.IntN(bound) * min(i, 1)) // 0 at first, as counters are
		}
		return a
	}
	for _, a := range [][]int32{g.index, append(slices.Clone(g.list), 0)[:e], random(max(n, e), n), random(max(n, e), e)} {
		s.launch.Params = binary.LittleEndian.AppendUint64(s.launch.Params, s.upload(t, a))
	}
	s.launch.Params = binary.LittleEndian.AppendUint32(s.launch.Params, uint32(n))
	s.launch.Grid, s.launch.Block = shape(code, n)
	return s
}

// upload allocates an array of the machine's memory, and returns its address.
func (s *setup) upload(t *testing.T, a []int32) uint64 {
	t.Helper()
	addr, err := s.machine.Alloc(int64(4 * len(a)))
	if err != nil {
		t.Fatal(err)
	}
	mem, err := s.machine.Bytes(addr, int64(4*len(a)))
	if err == nil {
		_, err = binary.Encode(mem, binary.LittleEndian, a)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.arrays = append(s.arrays, mem)
	return addr
}

// check runs the launch under all checks.
func (s *setup) check(t *testing.T, code string, g *graph) *report.Report {
	t.Helper()
	r, err := check.Run(t.Context(), s.machine, s.entry, s.launch, check.Options{Orders: *orders, Budget: budget})
	if err != nil {
		t.Fatalf("%s on %s: %v", code, g.name, err)
	}
	return r
}

// readSuite reads the suite's codes, by their names, and the graphs that flags ask for. It skips the
// test without a suite.
func readSuite(t *testing.T) (codes map[string]*ptx.Module, list []*graph) {
	t.Helper()
	if *suite == "" {
		t.Skip("needs -suite")
	}
	paths, err := filepath.Glob(filepath.Join(*suite, "ptx", "*.ptx"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no codes under %s (%v)", *suite, err)
	}
	list, err = readGraphs(filepath.Join(*suite, "graphs"), *nodes, *graphs)
	if err != nil || len(list) == 0 {
		t.Fatalf("no graphs under %s (%v)", *suite, err)
	}
	codes = map[string]*ptx.Module{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		code := strings.TrimSuffix(filepath.Base(path), ".ptx")
		if codes[code], err = ptx.Parse(path, string(text)); err != nil {
			t.Fatal(err)
		}
	}
	return codes, list
}

// TestSuite runs every code on graphs under the checks and compares what they find with what is
// planted.
func TestSuite(t *testing.T) {
	codes, list := readSuite(t)
	began := time.Now()
	scores := make([]score, len(bugs))
	for i := range bugs {
		scores[i].Bug = bugs[i].name
	}
	other := score{Bug: "anything else"} // of what no code has
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		found := make([]bool, len(bugs)+1)
		for _, g := range list {
			for _, f := range prepare(t, code, codes[code], g, "").check(t, code, g).Failures() {
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
	save(t, map[string]any{
		"scores": scores, "graphs": graphs, "orders": *orders, "seconds": fmt.Sprintf("%.0f", took.Seconds()),
	})
}

// save writes a test's result to the file that -record names.
func save(t *testing.T, result any) {
	t.Helper()
	if *record == "" {
		return
	}
	data, err := json.MarshalIndent(result, "", "\t")
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
