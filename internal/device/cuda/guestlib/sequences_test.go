package guestlib

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	sequences = flag.Int("sequences", 200, "`number` of random sequences of driver calls")
	// driverPath lets a machine with a GPU record what NVIDIA's driver says, and compare.
	driverPath  = flag.String("driver", "", "`library` to call in sequences, instead of the simulated driver")
	recordFile  = flag.String("record", "", "`file` to write the results of sequences to")
	compareFile = flag.String("compare", "", "`file` of results that the sequences must have")
)

// batch is how many sequences a process runs. The last of them ends its context by a kernel.
const batch = 50

// TestSequences runs random sequences of driver calls, valid and not: no process crashes or hangs, and
// after a kernel has failed each call says so. With -record on one machine and -compare on another the
// results of two drivers are compared.
func TestSequences(t *testing.T) {
	dir, _ := built(t)
	program := filepath.Join(t.TempDir(), "sequences")
	if out, err := exec.Command("gcc", "-Wall", "-Werror", "-O1", "testdata/sequences.c", "-o", program, "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var all bytes.Buffer
	calls, crashes := 0, 0
	for first := 0; first < *sequences; first += batch {
		out, err := sequencesFrom(t, dir, program, first)
		if err != nil {
			crashes++
			t.Errorf("sequences from %d: %v\n%s", first, err, lastLines(out, 5))
		}
		results := resultsOf(out)
		calls += len(results)
		if err == nil && *driverPath == "" {
			expectSticky(t, results)
		}
		for _, line := range results {
			fmt.Fprintln(&all, line)
		}
		if *driverPath == "" {
			if out, err := sequencesFrom(t, dir, program, first, "dangling"); err != nil {
				crashes++
				t.Errorf("sequences from %d with dangling handles: %v\n%s", first, err, lastLines(out, 5))
			}
		}
	}
	t.Logf("%d sequences, %d calls, %d processes crashed", *sequences, calls, crashes)
	if *recordFile != "" {
		if err := os.WriteFile(*recordFile, all.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if *compareFile != "" {
		compareResults(t, all.String())
	}
}

// sequencesFrom runs a batch of sequences in a process of their own.
func sequencesFrom(t *testing.T, dir, program string, first int, mode ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	library := "libcuda.so.1"
	if *driverPath != "" {
		library = *driverPath
	}
	count := min(batch, *sequences-first)
	cmd := exec.CommandContext(ctx, program, append([]string{library, fmt.Sprint(first), fmt.Sprint(count)}, mode...)...)
	cmd.Env = os.Environ()
	if *driverPath == "" {
		cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+dir)
	}
	out, err := cmd.Output()
	if err == nil && !strings.HasSuffix(string(out), "\nend\n") {
		err = fmt.Errorf("it ended early")
	}
	return string(out), err
}

// resultsOf are the lines of an output that have results: sequence, step, function, result.
func resultsOf(out string) []string {
	var list []string
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) == 4 && f[3] != "..." {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

// expectSticky looks at the end of a process whose last kernel failed: where a wait for it has said 700,
// each later call but the end of the context does.
func expectSticky(t *testing.T, results []string) {
	t.Helper()
	lost := false
	for _, line := range results {
		f := strings.Fields(line)
		switch {
		case f[2] == "cuCtxSynchronize" && f[3] == "700":
			lost = true
		case lost && f[2] != "cuCtxDestroy_v2" && f[3] != "700":
			t.Errorf("after an illegal address: %s", line)
		}
	}
}

// compareResults reports the first difference of each sequence.
func compareResults(t *testing.T, got string) {
	t.Helper()
	text, err := os.ReadFile(*compareFile)
	if err != nil {
		t.Fatal(err)
	}
	wanted := bySequence(string(text))
	for number, lines := range bySequence(got) {
		want := wanted[number]
		for i := range max(len(lines), len(want)) {
			if i >= len(lines) || i >= len(want) || lines[i] != want[i] {
				t.Errorf("sequence %s: %q, want %q", number, lines[min(i, len(lines)):min(i+1, len(lines))], want[min(i, len(want)):min(i+1, len(want))])
				break
			}
		}
	}
}

// bySequence are the lines of each sequence.
func bySequence(text string) map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(text) {
		number, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		m[number] = append(m[number], rest)
	}
	return m
}

// lastLines are the last lines of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
