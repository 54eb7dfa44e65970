package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/ptx"
)

// insert puts the PTX of findings' advice into the bench's module.
func insert(t *testing.T, b *bench, entry string, list []report.Insertion) *bench {
	t.Helper()
	old := b.entry(entry).Module()
	mod, err := ptx.Parse(old.Source.Name, old.String())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range mod.Decls {
		if fn, ok := d.(*ptx.Func); ok && fn.Body != nil {
			n := 0
			insertInto(t, fn.Body, fn.Name, &n, list)
		}
	}
	fixed := loadModule(t, old.Source.Name, mod.String())
	fixed.text, fixed.goName = b.text, b.goName
	return fixed
}

func insertInto(t *testing.T, body *ptx.Block, function string, n *int, list []report.Insertion) {
	t.Helper()
	var stmts []ptx.Stmt
	for _, s := range body.Stmts {
		switch s := s.(type) {
		case *ptx.Block:
			insertInto(t, s, function, n, list)
		case *ptx.Instr:
			for _, x := range list {
				if x.Func == function && x.At == *n {
					stmts = append(stmts, instructions(t, x.PTX)...)
				}
			}
			*n++
		}
		stmts = append(stmts, s)
	}
	body.Stmts = stmts
}

// instructions parses statements of a function.
func instructions(t *testing.T, text string) []ptx.Stmt {
	t.Helper()
	mod, err := ptx.Parse("advice", ".version 8.0\n.target sm_90\n.address_size 64\n.func f()\n{\n"+text+"\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	return mod.Decls[0].(*ptx.Func).Body.Stmts
}

// holdsAdvice applies what the findings of a report advise, as often as there is something to
// insert, and wants the kernel to be clean then. Advice that is no insertion is left out: it names
// what has to change and how.
func holdsAdvice(t *testing.T, b *bench, r result, name string, grid, block [3]int, o Options, args ...any) {
	t.Helper()
	for range 3 {
		var list []report.Insertion
		for _, f := range r.Failures() {
			for _, x := range f.Inserts {
				if !slices.Contains(list, x) {
					list = append(list, x)
				}
			}
			if f.Fix == "" && f.Tool == report.Racecheck {
				t.Errorf("%s: no advice\n%v", name, r)
			}
		}
		if list == nil {
			return
		}
		before := r
		b = insert(t, b, name, list)
		r = b.check(name, grid, block, o, args...)
		for _, f := range r.Failures() {
			if f.Kind == report.Barrier || f.Kind == report.WarpSync || f.Kind == report.NoProgress {
				t.Errorf("%s: the advice of\n%vharms:\n%v", name, before, r)
				return
			}
		}
	}
	t.Errorf("%s: three rounds of advice do not mend it:\n%v", name, r)
}

// TestAdvicePlaces checks where findings put a barrier, and that one that is missing is one finding.
func TestAdvicePlaces(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "conformance")
	for _, c := range []struct {
		kernel      string
		grid, block int
		args        []any
		fix         []string // of which the advice of the one finding has each
	}{
		{"OuterLoop", 1, 64, []any{make([]int32, 64), 60}, []string{"gpu.SyncThreads() at the end of the loop, behind `for i := t", "advice.go:15"}},
		{"GridMissing", 3, 64, []any{make([]int32, 192), make([]int32, 192), make([]int32, 192)},
			[]string{"gpu.SyncGrid() between advice.go:30 and advice.go:31"}},
		{"BothInside", 1, 64, []any{make([]int32, 64)}, []string{"to which all threads come", "advice.go:43", "advice.go:44"}},
		{"Ways", 1, 64, []any{make([]int32, 64)}, []string{"gpu.SyncThreads() between"}},
	} {
		r := b.check(c.kernel, x(c.grid), x(c.block), Options{}, c.args...)
		if len(r.Failures()) != 1 {
			t.Errorf("%s: %d findings, want one\n%v", c.kernel, len(r.Failures()), r)
			continue
		}
		for _, s := range c.fix {
			if f := r.Failures()[0]; !strings.Contains(f.Fix, s) {
				t.Errorf("%s: the advice lacks %q\n%v", c.kernel, s, r)
			}
		}
		holdsAdvice(t, b, r, c.kernel, x(c.grid), x(c.block), Options{}, c.args...)
	}
}
