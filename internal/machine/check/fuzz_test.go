package check

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/machine/check/initcheck"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/report/format"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/ptx"
)

// FuzzRun checks and profiles any kernel: whatever it does, the answer is a report or an error,
// never a panic or a hang.
func FuzzRun(f *testing.F) {
	for _, pattern := range []string{"testdata/*.ptx", "../sim/testdata/nvcc/*.ptx"} {
		files, _ := filepath.Glob(pattern)
		if len(files) == 0 {
			f.Fatalf("no files %s", pattern)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			if len(text) < 10_000 { // a small one is soon another
				f.Add(string(text), uint8(40))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string, threads uint8) {
		mod, err := ptx.Parse("fuzz.ptx", text)
		if err != nil {
			return
		}
		m := sim.New(sim.Config{Memory: 1 << 24, Workers: 1})
		p, err := m.Load(mod)
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		for _, e := range p.Entries() {
			if e.ParamSize > 1<<12 || e.StaticShared > 1<<16 {
				continue
			}
			fuzzLaunch(ctx, t, m, e, 1+int(threads%100))
		}
	})
}

// fuzzLaunch checks a launch with a buffer for every 64-bit parameter. Half of each buffer is
// written.
func fuzzLaunch(ctx context.Context, t *testing.T, m *sim.Machine, e *sim.Entry, threads int) {
	const size = 1 << 12
	b := &bench{tb: t, m: m}
	l := sim.Launch{Grid: x(2), Block: x(threads), Shared: 64}
	init := &initcheck.Init{}
	var args []any
	for _, p := range e.Params {
		if p.Size != 8 {
			args = append(args, threads)
			continue
		}
		addr := b.alloc(make([]byte, size))
		init.Fresh(addr+size/2, size/2)
		args = append(args, addr)
	}
	l.Params = make([]byte, e.ParamSize)
	if ordinary(e) {
		l.Params = b.params(e, args...)
	}
	start := time.Now()
	r, err := Run(ctx, m, e, l, Options{Orders: 3, Pedantic: true, Profile: true, Budget: 1000, Init: init})
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("%s took %v", e.Name, d)
	}
	if err != nil {
		return
	}
	for _, write := range []func(io.Writer, *report.Report) error{format.Text, format.JSON, format.SARIF} {
		if err := write(io.Discard, r); err != nil {
			t.Error(err)
		}
	}
	if err := format.Text(io.Discard, report.Merge(r, r)); err != nil {
		t.Error(err)
	}
}

// ordinary says whether all parameters are scalars.
func ordinary(e *sim.Entry) bool {
	for _, p := range e.Params {
		if p.Size > 8 {
			return false
		}
	}
	return true
}
