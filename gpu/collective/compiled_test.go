package collective_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile"
)

// threadKernels and blockKernels are the PTX of testdata/kernels, whose kernels hand a function a
// number from each thread, and of testdata/blocks, whose kernels hand it slices.
var (
	threadKernels = sync.OnceValues(func() (string, error) { return compiled("kernels") })
	blockKernels  = sync.OnceValues(func() (string, error) { return compiled("blocks") })
)

// compiled is the PTX of a package of testdata. The sources are next to the test, also on a machine
// without Go, so the PTX need not be.
func compiled(name string) (string, error) {
	const gpu = "github.com/gridstride/gridstride/gpu"
	dirs := map[string]string{gpu: "..", gpu + "/collective": "."}
	kernels, err := source(name, "testdata/"+name)
	if err != nil {
		return "", err
	}
	result, err := compile.Compile(kernels, func(path string) (*compile.Source, error) {
		if dir, ok := dirs[path]; ok {
			return source(path, dir)
		}
		return nil, compile.ErrStandard
	}, compile.Options{})
	if err != nil {
		return "", err
	}
	return result.PTX.String(), nil
}

// source reads the package in a folder.
func source(path, dir string) (*compile.Source, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	src := &compile.Source{Path: path, Name: filepath.Base(path)}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || filepath.Base(name) == abi.GoFile { // .ci/run makes the latter
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		src.Files = append(src.Files, compile.File{Name: name, Text: text})
	}
	if len(src.Files) == 0 {
		return nil, fmt.Errorf("the folder %s has no sources of package %s", dir, path)
	}
	return src, nil
}

// load loads the kernels of testdata/kernels on a device.
func load(t *testing.T, dev *gridstride.Device) *gridstride.Module {
	t.Helper()
	return loadText(t, dev, threadKernels)
}

func loadText(t *testing.T, dev *gridstride.Device, text func() (string, error)) *gridstride.Module {
	t.Helper()
	ptx, err := text()
	must(t, err)
	module, err := dev.Load("kernels.ptx", ptx)
	must(t, err)
	return module
}

func kernel(t *testing.T, module *gridstride.Module, entry string) *gridstride.Kernel {
	t.Helper()
	k, err := module.Kernel(entry)
	must(t, err)
	return k
}

// instance is the name of a generic kernel's instance for T.
func instance[T number](name string) string { return fmt.Sprintf("%s_%T", name, T(0)) }
