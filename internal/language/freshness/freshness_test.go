package freshness

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/abi/stamp"
)

const source = "package vec\n\nfunc K() {}\n"

// text is PTX of the package with a source, in a folder of another package.
func text(pkg string, more ...stamp.File) string {
	own := stamp.NewFile(pkg+"/vec.go", []byte(source), []stamp.Lines{{First: 3, Last: 3}})
	return stamp.Stamp{Package: pkg, ABI: abi.Version, Files: append([]stamp.File{own}, more...)}.String() + ".version 7.0\n"
}

// tree writes a module example.com/m with the packages vec and, in its vendor folder, lib.
func tree(t testing.TB) (dir string) {
	dir = t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                                "module example.com/m\n",
		"vec/vec.go":                            source,
		"vec/kernels_gen.go":                    "package vec\n",
		"vec/kernels_gen.ptx":                   text("example.com/m/vec"),
		"vendor/example.com/lib/vec.go":         source,
		"vendor/example.com/lib/kernels_gen.go": "package lib\n",
		"changed/other.go":                      "package changed\n",
		"sub/go.mod":                            "module example.com/m/sub\n",
		"sub/vec.go":                            source,
		"sub/kernels_gen.go":                    "package sub\n",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}

// TestCheck edits a source, in programs of various kinds.
func TestCheck(t *testing.T) {
	t.Parallel()
	edited := strings.Replace(source, "{}", "{ _ = 0 }", 1)
	own := map[string]bool{"example.com/m": true}
	for _, tt := range []struct {
		name          string
		modules       map[string]bool
		pkg, folder   string
		goFile, data  string // "" for the folder's
		stale, passed bool
	}{
		{name: "the main module", modules: own, pkg: "example.com/m/vec", folder: "vec", stale: true},
		{name: "a program with other PTX", modules: own, pkg: "example.com/m/vec", folder: "vec", data: "other", stale: true, passed: true},
		{name: "a module with a version", modules: map[string]bool{"example.com/other": true}, pkg: "example.com/m/vec", folder: "vec"},
		{name: "a program without modules", pkg: "example.com/m/vec", folder: "vec"},
		{name: "a vendored package", modules: own, pkg: "example.com/lib", folder: "vendor/example.com/lib"},
		{name: "a vendored package that is the author's, too", modules: map[string]bool{"example.com/m": true, "example.com/lib": true},
			pkg: "example.com/lib", folder: "vendor/example.com/lib"},
		{name: "a nested module with a version", modules: own, pkg: "example.com/m/sub", folder: "sub"},
		{name: "a nested module of a workspace", modules: map[string]bool{"example.com/m/sub": true}, pkg: "example.com/m/sub", folder: "sub", stale: true},
		{name: "PTX that was copied from a package", modules: own, pkg: "example.com/m/changed", folder: "vec"},
		{name: "-trimpath", modules: own, pkg: "example.com/m/vec", folder: "vec", goFile: "example.com/m/vec/kernels_gen.go"},
		{name: "a relative name, as Bazel has them", modules: own, pkg: "example.com/m/vec", folder: "vec", goFile: "vec/kernels_gen.go"},
		{name: "Embed called by hand", modules: own, pkg: "example.com/m/vec", folder: "vec", goFile: "vec.go"},
		{name: "no name", modules: own, pkg: "example.com/m/vec", folder: "vec", goFile: "?"},
	} {
		dir := tree(t)
		folder := filepath.Join(dir, filepath.FromSlash(tt.folder))
		ptx := text(tt.pkg)
		write(t, filepath.Join(folder, "kernels_gen.ptx"), ptx)
		goFile, data := filepath.ToSlash(filepath.Join(folder, abi.GoFile)), ptx
		if tt.goFile != "" {
			goFile = tt.goFile
		}
		if tt.goFile == "vec.go" {
			goFile = filepath.ToSlash(filepath.Join(folder, "vec.go"))
		}
		if tt.data != "" {
			data = tt.data
		}
		for _, now := range []string{source, edited} {
			write(t, filepath.Join(folder, "vec.go"), now)
			var err error
			passed := false
			if p := of(goFile, tt.modules); p != nil {
				err, passed = p.Check(tt.pkg+"/kernels_gen.ptx", ptx, data)
			}
			want := tt.stale && now == edited
			if is, _ := errors.AsType[*stamp.Error](err); (is != nil) != want || passed != (want && tt.passed) ||
				want && (is.Package != tt.pkg || is.File != tt.pkg+"/vec.go") {
				t.Errorf("%s, edited %t: %v, passed %t; want stale %t, passed %t", tt.name, now == edited, err, passed, want, tt.passed)
			}
		}
	}
}

// TestRelative starts a program in the folder that a relative name of a source is relative to: such
// names are of a build elsewhere.
func TestRelative(t *testing.T) {
	t.Chdir(tree(t))
	if p := of("vec/"+abi.GoFile, map[string]bool{"example.com/m": true}); p != nil {
		t.Errorf("%+v", p)
	}
}

// TestNewer compares the time at which a program was built with the times of its sources.
func TestNewer(t *testing.T) {
	t.Parallel()
	dir := tree(t)
	p := of(filepath.Join(dir, "vec", abi.GoFile), map[string]bool{"example.com/m": true})
	name := filepath.Join(dir, "vec", "vec.go")
	ptx := text("example.com/m/vec", stamp.File{Name: "example.com/other/x.go"})
	for _, tt := range []struct {
		change func() error
		want   string
	}{
		{func() error { return os.Chtimes(name, time.Time{}, built().Add(-time.Second)) }, ""},
		{func() error { return os.Chtimes(name, time.Time{}, built().Add(time.Second)) }, "example.com/m/vec/vec.go"},
		{func() error { return os.Remove(name) }, "example.com/m/vec/vec.go"},
	} {
		if err := tt.change(); err != nil {
			t.Fatal(err)
		}
		if got := p.Newer(ptx); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestEdited reads which modules are the author's from what go builds into programs.
func TestEdited(t *testing.T) {
	t.Parallel()
	lib := &debug.Module{Path: "lib", Version: "v1.0.0", Sum: "h1:"}
	for _, tt := range []struct {
		name string
		main debug.Module
		deps []*debug.Module
		want string
	}{
		{"go build", debug.Module{Path: "m", Version: "(devel)"}, []*debug.Module{lib}, "m"},
		{"go build in a repository", debug.Module{Path: "m", Version: "v0.0.0-20261127070000-4b0541bb0000+dirty"}, []*debug.Module{lib}, "m"},
		{"go install m@v1.0.0", debug.Module{Path: "m", Version: "v1.0.0", Sum: "h1:"}, []*debug.Module{lib}, ""},
		{"go run main.go", debug.Module{}, []*debug.Module{{Path: "m", Version: "(devel)"}, lib}, "m"},
		{"a workspace", debug.Module{Path: "m", Version: "(devel)"}, []*debug.Module{{Path: "w", Version: "(devel)"}, lib}, "m w"},
		{"a replaced module", debug.Module{Path: "m", Version: "(devel)"},
			[]*debug.Module{{Path: "r", Version: "v1.0.0", Replace: &debug.Module{Path: "../r", Version: "(devel)"}}}, "m"},
		{"no modules", debug.Module{}, nil, ""},
	} {
		got := editedOf(&debug.BuildInfo{Main: tt.main, Deps: tt.deps})
		var names []string
		for _, name := range []string{"lib", "m", "r", "w", ""} {
			if got[name] {
				names = append(names, name)
			}
		}
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// BenchmarkCheck looks at one package, from finding its module to comparing its sources.
func BenchmarkCheck(b *testing.B) {
	dir := tree(b)
	own, ptx, goFile := map[string]bool{"example.com/m": true}, text("example.com/m/vec"), filepath.Join(dir, "vec", abi.GoFile)
	for b.Loop() {
		if err, _ := of(goFile, own).Check("example.com/m/vec/kernels_gen.ptx", ptx, ptx); err != nil {
			b.Fatal(err)
		}
	}
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
