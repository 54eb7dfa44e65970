package checked

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/report"
)

func TestEnv(t *testing.T) {
	dir := t.TempDir()
	want := Env{Dir: dir, Tools: []report.Tool{report.Racecheck}, Orders: 3, Seed: 1 << 63, Pedantic: true, Budget: 5}
	t.Setenv(EnvVar, want.String())
	c, err := FromEnv()
	if err != nil {
		t.Fatal(err)
	}
	o := c.Options
	if o.Tools[0] != report.Racecheck || o.Orders != 3 || o.Seed != 1<<63 || !o.Pedantic || o.Budget != 5 {
		t.Errorf("options are %+v, want those of %+v", o, want)
	}
	c.Report(&report.Report{Launches: 2, Orders: []report.OrderRun{{Name: "ascending"}}})
	c.Report(&report.Report{Launches: 3})

	// What a program had begun to write when it was killed does not count.
	if err := os.WriteFile(filepath.Join(dir, "report-x.jsonl"), []byte("{\"launches\":4}\n{\"launches\":5,\"fin"), 0o644); err != nil {
		t.Fatal(err)
	}
	reports, err := Collected(dir)
	if err != nil {
		t.Fatal(err)
	}
	if m := report.Merge(reports...); m.Launches != 9 || len(reports) != 3 || len(reports[0].Orders) > 0 {
		t.Errorf("%d reports of %d launches, want 3 of 9", len(reports), m.Launches)
	}
}

// TestCollector reads reports while they are written, each once.
func TestCollector(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "report-x.jsonl")
	c := NewCollector(dir)
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

func TestNoEnv(t *testing.T) {
	t.Setenv(EnvVar, "")
	if c, err := FromEnv(); c != nil || err != nil {
		t.Errorf("without the variable: %v, %v", c, err)
	}
	t.Setenv(EnvVar, "yes")
	if _, err := FromEnv(); err == nil || !strings.HasPrefix(err.Error(), `GRIDSTRIDE_CHECK, which gridstride check sets, is "yes": `) {
		t.Errorf("with nonsense in it: %v", err)
	}
}
