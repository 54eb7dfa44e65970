package sourcefs

import (
	"errors"
	"testing"
	"testing/fstest"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
)

// TestImporter reads the packages of a module, and tells the standard library from what is missing.
func TestImporter(t *testing.T) {
	t.Parallel()
	imp := Importer(fstest.MapFS{
		"root.go":             {Data: []byte("package m\n")},
		"sub/a.go":            {Data: []byte("// Package other has another name.\npackage other\n")},
		"sub/a_test.go":       {Data: []byte("package other\n")},
		"sub/" + abi.GoFile:   {Data: []byte("package other\n")},
		"sub/b_plan9.go":      {Data: []byte("package other\n")},
		"sub/c_js_wasm.go":    {Data: []byte("//go:build go1.22 && !unix\n\npackage other\n")},
		"sub/never.go":        {Data: []byte("//go:build ignore\n\npackage main\n")},
		"sub/notes.txt":       {Data: []byte("text")},
		"empty/only_test.go":  {Data: []byte("package empty\n")},
		"sub/deeper/ignored.": {Data: []byte("no Go file")},
	}, "example.com/m")
	for importPath, want := range map[string]struct {
		name            string
		files, excluded int
	}{
		"example.com/m":     {"m", 1, 0},
		"example.com/m/sub": {"other", 2, 2},
	} {
		src, err := imp(importPath)
		if err != nil {
			t.Errorf("%s: %v", importPath, err)
			continue
		}
		if src.Path != importPath || src.Name != want.name || len(src.Files) != want.files || len(src.Excluded) != want.excluded {
			t.Errorf("%s is package %s with %d files and %d excluded, want %+v", importPath, src.Name, len(src.Files),
				len(src.Excluded), want)
		}
	}
	if src, err := imp("example.com/m/sub"); err == nil && (!src.Excluded[0].System || src.Files[0].System || !src.Files[1].System) {
		t.Errorf("System is wrong for one of %s, %s, %s", src.Excluded[0].Name, src.Files[0].Name, src.Files[1].Name)
	}
	if _, err := imp("math/bits"); !errors.Is(err, frontend.ErrStandard) {
		t.Errorf("math/bits: %v, want ErrStandard", err)
	}
	for importPath, want := range map[string]string{
		"example.com/else":    "package example.com/else is not in module example.com/m",
		"example.com/m/none":  "open none: file does not exist",
		"example.com/m/empty": "empty has no Go files of package example.com/m/empty; want at least one",
	} {
		if _, err := imp(importPath); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", importPath, err, want)
		}
	}
}
