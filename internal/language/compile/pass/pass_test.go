package pass

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

// TestGoldens runs each pass on the functions in testdata/PASS/*.txt: an archive of "before" and
// "after".
func TestGoldens(t *testing.T) {
	t.Parallel()
	for _, p := range allPasses() {
		files, err := filepath.Glob(filepath.Join("testdata", p.Name, "*.txt"))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Errorf("pass %s has no golden", p.Name)
		}
		for _, file := range files {
			t.Run(p.Name+"/"+strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { golden(t, p, file) })
		}
	}
}

// allPasses is the passes of List, each once.
func allPasses() []Pass {
	var out []Pass
	seen := map[string]bool{}
	for _, p := range List {
		if !seen[p.Name] {
			seen[p.Name] = true
			out = append(out, p)
		}
	}
	return out
}

func golden(t *testing.T, p Pass, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := txtar.Parse(data)
	if len(a.Files) == 0 || a.Files[0].Name != "before" {
		t.Fatal("no section before")
	}
	f, err := ir.Parse(string(a.Files[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(f); err != nil {
		t.Fatalf("before: %v", err)
	}
	p.Run(f)
	if err := ir.Verify(f); err != nil {
		t.Errorf("after: %v", err)
	}
	after := f.String()
	for _, n := range f.Notes {
		after += fmt.Sprintf("# note %d:%d: %s", n.Pos.Line, n.Pos.Col, n.Text)
		if n.At != (ir.Pos{}) {
			after += fmt.Sprintf(" at %d:%d", n.At.Line, n.At.Col)
		}
		after += "\n"
	}
	if *update {
		a.Files = []txtar.File{a.Files[0], {Name: "after", Data: []byte(after)}}
		if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(a.Files) != 2 {
		t.Fatal("no section after; run with -update")
	}
	if diff := cmp.Diff(string(a.Files[1].Data), after); diff != "" {
		t.Errorf("wrong result (-want +got):\n%s", diff)
	}
}

// TestMeaning checks on random functions that no pass changes what a function does, and that each
// leaves it well-formed.
func TestMeaning(t *testing.T) {
	t.Parallel()
	n := 2000
	if testing.Short() {
		n = 300
	}
	faults := 0
	for seed := range uint64(n) {
		f := randomFunc(seed)
		if err := ir.Verify(f); err != nil {
			t.Fatalf("seed %d: the generator is wrong: %v", seed, err)
		}
		var inputs []input
		var want []outcome
		for k := range uint64(3) {
			in := randomInput(seed*3 + k)
			o := interpret(f, in)
			if o.Err == "too many steps" {
				continue
			}
			if o.Err != "" {
				t.Fatalf("seed %d: the generator is wrong: %s\n%s", seed, o.Err, f)
			}
			if o.Fault != "" {
				faults++
			}
			inputs, want = append(inputs, in), append(want, o)
		}
		for i, p := range List {
			p.Run(f)
			if err := ir.Verify(f); err != nil {
				t.Fatalf("seed %d: pass %d (%s): %v\nbefore:\n%s", seed, i, p.Name, err, textBefore(seed, i))
			}
			for k, in := range inputs {
				got := interpret(f, in)
				if !reflect.DeepEqual(want[k], got) {
					diff := cmp.Diff(want[k], got)
					t.Fatalf("seed %d: pass %d (%s) changes the meaning for %+v:\n%s\nbefore:\n%s\nafter:\n%s", seed,
						i, p.Name, in.args, diff, textBefore(seed, i), f)
				}
			}
		}
	}
	if faults == 0 || faults == 3*n {
		t.Errorf("%d of %d runs fail: the generator does not test checks", faults, 3*n)
	}
}

// textBefore is the random function as it is before a pass of List.
func textBefore(seed uint64, pass int) string {
	f := randomFunc(seed)
	for _, p := range List[:pass] {
		p.Run(f)
	}
	return f.String()
}

// TestDeterministic checks that the same function gives the same text.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		f, g := randomFunc(seed), randomFunc(seed)
		Run(f, List)
		Run(g, List)
		if f.String() != g.String() {
			t.Fatalf("seed %d: two results:\n%s\n%s", seed, f, g)
		}
	}
}

// TestRunVerified lets a pass break a function: the error names the pass, and the next does not
// run.
func TestRunVerified(t *testing.T) {
	t.Parallel()
	f := randomFunc(1)
	if err := RunVerified(f, List); err != nil {
		t.Fatalf("the passes of List: %v", err)
	}
	list := []Pass{
		{"Fold", Fold},
		{"Cut", func(f *ir.Func) { f.Entry().Remove(f.Entry().Term()) }},
		{"Next", func(*ir.Func) { t.Error("a pass ran on a broken function") }},
	}
	if err := RunVerified(f, list); err == nil || !strings.Contains(err.Error(), "after pass 1 (Cut)") {
		t.Errorf("the error of a broken function is %v", err)
	}
	if err := RunVerified(f, nil); err == nil || !strings.Contains(err.Error(), "as lowered") {
		t.Errorf("the error of a function that lowering broke is %v", err)
	}
}
