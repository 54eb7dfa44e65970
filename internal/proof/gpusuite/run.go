package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/device/cuda"
)

// Results are the results of a run of the bundle.
type Results struct {
	What       string   `json:"what"`
	Device     string   `json:"device"`
	Capability string   `json:"capability"`
	Driver     string   `json:"driver"`
	Date       string   `json:"date"`
	Commit     string   `json:"commit"`
	Modified   bool     `json:"modified"`
	Go         string   `json:"go"`
	Command    string   `json:"command"`
	Passed     int      `json:"passed"`
	Failed     int      `json:"failed"`
	Skipped    int      `json:"skipped"`
	Packages   []Result `json:"packages"`
	// Beside holds the measurements of other programs in the same session, by their names: CUDA C++ to
	// compare the benchmarks with.
	Beside map[string]json.RawMessage `json:"beside,omitempty"`
}

// Result is one package's part. Tests are counted, not their subtests.
type Result struct {
	Package    string      `json:"package"`
	Passed     int         `json:"passed"`
	Failed     int         `json:"failed"`
	Skipped    int         `json:"skipped"`
	Seconds    float64     `json:"seconds"`
	Failures   []Note      `json:"failures,omitempty"`
	Skips      []Note      `json:"skips,omitempty"`
	Benchmarks []Benchmark `json:"benchmarks,omitempty"`
}

// Note is a test with its output.
type Note struct {
	Test   string `json:"test"`
	Output string `json:"output"`
}

// suite is one run with its flags.
type suite struct {
	root           string // of the bundle
	tests, skipped string
	benchmarks     string
	benchtime      string
	only           *regexp.Regexp
	device         string
	timeout        time.Duration
	count          int
}

// run runs the bundle that contains it.
func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	var s suite
	out := flags.String("o", "", "the file to write the results to (default: standard output)")
	only := flags.String("packages", "", "run the packages that match this expression only")
	flags.StringVar(&s.tests, "run", "", "run the tests that match this expression only")
	flags.StringVar(&s.skipped, "skip", "", "leave out the tests and benchmarks that match this expression")
	flags.StringVar(&s.benchmarks, "bench", "", "run the benchmarks that match this expression too")
	flags.StringVar(&s.device, "device", "cuda", "GRIDSTRIDE_DEVICE of the tests")
	flags.StringVar(&s.benchtime, "benchtime", "1s", "the time, or 100x, that each benchmark runs")
	flags.IntVar(&s.count, "count", 1, "run each benchmark this many times")
	flags.DurationVar(&s.timeout, "timeout", 5*time.Minute, "the time a package may take")
	beside := map[string]json.RawMessage{}
	flags.Func("beside", "put a file of JSON into the results, as name=file; may be given again", func(v string) error {
		name, file, _ := strings.Cut(v, "=")
		text, err := os.ReadFile(file)
		if err == nil && !json.Valid(text) {
			err = fmt.Errorf("%s is no JSON", file)
		}
		beside[name] = text
		return err
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if s.only, err = regexp.Compile(*only); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	s.root = filepath.Dir(program)
	results, err := s.run(ctx)
	if err != nil {
		return err
	}
	results.Beside = beside
	results.Command = strings.Join(append([]string{"run"}, args...), " ")
	text, err := json.MarshalIndent(results, "", "\t")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if *out == "" {
		_, err = os.Stdout.Write(text)
	} else {
		err = os.WriteFile(*out, text, 0o644)
	}
	if err == nil && results.Failed > 0 {
		err = fmt.Errorf("%d tests failed", results.Failed)
	}
	return err
}

func (s *suite) run(ctx context.Context) (*Results, error) {
	text, err := os.ReadFile(filepath.Join(s.root, manifestName))
	if err != nil {
		return nil, fmt.Errorf("this program is to be run from its bundle: %w", err)
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", manifestName, err)
	}
	dev, err := gridstride.Open(gridstride.Use(s.device))
	if err != nil {
		return nil, err
	}
	info := dev.Info()
	if err := dev.Close(); err != nil {
		return nil, err
	}
	r := &Results{
		What: "tests on a device", Device: info.Name, Capability: info.Capability, Driver: driver(info),
		Date: time.Now().Format(time.DateOnly), Commit: m.Commit, Modified: m.Modified, Go: m.Go,
	}
	for _, p := range m.Packages {
		if !s.only.MatchString(p) {
			continue
		}
		one, err := s.test(ctx, p)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(os.Stderr, "%-60s %4d passed %3d failed %3d skipped %7.1fs\n", p, one.Passed, one.Failed, one.Skipped, one.Seconds)
		for _, f := range one.Failures {
			fmt.Fprintf(os.Stderr, "FAIL %s\n%s\n", f.Test, f.Output)
		}
		r.Passed, r.Failed, r.Skipped = r.Passed+one.Passed, r.Failed+one.Failed, r.Skipped+one.Skipped
		r.Packages = append(r.Packages, one)
	}
	return r, nil
}

// test runs one package's test.
func (s *suite) test(ctx context.Context, pkg string) (Result, error) {
	dir := filepath.Join(s.root, below(pkg))
	c := exec.CommandContext(ctx, filepath.Join(dir, testName), "-test.v", "-test.timeout="+s.timeout.String(), "-test.run="+s.tests)
	if s.skipped != "" {
		c.Args = append(c.Args, "-test.skip="+s.skipped)
	}
	if s.benchmarks != "" {
		c.Args = append(c.Args, "-test.bench="+s.benchmarks, "-test.benchtime="+s.benchtime, "-test.benchmem", fmt.Sprintf("-test.count=%d", s.count))
	}
	c.Dir = dir
	c.Env = append(os.Environ(), "GRIDSTRIDE_DEVICE="+s.device)
	start := time.Now()
	text, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return Result{}, err
	}
	r := parseTests(string(text))
	r.Package, r.Seconds = pkg, math.Round(time.Since(start).Seconds()*100)/100
	if err != nil && r.Failed == 0 { // it crashed, or ran out of time
		r.Failed++
		r.Failures = append(r.Failures, Note{"(the whole package)", tail(string(text)) + err.Error()})
	}
	return r, nil
}

// driver is the newest CUDA version of the driver and, where the system says it, its own version:
// "CUDA 13.0, 580.159.04".
func driver(info gridstride.Info) string {
	if v := cuda.KernelVersion(); v != "" {
		return info.Driver + ", " + v
	}
	return info.Driver
}
