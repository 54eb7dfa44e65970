package decode

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/ptx"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Each testdata/NAME.ptx is decoded as testdata/NAME.code says.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("testdata/*.ptx")
	if len(files) == 0 {
		t.Fatal("no test data")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".ptx"), func(t *testing.T) {
			t.Parallel()
			var got strings.Builder
			for i, k := range decode(t, file) {
				if i > 0 {
					got.WriteString("\n")
				}
				got.WriteString(k.String())
			}
			golden := strings.TrimSuffix(file, ".ptx") + ".code"
			if *update {
				if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// decode decodes a file whose variables lie one after the other.
func decode(t *testing.T, file string) []Kernel {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := ptx.Parse(file, string(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := ptx.Verify(mod); err != nil {
		t.Fatal(err)
	}
	env := Env{Globals: map[string]uint64{}, LocalBytes: 1 << 10}
	at := uint64(memory.GlobalBase)
	for _, d := range mod.Decls {
		if v, ok := d.(*ptx.Var); ok {
			env.Globals[v.Name] = at
			at += memory.Align
		}
	}
	loader := New(mod, env)
	var kernels []Kernel
	for _, f := range mod.Kernels() {
		k := loader.Kernel(f)
		if len(k.Errs) > 0 {
			t.Fatal(k.Errs)
		}
		kernels = append(kernels, k)
	}
	return kernels
}
