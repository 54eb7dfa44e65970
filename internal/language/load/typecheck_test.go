package load_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/load"
)

// The launchers that are on disk, and those that are about to be written.
const (
	oldLaunchers = "package k\n\nfunc LoadOld() {}\n"
	newLaunchers = "package k\n\nimport _ \"missing.example/launch\"\n\nfunc LoadNew(int) {}\n"
)

// TestTypeCheck: package k has kernels, package h imports it and has others. What is in the files
// that are about to be generated counts, whatever is on disk.
func TestTypeCheck(t *testing.T) {
	const use = "package k\n\n//gpu:kernel\nfunc New() {}\n\n"
	tests := []struct {
		name, k, h string
		generated  string // the packages whose launchers are known
		want       string
	}{
		{"right", "import \"fmt\"\n\nvar _ = fmt.Sprint(LoadNew)", "k.LoadNew(1)", "k h", ""},
		{"unused import", "import \"fmt\"", "", "k", `k/k.go:3:8: "fmt" imported and not used`},
		{"wrong type", "func f() int { return \"a\" }", "", "k",
			`k/k.go:3:23: cannot use "a" (untyped string constant) as int value in return statement`},
		{"several", "func f() int { x := 1; y() }", "", "k",
			"k/k.go:3:16: declared and not used: x\nk/k.go:3:24: undefined: y\nk/k.go:3:28: missing return"},
		{"assembly", "func f()", "", "k", ""},
		{"old launcher", "var _ = LoadOld", "", "k", "k/k.go:3:9: undefined: LoadOld"},
		{"wrong launch", "", "k.LoadNew(true)", "k h",
			"h/h.go:9:11: cannot use true (untyped bool constant) as int value in argument to k.LoadNew"},
		{"through others", "", "o.Load(true)", "k h",
			"h/h.go:9:8: cannot use true (untyped bool constant) as int value in argument to o.Load"},
		{"unknown launchers", "var x int = true", "k.LoadOther(true); o.Load(true)", "h", ""},
		{"beside unknown launchers", "", "k.LoadOther(true); undefined()", "h", "h/h.go:9:20: undefined: undefined"},
		{"no such package", "import _ \"missing.example/x\"", "", "k", "could not import missing.example/x"},
		{"broken import", "import _ \"hello/broken\"", "", "k", "could not import hello/broken"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := module(t, map[string]string{
				"k/k.go":           strings.Replace(use, "\n\n", "\n\n"+tt.k+"\n\n", 1),
				"k/kernels_gen.go": oldLaunchers,
				"o/o.go":           "package other\n\nimport \"hello/k\"\n\nvar Load = k.LoadNew\n",
				"h/h.go": "package h\n\nimport \"hello/k\"\nimport o \"hello/o\"\nvar _, _ = k.New, o.Load\n\n" +
					"//gpu:kernel\nfunc Other() {\n" + tt.h + "\n}\n",
				"broken/b.go": "package broken\n\nvar x int = true\n",
			})
			found, _, err := load.Packages(t.Context(), dir, "./k", "./h")
			if err != nil {
				t.Fatal(err)
			}
			generated := map[string][]byte{}
			for _, name := range strings.Fields(tt.generated) {
				generated["hello/"+name] = []byte(strings.Replace(newLaunchers, "package k", "package "+name, 1))
			}
			got := ""
			if err := load.TypeCheck(t.Context(), found, generated); err != nil {
				got = filepath.ToSlash(fmt.Sprint(err))
			}
			if got != tt.want && !(strings.HasPrefix(tt.want, "could not") && strings.Contains(got, tt.want)) {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
