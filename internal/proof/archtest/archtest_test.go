// Package archtest holds the packages to the order in which they may import each other.
package archtest

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/gridstride/gridstride"

// pure are the packages that will run in a browser, except the kernels with launchers among them,
// which belong to the tests: neither they nor their imports may use these packages.
var (
	pure    = []string{"gpu", "internal/abi", "internal/ptx", "internal/language/compile", "internal/machine/sim", "internal/machine/counters", "internal/machine/report", "internal/machine/check"}
	notPure = []string{"os/exec", "net", "plugin", "github.com/ebitengine/purego", "golang.org/x/tools/go/packages"}
)

type pkg struct {
	ImportPath    string
	Imports, Deps []string
}

// TestCommandsAlone keeps a library that one command needs from the packages that others import.
func TestCommandsAlone(t *testing.T) {
	t.Parallel()
	const prometheus = "github.com/prometheus/client_golang/prometheus"
	commands := []string{"cmd/similar", "internal/similarcmd"}
	found := false
	for _, p := range packages(t) {
		if !slices.Contains(p.Deps, prometheus) {
			continue
		}
		found = true
		if name := local(p.ImportPath); !slices.Contains(commands, name) {
			t.Errorf("%s depends on %s, which %s alone may", name, prometheus, commands)
		}
	}
	if !found {
		t.Errorf("nothing depends on %s", prometheus)
	}
}

func TestImports(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		name := local(p.ImportPath)
		row, allowed := ruleFor(name)
		for _, imported := range p.Imports {
			if imported != module && !strings.HasPrefix(imported, module+"/") {
				continue
			}
			if to := local(imported); !permits(row, allowed, to) {
				t.Errorf("%s imports %s; it may import %q (the table is in rooms_test.go)", p.ImportPath, imported, allowed)
			}
		}
		if slices.ContainsFunc(pure, func(dir string) bool { return within(name, dir) }) && !slices.Contains(allowed, "") {
			for _, bad := range notPure {
				if slices.Contains(p.Deps, bad) {
					t.Errorf("%s depends on %s, and must run in a browser", p.ImportPath, bad)
				}
			}
		}
	}
}

// TestBrowser holds a program with the simulated device to what runs in a browser.
func TestBrowser(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", ".")
	cmd.Dir = "../../.."
	cmd.Env = append(cmd.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, dep := range strings.Fields(string(out)) {
		if slices.Contains(notPure, dep) {
			t.Errorf("the root package depends on %s on js/wasm", dep)
		}
	}
}

// ruleFor finds the row of a package.
func ruleFor(name string) (row string, allowed []string) {
	for dir := name; dir != "."; dir = path.Dir(dir) {
		for _, w := range wings {
			for _, r := range w.rooms {
				if r.dir == dir {
					return dir, r.mayImport
				}
			}
		}
	}
	return name, nil
}

func permits(row string, allowed []string, to string) bool {
	for _, dir := range allowed {
		if dir == "*" || to == dir || dir != "" && within(to, dir) {
			return true
		}
	}
	return row != "" && within(to, row)
}

// within reports whether a package is in dir or below it.
func within(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// local is the import path within the module.
func local(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,Deps", "./...")
	cmd.Dir = "../../.."
	out, err := cmd.Output()
	if err != nil {
		exit, _ := errors.AsType[*exec.ExitError](err)
		t.Fatalf("go list: %v\n%s", err, exit.Stderr)
	}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == module || strings.HasPrefix(p.ImportPath, module+"/") {
			all = append(all, p)
		}
	}
	return all
}
