package main

import (
	"regexp"
	"strconv"
	"strings"
)

// Benchmark is one line of a benchmark's output.
type Benchmark struct {
	Name    string             `json:"name"`
	N       int                `json:"n"`
	Metrics map[string]float64 `json:"metrics"` // by unit, "ns/op"
}

// The lines of a test under -test.v: "=== RUN TestX", "--- PASS: TestX (0.00s)", and the same
// indented for subtests.
var (
	verdict   = regexp.MustCompile(`^( *)--- (PASS|FAIL|SKIP): (\S+) \(`)
	header    = regexp.MustCompile(`^=== (RUN|PAUSE|CONT|NAME) +(\S+)`)
	benchLine = regexp.MustCompile(`^(Benchmark\S*?)(?:-\d+)?\s+(\d+)\s+(.+)$`)
)

// parseTests reads the output of a test binary.
func parseTests(text string) Result {
	var r Result
	output := map[string][]string{} // by top-level test
	current := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := header.FindStringSubmatch(line); m != nil {
			current, _, _ = strings.Cut(m[2], "/")
			continue
		}
		if m := benchLine.FindStringSubmatch(line); m != nil {
			if b, ok := parseBenchmark(m[1], m[2], m[3]); ok {
				r.Benchmarks = append(r.Benchmarks, b)
				continue
			}
		}
		m := verdict.FindStringSubmatch(line)
		if m == nil || m[1] != "" {
			output[current] = append(output[current], line)
			continue
		}
		switch name := m[3]; m[2] {
		case "PASS":
			r.Passed++
		case "SKIP":
			r.Skipped++
			r.Skips = append(r.Skips, Note{name, strings.TrimSpace(strings.Join(output[name], "\n"))})
		case "FAIL":
			r.Failed++
			r.Failures = append(r.Failures, Note{name, tail(strings.Join(output[name], "\n"))})
		}
	}
	return r
}

// parseBenchmark reads "12.5 ns/op  0 B/op".
func parseBenchmark(name, n, rest string) (Benchmark, bool) {
	b := Benchmark{Name: name, Metrics: map[string]float64{}}
	b.N, _ = strconv.Atoi(n)
	fields := strings.Fields(rest)
	for i := 0; i+1 < len(fields); i += 2 {
		v, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return b, false
		}
		b.Metrics[fields[i+1]] = v
	}
	return b, len(b.Metrics) > 0
}

// tail is the end of a long text.
func tail(s string) string {
	const most = 4000
	if len(s) > most {
		return "…" + s[len(s)-most:] + "\n"
	}
	return s + "\n"
}
