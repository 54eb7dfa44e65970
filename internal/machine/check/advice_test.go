package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/ptx"
)

// insert puts the PTX of findings' advice into the bench's module.
func insert(t *testing.T, b *bench, list []report.Insertion) *bench {
	t.Helper()
	old := b.mod
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

// advise applies what the findings of a report advise, and wants the launch to be clean then:
// insertions into the PTX, or edits of the text by the form of the advice. If some advice asks for
// more than an edit, the edits do no harm, and the rest has one of the forms.
func advise(t *testing.T, b *bench, r result, run func(b *bench) result) {
	t.Helper()
	open := stated(b, r)
	for _, f := range r.Failures() {
		_, known := formOf(f)
		if f.Fix != "" && !known && len(f.Inserts) == 0 {
			t.Errorf("advice of no known form: %q\n%v", f.Fix, r)
		}
		if f.Fix == "" && f.Tool == report.Racecheck {
			t.Errorf("no advice\n%v", r)
		}
	}
	const choices, rounds = 2, 4
	for choice := range choices {
		now, after, edited := b, r, false
		for range rounds {
			next := follow(t, now, after, choice)
			if next == nil {
				break
			}
			edited = true
			now, after = next, run(next)
		}
		switch {
		case len(after.Failures()) == 0, !edited && open:
			return
		case choice < choices-1:
		case open || stated(now, after):
			for _, f := range after.Failures() {
				same := func(x *report.Finding) bool { return x.Kind == f.Kind }
				if slices.Contains([]report.Kind{report.Barrier, report.WarpSync, report.NoProgress}, f.Kind) && !slices.ContainsFunc(r.Failures(), same) {
					t.Errorf("the advice of\n%vharms:\n%v", r, after)
				}
			}
		default:
			t.Errorf("the advice of\n%vdoes not mend it:\n%v", r, after)
		}
	}
}

// stated reports whether some finding's advice is no edit: it says what has to come before what.
func stated(b *bench, r result) bool {
	return slices.ContainsFunc(r.Failures(), func(f *report.Finding) bool {
		edit, _ := formOf(f)
		return len(f.Inserts) == 0 && (edit == nil || len(edit(b.lines(), 0)) == 0)
	})
}

// advised runs a launch, and applies what its findings advise.
func advised(t *testing.T, b *bench, run func(b *bench) result) result {
	t.Helper()
	r := run(b)
	advise(t, b, r, run)
	return r
}

// formOf is the form of a finding's advice, and how to edit the text by it: nil for no way.
func formOf(f *report.Finding) (edit func(text lines, choice int) []change, known bool) {
	for _, form := range forms {
		m := form.text.FindStringSubmatch(f.Fix)
		switch {
		case m == nil:
		case len(form.edits) == 0:
			return nil, true
		default:
			return func(text lines, choice int) []change { return form.edits[min(choice, len(form.edits)-1)](f, text, m) }, true
		}
	}
	return nil, false
}

// follow makes the edits that the findings of a report advise; nil if there are none.
func follow(t *testing.T, b *bench, r result, choice int) *bench {
	t.Helper()
	var inserts []report.Insertion
	var edits []change
	for _, f := range r.Failures() {
		if len(f.Inserts) > 0 {
			for _, x := range f.Inserts {
				if !slices.Contains(inserts, x) {
					inserts = append(inserts, x)
				}
			}
		} else if edit, _ := formOf(f); edit != nil {
			made := edit(b.lines(), choice)
			if b.src == nil {
				made = inPTX(f, made)
			}
			edits = append(edits, made...)
		}
	}
	if len(inserts) > 0 {
		return insert(t, b, inserts)
	}
	return b.edited(t, edits)
}

// lines are the lines of the bench's text: of its Go files, or of its PTX.
func (b *bench) lines() lines {
	files := map[string][]string{}
	if b.src == nil {
		files["ptx"] = strings.Split(b.ptx, "\n")
	} else {
		for _, f := range b.src.Files {
			files[f.Name] = strings.Split(string(f.Text), "\n")
		}
	}
	return func(at place) string {
		if list := files[at.file]; at.line >= 1 && at.line <= len(list) {
			return list[at.line-1]
		}
		return ""
	}
}

// edited is the bench with its text changed; nil if nothing changes.
func (b *bench) edited(t *testing.T, list []change) *bench {
	t.Helper()
	if len(list) == 0 {
		return nil
	}
	if b.src == nil {
		text := apply(b.ptx, "ptx", list)
		if text == b.ptx {
			return nil
		}
		fixed := loadModule(t, b.mod.Source.Name, text)
		fixed.text, fixed.goName = b.text, b.goName
		return fixed
	}
	src := *b.src
	src.Files = slices.Clone(src.Files)
	changed := false
	for i, f := range src.Files {
		text := apply(string(f.Text), f.Name, list)
		changed = changed || text != string(f.Text)
		src.Files[i].Text = []byte(text)
	}
	if !changed {
		return nil
	}
	return compileSource(t, &src)
}

// TestAdvicePlaces checks where findings put a barrier, and that one that is missing is one finding.
func TestAdvicePlaces(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "conformance")
	for _, c := range []struct {
		kernel      string
		grid, block int
		args        []any
		fix         []string // each must be in the advice of the one finding
	}{
		{"OuterLoop", 1, 64, []any{make([]int32, 64), 60}, []string{"gpu.SyncThreads() at the end of the loop, after `for i := t", "advice.go:15"}},
		{"GridMissing", 3, 64, []any{make([]int32, 192), make([]int32, 192), make([]int32, 192)},
			[]string{"gpu.SyncGrid() between advice.go:30 and advice.go:31"}},
		{"BothInside", 1, 64, []any{make([]int32, 64)}, []string{"between advice.go:43 and advice.go:44, outside of `if t < 48` (advice.go:42), which not all of them enter"}},
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
		advise(t, b, r, func(b *bench) result { return b.check(c.kernel, x(c.grid), x(c.block), Options{}, c.args...) })
	}
}

// TestAdviceOfHazards applies the advice for the kernels of examples/hazards.
func TestAdviceOfHazards(t *testing.T) {
	t.Parallel()
	src := &compile.Source{Path: "example.com/hazards", Name: "main"}
	for _, name := range []string{"barriers.go", "lastwarp.go", "products.go", "sizes.go"} {
		text, err := os.ReadFile(filepath.Join("../../../examples/hazards", name))
		if err != nil {
			t.Fatal(err)
		}
		src.Files = append(src.Files, compile.File{Name: name, Text: text})
	}
	b := compileSource(t, src)
	sum := []any{ramp32(128), make([]int32, 2)}
	products := func(apart int) []any { return []any{ramp32(7), make([]int32, 6), apart} }
	for _, c := range []struct {
		kernel      string
		grid, block int
		args        []any
	}{
		{"SumNoBarrier", 2, 64, sum}, {"SumHang", 2, 64, sum}, {"SumLastWarp", 2, 64, sum},
		{"SumUninitialized", 2, 64, []any{ramp32(100), make([]int32, 2)}},
		{"ProductsNoBarrier", 1, 33, products(32)}, {"ProductsNoBarrier", 1, 2, products(1)},
		{"ProductsOneBarrier", 1, 33, products(32)}, {"ProductsOneBarrier", 1, 2, products(1)},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			b.tb = t
			run := func(b *bench) result { return b.check(c.kernel, x(c.grid), x(c.block), Options{}, c.args...) }
			r := run(b)
			if len(r.Failures()) == 0 {
				t.Error("no findings")
			}
			advise(t, b, r, run)
		})
	}
}

// ramp32 is 1, 2, … n.
func ramp32(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i + 1)
	}
	return list
}

// TestAdviceOfChanges takes away what orders the threads of right kernels, and applies the advice.
func TestAdviceOfChanges(t *testing.T) {
	t.Parallel()
	const sync = "\n\tgpu.SyncThreads()"
	scan := func(b *bench) result {
		return b.check("Scan", x(6), x(256), Options{Orders: 5, Pedantic: true}, make([]int32, 1500), make([]int32, 1500), make([]uint32, 6),
			make([]uint32, 12), make([]uint32, 1))
	}
	mirror := func(b *bench) result {
		return b.check("Mirror", x(2), x(64), Options{}, make([]uint8, 128), make([]int32, 1))
	}
	for _, c := range []struct {
		dir, from, to string
		run           func(b *bench) result
	}{
		{"bytes", sync + "\n\tif a[first+n-1-t]", "\n\tif a[first+n-1-t]", mirror},
		{"lookback", sync + "\n\tb := int", "\n\tb := int", scan},
		{"lookback", sync + "\n\tfor d", "\n\tfor d", scan},
		{"lookback", "\n\t\tgpu.SyncThreads()\n\t\tpart[t] += y", "\n\t\tpart[t] += y", scan},
		{"lookback", "part[t] += y\n\t\tgpu.SyncThreads()", "part[t] += y", scan},
		{"lookback", sync + "\n\tif i < len(a) {\n\t\tout", "\n\tif i < len(a) {\n\t\tout", scan},
		{"lookback", "[b], 1, gpu.Release", "[b], 1, gpu.Relaxed", scan},
		{"lookback", "[b], 2, gpu.Release", "[b], 2, gpu.Relaxed", scan},
		{"lookback", "s := gpu.AtomicLoad(&state[k], gpu.Acquire)", "s := gpu.AtomicLoad(&state[k], gpu.Relaxed)", scan},
		{"lookback", "gpu.Acquire", "gpu.Relaxed", scan},
		{"lookback", "gpu.AtomicAdd(&ticket[0], 1, gpu.Relaxed)", "ticket[0]\n\t\tticket[0] = turn[0] + 1", scan},
	} {
		t.Run(c.dir+"/"+strings.TrimSpace(c.from), func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(filepath.Join("testdata", c.dir, c.dir+".go"))
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(string(raw), c.from, c.to)
			if text == string(raw) {
				t.Fatal("the text is not there")
			}
			b := compileSource(t, &compile.Source{Path: "example.com/" + c.dir, Name: c.dir, Files: []compile.File{{Name: c.dir + ".go", Text: []byte(text)}}})
			if r := advised(t, b, c.run); len(r.Failures()) == 0 {
				t.Errorf("no findings\n%v", r)
			}
		})
	}
}
