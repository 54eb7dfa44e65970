package ptx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// outlined text: kernel one needs chain by way of table and of f, two needs what one does not.
const outlineText = `// a comment in front: .entry none() { }
.version 7.0
.target sm_80
.address_size 64
.file 1 "a{.go"
.global .align 8 .u64 chain[1] = {7};
.const .align 8 .u64 table[2] = {generic(chain)+8, 1};
.const .u32 lone = 3; .const .u32 pair = 4, other = 5;
.global .b8 gridstride_format_0[2] = {105, 0};
.extern .shared .align 16 .b8 one_x[]; // part of one 300 bytes at 0 as x
.extern .shared .align 16 .b8 two_x[]; // part of two 400 bytes at 0 as x
.func g(.param .b32 a);
.func f(.param .b32 a) { .reg .b64 t; mov.u64 t, table; call g, (a); ret; }
/* } .entry none() */ .func g(.param .b32 a) { ret; }
.visible .entry one(.param .b32 n)
.maxntid 64, 1, 1
{
	.reg .b32 r<3>; // lone }
	.pragma "a } brace";
	{ .param .b32 p; st.param.b32 [p], 1; call f, (p); }
	ret;
}
.visible .entry two(.param .b32 m) { .reg .u32 v; /* chain */ ld.const.u32 v, [pair]; ret; }
`

// TestOutline cuts kernels out of a text.
func TestOutline(t *testing.T) {
	t.Parallel()
	o, err := ReadOutline("k.ptx", outlineText)
	if err != nil {
		t.Fatal(err)
	}
	if o.Shares() {
		t.Error("constants are taken for shared variables")
	}
	one, two := o.Module.Kernel("one"), o.Module.Kernel("two")
	if len(o.Module.Kernels()) != 2 || one == nil || two == nil || len(one.Params) != 1 || len(one.Perf) != 1 {
		t.Fatalf("the outline has the kernels %v", o.Module.Kernels())
	}
	if n := o.Module.DeclaredShared("two"); n != 512 {
		t.Errorf("two declares %d bytes", n)
	}
	for kernel, want := range map[string]string{
		"one": "chain table gridstride_format_0 one_x g f g one",
		"two": "pair other gridstride_format_0 two_x two",
	} {
		m := holdsCut(t, o, kernel)
		var names []string
		for _, d := range m.Decls {
			if name := declared(d); name != "" {
				names = append(names, name)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s needs %s, want %s", kernel, got, want)
		}
	}
}

// holdsCut compares a kernel that was cut out with the text that it was cut out of, and with what a
// driver is given.
func holdsCut(t *testing.T, o *Outline, kernel string) *Module {
	t.Helper()
	cut, err := o.Cut(kernel)
	if err == nil {
		err = Verify(cut)
	}
	whole, err2 := o.Whole()
	if err := errors.Join(err, err2); err != nil {
		t.Fatalf("%s: %v", kernel, err)
	}
	i := 0
	for _, d := range whole.Decls { // with their positions
		if i < len(cut.Decls) && reflect.DeepEqual(d, cut.Decls[i]) {
			i++
		}
	}
	if i < len(cut.Decls) || len(cut.Kernels()) != 1 || !reflect.DeepEqual(cut.Target, whole.Target) || cut.Version != whole.Version {
		t.Errorf("%s: declaration %d of %d is not in the whole text", kernel, i, len(cut.Decls))
	}
	given := cut.Source.Parsed()
	again, err := Parse("given", given)
	if err != nil || again.String() != cut.String() {
		t.Errorf("%s: the driver is given another module, %v:\n%s", kernel, err, given)
	}
	lines := strings.Split(given, "\n")
	for i, d := range cut.Kernel(kernel).Body.Stmts {
		was, is := statementLine(d), statementLine(again.Kernel(kernel).Body.Stmts[i])
		if got := cut.Source.LineOf(is); got != was || is > len(lines) {
			t.Errorf("%s: line %d of what the driver is given is line %d, want %d", kernel, is, got, was)
		}
	}
	return cut
}

func statementLine(s Stmt) int {
	return int(reflect.ValueOf(s).Elem().FieldByName("Pos").FieldByName("Line").Int())
}

// TestOutlineShares: kernels belong together if they share a variable that one may change.
func TestOutlineShares(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"":                                  false,
		".global .u32 a = 1;":               false,
		".const .u32 a[2] = {1};":           false,
		".shared .u32 a;":                   false,
		".extern .shared .b8 a[];":          false,
		".global .u32 a;":                   true,
		".const .u32 a;":                    true,
		".visible .global .u32 a = 1;":      true,
		".extern .global .u32 a;":           true,
		".global .u32 a = 1, b;":            true,
		".visible .entry k() { ret; }":      false,
		".func f() { .local .u32 a; ret; }": false,
	} {
		o, err := ReadOutline("k.ptx", ".version 7.0\n.target sm_80\n.address_size 64\n"+text)
		if err != nil || o.Shares() != want {
			t.Errorf("%q: %v, %v", text, o != nil && o.Shares(), err)
		}
	}
}

// TestOutlineErrors: the outline finds what is wrong outside bodies, the cut what is wrong within.
func TestOutlineErrors(t *testing.T) {
	t.Parallel()
	const head = ".version 7.0\n.target sm_80\n.address_size 64\n"
	for text, want := range map[string]string{
		"":                         "k.ptx:1:1: PTX starts with .version",
		head + ".entry k() {":      "k.ptx:4:12: this brace is never closed",
		head + ".entry k() {{}":    "k.ptx:4:12: this brace is never closed",
		head + ".entry k() { \"":   "k.ptx:4:12: this brace is never closed",
		head + ".entry k() { /* }": "k.ptx:4:12: this brace is never closed",
		head + ".entry k() { // }": "k.ptx:4:12: this brace is never closed",
		head + "}":                 "k.ptx:4:1: expected a directive",
	} {
		if _, err := ReadOutline("k.ptx", text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	o, err := ReadOutline("k.ptx", head+".entry a() { ret; }\n.entry b() {\n\tadd.s32 (;\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Cut("a"); err != nil {
		t.Error(err)
	}
	if _, err := o.Cut("b"); err == nil || !strings.HasPrefix(err.Error(), "k.ptx:6:") {
		t.Errorf("the error of the cut is %v", err)
	}
}

// TestOutlineDeep reads what nests deeper than a call stack: the outline must not.
func TestOutlineDeep(t *testing.T) {
	t.Parallel()
	const n = 10_000_000
	text := ".version 7.0\n.target sm_80\n.address_size 64\n.entry k() " + strings.Repeat("{", n) + strings.Repeat("}", n)
	if _, err := ReadOutline("k.ptx", text); err != nil {
		t.Error(err)
	}
}

// FuzzOutline: a text that parses has an outline with the same kernels, and each is the same when
// it is cut out.
func FuzzOutline(f *testing.F) {
	f.Add(outlineText)
	for _, pattern := range []string{"testdata/syntax.ptx", "../machine/sim/testdata/*.ptx"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := ReadOutline("k.ptx", text)
		whole, errWhole := Parse("k.ptx", text)
		if errWhole != nil {
			return
		}
		if err != nil {
			t.Fatalf("the text parses, its outline does not: %v", err)
		}
		seen := map[string]int{}
		for i, k := range whole.Kernels() {
			if i >= len(o.Module.Kernels()) || o.Module.Kernels()[i].Name != k.Name {
				t.Fatalf("kernel %d is %s, the outline has others", i, k.Name)
			}
			seen[k.Name]++
		}
		if len(seen) != len(o.Module.Kernels()) || Verify(whole) != nil {
			return
		}
		for name := range seen {
			cut, err := o.Cut(name)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := fmt.Sprint(cut.Kernel(name).Body.Pos, cut.Kernel(name).Perf), fmt.Sprint(whole.Kernel(name).Body.Pos, whole.Kernel(name).Perf); got != want {
				t.Errorf("%s was cut wrongly: %s, want %s", name, got, want)
			}
			if !reflect.DeepEqual(cut.Kernel(name), whole.Kernel(name)) {
				t.Errorf("%s is another kernel when it is cut out", name)
			}
			if err := Verify(cut); err != nil {
				t.Errorf("%s lacks something when it is cut out: %v", name, err)
			}
		}
	})
}
