package compile

import (
	"go/token"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/abi/stamp"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/ptx"
)

// The input and the errors of the compiler; see package frontend.
type (
	File      = frontend.File
	Source    = frontend.Source
	Importer  = frontend.Importer
	Error     = frontend.Error
	ErrorList = frontend.ErrorList
)

// ErrStandard is an Importer's answer for a package of the standard library.
var ErrStandard = frontend.ErrStandard

// Result is a compiled package.
type Result struct {
	Path, Name string // import path and package name
	// PTX has one kernel for each instance of those that ask for no target, in the order of
	// Kernels and their Instances. Its target is the oldest that its instructions run on.
	PTX *ptx.Module
	// Targets are the same for each target that kernels ask for, from the oldest to the newest.
	Targets []TargetPTX
	Kernels []*Kernel // one a Go function, in source order
	Structs []Struct  // that Params name, in the order in which they do
	Imports []Import  // the packages that launchers name, sorted by path
	// Gridstride is the name of package gridstride among them.
	Gridstride string
	Notes      []Note   // what build -v tells, in source order
	Remarks    []Remark // what became of loops, if Options.Remarks asks: in source order, kernel by kernel
	// Names are the identifiers that the package declares at package level, in kernels and host code,
	// except kernels_gen.go, sorted. Generated launchers must not take them.
	Names []string
	Stamp stamp.Stamp // what Set is made of
}

// TargetPTX is the kernels that ask for one target.
type TargetPTX struct {
	Target abi.Target
	PTX    *ptx.Module
}

// Set is the package's PTX set: PTX where kernels ask for no target, with a zero Target, then
// Targets.
func (r *Result) Set() []TargetPTX {
	if slices.ContainsFunc(r.Kernels, func(k *Kernel) bool { return len(k.Targets) == 0 && len(k.Instances) > 0 }) {
		return append([]TargetPTX{{PTX: r.PTX}}, r.Targets...)
	}
	return r.Targets
}

// Module is the module that a kernel is in: the one of the first target that the kernel asks for, if it
// asks for any.
func (r *Result) Module(k *Kernel) *ptx.Module {
	if len(k.Targets) > 0 {
		for _, t := range r.Targets {
			if t.Target == k.Targets[0] {
				return t.PTX
			}
		}
	}
	return r.PTX
}

// Import is a package that a launcher has to import, and the name under which the strings of Result
// refer to it.
type Import struct {
	Name, Path string
}

// Kernel is one Go function with a //gpu:kernel directive.
type Kernel struct {
	Name       string      // Go identifier
	Doc        string      // doc comment, without the directives
	TypeParams []TypeParam // with their constraints, which an open kernel's launcher needs
	Params     []Param
	Instances  []Instance   // one with no TypeArgs if the kernel is not generic, perhaps none if it is open
	Block      [3]int       // threads in a block, from the directive; zero when free
	Targets    []abi.Target // from the directive, in its order; empty for the oldest the kernel runs on
	NoBounds   bool         // //gpu:nobounds
	Fast       bool         // //gpu:kernel fast: it may be inexact
	Open       bool         // other packages may have instances
	Origin     string       // the import path of its package, if it is another than Result's
	Pos        token.Position
}

// Param is one Go parameter of a kernel.
type Param struct {
	Name string
	// Type is the type of the launcher's parameter, as Go source in the kernel's package: "float32",
	// "Params", "gpu.Float32x4". A Buffer stands for a slice: "gridstride.Buffer[T]".
	Type  string
	Parts []Part // passed one by one
}

// Part is a piece of a parameter that is passed by itself: the whole, or a field or element of a
// struct or array that holds slices or tensor maps.
type Part struct {
	Path   string // the Go expression after the parameter's name: ".data", "" for the whole
	Buffer bool   // it is a slice, for which a launcher takes a Buffer
	// TensorMap says that it is a tensor map, for which a launcher takes the host's.
	TensorMap bool
}

// Struct is a type that launchers take in place of one that holds slices.
type Struct struct {
	Name       string      // "MatrixBuffers"
	Of         string      // "Matrix", the type of the kernels' parameters, or "Matrix of package geom"
	TypeParams []TypeParam // the type's type parameters
	Text       string      // Go source, like "struct { data gridstride.Buffer[T] }"
	Kernel     *Kernel     // the first with such a parameter
}

// TypeParam is a type parameter with its constraint, as Go source.
type TypeParam struct{ Name, Constraint string }

// Instance is one kernel of the PTX: a Go function with its type arguments.
type Instance struct {
	TypeArgs []string // Go source, one a type parameter
	PTXName  string   // "Partial_float32"
	GoName   string   // for people: "dot.Partial[float32]"
	Fault    bool     // whether it has the hidden last parameter (abi.FaultParam)
}

// Note is something worth knowing about compiled code that is not an error: an array that stays in
// local memory, a check that was not proved unnecessary.
type Note struct {
	Pos    token.Position
	Kernel string // GoName of the instance
	Text   string
}
