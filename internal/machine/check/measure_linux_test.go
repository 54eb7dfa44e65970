package check

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"regexp"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gridstride/gridstride/internal/machine/report"
)

var (
	measureFile   = flag.String("measure", "", "measure all checks beside the same launch without checks, and write the results to this `file`")
	measureOnly   = flag.String("measureonly", "", "measure the workloads whose names match this `expression`")
	measureRounds = flag.Int("measurerounds", 5, "measure `n` times, and take the best")
)

// checkTimes is one row of docs/measurements: milliseconds in the best round.
type checkTimes struct {
	Workload string  `json:"workload"`
	Bare     float64 `json:"bare_ms"`         // processor time without checks
	Checked  float64 `json:"checked_ms"`      // with all checks, in two orders
	Wall     float64 `json:"checked_wall_ms"` // the same by the clock
	Ratio    float64 `json:"checked_by_bare"`
}

// TestMeasureChecks runs launches without checks and with all checks, by turns.
func TestMeasureChecks(t *testing.T) {
	if *measureFile == "" {
		t.Skip("-measure is not given")
	}
	only := regexp.MustCompile(*measureOnly)
	var rows []checkTimes
	logs, loads := 0.0, []float64{load(t)}
	for _, w := range append(workloads(t, 1<<18), scanWorkload(t, 1_000_000), gemmWorkload(t)) {
		if !only.MatchString(w.name) {
			continue
		}
		row := w.measure(t)
		t.Logf("%+v", row)
		rows, logs = append(rows, row), logs+math.Log(row.Ratio)
	}
	all := map[string]any{
		"workloads": rows, "geometric_mean_of_ratios": tenths(math.Exp(logs / float64(len(rows)))),
		"load_before_and_after": append(loads, load(t)),
	}
	text, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*measureFile, append(text, '\n'), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (w *workload) measure(t *testing.T) checkTimes {
	bare, checked, wall := time.Hour, time.Hour, time.Hour
	for range *measureRounds {
		clear(w.zero)
		start := cpuTime()
		if _, err := w.m.Launch(t.Context(), w.entry(w.kernel), w.l); err != nil {
			t.Fatal(err)
		}
		bare = min(bare, cpuTime()-start)
		clear(w.zero)
		start = cpuTime()
		began := time.Now()
		rep, err := Run(t.Context(), w.m, w.entry(w.kernel), w.l, Options{TimeLimit: time.Hour})
		if err != nil || rep.Verdict() != report.Clean {
			t.Fatal(err, rep)
		}
		wall, checked = min(wall, time.Since(began)), min(checked, cpuTime()-start)
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return checkTimes{w.name, ms(bare), ms(checked), ms(wall), tenths(float64(checked) / float64(bare))}
}

func tenths(x float64) float64 { return math.Round(10*x) / 10 }

// load is how many processes ran or waited to run in the last minute.
func load(t *testing.T) float64 {
	t.Helper()
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		t.Fatal(err)
	}
	return tenths(float64(info.Loads[0]) / 65536)
}
