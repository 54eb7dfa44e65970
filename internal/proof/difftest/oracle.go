package difftest

import (
	"bytes"
	"context"
	"embed"
	"encoding/gob"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/math32"
	"github.com/gridstride/gridstride/internal/math/math64"
	"github.com/gridstride/gridstride/internal/math/mathcommon"
	"github.com/gridstride/gridstride/internal/proof/difftest/host"
)

// Oracle runs programs on the host, compiled by the Go toolchain. It may be used from several
// goroutines.
type Oracle struct {
	dir      string
	config   string // the importcfg file of compiler and linker
	importer types.Importer
}

// The runner and the replacement for package gpu, which the programs are compiled with.
//
//go:embed host/*.go host/gpu/*.go
var hostFiles embed.FS

const (
	modulePath = "github.com/gridstride/gridstride"
	hostPath   = modulePath + "/internal/proof/difftest/host"
	// threadLimit is how long one program may run. Only a program that the reducer has broken needs
	// more than a moment.
	programLimit = 3 * time.Second
)

// ErrMachine is returned by NewOracle on machines whose Go may contract x*y + z into one rounding.
var ErrMachine = errors.New("the oracle needs GOARCH=amd64: on other machines Go may fuse a multiplication and an addition")

// NewOracle prepares the toolchain. Close removes what it leaves on disk.
//
// The module it makes has this module's path and the replacement for package gpu, so that the host
// compiles the very files that the compiler under test reads.
func NewOracle(ctx context.Context) (*Oracle, error) {
	if runtime.GOARCH != "amd64" {
		return nil, ErrMachine
	}
	dir, err := os.MkdirTemp("", "difftest")
	if err != nil {
		return nil, err
	}
	o := &Oracle{dir: dir, config: filepath.Join(dir, "importcfg")}
	if err := o.prepare(ctx); err != nil {
		o.Close()
		return nil, fmt.Errorf("prepare the oracle: %w", err)
	}
	return o, nil
}

// Close removes the oracle's temporary directory.
func (o *Oracle) Close() error { return os.RemoveAll(o.dir) }

func (o *Oracle) prepare(ctx context.Context) error {
	for _, p := range []struct {
		files    embed.FS
		from, to string
	}{
		{hostFiles, "host", "internal/proof/difftest/host"}, {hostFiles, "host/gpu", "gpu"},
		{ieee.Source, ".", "internal/math/ieee"}, {mathcommon.Source, ".", "internal/math/mathcommon"},
		{math32.Source, ".", "internal/math/math32"}, {math64.Source, ".", "internal/math/math64"},
	} {
		if err := copyPackage(p.files, p.from, filepath.Join(o.dir, filepath.FromSlash(p.to))); err != nil {
			return err
		}
	}
	if err := writeFile(filepath.Join(o.dir, "go.mod"), []byte("module "+modulePath+"\n\ngo 1.26\n")); err != nil {
		return err
	}
	list, err := o.command(ctx, o.dir, "list", "-trimpath", "-export", "-deps", "-f", "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}",
		"./internal/proof/difftest/host", "cmp", "math", "math/bits")
	if err != nil {
		return err
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(list)) {
		if path, file, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "packagefile "), "="); ok {
			exports[path] = file
		}
	}
	o.importer = lockedImporter(exports)
	list = fmt.Appendf(list, "packagefile %s/kernels=kernels.a\n", modulePath)
	return writeFile(o.config, list)
}

// copyPackage writes the files of a package, except its tests, to a folder of the oracle's module,
// where the replacement is package gpu.
func copyPackage(files embed.FS, from, to string) error {
	entries, err := files.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		// A package that embeds its own source does so in a file that the module has no need of.
		if e.IsDir() || strings.HasSuffix(e.Name(), "_test.go") || e.Name() == "source.go" {
			continue
		}
		text, err := files.ReadFile(path.Join(from, e.Name()))
		if err != nil {
			return err
		}
		text = bytes.ReplaceAll(text, []byte(hostPath+"/gpu"), []byte(modulePath+"/gpu"))
		if err := writeFile(filepath.Join(to, e.Name()), text); err != nil {
			return err
		}
	}
	return nil
}

// lockedImporter imports the packages whose export data is in those files. All are read at once,
// since the importer is not safe for several goroutines but its packages are.
func lockedImporter(exports map[string]string) types.Importer {
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	known := knownPackages{}
	for _, path := range []string{"cmp", "math", "math/bits", modulePath + "/gpu"} {
		if pkg, err := imp.Import(path); err == nil {
			known[path] = pkg
		}
	}
	return known
}

type knownPackages map[string]*types.Package

func (k knownPackages) Import(path string) (*types.Package, error) {
	if pkg := k[path]; pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("a program imports %q", path)
}

// Run runs every program and returns their outcomes.
func (o *Oracle) Run(ctx context.Context, programs []*Program) ([]host.Outcome, error) {
	dir, err := os.MkdirTemp(o.dir, "batch")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := o.build(ctx, dir, programs); err != nil {
		return nil, err
	}
	var outcomes []host.Outcome
	for len(outcomes) < len(programs) {
		list, err := o.execute(ctx, dir, programs, len(outcomes))
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, list...)
	}
	return outcomes, nil
}

// build compiles the programs into one executable. They are not optimised (-N): Go's optimiser has
// bugs too, and the fuzzer found one of them (testdata/programs/host_optimizer.go).
func (o *Oracle) build(ctx context.Context, dir string, programs []*Program) error {
	compile := []string{"tool", "compile", "-o", "kernels.a", "-p", modulePath + "/kernels", "-importcfg", o.config, "-lang=go1.26", "-pack", "-c=2", "-N"}
	main := "package main\n\nimport (\n\t\"time\"\n\n\t\"" + hostPath + "\"\n\t\"" + modulePath + "/kernels\"\n)\n\nfunc main() {\n\thost.Main([]any{\n"
	for i, p := range programs {
		name := fmt.Sprintf("kernel%d.go", i)
		if err := writeFile(filepath.Join(dir, name), []byte(p.Named(i))); err != nil {
			return err
		}
		compile = append(compile, name)
		main += "\t\tkernels." + p.Kernel(i) + ",\n"
	}
	main += fmt.Sprintf("\t}, %d*time.Millisecond)\n}\n", programLimit.Milliseconds())
	if err := writeFile(filepath.Join(dir, "main.go"), []byte(main)); err != nil {
		return err
	}
	for _, args := range [][]string{
		compile,
		{"tool", "compile", "-o", "main.a", "-p", "main", "-importcfg", o.config, "-lang=go1.26", "-pack", "main.go"},
		{"tool", "link", "-importcfg", o.config, "-s", "-w", "-o", "batch.exe", "main.a"},
	} {
		if _, err := o.command(ctx, dir, args...); err != nil {
			return err
		}
	}
	return nil
}

// execute runs the programs from the first-th on, until the end or a program that does not end.
func (o *Oracle) execute(ctx context.Context, dir string, programs []*Program, first int) ([]host.Outcome, error) {
	var in bytes.Buffer
	enc := gob.NewEncoder(&in)
	for i, p := range programs[first:] {
		if err := errors.Join(enc.Encode(first+i), enc.Encode(p.Call())); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "batch.exe"))
	var out, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("run the programs on the host: %w\n%s", err, tail(stderr.String(), 4000))
	}
	var list []host.Outcome
	dec := gob.NewDecoder(&out)
	for {
		var x host.Outcome
		if err := dec.Decode(&x); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("outcomes of the host: %w", err)
		}
		list = append(list, x)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("the host ran no program")
	}
	return list, nil
}

// command runs the go command. GOAMD64=v1 keeps the compiler from contracting floating-point
// operations, which it does from v3 on.
func (o *Oracle) command(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOAMD64=v1", "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0", "GOPROXY=off", "GOTOOLCHAIN=local", "PWD="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s%s", strings.Join(args[:min(2, len(args))], " "), err, tail(string(out), 4000), tail(stderr.String(), 4000))
	}
	return out, nil
}

func writeFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }
