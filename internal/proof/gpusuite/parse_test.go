package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseTests(t *testing.T) {
	const text = `=== RUN   TestA
--- PASS: TestA (0.00s)
=== RUN   TestB
=== RUN   TestB/sub
    b_test.go:7: wrong
--- FAIL: TestB (0.01s)
    --- FAIL: TestB/sub (0.00s)
=== RUN   TestC
    c_test.go:3: needs two GPUs
--- SKIP: TestC (0.00s)
goos: linux
cpu: x
BenchmarkLaunch
BenchmarkLaunch-16    	  500000	      2400 ns/op	       0 B/op	       0 allocs/op
BenchmarkCopy/pinned/64MB-16	100	12 ns/op	 53.5 GB/s
FAIL
`
	want := Result{
		Passed: 1, Failed: 1, Skipped: 1,
		Failures: []Note{{"TestB", "    b_test.go:7: wrong\n"}},
		Skips:    []Note{{"TestC", "c_test.go:3: needs two GPUs"}},
		Benchmarks: []Benchmark{
			{"BenchmarkLaunch", 500000, map[string]float64{"ns/op": 2400, "B/op": 0, "allocs/op": 0}},
			{"BenchmarkCopy/pinned/64MB", 100, map[string]float64{"ns/op": 12, "GB/s": 53.5}},
		},
	}
	if diff := cmp.Diff(want, parseTests(text)); diff != "" {
		t.Error(diff)
	}
}

func TestBelow(t *testing.T) {
	if got := below(module); got != "." {
		t.Errorf("the root package is in %s", got)
	}
	if got := below(module + "/internal/device/cuda"); got != "internal/device/cuda" {
		t.Errorf("internal/device/cuda is in %s", got)
	}
}
