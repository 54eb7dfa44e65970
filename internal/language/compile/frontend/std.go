package frontend

import (
	"embed"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/gridstride/gridstride/internal/math/fast32"
	"github.com/gridstride/gridstride/internal/math/half"
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/math32"
	"github.com/gridstride/gridstride/internal/math/math64"
	"github.com/gridstride/gridstride/internal/math/mathcmplx"
	"github.com/gridstride/gridstride/internal/math/mathcommon"
)

// GPUPath is the import path of package gpu.
const GPUPath = "github.com/gridstride/gridstride/gpu"

// DevicePath is the import path of the intrinsics that the texts in _std are written over. There is
// no such package on disk.
const DevicePath = GPUPath + "/device"

// textPath is the import path of the functions that range and comparisons of strings are lowered
// to, and complexPath the path of the division of complex numbers.
const (
	textPath    = DevicePath + "/text"
	complexPath = DevicePath + "/complex"
)

// stdFiles are the device forms of packages of the standard library, and bodies that replace some
// bodies of other packages.
//
//go:embed _std/*.go
var stdFiles embed.FS

const mathPath = "github.com/gridstride/gridstride/internal/math/"

// HalfPath is the import path of the arithmetic of numbers of 16 bits.
const HalfPath = mathPath + "half"

// A stdPackage is a package whose code is part of the compiler.
type stdPackage struct {
	source *embed.FS // the package's own files, nil where text is all
	text   string    // a file of _std, whose declarations replace source's
}

// stdPackages are those packages by path. The importer gives the files of gpu, as users see them.
var stdPackages = map[string]stdPackage{
	"cmp":                   {text: "cmp.go"},
	"math":                  {text: "math.go"},
	"math/bits":             {text: "bits.go"},
	"math/cmplx":            {text: "cmplx.go"},
	DevicePath:              {text: "device.go"},
	textPath:                {text: "text.go"},
	complexPath:             {text: "complex.go"},
	GPUPath:                 {text: "gpu.go"},
	HalfPath:                {source: &half.Source},
	fastPath:                {source: &fast32.Source, text: "fast32.go"},
	mathPath + "ieee":       {source: &ieee.Source, text: "ieee.go"},
	mathPath + "math32":     {source: &math32.Source},
	mathPath + "mathcommon": {source: &mathcommon.Source},
	mathPath + "math64":     {source: &math64.Source},
	mathPath + "mathcmplx":  {source: &mathcmplx.Source},
}

// isDevicePath reports whether a package's device form is all in the compiler.
func isDevicePath(path string) bool { return path != GPUPath && IsStd(path) }

// IsStd reports whether a package's code is part of the compiler: positions in it mean nothing to
// users.
func IsStd(path string) bool {
	_, ok := stdPackages[path]
	return ok
}

// parseStd parses what the compiler has for a path. Its files are named after the path, so that a
// position in them is recognised as ours.
func parseStd(fset *token.FileSet, path string) *pkg {
	std := stdPackages[path]
	src := &Source{Path: path}
	add := func(fsys embed.FS, name string) {
		text, err := fsys.ReadFile(name)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		src.Files = append(src.Files, File{Name: "$" + path + "/" + filepath.Base(name), Text: text})
	}
	if std.source != nil {
		entries, err := std.source.ReadDir(".")
		if err != nil {
			panic("BUG: " + err.Error())
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), "_test.go") {
				add(*std.source, e.Name())
			}
		}
	}
	if std.text != "" {
		add(stdFiles, "_std/"+std.text)
	}
	var errs ErrorList
	p := parsePackage(fset, src, &errs)
	if err := errs.Err(); err != nil {
		panic("BUG: " + err.Error())
	}
	p.src.Name = p.files[0].syntax.Name.Name
	p.std = true
	return p
}

// override adds the files of q. If both declare a name, q's declaration wins.
func (p *pkg) override(q *pkg) {
	for _, f := range q.files {
		p.add(f.syntax)
	}
}
