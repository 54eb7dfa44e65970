package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/tune"
	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/checked/collect"
	"github.com/gridstride/gridstride/internal/machine/counters"
	"github.com/gridstride/gridstride/internal/machine/profile"
	"github.com/gridstride/gridstride/internal/machine/runptx"
)

// measure tries the choices of a group.
func (j *tuneJob) measure(ctx context.Context, g *tune.Group) (*tuned, error) {
	total, err := g.Combinations()
	if err != nil {
		return nil, err
	}
	choices, err := g.Pick(j.n, j.seed)
	if err != nil {
		return nil, err
	}
	r := &tuned{
		Package: g.Package, File: g.Pos.Filename, Line: g.Pos.Line, Benchmark: g.Benchmark, Tests: g.Tests,
		Device: j.device.Name, Unit: "ns", Combinations: total, Seed: j.seed,
	}
	if j.device.Backend == "sim" {
		r.Unit = counted
	}
	line := newProgress(j.err)
	defer line.clear()
	for i, c := range choices {
		line.show(fmt.Sprintf("%s: combination %d of %d: %s", g.Benchmark, i+1, len(choices), g.Text(c)))
		t := &trial{Values: g.Text(c), choice: c}
		err := j.try(ctx, g, t)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			t.Skipped = whyNot(err)
		}
		r.Tried = append(r.Tried, t)
	}
	return r, nil
}

// whyNot is the first line of an error.
func whyNot(err error) string {
	if list, ok := errors.AsType[compile.ErrorList](err); ok {
		return "does not compile: " + list[0].Error()
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// try compiles, tests and measures a choice. The error says why it cannot be used.
func (j *tuneJob) try(ctx context.Context, g *tune.Group, t *trial) error {
	folder, err := os.MkdirTemp("", "gridstride-tune-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	within, cancel := context.WithTimeout(ctx, j.timeout)
	defer cancel()
	err = j.tryIn(within, g, t, folder)
	if within.Err() != nil {
		return fmt.Errorf("takes longer than %v", j.timeout)
	}
	return err
}

func (j *tuneJob) tryIn(ctx context.Context, g *tune.Group, t *trial, folder string) error {
	made, err := g.Try(t.choice, folder)
	if err != nil {
		return err
	}
	b := &tuneBinary{job: j, group: g, path: made.Binary, folder: folder}
	out, err := b.output(apartFrom(ctx, g.Dir, "go", "test", "-c", "-overlay="+made.Overlay, "-o", made.Binary, "."))
	if err != nil {
		return fmt.Errorf("does not build: %s", told(out, err))
	}
	if err := b.test(ctx); err != nil {
		return err
	}
	if j.device.Backend == "sim" {
		t.Shapes, err = b.count(ctx)
	} else {
		t.Shapes, err = b.time(ctx)
	}
	if err == nil && len(t.Shapes) == 0 {
		err = fmt.Errorf("%s measured nothing", g.Benchmark)
	}
	return err
}

// tuneBinary is the test binary of a choice.
type tuneBinary struct {
	job    *tuneJob
	group  *tune.Group
	path   string
	folder string // for what is written on the way
}

// apartFrom is a command in a folder that is interrupted, with all that it has started, when ctx ends. It
// loads kernels though the sources on disk have other constants.
func apartFrom(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "GRIDSTRIDE_STALE=off")
	cmd.WaitDelay = 2 * time.Second
	apart(cmd)
	cmd.Cancel = func() error { return interrupt(cmd) }
	return cmd
}

// mostOutput bounds the output of a choice that the command keeps.
const mostOutput = 1 << 20

// output runs a command and returns the first of its output.
func (b *tuneBinary) output(cmd *exec.Cmd) (string, error) {
	var out boundedBuffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// boundedBuffer keeps the first mostOutput bytes that are written to it.
type boundedBuffer struct{ bytes.Buffer }

func (b *boundedBuffer) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), max(mostOutput-b.Len(), 0))])
	return len(p), nil
}

// test runs the tests, which must pass.
func (b *tuneBinary) test(ctx context.Context) error {
	pattern := "."
	if len(b.group.Tests) > 0 {
		pattern = "^(" + strings.Join(b.group.Tests, "|") + ")$"
	}
	out, err := b.output(apartFrom(ctx, b.group.Dir, b.path, "-test.v", "-test.run="+pattern))
	if err != nil {
		return fmt.Errorf("fails its tests: %s", told(out, err))
	}
	for _, name := range b.group.Tests {
		if !strings.Contains(out, "--- PASS: "+name+" ") {
			return fmt.Errorf("%s did not run", name)
		}
	}
	if !strings.Contains(out, "--- PASS: ") {
		return errors.New("there is no test that passes")
	}
	return nil
}

// bench is the command that runs the benchmarks that match a pattern.
func (b *tuneBinary) bench(pattern string, more ...string) []string {
	return append([]string{b.path, "-test.run=^$", "-test.bench=" + pattern,
		"-test.cpu=" + strconv.Itoa(runtime.GOMAXPROCS(0))}, more...)
}

// time measures the benchmark on a GPU.
func (b *tuneBinary) time(ctx context.Context) ([]tune.Shape, error) {
	args := b.bench("^"+b.group.Benchmark+"$", "-test.count=3", "-test.benchtime="+b.job.benchtime.String())
	out, err := b.output(apartFrom(ctx, b.group.Dir, args[0], args[1:]...))
	if err != nil {
		return nil, fmt.Errorf("%s fails: %s", b.group.Benchmark, told(out, err))
	}
	return tune.ParseBenchmarks(out, runtime.GOMAXPROCS(0)), nil
}

// count counts what an iteration of each shape does on the simulator. The first run finds the shapes. If
// there are several, each then runs alone, so that nothing else is launched.
func (b *tuneBinary) count(ctx context.Context) ([]tune.Shape, error) {
	shapes, cost, err := b.counted(ctx, "^"+b.group.Benchmark+"$")
	if err != nil {
		return nil, err
	}
	if len(shapes) == 1 {
		shapes[0].Cost = cost
		return shapes, nil
	}
	for i, s := range shapes {
		parts := strings.Split(s.Name, "/")
		for k := range parts {
			parts[k] = "^" + regexp.QuoteMeta(parts[k]) + "$"
		}
		one, cost, err := b.counted(ctx, strings.Join(parts, "/"))
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(one, func(o tune.Shape) bool { return o.Name == s.Name }) {
			return nil, fmt.Errorf("%s did not run by itself", s.Name)
		}
		shapes[i].Cost = cost
	}
	return shapes, nil
}

// counted runs an iteration of benchmarks, and is the cost of all that they launch.
func (b *tuneBinary) counted(ctx context.Context, pattern string) ([]tune.Shape, float64, error) {
	dir, err := os.MkdirTemp(b.folder, "counts-")
	if err != nil {
		return nil, 0, err
	}
	env := checked.Env{Dir: dir, Tools: runptx.ProfileTools, Orders: 1, Profile: true, Budget: check.DefaultBudget, Timeout: b.job.timeout}
	cmd := observed(ctx, b.bench(pattern, "-test.benchtime=1x"), env)
	cmd.Dir = b.group.Dir
	cmd.Env = append(cmd.Env, "PWD="+b.group.Dir, "GRIDSTRIDE_STALE=off")
	out, err := b.output(cmd)
	if err != nil {
		return nil, 0, fmt.Errorf("%s fails: %s", b.group.Benchmark, told(out, err))
	}
	if n, err := collect.Unreported(dir); err != nil || n > 0 {
		return nil, 0, errors.Join(err, errors.New("the benchmark ended before its launches: wait for the stream"))
	}
	reports, err := collect.All(dir)
	if err != nil {
		return nil, 0, err
	}
	var sum profile.Sum
	for _, r := range reports {
		addAll(&sum, r)
	}
	if sum.Launches() == 0 {
		return nil, 0, fmt.Errorf("%s launched nothing on a simulated device", b.group.Benchmark)
	}
	return tune.ParseBenchmarks(out, runtime.GOMAXPROCS(0)), costOf(&sum.Report().Total.Counts), nil
}

// costOf is the cost of what was counted: instructions of warps, sectors, and turns of the banks of
// shared memory that conflicts take.
func costOf(c *counters.Counts) float64 {
	return float64(c.Instructions + c.GlobalSectors + (c.SharedPasses - min(c.SharedPasses, c.SharedIdealPasses)))
}

// trialFile is the folder of the changed source, which the Go compiler names relative to the package's
// or not.
var trialFile = regexp.MustCompile(`\S*gridstride-tune-[0-9]+[/\\]`)

// told returns the line in which a program that failed says why: the first that names a place in a Go
// file, or else the first that is not about tests.
func told(out string, err error) string {
	first := ""
	for line := range strings.Lines(out) {
		line = trialFile.ReplaceAllString(strings.TrimSpace(line), "")
		switch {
		case line == "", strings.HasPrefix(line, "=== "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "# "):
		case strings.Contains(line, ".go:"):
			return filepath.ToSlash(short(line))
		case first == "":
			first = line
		}
	}
	if first == "" {
		return err.Error()
	}
	return short(first)
}

// short is the beginning of a long line.
func short(line string) string {
	const most = 200
	if len(line) <= most {
		return line
	}
	return strings.ToValidUTF8(line[:most], "") + "…"
}
