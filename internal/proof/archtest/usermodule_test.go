package archtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// userModules are the modules that a user's go.mod may get in addition to this one, by imported
// package.
var userModules = map[string][]string{
	"":       {"github.com/ebitengine/purego", "golang.org/x/sys"},
	"blas":   {"golang.org/x/sys"},
	"metric": {"golang.org/x/sys"},
}

// TestUserModule writes programs that import one package each, and looks at what "go mod tidy"
// makes of their go.mod: what indexes documents, what draws progress bars and what drives a browser
// must not come with a dot product.
func TestUserModule(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for pkg, allowed := range userModules {
		t.Run("package "+pkg, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			program := "package main\n\nimport _ \"" + strings.TrimSuffix(module+"/"+pkg, "/") + "\"\n\nfunc main() {}\n"
			if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644); err != nil {
				t.Fatal(err)
			}
			goCommand(t, dir, "mod", "init", "example.com/user")
			goCommand(t, dir, "mod", "edit", "-require="+module+"@v0.0.0", "-replace="+module+"="+root)
			goCommand(t, dir, "mod", "tidy")
			for _, path := range required(t, dir) {
				if path != module && !slices.Contains(allowed, path) {
					t.Errorf("a program that imports %q gets %s", pkg, path)
				}
			}
		})
	}
}

// required are the modules in the go.mod of a folder.
func required(t *testing.T, dir string) (paths []string) {
	t.Helper()
	name := filepath.Join(dir, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse(name, data, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range mod.Require {
		paths = append(paths, r.Mod.Path)
	}
	if !slices.Contains(paths, module) {
		t.Fatalf("%s requires %q", name, paths)
	}
	return paths
}
