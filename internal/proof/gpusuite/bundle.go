package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// module is the path of this module. A package has device tests if they, or what they import,
// import its host API.
const module = "github.com/gridstride/gridstride"

// Manifest says what is in a bundle.
type Manifest struct {
	Commit string `json:"commit"`
	// Modified is whether the checkout had changes that the commit does not have.
	Modified bool     `json:"modified"`
	Go       string   `json:"go"`
	Packages []string `json:"packages"` // import paths; the test of one is in the folder of its path below the module's
}

const manifestName = "bundle.json"

// bundle builds the tests of the module in the current folder.
func bundle(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("gpusuite bundle", flag.ContinueOnError)
	out := flags.String("o", ".build/gpu", "the folder of the bundle")
	arch := flags.String("arch", runtime.GOARCH, "the machine's GOARCH; its system is Linux")
	commit := flags.String("commit", "", "the commit the checkout is of, where it has no git repository")
	if err := flags.Parse(args); err != nil {
		return err
	}
	m := Manifest{Commit: *commit, Go: runtime.Version()}
	if err := m.readGit(ctx); err != nil {
		return err
	}
	packages, err := devicePackages(ctx)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(*out); err != nil {
		return err
	}
	build := func(verb, target, pkg string) error {
		c := exec.CommandContext(ctx, "go", verb, "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(*out, target), pkg)
		if verb == "test" {
			c.Args = append(c.Args[:2:2], append([]string{"-c"}, c.Args[2:]...)...)
		}
		c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+*arch)
		_, err := output(c)
		return err
	}
	if err := build("build", "run", module+"/internal/proof/gpusuite"); err != nil {
		return err
	}
	for _, p := range packages {
		if err := build("test", filepath.Join(below(p.ImportPath), testName), p.ImportPath); err != nil {
			return err
		}
		m.Packages = append(m.Packages, p.ImportPath)
	}
	if err := copyTestdata(ctx, *out); err != nil {
		return err
	}
	if err := copySources(ctx, *out); err != nil {
		return err
	}
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d packages, commit %s\n", *out, len(m.Packages), m.Commit)
	return os.WriteFile(filepath.Join(*out, manifestName), text, 0o644)
}

// copyTestdata copies the testdata of every package: tests read other packages' testdata.
func copyTestdata(ctx context.Context, out string) error {
	text, err := output(exec.CommandContext(ctx, "go", "list", "-f", "{{.ImportPath}} {{.Dir}}", "./..."))
	if err != nil {
		return err
	}
	for line := range strings.Lines(text) {
		importPath, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		data := filepath.Join(dir, "testdata")
		if _, err := os.Stat(data); err != nil {
			continue
		}
		if err := os.CopyFS(filepath.Join(out, below(importPath), "testdata"), os.DirFS(data)); err != nil {
			return err
		}
	}
	return nil
}

// compiled are the packages that kernels import which tests compile on the machine itself: their
// sources travel, as testdata does.
var compiled = []string{"gpu", "gpu/collective"}

// copySources copies the sources of those packages.
func copySources(ctx context.Context, out string) error {
	for _, dir := range compiled {
		text, err := output(exec.CommandContext(ctx, "go", "list", "-f", `{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}`, "./"+dir))
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(out, dir), 0o755); err != nil {
			return err
		}
		for name := range strings.Lines(text) {
			name = strings.TrimSpace(name)
			source, err := os.ReadFile(name)
			if err == nil {
				err = os.WriteFile(filepath.Join(out, dir, filepath.Base(name)), source, 0o644)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// testName is the file of a package's test.
const testName = "package.test"

// below is a package's folder in the module, "." for the module's own.
func below(importPath string) string {
	return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/"), ".")
}

// goPackage is go list's description of a package.
type goPackage struct {
	ImportPath, Dir, ForTest  string
	Deps                      []string
	TestGoFiles, XTestGoFiles []string
}

// staying are packages whose tests are of documents, or of what the compiler and the simulator tell
// with the sources at hand: neither travels.
var staying = []string{"docs", "docs/tutorial", "docs/tutorial/figures", "internal/language/compile", "internal/proof/mathtest",
	"internal/machine/profile"}

// devicePackages lists the packages whose tests can use a GPU.
func devicePackages(ctx context.Context) ([]goPackage, error) {
	text, err := output(exec.CommandContext(ctx, "go", "list", "-test", "-json=ImportPath,Dir,ForTest,Deps,TestGoFiles,XTestGoFiles", "./..."))
	if err != nil {
		return nil, err
	}
	var all []goPackage
	uses := map[string]bool{} // by the package under test
	for dec := json.NewDecoder(strings.NewReader(text)); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		tested, isMain := strings.CutSuffix(p.ImportPath, ".test")
		switch {
		case isMain:
			for _, d := range p.Deps {
				path, _, _ := strings.Cut(d, " ") // "p [p.test]" is p as its test is built
				uses[tested] = uses[tested] || path == module+"/internal/device/cuda"
			}
		case p.ForTest == "" && len(p.TestGoFiles)+len(p.XTestGoFiles) > 0:
			all = append(all, p)
		}
	}
	var found []goPackage
	for _, p := range all {
		if uses[p.ImportPath] && !slices.Contains(staying, below(p.ImportPath)) {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return nil, errors.New("no package here has tests that use a device: this is to be run in the module's root")
	}
	return found, nil
}

// readGit fills in the commit, unless it was given.
func (m *Manifest) readGit(ctx context.Context) error {
	if m.Commit != "" {
		return nil
	}
	commit, err := output(exec.CommandContext(ctx, "git", "rev-parse", "HEAD"))
	if err != nil {
		return err
	}
	changes, err := output(exec.CommandContext(ctx, "git", "status", "--porcelain"))
	m.Commit, m.Modified = strings.TrimSpace(commit), changes != ""
	return err
}

// output runs a command and returns what it printed. An error has what it complained about.
func output(c *exec.Cmd) (string, error) {
	var complaint strings.Builder
	c.Stderr = &complaint
	text, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, complaint.String())
	}
	return string(text), nil
}
