package mathtest

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/proof/mathtest/mathkernels"
	"github.com/gridstride/gridstride/internal/proof/mathtest/twofold"
)

// KernelsPath is the import path of package mathkernels, which the text of Kernels imports.
const KernelsPath = "github.com/gridstride/gridstride/internal/proof/mathtest/mathkernels"

// KernelsSources are the files of package mathkernels.
var KernelsSources = mathkernels.Sources

// TwofoldPath is the import path of package twofold, which that package and the text of Kernels
// import, and TwofoldSources are its files.
const TwofoldPath = "github.com/gridstride/gridstride/internal/proof/mathtest/twofold"

var TwofoldSources = twofold.Sources

// Kernels is the text of a package with kernels of some functions, of the kinds that are named, for
// both types: NAME_map, NAME_repeat and NAME_hash call the kernels of mathkernels, and so do
// NAME_errors, for float32 alone, and NAME_doubles, for float64 alone. NAME is a function's Entry.
func Kernels(kinds []string, list ...*Function) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package kernels\n\nimport (\n\t\"github.com/gridstride/gridstride/gpu\"\n\t\"%s\"\n", KernelsPath)
	if slices.Contains(kinds, "doubles") {
		fmt.Fprintf(&b, "\t\"%s\"\n", TwofoldPath)
	}
	b.WriteString(")\n")
	for _, f := range list {
		for _, kind := range kinds {
			f.write(&b, kind)
		}
	}
	return b.String()
}

// write writes one kernel, for both types.
func (f *Function) write(b *strings.Builder, kind string) {
	suffix, arrays, ranges, args := "", "x, y", "r mathkernels.Range[T]", "r"
	if f.Pair {
		suffix, arrays, ranges, args = "Pairs", "x, y, z", "r, s mathkernels.Range[T]", "r, s"
	}
	var function, parameters string
	switch kind {
	case "map":
		function, parameters, args = "Map", arrays+" []T", arrays
	case "repeat":
		function, parameters, args = "Repeat", "sums []T, rounds int, "+ranges, "sums, rounds, "+args
	case "hash":
		function, parameters, args = "Hash", "hashes []uint64, first uint64, size int, "+ranges, "hashes, first, size, "+args
	case "errors":
		if f.Comparable() {
			floor := cmp.Or(f.FloorSource, "mathkernels.NoFloor")
			fmt.Fprintf(b, errorsKernel, f.Entry(), f.sourceOf("float32"), f.sourceOf("float64"), floor)
		}
		return
	case "doubles":
		if f.Twofold != nil {
			fmt.Fprintf(b, doublesKernel, f.Entry(), f.sourceOf("float64"), f.twofold())
		}
		return
	default:
		panic("BUG: no kernel " + kind)
	}
	fmt.Fprintf(b, "\n//gpu:kernel T=float32,float64\nfunc %s_%s[T gpu.Float](%s) {\n\tmathkernels.%s%s(%s, %s)\n}\n",
		f.Entry(), kind, parameters, function, suffix, args, f.source())
}

const errorsKernel = `
//gpu:kernel
func %s_errors(worst []float64, at []uint64, counts []int, first uint64, count int, r, s mathkernels.Range[float32]) {
	mathkernels.Errors(worst, at, counts, first, count, r, s, %s, %s, %s)
}
`

const doublesKernel = `
//gpu:kernel
func %s_doubles(worst []float64, at []uint64, counts []int, first uint64, count int, r, s mathkernels.Range[float64]) {
	mathkernels.Doubles(worst, at, counts, first, count, r, s, %s, twofold.%s)
}
`

// twofold is the name of the function in package twofold.
func (f *Function) twofold() string {
	if _, part, ok := strings.Cut(f.Name, "."); ok {
		return strings.ToUpper(part[:1]) + part[1:] // "Sincos.cos" is Cos
	}
	return f.Name
}

// Comparable reports whether the function of float32 can be measured by the function of float64 in
// a kernel.
func (f *Function) Comparable() bool {
	return f.ExactSingle == nil && (f.Floor == nil || f.FloorSource != "")
}

// source is the function in a kernel, generic in T.
func (f *Function) source() string { return cmp.Or(f.Source, "gpu."+f.Name+"[T]") }

// sourceOf is the function for one type, as one of two arguments.
func (f *Function) sourceOf(typ string) string {
	source := typeParameter.ReplaceAllString(f.source(), typ)
	if f.Pair {
		return source
	}
	return fmt.Sprintf("func(x, _ %s) %s { return (%s)(x) }", typ, typ, source)
}

var typeParameter = regexp.MustCompile(`\bT\b`)

// Entry is the function's name in names of kernels.
func (f *Function) Entry() string { return strings.ReplaceAll(f.Name, ".", "_") }
