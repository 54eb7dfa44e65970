package mathtest

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/proof/mpfr"
)

var (
	campaignFile = flag.String("campaign", "", "measure errors and write them to this `file`, but for those that it has")
	exhaustive   = flag.Bool("exhaustive", false, "measure functions of one float32 at all of them, and pairs of float32 at ten times -points")
	byTwofold    = flag.Bool("twofold", false, "measure functions of float64 by package twofold instead of MPFR, where that has them")
	commit       = flag.String("commit", "", "the commit that is measured, for the file of a campaign")
)

// campaign is the file of a campaign.
type campaign struct {
	What      string   `json:"what"`
	Date      string   `json:"date"`
	Commit    string   `json:"commit"`
	Command   string   `json:"command"`
	Processor string   `json:"processor"`
	Go        string   `json:"go"`
	MPFR      string   `json:"mpfr,omitempty"`
	Functions []Errors `json:"functions"`
}

// TestCampaign measures the errors of functions and writes them to a file, function by function.
func TestCampaign(t *testing.T) {
	if *campaignFile == "" {
		t.Skip("-campaign names no file")
	}
	c := &campaign{}
	text, err := os.ReadFile(*campaignFile)
	if err == nil {
		err = json.Unmarshal(text, c)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if *commit == "" {
		if out, err := exec.Command("git", "rev-parse", "HEAD").Output(); err == nil {
			*commit = strings.TrimSpace(string(out))
		}
	}
	c.What = "errors of package gpu's mathematics against package twofold, in ULP of the exact value"
	var l *mpfr.Library
	if !*byTwofold {
		l = library(t)
		c.What, c.MPFR = "errors of package gpu's mathematics against MPFR, in ULP of the exact value", l.Version()
	}
	c.Date, c.Commit = time.Now().UTC().Format(time.DateOnly), *commit
	c.Command = "mathtest.test " + strings.Join(os.Args[1:], " ")
	c.Processor, c.Go = processor(), runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH
	each(t, func(t *testing.T, f *Function, single bool) {
		if slices.ContainsFunc(c.Functions, func(e Errors) bool { return e.Function == f.Name && e.Type == typeName(single) }) {
			return
		}
		if *byTwofold && (single || f.Twofold == nil) {
			return
		}
		n := *number
		if single && *exhaustive && f.Pair {
			n *= 10
		}
		start := time.Now()
		e, err := Errors{}, error(nil)
		if *byTwofold {
			e = f.MeasureDoubles(n)
		} else {
			e, err = f.Measure(l, single, n, single && *exhaustive && !f.Pair)
		}
		if err != nil {
			t.Fatal(err)
		}
		e.Seconds = float64(time.Since(start).Milliseconds()) / 1e3
		t.Logf("%+v", e)
		if e.Max > f.limit(single) || e.Wrong > 0 {
			t.Errorf("the limit is %v ULP", f.limit(single))
		}
		c.Functions = append(c.Functions, e)
		if err := c.write(*campaignFile); err != nil {
			t.Fatal(err)
		}
	})
}

// write replaces the file as a whole, so that a campaign that is stopped loses one function.
func (c *campaign) write(name string) error {
	text, err := json.MarshalIndent(c, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(name+".new", append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// processor is the name of this machine's processor.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.Trim(name, "\t :\n")
		}
	}
	return runtime.GOARCH
}
