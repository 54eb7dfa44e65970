package sim

import (
	"encoding/json"
	"flag"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gridstride/gridstride/internal/machine/sim/decode"
	"github.com/gridstride/gridstride/internal/machine/sim/native"
)

var measureFile = flag.String("measure", "", "measure compiled kernels beside interpreted ones and loops in Go, and write the results to this `file`")

// engineTimes is one row of docs/measurements: milliseconds of processor time in the best round. With
// two workers it is the time of both together.
type engineTimes struct {
	Kernel         string  `json:"kernel"`
	Interpreter    float64 `json:"interpreter_ms"`
	Compiled       float64 `json:"compiled_ms"`
	Go             float64 `json:"go_ms"`
	InterpreterTwo float64 `json:"interpreter_two_workers_ms"`
	CompiledTwo    float64 `json:"compiled_two_workers_ms"`
	OfInterpreter  float64 `json:"interpreter_by_compiled"`
	OfGo           float64 `json:"compiled_by_go"`
	// Narrow is compiled with vectors of 256 bits.
	Narrow     float64 `json:"compiled_narrow_ms"`
	NarrowOfGo float64 `json:"compiled_narrow_by_go"`
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
	text, err := json.MarshalIndent(map[string]any{"kernels": rows, "compiling": measureCompiling(t)}, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*measureFile, append(text, '\n'), 0o666); err != nil {
		t.Fatal(err)
	}
}

// rounds is how often each variant runs.
const rounds = 9

func (m *measuredKernel) measure(t *testing.T) engineTimes {
	on := func(e engine, workers int) func() {
		r := newRigWith(t, m.text(t), Config{Workers: workers}, e)
		l, args := m.launch(r)
		return func() {
			if _, err := r.launchAs(m.entry, l, args...); err != nil {
				t.Fatal(err)
			}
		}
	}
	variants := []struct {
		run func()
		now func(*testing.T) time.Duration
	}{
		{on(nil, 1), threadTime}, {on(newCompiler(), 1), threadTime}, {m.inGo(), threadTime},
		{on(nil, 2), processTime}, {on(newCompiler(), 2), processTime},
		{on(&compiler{limit: nativeLimit, narrow: true}, 1), threadTime},
	}
	best := make([]time.Duration, len(variants))
	for round := range rounds {
		for i, v := range variants {
			start := v.now(t)
			v.run()
			if d := v.now(t) - start; round == 0 || d < best[i] {
				best[i] = d
			}
		}
	}
	ms := func(i int) float64 { return float64(best[i].Microseconds()) / 1000 }
	row := engineTimes{
		m.name, ms(0), ms(1), ms(2), ms(3), ms(4), float64(best[0]*100/best[1]) / 100, float64(best[1]*100/best[2]) / 100,
		ms(5), float64(best[5]*100/best[2]) / 100,
	}
	t.Logf("%+v", row)
	return row
}

// compileTimes is how long a kernel of the gallery takes to compile, in milliseconds of processor time in
// the best round.
type compileTimes struct {
	Kernel       string  `json:"kernel"`
	Instructions int     `json:"instructions"`
	Milliseconds float64 `json:"ms"`
	Bytes        int     `json:"bytes"`
}

func measureCompiling(t *testing.T) (rows []compileTimes) {
	mod := parse(t, galleryText(t))
	loader := decode.New(mod, decode.Env{})
	for _, f := range mod.Kernels() {
		k := loader.Kernel(f)
		row := compileTimes{Kernel: f.Name, Instructions: native.Size(k.Kernel)}
		for round := range rounds {
			start := threadTime(t)
			c := native.Compile(k.Kernel, native.Options{Shared: segShared, Memos: segCache})
			ms := float64((threadTime(t) - start).Microseconds()) / 1000
			if row.Bytes = c.Size(); round == 0 || ms < row.Milliseconds {
				row.Milliseconds = ms
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// threadTime is the processor time of this thread.
func threadTime(t *testing.T) time.Duration { return clock(t, unix.CLOCK_THREAD_CPUTIME_ID) }

// processTime is the processor time of all threads.
func processTime(t *testing.T) time.Duration { return clock(t, unix.CLOCK_PROCESS_CPUTIME_ID) }

func clock(t *testing.T, which int32) time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(which, &now); err != nil {
		t.Fatal(err)
	}
	return time.Duration(now.Nano())
}
