package compile

import (
	"go/token"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/abi/stamp"
	"github.com/gridstride/gridstride/internal/compile/frontend"
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
	Imports []Import  // the packages that Type, Elem and TypeArgs name, sorted by path
	Notes   []Note    // what build -v tells, in source order
	// Names are the identifiers that the package declares at package level, in kernels and host
	// code alike but for kernels_gen.go, sorted. Generated launchers must not take them.
	Names []string
	Stamp stamp.Stamp // what Set is made of
}

// TargetPTX is the kernels that ask for one target.
type TargetPTX struct {
	Target abi.Target
	PTX    *ptx.Module
}

// Set is the package's PTX set: PTX where kernels ask for no target, with a zero Target, then Targets.
func (r *Result) Set() []TargetPTX {
	if slices.ContainsFunc(r.Kernels, func(k *Kernel) bool { return len(k.Targets) == 0 }) {
		return append([]TargetPTX{{PTX: r.PTX}}, r.Targets...)
	}
	return r.Targets
}

// Import is a package that a launcher has to import, and the name under which the strings of Result
// refer to it.
type Import struct {
	Name, Path string
}

// Kernel is one Go function with a //gpu:kernel directive.
type Kernel struct {
	Name       string   // Go identifier
	Doc        string   // doc comment, without the directives
	TypeParams []string // their names
	Params     []Param
	Instances  []Instance   // one with no TypeArgs if the kernel is not generic
	Block      [3]int       // threads in a block, from the directive; zero when free
	Targets    []abi.Target // from the directive, in its order; empty for the oldest the kernel runs on
	NoBounds   bool         // //gpu:nobounds
	Pos        token.Position
}

// Param is one Go parameter of a kernel.
type Param struct {
	Name string
	Type string // Go source, as seen from the kernel's package: "[]T", "float32", "Params", "gpu.Float32x4"
	Kind ParamKind
	Elem string // the element type of a Slice, as Go source
	// Size and Align are the bytes of the parameter, for a Slice those of an element. They are 0
	// where they depend on a type parameter.
	Size, Align int
}

// ParamKind is how a parameter is passed.
type ParamKind uint8

// The kinds of parameters.
const (
	Scalar ParamKind = iota // a number or a bool: one PTX parameter of its Go type (int has 64 bits, bool is .u8)
	Slice                   // two PTX parameters: the address of the elements, and the length as .u64
	Value                   // a struct or an array: one PTX parameter of bytes in Go's layout
)

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
