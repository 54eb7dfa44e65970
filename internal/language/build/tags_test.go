package build_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/build"
	"github.com/gridstride/gridstride/internal/language/compile"
)

// tagCases are packages whose kernels may depend on how a program is built.
var tagCases = []struct {
	name  string
	files map[string]string // the first line is the constraint, and may be empty
	want  string            // a part of the error, "" where the package builds
}{
	{"a tag", map[string]string{
		"step.go": "//go:build !fast\nfunc step() int32 { return 1 }", "fast.go": "//go:build fast\nfunc step() int32 { return 2 }",
	}, "step.go:3:1: kernels use code of this file, and some builds leave it out (//go:build !fast)"},
	{"a system", map[string]string{
		"step_windows.go": "\nfunc step() int32 { return 1 }", "step_linux.go": "\nfunc step() int32 { return 2 }",
	}, "kernels use code of this file, and some builds leave it out, as its name ends in a system's"},
	{"an architecture", map[string]string{
		"step.go": "//go:build amd64 || arm64\nfunc step() int32 { return 1 }",
	}, "kernels use code of this file"},
	{"a variable", map[string]string{
		"step.go": "\nvar table = [2]int32{1, 2}\nfunc step() int32 { return table[1] }", "fast.go": "//go:build fast\nfunc init() { table[1] = 3 }",
	}, "table may change, it is assigned at fast.go:4:15"},
	{"a predeclared name", map[string]string{
		"step.go": "\nfunc step() int32 { return max(1, 2) }", "fast.go": "//go:build fast\nfunc max(a, b int32) int32 { return 7 }",
	}, "fast.go:4:6: kernels use Go's predeclared max, and builds with this file have another one"},
	{"a promoted method", map[string]string{
		"step.go": "\ntype a struct{}\ntype b struct{ a }\nfunc (a) get() int32 { return 1 }\nfunc step() int32 { return b{}.get() }",
		"fast.go": "//go:build fast\nfunc (b) get() int32 { return 7 }",
	}, "fast.go:4:10: kernels call get of an embedded field, and builds with this file may have another method"},
	{"a kernel", map[string]string{
		"step.go": "\nfunc step() int32 { return 1 }", "fast.go": "//go:build fast\n//gpu:kernel\nfunc Fast(a []int32) { a[0] = 2 }",
	}, "fast.go:5:6: kernel Fast is in a file that this build leaves out"},
	{"another package's file", map[string]string{
		"step.go":                    "import \"example.com/k/tool\"\nfunc step() int32 { return tool.Step() }",
		"../tool/tool_" + "linux.go": "\nfunc Step() int32 { return 1 }", "../tool/tool_windows.go": "\nfunc Step() int32 { return 2 }",
	}, "kernels use code of this file"},
	{"the host's code", map[string]string{
		"step.go":   "\nvar n = 3\nfunc step() int32 { return min(1, 2) }\nfunc host() int { return n }",
		"linux.go":  "//go:build linux\nfunc open() { n = 5 }",
		"other.go":  "//go:build !linux\nfunc open() {}\nfunc max() {}\nfunc get() {}",
		"script.go": "//go:build ignore\n//gpu:kernel\nfunc broken(", "x_test.go": "//go:build fast\n",
	}, ""},
	{"constraints that hold always", map[string]string{
		"step.go": "//go:build go1.18 && (fast || !fast)\nfunc step() int32 { return 1 }", "tags_step.go": "\n",
	}, ""},
	{"cgo", map[string]string{
		"step.go": "import \"C\"\nfunc step() int32 { return 1 }",
	}, "step"}, // without cgo it is undefined
	{"a newer Go", map[string]string{
		"step.go": "//go:build !go1.99\nfunc step() int32 { return 1 }", "new.go": "//go:build go1.99\nfunc step() int32 { return 2 }",
	}, "kernels use code of this file"},
}

// TestBuildConstraints refuses kernels that a build constraint changes: their PTX is the same in
// every build.
func TestBuildConstraints(t *testing.T) {
	t.Parallel()
	dir := module(t, "")
	for i, tt := range tagCases {
		pkg := fmt.Sprintf("p%d", i)
		write(t, filepath.Join(dir, pkg, "k.go"), "package p\n\n//gpu:kernel\nfunc K(a []int32) { a[0] = step() }\n")
		for name, text := range tt.files {
			first, rest, _ := strings.Cut(text, "\n")
			clause := "package p"
			if strings.Contains(name, "tool") {
				clause = "package tool"
			}
			if strings.HasPrefix(first, "//go:build") {
				text = first + "\n\n" + clause + "\n" + rest
			} else {
				text = clause + "\n\n" + first + "\n" + rest
			}
			write(t, filepath.Join(dir, pkg, filepath.FromSlash(name)), text)
		}
	}
	for i, tt := range tagCases {
		t.Run(tt.name, func(t *testing.T) {
			_, err := build.Packages(t.Context(), dir, compile.Options{}, fmt.Sprintf("./p%d", i))
			if got := fmt.Sprint(err); tt.want == "" && err != nil || !strings.Contains(got, tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// TestTags builds with tags in GOFLAGS: what the go command leaves out of such a build is found, as
// well as what it takes.
func TestTags(t *testing.T) {
	t.Setenv("GOFLAGS", "-tags=fast")
	dir := module(t, "")
	write(t, filepath.Join(dir, "fast.go"), "//go:build fast\n\npackage k\n\nfunc step() int32 { return 2 }\n")
	write(t, filepath.Join(dir, "slow.go"), "//go:build !fast\n\npackage k\n\nfunc step() int32 { return 1 }\n")
	if _, err := build.Packages(t.Context(), dir, compile.Options{}, "."); err != nil {
		t.Errorf("kernels that use no file with a constraint: %v", err)
	}
	write(t, filepath.Join(dir, "more.go"), "package k\n\n//gpu:kernel\nfunc More(a []int32) { a[0] = step() }\n")
	_, err := build.Packages(t.Context(), dir, compile.Options{}, ".")
	if err == nil || !strings.Contains(err.Error(), "fast.go:3:1: kernels use code of this file") {
		t.Errorf("a kernel that uses a file with a constraint: %v", err)
	}
}
