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
	"":                                   {"internal/tools/count", "internal/device/option", "internal/device", "internal/ptx", "internal/abi", "internal/machine/checked"},
	"gpu":                                {"internal/math/half", "internal/math/ieee", "internal/math/math32", "internal/math/math64", "internal/math/mufu"},
	"internal/math/mufu":                 {},
	"gpu/cmplx":                          {"internal/math/mathcmplx"},
	"internal/math/extent":               {},
	"internal/math/half":                 {"internal/math/ieee"},
	"internal/math/ieee":                 {},
	"internal/math/mathcommon":           {"internal/math/ieee"},
	"internal/math/math32":               {"internal/math/ieee", "internal/math/mathcommon"},
	"internal/math/math64":               {"internal/math/ieee", "internal/math/mathcommon", "internal/math/math32"},
	"internal/math/mathcmplx":            {"internal/math/ieee", "internal/math/math64"},
	"gpu/collective/internal/kernels":    {"", "gpu"},
	"gpu/rand/internal/kernels":          {"", "gpu"},
	"gpu/tile/internal/kernels":          {"", "gpu"},
	"gpu/cmplx/internal/kernels":         {"", "gpu"},
	"gputest":                            {"", "internal/abi", "internal/machine/checked", "internal/device/option", "internal/language/sourcetext", "internal/machine/report"},
	"internal/abi":                       {},
	"internal/language/message":          {"internal/abi", "internal/math/half"},
	"internal/ptx":                       {"internal/abi"},
	"internal/device/cuda":               {},
	"internal/proof/cublas":              {"", "gpu", "internal/device/cuda"},
	"internal/proof/openblas":            {"internal/device/cuda"},
	"internal/proof/ulp":                 {},
	"internal/proof/mpfr":                {"internal/device/cuda", "internal/proof/ulp"},
	"internal/proof/mathtest":            {"gpu", "internal/math/ieee", "internal/proof/mpfr", "internal/proof/ulp"},
	"internal/device/cuda/simdriver":     {"internal/device/cuda", "internal/machine/sim", "internal/ptx", "internal/abi"},
	"internal/language/compile":          {"internal/language/message", "internal/ptx", "internal/abi", "internal/math/half", "internal/math/ieee", "internal/math/mathcommon", "internal/math/math32", "internal/math/math64", "internal/math/mathcmplx"},
	"internal/machine/sim":               {"internal/ptx", "internal/abi"},
	"internal/machine/sim/memory":        {"internal/ptx"},
	"internal/machine/sim/code":          {"internal/ptx", "internal/abi"},
	"internal/machine/sim/decode":        {"internal/machine/sim/code", "internal/machine/sim/memory", "internal/ptx", "internal/abi"},
	"internal/machine/sim/softfloat":     {},
	"internal/machine/sim/tensor":        {},
	"internal/machine/sim/lanes":         {"internal/math/mufu", "internal/machine/sim/code", "internal/machine/sim/softfloat", "internal/machine/sim/tensor", "internal/ptx"},
	"internal/machine/counters":          {"internal/machine/sim", "internal/ptx"},
	"internal/tools/count":               {},
	"internal/tools/plain":               {},
	"internal/tools/cli":                 {"internal/tools/plain"},
	"internal/tools/cli/clitest":         {},
	"internal/machine/report":            {"internal/tools/plain", "internal/tools/count", "internal/machine/counters", "internal/machine/sim", "internal/ptx"},
	"internal/machine/check":             {"internal/machine/counters", "internal/machine/sim", "internal/ptx", "internal/abi", "internal/machine/report"},
	"internal/machine/check/tool":        {"internal/machine/report", "internal/machine/sim", "internal/ptx", "internal/abi"},
	"internal/machine/check/memcheck":    {"internal/language/message", "internal/machine/check/tool", "internal/machine/report", "internal/machine/sim", "internal/ptx", "internal/abi"},
	"internal/machine/check/racecheck":   {"internal/machine/check/tool", "internal/machine/report", "internal/machine/sim", "internal/ptx"},
	"internal/machine/check/streamcheck": {"internal/machine/check/tool", "internal/machine/report", "internal/machine/sim", "internal/ptx"},
	"internal/machine/check/synccheck":   {"internal/machine/check/tool", "internal/machine/report", "internal/machine/sim", "internal/ptx"},
	"internal/machine/check/initcheck":   {"internal/machine/check/tool", "internal/machine/check/synccheck", "internal/machine/report", "internal/machine/sim", "internal/ptx"},
	"internal/machine/profile":           {"internal/tools/count", "internal/machine/counters", "internal/machine/sim"},
	"internal/machine/checked":           {"internal/abi", "internal/machine/check", "internal/machine/sim", "internal/language/sourcetext", "internal/machine/report"},
	"internal/device/option":             {"internal/device", "internal/machine/checked"},
	"internal/device":                    {"internal/language/message", "internal/ptx", "internal/abi"},
	"internal/device/cudadev":            {"internal/device", "internal/device/cuda", "internal/ptx", "internal/abi"},
	"internal/device/simdev":             {"internal/device", "internal/machine/check/streamcheck", "internal/machine/checked", "internal/machine/sim", "internal/ptx", "internal/abi"},
	"internal/language/vet":              {"internal/abi", "internal/language/sourcetext"},
	"internal/language/load":             {"internal/abi", "internal/language/compile"},
	"internal/language/build":            {"internal/ptx", "internal/abi", "internal/language/compile", "internal/language/load", "internal/language/listing", "internal/tools/atomicfile"},
	"internal/language/listing":          {"internal/ptx"},
	"internal/library/npy":               {"internal/tools/atomicfile", "internal/math/half", "internal/math/extent"},
	"internal/machine/argspec":           {"internal/math/half", "internal/library/npy"},
	"internal/library/npymetric":         {"", "blas", "metric", "internal/library/npy", "internal/device/option"},
	"internal/machine/runptx":            {"", "internal/machine/argspec", "internal/library/npy"},
	"internal/proof/difftest":            {"*"},
	"internal/proof/gpusuite":            {"*"},
	"internal/proof/accuracy":            {},
	"similar/gpusimilar":                 {"", "blas/gpublas", "internal/library/kernels", "similar"},
	"internal/library/kernels":           {"", "gpu", "internal/math/binned", "internal/math/math32", "internal/math/extent"},
	"examples/ladder":                    {"", "gpu", "internal/proof/accuracy"},
	"internal/proof/bench":               {"", "gpu", "blas", "metric", "examples/ladder", "internal/proof/accuracy", "internal/machine/check", "internal/machine/checked", "internal/device/option", "internal/machine/counters", "internal/proof/cublas", "internal/proof/openblas", "internal/tools/figure", "internal/machine/report"},
	"examples":                           {"", "gpu", "blas", "metric", "internal/library/npy"},
	"internal/tools/figure":              {},
	"internal/tools/figure/figuretest":   {"internal/tools/figure"},
	"docs":                               {"", "gpu", "blas", "examples/ladder", "similar", "internal/tools/count", "internal/tools/figure", "internal/ptx", "internal/machine/sim", "internal/machine/check", "internal/machine/checked", "internal/device/option", "internal/machine/counters", "internal/machine/report"},
	"blas":                               {"internal/library/asm", "internal/math/binned", "internal/math/extent"},
	"blas/gpublas":                       {"", "gpu", "internal/library/kernels"},
	"metric":                             {"blas", "internal/library/asm", "internal/math/extent"},
	"metric/gpumetric":                   {"", "blas/gpublas", "internal/library/kernels", "metric"},
	"similar":                            {"blas", "metric", "similar/text", "similar/weight", "similar/internal/segment"},
	"similar/internal/segment":           {"blas", "internal/math/half"},
	"similar/text":                       {},
	"similar/source":                     {"similar", "similar/text"},
	"similar/eval":                       {"similar"},
	"similar/internal/zipf":              {},
	"similar/weight":                     {},
	"internal/library/asm":               {"internal/math/binned"},
	"internal/math/binned":               {},
	"similar/page":                       {"similar", "similar/text"},
	"examples/papers":                    {"similar"},
	"cmd":                                {"*"},
}

// pure are the packages that will run in a browser, but for kernels with launchers among them,
// which are the tests' own: neither they nor anything they import may use these packages.
var (
	pure    = []string{"gpu", "internal/abi", "internal/ptx", "internal/language/compile", "internal/machine/sim", "internal/machine/counters", "internal/machine/report", "internal/machine/check"}
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
