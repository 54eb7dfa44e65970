package engines

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gridstride/gridstride/internal/machine/sim"
)

var measureFile = flag.String("measure", "", "measure the programs by turns, and write the results to this `file`")

// rounds is how often each variant runs, interpretedRounds how often the interpreter does.
const (
	rounds            = 7
	interpretedRounds = 2
)

// row is a program's milliseconds of processor time, in the best round, on one worker and on two: of both
// together, and by the clock.
type row struct {
	Program       string  `json:"program"`
	N             int     `json:"n"`
	Interpreter   float64 `json:"interpreter_ms"`
	Compiled      float64 `json:"compiled_ms"`
	Go            float64 `json:"go_ms"`
	CompiledTwo   float64 `json:"compiled_two_workers_ms"`
	TwoByClock    float64 `json:"compiled_two_workers_clock_ms"`
	OfInterpreter float64 `json:"interpreter_by_compiled"`
	OfGo          float64 `json:"compiled_by_go"`
}

// TestMeasure measures.
func TestMeasure(t *testing.T) {
	if *measureFile == "" {
		t.Skip("-measure is not given")
	}
	load, _ := os.ReadFile("/proc/loadavg")
	result := map[string]any{"load": strings.TrimSpace(string(load)), "launch_us": measureLaunch(t)}
	var rows []row
	for _, p := range programs {
		rows = append(rows, p.measure(t))
	}
	result["programs"] = rows
	if v := startRival(t); v != nil {
		result["pocl"], result["pocl_version"] = v.measure(t), v.version
	} else {
		t.Log("POCL is not here: its kernels are not measured")
	}
	text, err := json.MarshalIndent(result, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*measureFile, append(text, '\n'), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (p *program) measure(t *testing.T) row {
	mod := p.load(t)
	on := func(e sim.Engine, workers int) [2]func() {
		reset, run := p.start(newRig(t, e, workers, mod), p.n)
		return [2]func(){reset, func() { run() }}
	}
	reset, run := p.inGo(p.n)
	variants := [][2]func(){on(sim.Compiled, 1), {reset, func() { run() }}, on(sim.Compiled, 2), on(sim.Interpreter, 1)}
	best, clock := make([]float64, len(variants)), make([]float64, len(variants))
	for i := range best {
		best[i], clock[i] = math.Inf(1), math.Inf(1)
	}
	for n := range rounds {
		for i, v := range variants {
			if i == 3 && n >= interpretedRounds {
				continue
			}
			v[0]()
			begin, start := time.Now(), processTime(t)
			v[1]()
			best[i] = min(best[i], ms(processTime(t)-start))
			clock[i] = min(clock[i], ms(time.Since(begin)))
		}
	}
	r := row{p.name, p.n, best[3], best[0], best[1], best[2], clock[2], hundredths(best[3] / best[0]), hundredths(best[0] / best[1])}
	t.Logf("%+v", r)
	return r
}

// measureLaunch is how long a launch of an empty kernel of one block takes the machine, in microseconds.
func measureLaunch(t *testing.T) float64 {
	r := newRig(t, sim.Compiled, 1, ownKernels(t))
	e, err := r.p.Entry("Empty")
	r.must(err)
	l := sim.Launch{Grid: x(1), Block: x(32), Params: make([]byte, e.ParamSize)}
	best := math.Inf(1)
	for range 10 {
		const n = 10_000
		start := time.Now()
		for range n {
			_, err := r.m.Launch(t.Context(), e, l)
			r.must(err)
		}
		best = min(best, ms(time.Since(start))/n*1000)
	}
	return hundredths(best)
}

func ms(d time.Duration) float64 { return hundredths(float64(d.Nanoseconds()) / 1e6) }

func hundredths(v float64) float64 { return math.Round(v*100) / 100 }

// processTime is the processor time of all threads.
func processTime(t *testing.T) time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now); err != nil {
		t.Fatal(err)
	}
	return time.Duration(now.Nano())
}
