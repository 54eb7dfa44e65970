package difftest

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride"
)

// sharedBundle is a bundle of 60 programs.
var sharedBundle = sync.OnceValues(func() ([]byte, error) {
	o, err := sharedOracle()
	if err != nil {
		return nil, err
	}
	c, err := NewCompiler(context.Background(), ".", Simulator{})
	if err != nil {
		return nil, err
	}
	var bundle bytes.Buffer
	err = (&BundleWriter{o, c, 40, 15}).Write(context.Background(), &bundle, 5000, 60)
	return bundle.Bytes(), err
})

func bundle(t *testing.T) *BundleReader {
	t.Helper()
	oracle(t)
	text, err := sharedBundle()
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewBundleReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestBundle runs a bundle through the public API in this process, and in two others.
func TestBundle(t *testing.T) {
	check := func(t *testing.T, runners ...Runner) {
		r := BundleRun{
			Runners: runners,
			Differ:  func(v Verdict) { t.Errorf("seed %d: %s", v.Program.Seed, v.Difference) },
		}
		sum, err := r.Run(t.Context(), bundle(t))
		if err != nil {
			t.Fatal(err)
		}
		if sum.Programs != 60 || sum.Failed == 0 || sum.Same != 60 || len(sum.Other) > 0 {
			t.Errorf("summary %+v", sum)
		}
	}
	t.Run("here", func(t *testing.T) {
		m, err := OpenPublic()
		if err != nil {
			t.Fatal(err)
		}
		check(t, Local{m})
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("processes", func(t *testing.T) {
		a, b := process(t, ""), process(t, "")
		check(t, a, b)
		if err := errors.Join(a.Close(), b.Close()); err != nil {
			t.Error(err)
		}
	})
}

// serveAs makes this test's program a process that serves batches. Its value says which kind.
const serveAs = "GRIDSTRIDE_DIFFTEST_SERVE"

func process(t *testing.T, kind string) *Process {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(serveAs, "serve"+kind)
	p, err := StartProcess(program)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// serve is TestMain in such a process.
func serve(kind string) error {
	if kind == "serve" {
		return Serve(context.Background(), os.Stdin, os.Stdout)
	}
	// One that dies after its greeting.
	return gob.NewEncoder(os.Stdout).Encode(greeting{Device: "none"})
}

// lossy is a runner that loses its device at the third program of each batch.
type lossy struct{ Local }

func (l lossy) Run(ctx context.Context, b *Batch, from int) ([]Result, error) {
	results, err := l.Local.Run(ctx, b, from)
	if from == 0 && err == nil {
		results = results[:3]
		results[2].Difference = &Difference{"launch", gridstride.ErrLost.Error()}
	}
	return results, err
}

// TestLostDevice checks that a program which loses the device differs, and that the others still
// run.
func TestLostDevice(t *testing.T) {
	r := BundleRun{Runners: []Runner{lossy{Local{Simulator{}}}}}
	sum, err := r.Run(t.Context(), bundle(t))
	if err != nil {
		t.Fatal(err)
	}
	if sum.Programs != 60 || sum.Differ != 5 || sum.Seeds[0] != 5002 {
		t.Errorf("summary %+v", sum)
	}
}

// TestDeadProcess checks that a process which dies is named with its batch, and that another takes
// the rest.
func TestDeadProcess(t *testing.T) {
	r := BundleRun{Runners: []Runner{process(t, " and die"), Local{Simulator{}}}}
	sum, err := r.Run(t.Context(), bundle(t))
	if err == nil || !strings.Contains(err.Error(), "seeds 50") {
		t.Errorf("error %v", err)
	}
	if sum.Programs < 45 || sum.Programs >= 60 || sum.Differ > 0 {
		t.Errorf("summary %+v", sum)
	}
}

// TestBundleOfSources writes the saved programs to a bundle and runs it.
func TestBundleOfSources(t *testing.T) {
	programs := savedPrograms(t)
	c, err := sharedCompiler()
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	for _, p := range programs {
		sources = append(sources, p.Source)
	}
	var text bytes.Buffer
	if err := (&BundleWriter{oracle(t), c, 3, 2}).WriteSources(t.Context(), &text, sources); err != nil {
		t.Fatal(err)
	}
	b, err := NewBundleReader(&text)
	if err != nil {
		t.Fatal(err)
	}
	run := BundleRun{
		Runners: []Runner{Local{Simulator{}}},
		Differ:  func(v Verdict) { t.Errorf("%s\n%s", v.Difference, v.Program.Source) },
	}
	sum, err := run.Run(t.Context(), b)
	if err != nil || sum.Programs != len(programs) {
		t.Errorf("summary %+v of %d programs, %v", sum, len(programs), err)
	}
}

// TestBundleLimit checks that no batch is begun when the time is over.
func TestBundleLimit(t *testing.T) {
	r := BundleRun{Runners: []Runner{Local{Simulator{}}}, Limit: 1}
	if sum, err := r.Run(t.Context(), bundle(t)); err != nil || sum.Programs != 0 {
		t.Errorf("summary %+v, error %v", sum, err)
	}
}

// TestNoBundle reads what is none.
func TestNoBundle(t *testing.T) {
	if _, err := NewBundleReader(strings.NewReader("programs")); err == nil || !strings.Contains(err.Error(), "not a bundle") {
		t.Errorf("error %v", err)
	}
}
