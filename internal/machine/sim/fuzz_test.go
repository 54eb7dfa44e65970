package sim

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/ptx"
)

// FuzzRun parses, loads and launches any text: whatever it is, the answer is an error or a result,
// never a panic or a hang.
func FuzzRun(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.ptx")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	text, err := os.ReadFile("../../ptx/testdata/accepted.txt")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			f.Add(instructionModule(line))
		}
	}
	for _, c := range faults {
		f.Add(header + faultKernel(c.decls, c.body))
	}
	f.Fuzz(func(t *testing.T, text string) {
		mod, err := ptx.Parse("fuzz.ptx", text)
		if err != nil {
			return
		}
		m := New(Config{Memory: 1 << 24, Workers: 1})
		p, err := m.Load(mod)
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		for _, e := range p.Entries() {
			if e.ParamSize > 1<<12 || e.StaticShared > 1<<16 {
				continue
			}
			start := time.Now()
			l := Launch{Grid: x(2), Block: x(40), Params: make([]byte, e.ParamSize), Budget: 10000, Shared: 64}
			_, _ = m.Launch(ctx, e, l)
			l.Observer, l.Steps, l.KeepGoing = discard{}, true, true
			_, _ = m.Launch(ctx, e, l)
			if d := time.Since(start); d > 30*time.Second {
				t.Errorf("%s took %v", e.Name, d)
			}
		}
	})
}
