package sim

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
)

// leaver is an engine that runs the first instructions of each block by itself and leaves the rest
// to the interpreter. It goes on through blocks that lanes do not part from.
type leaver struct {
	after int // it leaves a block of n instructions after so many modulo n+1

	mu    sync.Mutex
	stops map[*bblock]int
}

func (*leaver) worth(*code.Kernel) uint64 { return 0 }

func (e *leaver) load(_ *code.Kernel, bound *binding) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stops == nil {
		e.stops = map[*bblock]int{}
	}
	for _, b := range bound.blocks {
		e.stops[b] = e.after % (len(b.code) + 1)
	}
}

func (e *leaver) run(w *warp) *bblock {
	for {
		b := w.at
		e.mu.Lock()
		stop := e.stops[b]
		e.mu.Unlock()
		w.Exec = w.mask
		for i := range b.code[:stop] {
			w.step(&b.code[i])
		}
		w.interpret(b, stop)
		next := b.next
		switch {
		case len(w.groups) > 1 || w.fuel <= b.n:
			return b
		case b.end == code.EndJump:
			next = b.target
		case b.end != code.EndFall:
			return b
		}
		w.count(b)
		w.at = next
	}
}

// TestEngines runs the kernels of nvcc by an engine that leaves blocks to the interpreter after each
// number of instructions.
func TestEngines(t *testing.T) {
	files, err := filepath.Glob("testdata/nvcc/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal("no PTX in testdata/nvcc", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(filepath.Base(file), ".ptx")
		for after := range 8 {
			l := Launch{Order: Order(after % 3), Seed: uint64(after)}
			t.Run(fmt.Sprint(base, "/", after), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, string(text), Config{Workers: nvccWorkers(base, 1+after%2)})
				r.m.engine = &leaver{after: after}
				nvccTests[base](r, l)
			})
		}
	}
}

// TestEnginesCount holds an engine that leaves after each number of instructions to the results and
// the statistics of the interpreter.
func TestEnginesCount(t *testing.T) {
	t.Parallel()
	const n, blocks, threads = 1000, 3, 64
	run := func(e engine) (sums []float32, stats Stats) {
		r := newRig(t, dotPTX, Config{Workers: 1})
		r.m.engine = e
		a, b := make([]float32, n), make([]float32, n)
		for i := range a {
			a[i], b[i] = float32(i%17)-8, float32(i%13)*0.25
		}
		c := upload(r, make([]float32, blocks))
		entry, err := r.p.Entry("dot")
		if err != nil {
			t.Fatal(err)
		}
		stats, err = r.m.Launch(context.Background(), entry, Launch{
			Grid: [3]int{blocks, 1, 1}, Block: [3]int{threads, 1, 1},
			Params: r.params(entry, upload(r, a), n, upload(r, b), n, c),
		})
		if err != nil {
			t.Fatal(err)
		}
		stats.Elapsed = 0
		return view[float32](r, c, blocks), stats
	}
	want, counted := run(nil)
	for after := range 20 {
		if got, stats := run(&leaver{after: after}); !reflect.DeepEqual(got, want) || stats != counted {
			t.Errorf("leaving after %d instructions: %v, %+v; the interpreter %v, %+v", after, got, stats, want, counted)
		}
	}
}
