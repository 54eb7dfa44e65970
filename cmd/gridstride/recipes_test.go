package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// recipeKeys are the keys that each recipe of docs/command.md may have, by its file: those that its
// program knows, and that the recipe needs. A key that is misspelt is passed over by some of them.
var recipeKeys = map[string][]string{
	"github.yml": {"name", "on", "jobs", "jobs.kernels", "jobs.kernels.runs-on", "jobs.kernels.steps", "jobs.kernels.steps.uses",
		"jobs.kernels.steps.with", "jobs.kernels.steps.with.go-version-file", "jobs.kernels.steps.run"},
	"gitlab.yml": {"kernels", "kernels.image", "kernels.script"},
	"pre-commit.yaml": {"repos", "repos.repo", "repos.hooks", "repos.hooks.id", "repos.hooks.name", "repos.hooks.entry",
		"repos.hooks.language", "repos.hooks.files", "repos.hooks.pass_filenames"},
}

// recipeCommands are the places of the commands.
var recipeCommands = []string{"jobs.kernels.steps.run", "kernels.script", "repos.hooks.entry"}

// TestRecipes reads the recipes as the programs that they are for do, and runs their commands on
// kernels that are as they should be, that were edited, that were compiled and not committed, and
// that were never compiled.
func TestRecipes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the recipes' commands are for a POSIX shell")
	}
	t.Parallel()
	scripts := map[string]string{}
	for name, keys := range recipeKeys {
		for _, l := range readRecipe(t, name, keys) {
			if slices.Contains(recipeCommands, l.key) {
				scripts[name] += l.value + "\n"
			}
		}
		if scripts[name] == "" {
			t.Errorf("%s runs nothing", name)
		}
	}
	for _, name := range []string{"generate.sh", "hook.sh"} {
		scripts[name] = recipe(t, name)
	}
	dir := recipeModule(t)
	for _, state := range []struct {
		name   string
		script string // that leads to it
		ok     bool
	}{
		{"as it should be", "true", true},
		{"a kernel edited", "sed -i.was 's/= factor/= 2 * factor/' kernel.go && rm kernel.go.was && git commit -qam edited", false},
		{"compiled", "go tool gridstride build && git commit -qam compiled", true},
		{"a generated file missing", "git rm -q kernels_gen.go && git commit -qm removed", false},
	} {
		if out, err := shell(dir, state.script); err != nil {
			t.Fatalf("%s: %v\n%s", state.name, err, out)
		}
		for name, script := range scripts {
			if out, err := shell(dir, script); (err == nil) != state.ok {
				t.Errorf("%s, %s: %v\n%s", state.name, name, err, out)
			}
			if out, err := shell(dir, "git reset -q --hard && git clean -qfd"); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
	}
}

// readRecipe is a recipe's scalars. It must have the keys, and no others.
func readRecipe(t *testing.T, name string, keys []string) []leaf {
	t.Helper()
	leaves, found := readYAML(t, name)
	slices.Sort(found)
	if want := slices.Sorted(slices.Values(keys)); !slices.Equal(slices.Compact(found), want) {
		t.Errorf("%s has the keys %q, want %q", name, found, want)
	}
	return leaves
}

// programKeys are the keys of the recipes of docs/programs.md.
var programKeys = map[string][]string{
	"github-programs.yml": {"name", "on", "jobs", "jobs.kernels", "jobs.kernels.runs-on", "jobs.kernels.permissions",
		"jobs.kernels.permissions.contents", "jobs.kernels.permissions.security-events", "jobs.kernels.steps", "jobs.kernels.steps.uses",
		"jobs.kernels.steps.if", "jobs.kernels.steps.with", "jobs.kernels.steps.with.go-version", "jobs.kernels.steps.with.sarif_file",
		"jobs.kernels.steps.run"},
	"gitlab-programs.yml": {"kernels", "kernels.image", "kernels.script", "kernels.artifacts", "kernels.artifacts.when",
		"kernels.artifacts.reports", "kernels.artifacts.reports.junit"},
}

// TestProgramRecipes reads the recipes for programs that use CUDA. Each writes its findings where the
// next step reads them, and asks for the plugin where its sources are.
func TestProgramRecipes(t *testing.T) {
	t.Parallel()
	for name, keys := range programKeys {
		var script, file string
		for _, l := range readRecipe(t, name, keys) {
			switch {
			case slices.Contains(recipeCommands, l.key):
				script += l.value + "\n"
			case strings.HasSuffix(l.key, ".sarif_file") || strings.HasSuffix(l.key, ".junit"):
				file = l.value
			}
		}
		check := regexp.MustCompile(`(?m)gridstride check --format (\w+) -- \S*pytest > (\S+)$`).FindStringSubmatch(script)
		if check == nil || check[2] != file || (check[1] == "sarif") != strings.HasPrefix(name, "github") {
			t.Errorf("%s checks with %q, and reads %q", name, check, file)
		}
		folder := regexp.MustCompile(`#subdirectory=(\S+)`).FindStringSubmatch(script)
		if folder == nil {
			t.Fatalf("%s does not install the plugin", name)
		}
		if _, err := os.Stat(filepath.Join("../..", filepath.FromSlash(folder[1]), "pyproject.toml")); err != nil {
			t.Error(err)
		}
	}
}

// TestRecipeFiles asks which files pre-commit's hook is for.
func TestRecipeFiles(t *testing.T) {
	t.Parallel()
	leaves, _ := readYAML(t, "pre-commit.yaml")
	i := slices.IndexFunc(leaves, func(l leaf) bool { return l.key == "repos.hooks.files" })
	files := regexp.MustCompile(leaves[i].value)
	for name, want := range map[string]bool{
		"kernel.go": true, "a/kernels_gen.go": true, "kernels_gen.ptx": true, "a/kernels_gen_sm_90a.ptx.zst": true,
		"README.md": false, "a.gob": false,
	} {
		if files.MatchString(name) != want {
			t.Errorf("pre-commit's hook is for %s: %t, want %t", name, !want, want)
		}
	}
}

// recipeModule is a module in a Git repository, with a kernel that is compiled.
func recipeModule(t *testing.T) (dir string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for name, text := range map[string]string{
		"kernel.go": "package scale\n\n//go:generate go tool gridstride build\n\n//gpu:kernel block=256\n" +
			"func Scale(x []float32, factor float32) {\n\tx[0] *= factor\n\tx[1] = factor\n}\n",
		"go.mod": "module example.com/scale\n\ngo 1.26\n\nrequire " + repository + " v0.0.0\n\nreplace " + repository + " => " + root +
			"\n\ntool " + repository + "/cmd/gridstride\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := shell(dir, "git init -q; git config user.name x; git config user.email x@example.com; git config core.hooksPath none; "+
		"go mod tidy && go generate ./... && go mod tidy && git add -A && git commit -qm first")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

const repository = "github.com/gridstride/gridstride"

// shell runs commands in a folder until one fails, and returns what they print.
func shell(dir, script string) (string, error) {
	cmd := exec.Command("sh", "-e")
	cmd.Stdin, cmd.Dir = strings.NewReader(script), dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -vet=off", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOWORK=off", "GRIDSTRIDE_DEVICE=sim")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func recipe(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "recipes", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// leaf is a scalar of a YAML document, with the keys that lead to it, "jobs.kernels.steps.run".
type leaf struct{ key, value string }

var (
	yamlKey = regexp.MustCompile(`^([a-z_-]+):(?: (.*))?$`)
	// yamlPlain is a scalar that means itself in any place: without quotes, comments, or anything
	// that begins another kind of node.
	yamlPlain = regexp.MustCompile(`^[a-zA-Z\\]([^#:]|:[^ ]|[^ #:]#)*$`)
)

// readYAML reads a recipe: its scalars, and the keys that lead to something, without repetitions.
// It takes the mappings and lists of YAML that are written in lines, and refuses all else.
func readYAML(t *testing.T, name string) (leaves []leaf, keys []string) {
	t.Helper()
	type open struct {
		indent   int
		key      string
		hasValue bool
	}
	var path []open
	seen := map[string]bool{} // keys of a mapping, with the number of its list's element
	element := 0
	for i, line := range strings.Split(strings.TrimSuffix(recipe(t, name), "\n"), "\n") {
		fail := func(what string) { t.Fatalf("%s:%d: %s: %q", name, i+1, what, line) }
		rest := strings.TrimLeft(line, " ")
		indent := len(line) - len(rest)
		after, isElement := strings.CutPrefix(rest, "- ")
		if isElement {
			rest, indent, element = after, indent+2, element+1
		}
		before := indent // of the key before in the same mapping, if there is one
		for len(path) > 0 && path[len(path)-1].indent >= indent {
			before, path = path[len(path)-1].indent, path[:len(path)-1]
		}
		if before != indent || len(path) > 0 && path[len(path)-1].hasValue {
			fail("this is not where an element or a key may stand")
		}
		key := ""
		for _, p := range path {
			key += p.key + "."
		}
		value := rest
		if m := yamlKey.FindStringSubmatch(rest); m != nil {
			key += m[1]
			path, value = append(path, open{indent, m[1], m[2] != ""}), m[2]
			if id := fmt.Sprint(key, element); seen[id] {
				fail("this key is there already")
			} else {
				seen[id] = true
			}
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		} else if !isElement {
			fail("this is no key, and no element of a list")
		}
		switch key = strings.TrimSuffix(key, "."); {
		case value != "" && !yamlPlain.MatchString(value):
			fail("this scalar may mean something else")
		case value != "":
			leaves = append(leaves, leaf{key, value})
		}
	}
	return leaves, keys
}
