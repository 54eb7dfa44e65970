package mathtest

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/mathtest/mathkernels"
)

// KernelsPath is the import path of package mathkernels, which the text of Kernels imports.
const KernelsPath = "github.com/gridstride/gridstride/internal/mathtest/mathkernels"

// KernelsSource is the source of package mathkernels.
var KernelsSource = mathkernels.Source

// Kernels is the text of a package with the kernels of some functions, for both types: NAME_map,
// NAME_repeat and NAME_hash call those of mathkernels. NAME is a function's Entry.
func Kernels(list ...*Function) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package kernels\n\nimport (\n\t\"github.com/gridstride/gridstride/gpu\"\n\t\"%s\"\n)\n", KernelsPath)
	for _, f := range list {
		pairs, arrays, ranges, arguments := "", "x, y", "r mathkernels.Range[T]", "r"
		if f.Pair {
			pairs, arrays, ranges, arguments = "Pairs", "x, y, z", "r, s mathkernels.Range[T]", "r, s"
		}
		source := cmp.Or(f.Source, "gpu."+f.Name+"[T]")
		kernel := func(kind, parameters, call, arguments string) {
			fmt.Fprintf(&b, "\n//gpu:kernel T=float32,float64\nfunc %s_%s[T gpu.Float](%s) {\n\tmathkernels.%s%s(%s, %s)\n}\n",
				f.Entry(), kind, parameters, call, pairs, arguments, source)
		}
		kernel("map", arrays+" []T", "Map", arrays)
		kernel("repeat", "sums []T, rounds int, "+ranges, "Repeat", "sums, rounds, "+arguments)
		kernel("hash", "hashes []uint64, first uint64, size int, "+ranges, "Hash", "hashes, first, size, "+arguments)
	}
	return b.String()
}

// Entry is the function's name in those of kernels.
func (f *Function) Entry() string { return strings.ReplaceAll(f.Name, ".", "_") }
