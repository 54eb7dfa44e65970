package collect

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/report"
)

// TestWritten reads what a program has written.
func TestWritten(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(checked.EnvVar, checked.Env{Dir: dir}.String())
	c, err := checked.FromEnv()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*report.Report{{Launches: 2, Orders: []report.OrderRun{{Name: "ascending"}}}, {Launches: 3}} {
		if err := c.Report(r); err != nil {
			t.Fatal(err)
		}
	}
	// The incomplete line of a program that was killed does not count.
	if err := os.WriteFile(filepath.Join(dir, "report-x.jsonl"), []byte("{\"launches\":4}\n{\"launches\":5,\"fin"), 0o644); err != nil {
		t.Fatal(err)
	}
	reports, err := All(dir)
	if err != nil {
		t.Fatal(err)
	}
	if m := report.Merge(reports...); m.Launches != 9 || len(reports) != 3 || len(reports[0].Orders) > 0 {
		t.Errorf("%d reports of %d launches, want 3 of 9", len(reports), m.Launches)
	}
}

// TestCollector reads reports while they are written, each once.
func TestCollector(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "report-x.jsonl")
	c := New(dir)
	for _, step := range []struct {
		text string
		want int // launches of what is new
	}{{"", 0}, {"{\"launches\":4}\n", 4}, {"{\"laun", 0}, {"ches\":5}\n{\"launches\":6}\n", 11}, {"", 0}} {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(step.text); err != nil {
			t.Fatal(err)
		}
		f.Close()
		reports, err := c.Next()
		if n := report.Merge(reports...).Launches; err != nil || n != step.want {
			t.Errorf("after %q: %d launches (%v), want %d", step.text, n, err, step.want)
		}
	}
}

// TestInterrupt waits for a launch under way, but not for ever.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	launch := filepath.Join(dir, "launch-1")
	if err := os.WriteFile(launch, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(dir, checked.InterruptFile)); err == nil {
				os.Remove(launch)
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if err := Interrupt(dir, time.Minute); err != nil {
		t.Error(err)
	}
	if n, err := Unreported(dir); n != 0 || err != nil {
		t.Errorf("Interrupt did not wait for the launch (%v)", err)
	}
	if err := os.WriteFile(launch, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Interrupt(dir, 10*time.Millisecond); err != nil {
		t.Error(err)
	}
}
