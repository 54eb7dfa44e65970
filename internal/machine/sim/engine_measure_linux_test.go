package sim

import (
	"encoding/json"
	"flag"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var measureFile = flag.String("measure", "", "measure compiled kernels beside interpreted ones and loops in Go, and write the results to this `file`")

// engineTimes is one row of docs/measurements: milliseconds of processor time of one thread in the
// best round.
type engineTimes struct {
	Kernel      string  `json:"kernel"`
	Interpreted float64 `json:"interpreted_ms"`
	Compiled    float64 `json:"compiled_ms"`
	Go          float64 `json:"go_ms"`
	Ratio       float64 `json:"interpreted_to_compiled"`
	RatioGo     float64 `json:"compiled_to_go"`
}

// TestMeasureEngines runs kernels interpreted, compiled, and as loops in Go, by turns.
func TestMeasureEngines(t *testing.T) {
	if *measureFile == "" {
		t.Skip("-measure is not given")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var rows []engineTimes
	for _, m := range measuredKernels {
		rows = append(rows, m.measure(t))
	}
	text, err := json.MarshalIndent(rows, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*measureFile, append(text, '\n'), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (m *measuredKernel) measure(t *testing.T) engineTimes {
	inGo := m.inGo()
	var runs [3]func()
	for i, e := range []engine{nil, newCompiler()} {
		r := newRigWith(t, m.text(t), Config{Workers: 1}, e)
		l, args := m.launch(r)
		runs[i] = func() {
			if _, err := r.launchAs(m.entry, l, args...); err != nil {
				t.Fatal(err)
			}
		}
	}
	runs[2] = inGo
	best := [3]time.Duration{1 << 62, 1 << 62, 1 << 62}
	for range 9 {
		for i, run := range runs {
			start := threadTime(t)
			run()
			best[i] = min(best[i], threadTime(t)-start)
		}
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	row := engineTimes{
		m.name, ms(best[0]), ms(best[1]), ms(best[2]),
		float64(best[0]*100/best[1]) / 100, float64(best[1]*100/best[2]) / 100,
	}
	t.Logf("%+v", row)
	return row
}

// threadTime is the processor time of this thread.
func threadTime(t *testing.T) time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		t.Fatal(err)
	}
	return time.Duration(now.Nano())
}
