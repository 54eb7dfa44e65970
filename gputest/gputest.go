// Package gputest gives tests a device that checks what kernels do.
//
//	func TestScale(t *testing.T) {
//		dev := gputest.Device(t)
//		…
//	}
//
// The device is the simulator with every check on: memcheck (out of bounds, misaligned, use after
// free), racecheck, initcheck (uninitialised memory) and synccheck (barriers, warp masks, kernels
// that do not end). Each launch is run in an ascending and in a descending order of blocks and
// threads. What is found fails the test, with the full report. With GRIDSTRIDE_DEVICE=cuda the
// tests run on the GPU, where nothing is checked.
package gputest

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/abi/stamp"
	"github.com/gridstride/gridstride/internal/device/option"
	"github.com/gridstride/gridstride/internal/language/sourcetext"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/report/format"
)

// Device opens a device for the test: the simulator with every check on, or with
// GRIDSTRIDE_DEVICE=cuda or cuda:1 that GPU. It is closed at the end of the test. The test fails
// then for each finding that no [Expect] asks for, for buffers that were not freed, and for kernels
// that failed with nobody waiting for them.
//
// Kernels whose Go code was changed since it was compiled are not loaded, on a GPU as on the
// simulator: the error is a *gridstride.StaleError. See [gridstride.Stale].
//
// A kernel that never ends is given up after a while without progress, and found. See also
// [TimeLimit]. The device is the
// test's: findings of launches by its subtests are its own.
func Device(t testing.TB, options ...gridstride.Option) *gridstride.Device {
	t.Helper()
	if !onGPU() {
		r := recorderOf(t)
		options = slices.Concat([]gridstride.Option{option.Checks(r.config(t))}, options, []gridstride.Option{gridstride.Use("sim")})
	} else {
		of := sources(t)
		options = append(options, option.Fresh(func(ptx string) error { return stamp.Check(ptx, abi.Version, of.Source) }))
	}
	dev, err := gridstride.Open(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// Pedantic makes a device of [Device] find everything that the memory model calls a race and the
// manuals leave undefined, even if it works on today's GPUs: a thread that returns before a barrier
// of its block, or a thread that reads a flag and then, without a fence, the data that the flag
// guards. gridstride check calls it --pedantic, and docs/checks.md lists the additional findings.
// It has no effect on a GPU, nor with gridstride.Open.
func Pedantic() gridstride.Option {
	return func(s *option.Settings) {
		if s.Sim.Checks != nil {
			s.Sim.Checks.Options.Pedantic = true
		}
	}
}

// TimeLimit says how long a launch on the test's device may take under the checks, all orders
// together. The default is a minute, and a negative d means no limit. A launch that takes longer is
// ended, which fails the test, and the wait for it returns gridstride.ErrTimeLimit.
func TimeLimit(d time.Duration) gridstride.Option { return option.TimeLimit(d) }

// Report returns the findings so far on the test's devices as text, expected or not, or "" if there
// are none. Findings of a launch appear after a wait for it.
func Report(t testing.TB) string {
	r := recorderOf(t)
	r.mu.Lock()
	defer r.mu.Unlock()
	return text(r.found.Findings)
}

// onGPU reports whether tests are to run on a GPU.
func onGPU() bool { return strings.HasPrefix(os.Getenv("GRIDSTRIDE_DEVICE"), "cuda") }

// recorder keeps what was found and what is expected in one test.
type recorder struct {
	env *checked.Config // of gridstride check, when it runs the test: then it gets what was found

	mu    sync.Mutex
	found *report.Report
	want  []Finding
}

var recorders struct {
	sync.Mutex
	of map[testing.TB]*recorder
}

// recorderOf is the test's recorder, which judges at the end of the test, after its devices were
// closed.
func recorderOf(t testing.TB) *recorder {
	t.Helper()
	recorders.Lock()
	defer recorders.Unlock()
	if r := recorders.of[t]; r != nil {
		return r
	}
	env, err := checked.FromEnv()
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{env: env, found: &report.Report{}}
	if recorders.of == nil {
		recorders.of = map[testing.TB]*recorder{}
	}
	recorders.of[t] = r
	t.Cleanup(func() {
		recorders.Lock()
		delete(recorders.of, t)
		recorders.Unlock()
		r.judge(t)
	})
	return r
}

// config is the configuration of the checks of a device of the test.
func (r *recorder) config(t testing.TB) *checked.Config {
	t.Helper()
	c := &checked.Config{Report: r.add, Finish: true}
	if r.env != nil {
		c.Options, c.Folder, c.Fresh = r.env.Options, r.env.Folder, r.env.Fresh
		return c
	}
	c.ReadSources(sources(t), abi.Version)
	return c
}

// sources finds the sources of the module that the test belongs to.
func sources(t testing.TB) *sourcetext.Finder {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return sourcetext.New(dir)
}

// add takes the report of a launch. The command gets it at once: the test may never come to its
// end.
func (r *recorder) add(launch *report.Report) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found = report.Merge(r.found, launch)
	if r.env != nil {
		rest := *launch
		rest.Findings, _ = r.compare(launch.Findings)
		return r.env.Report(&rest)
	}
	return nil
}

// judge fails the test for what was found and not expected, and the other way round.
func (r *recorder) judge(t testing.TB) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.env != nil {
		return
	}
	unexpected, missing := r.compare(r.found.Findings)
	if len(unexpected) > 0 {
		t.Errorf("the checks found:\n\n%s", text(unexpected))
	}
	for _, why := range r.found.Undone {
		t.Errorf("the checks could not decide: %s", why)
	}
	for _, w := range missing {
		if !t.Skipped() {
			t.Errorf("expected, but not found: %v", w)
		}
	}
}

// text is findings as people read them.
func text(findings []*report.Finding) string {
	var b strings.Builder
	for i, f := range findings {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(format.Finding(f))
	}
	return b.String()
}
