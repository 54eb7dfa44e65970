package sourcetext

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"m/go.mod":        "// a module\nmodule example.com/m\n\ngo 1.26\n",
		"m/dot/kernel.go": "package dot\r\n\nfunc K() {}",
		"cuda/k.cu":       "first\nsecond\n",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	f := New(filepath.Join(dir, "cuda"), filepath.Join(dir, "m", "dot"))
	for _, tt := range []struct {
		file string
		line int
		want string
	}{
		{"example.com/m/dot/kernel.go", 1, "package dot"},
		{"example.com/m/dot/kernel.go", 3, "func K() {}"},
		{"example.com/m/dot/kernel.go", 4, ""},
		{"example.com/m/dot/kernel.go", 0, ""},
		{"example.com/m/none.go", 1, ""},
		{"example.com/other/dot/x.go", 1, ""},
		{"k.cu", 2, "second"},
		{filepath.ToSlash(filepath.Join(dir, "cuda", "k.cu")), 1, "first"},
		{"/another/machine/k.cu", 1, "first"}, // moved here beside its PTX
		{"github.com/gridstride/gridstride/internal/language/sourcetext/sourcetext.go", 2, "package sourcetext"},
		{"example.com/other/k.cu", 1, ""},
		{"", 1, ""},
	} {
		if got := f.Line(tt.file, tt.line); got != tt.want {
			t.Errorf("%s:%d is %q, want %q", tt.file, tt.line, got, tt.want)
		}
	}
}

func TestSource(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"m/go.mod":          "module example.com/m\n",
		"m/dot/kernel.go":   "package dot\n",
		"m/nested/go.mod":   "module example.com/m/nested\n",
		"m/nested/n.go":     "package nested\n",
		"m/none/readme.txt": "no Go\n",
		"secret.go":         "package secret\n",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	f := New(filepath.Join(dir, "m", "dot"))
	for _, tt := range []struct {
		file, text string
		atHand     bool
	}{
		{"example.com/m/dot/kernel.go", "package dot\n", true},
		{"example.com/m/dot/gone.go", "", true},
		{"example.com/m/none/gone.go", "", false},    // no sources there
		{"example.com/m/nowhere/gone.go", "", false}, // nor there
		{"example.com/m/nested/n.go", "", false},     // another module, of a version that we do not know
		{"example.com/m/../secret.go", "", false},    // outside
		{"example.com/other/dot/kernel.go", "", false},
	} {
		text, atHand := f.Source(tt.file)
		if string(text) != tt.text || atHand != tt.atHand {
			t.Errorf("%s is %q, at hand %t; want %q, %t", tt.file, text, atHand, tt.text, tt.atHand)
		}
	}
}

// TestWorkspace finds the sources of modules that a go.work file names together with the Finder's.
func TestWorkspace(t *testing.T) {
	dir := t.TempDir()
	other := filepath.ToSlash(filepath.Join(t.TempDir(), "c d"))
	for name, text := range map[string]string{
		"go.work":  "go 1.26\n\nuse ./a // a\nuse (\n\t./b\n\t// ./no\n\t\"" + other + "\"\n\t./gone\n)\nreplace x => ./no\n",
		"a/go.mod": "module example.com/a\n", "a/a.go": "package a\n",
		"b/go.mod": "module \"example.com/b\"\n", "b/p/b.go": "package p\n",
		"no/go.mod": "module example.com/no\n", "no/no.go": "package no\n",
		"b.work": "use (\n./b\n)\n",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	write(t, filepath.Join(other, "go.mod"), "module example.com/c\n")
	write(t, filepath.Join(other, "c.go"), "package c\n")
	at := func(module string) *Finder { return New().InModule(filepath.Join(dir, module)) }
	all := func(string) bool { return true }
	onlyB := func(module string) bool { return module == "example.com/b" }
	for _, tt := range []struct {
		name, gowork, module string
		keep                 func(string) bool
		want                 string // the files of a, b, c and no that are at hand
	}{
		{"a module in use", "", "a", all, "a b c"},
		{"another", "auto", "b", all, "a b c"},
		{"one not in use", "", "no", all, "no"},
		{"no workspace", "off", "a", all, "a"},
		{"another workspace", filepath.Join(dir, "b.work"), "b", all, "b"},
		{"another workspace without the module", filepath.Join(dir, "b.work"), "a", all, "a"},
		{"a file that is not there", filepath.Join(dir, "c.work"), "a", all, "a"},
		{"one module is wanted", "", "a", onlyB, "b"},
	} {
		t.Setenv("GOWORK", tt.gowork)
		f := at(tt.module).Keep(tt.keep)
		var got []string
		for _, file := range []string{"a/a.go", "b/p/b.go", "c/c.go", "no/no.go"} {
			if _, atHand := f.Source("example.com/" + file); atHand {
				got = append(got, file[:strings.Index(file, "/")])
			}
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%s: %s at hand, want %s", tt.name, got, tt.want)
		}
	}
	t.Setenv("GOWORK", "")
	if got := at("a").Line("example.com/b/p/b.go", 1); got != "package p" {
		t.Errorf("a line of another module: %q", got)
	}
}

// TestUnreadable asks for sources that the user of a program may not read: they are not at hand.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/m\n")
	write(t, filepath.Join(dir, "other.go"), "package m\n")
	if err := os.Mkdir(filepath.Join(dir, "kernel.go"), 0o755); err != nil { // which root cannot read, either
		t.Fatal(err)
	}
	if text, atHand := New(dir).Source("example.com/m/kernel.go"); text != nil || atHand {
		t.Errorf("%q, at hand %t", text, atHand)
	}
}

// TestOutside asks for files outside the folders of a Finder: PTX of unknown origin may name any.
func TestOutside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"m/go.mod": "module example.com/m\n", "m/src/in.cu": "in\n", "m/ptx/k.cu": "beside\n",
		"secret.txt": "secret\n", "other/o.cu": "other\n",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	if err := os.Symlink(filepath.Join(dir, "secret.txt"), filepath.Join(dir, "m", "ptx", "link.cu")); err != nil {
		t.Log(err) // the link then finds nothing, as it should
	}
	slash := func(name string) string { return filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(name))) }
	ptx, other := filepath.Join(dir, "m", "ptx"), filepath.Join(dir, "other")
	for _, tt := range []struct {
		file, want, asked string // what Line says without and with the other folder
	}{
		{slash("secret.txt"), "", ""},
		{"../../secret.txt", "", ""},
		{"example.com/m/../secret.txt", "", ""},
		{"link.cu", "", ""},
		{slash("m/ptx/link.cu"), "", ""},
		{slash("m/ptx/../../secret.txt"), "", ""},
		{slash("m/src/in.cu"), "in", "in"},
		{"example.com/m/src/in.cu", "in", "in"},
		{"k.cu", "beside", "beside"},
		{slash("other/o.cu"), "", "other"},
		{"o.cu", "", "other"},
		{os.DevNull, "", ""},
	} {
		if got := New(ptx).Line(tt.file, 1); got != tt.want {
			t.Errorf("%s is %q, want %q", tt.file, got, tt.want)
		}
		if got := New(ptx, other).Line(tt.file, 1); got != tt.asked {
			t.Errorf("%s is %q with the folder asked for, want %q", tt.file, got, tt.asked)
		}
	}
	if got := New().InModule(filepath.Join(dir, "m", "src")).Line("in.cu", 1); got != "in" {
		t.Errorf("in.cu of the module is %q", got)
	}
	if got := New().InModule(other).Line("o.cu", 1); got != "" {
		t.Errorf("o.cu is %q, and belongs to no module", got)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
