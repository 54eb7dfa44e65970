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

// mayImport says which packages of the module a package may import, apart from those below itself.
// A row holds for the folder and all below it that have no row of their own; "*" is everything.
// Tests are free.
var mayImport = map[string][]string{
	"":                                {"internal/count", "internal/option", "internal/device", "internal/ptx", "internal/abi", "internal/checked"},
	"gpu":                             {"internal/half", "internal/ieee", "internal/math32", "internal/math64", "internal/mufu"},
	"internal/mufu":                   {},
	"gpu/cmplx":                       {"internal/mathcmplx"},
	"internal/half":                   {"internal/ieee"},
	"internal/ieee":                   {},
	"internal/mathcommon":             {"internal/ieee"},
	"internal/math32":                 {"internal/ieee", "internal/mathcommon"},
	"internal/math64":                 {"internal/ieee", "internal/mathcommon", "internal/math32"},
	"internal/mathcmplx":              {"internal/ieee", "internal/math64"},
	"gpu/collective/internal/kernels": {"", "gpu"},
	"gpu/rand/internal/kernels":       {"", "gpu"},
	"gpu/tile/internal/kernels":       {"", "gpu"},
	"gpu/cmplx/internal/kernels":      {"", "gpu"},
	"gputest":                         {"", "internal/abi", "internal/checked", "internal/option", "internal/sourcetext", "internal/report"},
	"internal/abi":                    {},
	"internal/message":                {"internal/abi", "internal/half"},
	"internal/ptx":                    {"internal/abi"},
	"internal/cuda":                   {},
	"internal/cublas":                 {"", "gpu", "internal/cuda"},
	"internal/openblas":               {"internal/cuda"},
	"internal/ulp":                    {},
	"internal/mpfr":                   {"internal/cuda", "internal/ulp"},
	"internal/mathtest":               {"gpu", "internal/ieee", "internal/mpfr", "internal/ulp"},
	"internal/cuda/simdriver":         {"internal/cuda", "internal/sim", "internal/ptx", "internal/abi"},
	"internal/compile":                {"internal/message", "internal/ptx", "internal/abi", "internal/half", "internal/ieee", "internal/mathcommon", "internal/math32", "internal/math64", "internal/mathcmplx"},
	"internal/sim":                    {"internal/ptx", "internal/abi"},
	"internal/sim/memory":             {"internal/ptx"},
	"internal/sim/code":               {"internal/ptx", "internal/abi"},
	"internal/sim/decode":             {"internal/sim/code", "internal/sim/memory", "internal/ptx", "internal/abi"},
	"internal/sim/softfloat":          {},
	"internal/sim/tensor":             {},
	"internal/sim/lanes":              {"internal/mufu", "internal/sim/code", "internal/sim/softfloat", "internal/sim/tensor", "internal/ptx"},
	"internal/counters":               {"internal/sim", "internal/ptx"},
	"internal/count":                  {},
	"internal/plain":                  {},
	"internal/cli":                    {"internal/plain"},
	"internal/cli/clitest":            {},
	"internal/report":                 {"internal/plain", "internal/count", "internal/counters", "internal/sim", "internal/ptx"},
	"internal/check":                  {"internal/counters", "internal/sim", "internal/ptx", "internal/abi", "internal/report"},
	"internal/check/tool":             {"internal/report", "internal/sim", "internal/ptx", "internal/abi"},
	"internal/check/memcheck":         {"internal/message", "internal/check/tool", "internal/report", "internal/sim", "internal/ptx", "internal/abi"},
	"internal/check/racecheck":        {"internal/check/tool", "internal/report", "internal/sim", "internal/ptx"},
	"internal/check/streamcheck":      {"internal/check/tool", "internal/report", "internal/sim", "internal/ptx"},
	"internal/check/synccheck":        {"internal/check/tool", "internal/report", "internal/sim", "internal/ptx"},
	"internal/check/initcheck":        {"internal/check/tool", "internal/check/synccheck", "internal/report", "internal/sim", "internal/ptx"},
	"internal/profile":                {"internal/count", "internal/counters", "internal/sim"},
	"internal/checked":                {"internal/abi", "internal/check", "internal/sim", "internal/sourcetext", "internal/report"},
	"internal/option":                 {"internal/device", "internal/checked"},
	"internal/device":                 {"internal/message", "internal/ptx", "internal/abi"},
	"internal/device/cudadev":         {"internal/device", "internal/cuda", "internal/ptx", "internal/abi"},
	"internal/device/simdev":          {"internal/device", "internal/check/streamcheck", "internal/checked", "internal/sim", "internal/ptx", "internal/abi"},
	"internal/vet":                    {"internal/abi", "internal/sourcetext"},
	"internal/load":                   {"internal/abi", "internal/compile"},
	"internal/build":                  {"internal/ptx", "internal/abi", "internal/compile", "internal/load", "internal/listing", "internal/atomicfile"},
	"internal/listing":                {"internal/ptx"},
	"internal/npy":                    {"internal/atomicfile", "internal/half"},
	"internal/argspec":                {"internal/half", "internal/npy"},
	"internal/npymetric":              {"", "blas", "metric", "internal/npy", "internal/option"},
	"internal/runptx":                 {"", "internal/argspec", "internal/npy"},
	"internal/difftest":               {"*"},
	"internal/gpusuite":               {"*"},
	"internal/accuracy":               {},
	"similar/gpusimilar":              {"", "blas/gpublas", "internal/kernels", "similar"},
	"internal/kernels":                {"", "gpu", "internal/binned", "internal/math32"},
	"ladder":                          {"", "gpu", "internal/accuracy"},
	"internal/bench":                  {"", "gpu", "blas", "metric", "ladder", "internal/accuracy", "internal/check", "internal/checked", "internal/option", "internal/counters", "internal/cublas", "internal/openblas", "internal/figure", "internal/report"},
	"examples":                        {"", "gpu", "blas", "metric", "internal/npy"},
	"internal/figure":                 {},
	"internal/figure/figuretest":      {"internal/figure"},
	"docs":                            {"", "gpu", "blas", "ladder", "similar", "internal/count", "internal/figure", "internal/ptx", "internal/sim", "internal/check", "internal/checked", "internal/option", "internal/counters", "internal/report"},
	"blas":                            {"internal/asm", "internal/binned"},
	"blas/gpublas":                    {"", "gpu", "internal/kernels"},
	"metric":                          {"blas", "internal/asm"},
	"metric/gpumetric":                {"", "blas/gpublas", "internal/kernels", "metric"},
	"similar":                         {"blas", "metric", "similar/text", "similar/weight", "similar/internal/segment"},
	"similar/internal/segment":        {"blas", "internal/half"},
	"similar/text":                    {},
	"similar/source":                  {"similar", "similar/text"},
	"similar/eval":                    {"similar"},
	"similar/internal/zipf":           {},
	"similar/weight":                  {},
	"internal/asm":                    {"internal/binned"},
	"internal/binned":                 {},
	"similar/page":                    {"similar", "similar/text"},
	"examples/papers":                 {"similar"},
	"cmd":                             {"*"},
}

// pure are the packages that will run in a browser, but for kernels with launchers among them,
// which are the tests' own: neither they nor anything they import may use these packages.
var (
	pure    = []string{"gpu", "internal/abi", "internal/ptx", "internal/compile", "internal/sim", "internal/counters", "internal/report", "internal/check"}
	notPure = []string{"os/exec", "net", "plugin", "github.com/ebitengine/purego", "golang.org/x/tools/go/packages"}
)

type pkg struct {
	ImportPath    string
	Imports, Deps []string
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
				t.Errorf("%s imports %s; it may import %q (the table is in this test)", p.ImportPath, imported, allowed)
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
	cmd.Dir = "../.."
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
		if allowed, ok := mayImport[dir]; ok {
			return dir, allowed
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

// within reports whether a package lies in dir or below it.
func within(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// local is the import path within the module.
func local(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,Deps", "./...")
	cmd.Dir = "../.."
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
