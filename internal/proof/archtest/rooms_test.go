package archtest

// A wing is a group of rooms.
type wing struct {
	name, about string
	rooms       []room
}

// A room is a folder with a package, and the folders below it that are no rooms themselves. It may
// import mayImport, apart from what is below itself. "*" is everything, "" the root. Tests may
// import anything.
type room struct {
	dir       string
	mayImport []string
}

// wings are the rooms of the module: the table that TestImports holds the imports to, and that
// docs/architecture.md is generated from.
var wings = []wing{
	{"The module", "what users import", []room{
		{"", []string{"internal/tools/count", "internal/device/option", "internal/device", "internal/ptx", "internal/abi", "internal/language/freshness", "internal/machine/checked"}},
		{"blas", []string{"internal/library/asm", "internal/math/binned", "internal/math/extent", "internal/math/rotation"}},
		{"blas/gpublas", []string{"", "blas", "gpu", "internal/library/kernels"}},
		{"comm", []string{"", "gpu", "internal/device/nccl", "internal/library/kernels"}},
		{"gpu", []string{"internal/math/half", "internal/math/ieee", "internal/math/math32", "internal/math/math64", "internal/math/mufu"}},
		{"gpu/cmplx", []string{"internal/math/mathcmplx"}},
		{"gpu/cmplx/internal/kernels", []string{"", "gpu", "packed"}},
		{"gpu/collective/internal/kernels", []string{"", "gpu", "packed"}},
		{"gpu/rand/internal/kernels", []string{"", "gpu", "packed"}},
		{"gpu/tile/internal/kernels", []string{"", "gpu", "packed"}},
		{"gputest", []string{"", "internal/abi", "internal/machine/checked", "internal/device/option", "internal/language/sourcetext", "internal/machine/report"}},
		{"metric", []string{"blas", "internal/library/asm", "internal/math/extent"}},
		{"metric/gpumetric", []string{"", "blas/gpublas", "internal/library/kernels", "metric"}},
		{"packed", []string{"internal/tools/ptxpack"}},
		{"similar", []string{"blas", "metric", "similar/query", "similar/snippet", "similar/text", "similar/weight", "similar/internal/segment"}},
		{"similar/eval", []string{"similar"}},
		{"similar/gpusimilar", []string{"", "blas/gpublas", "internal/library/kernels", "similar"}},
		{"similar/internal/segment", []string{"blas", "internal/math/half"}},
		{"similar/internal/zipf", []string{}},
		{"similar/client", []string{"similar", "similar/page"}},
		{"similar/page", []string{"similar", "similar/query", "similar/snippet", "similar/text"}},
		{"similar/query", []string{}},
		{"similar/snippet", []string{"similar/text"}},
		{"similar/source", []string{"similar", "similar/text"}},
		{"similar/catalog", []string{"similar", "similar/source"}},
		{"similar/text", []string{}},
		{"similar/version", []string{"similar"}},
		{"similar/weight", []string{}},
	}},
	{"The hall", "what every wing shares", []room{
		{"internal/abi", []string{}},
		{"internal/ptx", []string{"internal/abi"}},
	}},
	{"Language", "from Go to PTX", []room{
		{"internal/language/build", []string{"internal/ptx", "internal/abi", "internal/language/compile", "internal/language/load", "internal/language/listing", "internal/tools/atomicfile", "internal/tools/ptxpack"}},
		{"internal/language/compile", []string{"internal/language/message", "internal/ptx", "internal/abi", "internal/math/half", "internal/math/ieee", "internal/math/mathcommon", "internal/math/math32", "internal/math/math64", "internal/math/mathcmplx"}},
		{"internal/language/freshness", []string{"internal/abi", "internal/language/sourcetext"}},
		{"internal/language/listing", []string{"internal/ptx"}},
		{"internal/language/load", []string{"internal/abi", "internal/language/compile"}},
		{"internal/language/message", []string{"internal/abi", "internal/math/half"}},
		{"internal/language/sourcetext", []string{}},
		{"internal/language/vet", []string{"internal/abi", "internal/language/sourcetext", "internal/tools/ptxpack"}},
	}},
	{"Machine", "PTX on any processor, and the checks that watch it", []room{
		{"internal/machine/argspec", []string{"internal/math/half", "internal/library/npy"}},
		{"internal/machine/check", []string{"internal/machine/counters", "internal/machine/sim", "internal/machine/sim/event", "internal/ptx", "internal/abi", "internal/machine/report"}},
		{"internal/machine/check/initcheck", []string{"internal/machine/check/tool", "internal/machine/check/synccheck", "internal/machine/report", "internal/machine/sim/event", "internal/machine/sim/lanes", "internal/ptx", "internal/abi"}},
		{"internal/machine/check/memcheck", []string{"internal/language/message", "internal/machine/check/tool", "internal/machine/report", "internal/machine/sim/event", "internal/machine/sim/memory", "internal/ptx", "internal/abi"}},
		{"internal/machine/check/racecheck", []string{"internal/machine/check/tool", "internal/machine/report", "internal/machine/sim/event", "internal/machine/sim/lanes", "internal/ptx", "internal/abi"}},
		{"internal/machine/check/streamcheck", []string{"internal/machine/check/tool", "internal/machine/report", "internal/machine/sim/event", "internal/ptx", "internal/abi"}},
		{"internal/machine/check/synccheck", []string{"internal/machine/check/tool", "internal/machine/report", "internal/machine/sim/event", "internal/machine/sim/lanes", "internal/ptx", "internal/abi"}},
		{"internal/machine/check/tool", []string{"internal/machine/report", "internal/machine/sim/event", "internal/machine/sim/memory", "internal/ptx", "internal/abi"}},
		{"internal/machine/checked", []string{"internal/abi", "internal/machine/check", "internal/machine/sim", "internal/machine/sim/event", "internal/language/sourcetext", "internal/machine/report"}},
		{"internal/machine/counters", []string{"internal/machine/sim/event", "internal/ptx", "internal/abi"}},
		{"internal/machine/profile", []string{"internal/tools/count", "internal/machine/counters", "internal/abi"}},
		{"internal/machine/report", []string{"internal/tools/plain", "internal/tools/count", "internal/machine/counters", "internal/machine/sim/event", "internal/ptx"}},
		{"internal/machine/runptx", []string{"", "internal/device/option", "internal/machine/argspec", "internal/machine/check", "internal/machine/checked", "internal/machine/profile", "internal/machine/report", "internal/machine/sim/event", "internal/library/npy"}},
		{"internal/machine/sim", []string{"internal/ptx", "internal/abi"}},
		{"internal/machine/sim/code", []string{"internal/machine/sim/event", "internal/ptx", "internal/machine/sim/softfloat", "internal/machine/sim/tensor", "internal/abi"}},
		{"internal/machine/sim/decode", []string{"internal/machine/sim/code", "internal/machine/sim/event", "internal/machine/sim/memory", "internal/ptx", "internal/abi"}},
		{"internal/machine/sim/event", []string{"internal/machine/sim/memory", "internal/ptx", "internal/abi"}},
		{"internal/machine/sim/lanes", []string{"internal/math/mufu", "internal/library/asm", "internal/machine/sim/code", "internal/machine/sim/softfloat", "internal/machine/sim/tensor", "internal/ptx", "internal/abi"}},
		{"internal/machine/sim/memory", []string{"internal/ptx"}},
		{"internal/machine/sim/native", []string{"internal/library/asm", "internal/machine/sim/code", "internal/machine/sim/event", "internal/machine/sim/memory", "internal/machine/sim/softfloat", "internal/ptx", "internal/abi"}},
		{"internal/machine/sim/native/amd64", []string{}},
		{"internal/machine/sim/softfloat", []string{}},
		{"internal/machine/sim/tensor", []string{}},
		{"internal/machine/sim/texture", []string{"internal/abi", "internal/machine/sim/softfloat"}},
	}},
	{"Device", "a GPU and a simulated one behind one interface", []room{
		{"internal/device", []string{"internal/language/message", "internal/ptx", "internal/abi"}},
		{"internal/device/cuda", []string{"internal/device/dynlib"}},
		{"internal/device/cuda/simdriver", []string{"internal/math/half", "internal/device/cuda", "internal/machine/sim", "internal/machine/sim/event", "internal/machine/sim/texture", "internal/ptx", "internal/abi"}},
		{"internal/device/cudadev", []string{"internal/device", "internal/device/cuda", "internal/ptx", "internal/abi"}},
		{"internal/device/dynlib", []string{}},
		{"internal/device/nccl", []string{"internal/device/dynlib"}},
		{"internal/device/option", []string{"internal/device", "internal/machine/checked"}},
		{"internal/device/simdev", []string{"internal/device", "internal/machine/check/streamcheck", "internal/machine/checked", "internal/machine/sim", "internal/machine/sim/event", "internal/machine/sim/texture", "internal/ptx", "internal/abi"}},
	}},
	{"Mathematics", "functions and sums with the same bits everywhere", []room{
		{"internal/math/binned", []string{}},
		{"internal/math/extent", []string{}},
		{"internal/math/half", []string{"internal/math/ieee"}},
		{"internal/math/ieee", []string{}},
		{"internal/math/math32", []string{"internal/math/ieee", "internal/math/mathcommon"}},
		{"internal/math/math64", []string{"internal/math/ieee", "internal/math/mathcommon", "internal/math/math32"}},
		{"internal/math/mathcmplx", []string{"internal/math/ieee", "internal/math/math64"}},
		{"internal/math/mathcommon", []string{"internal/math/ieee"}},
		{"internal/math/mufu", []string{}},
		{"internal/math/rotation", []string{"internal/math/ieee"}},
	}},
	{"Libraries", "the kernels and the assembly of blas, metric and similar", []room{
		{"internal/library/asm", []string{"internal/math/binned"}},
		{"internal/library/kernels", []string{"", "gpu", "internal/math/binned", "internal/math/math32", "internal/math/extent", "internal/math/rotation", "packed"}},
		{"internal/library/npy", []string{"internal/tools/atomicfile", "internal/math/half", "internal/math/extent"}},
		{"internal/library/npymetric", []string{"", "blas", "metric", "internal/library/npy", "internal/device/option"}},
	}},
	{"Proof", "what holds the rest to the hardware, to other libraries and to each other", []room{
		{"internal/proof/accuracy", []string{}},
		{"internal/proof/apitest", []string{}},
		{"internal/proof/archtest", []string{}},
		{"internal/proof/bench", []string{"", "gpu", "blas", "metric", "examples/ladder", "internal/proof/accuracy", "internal/machine/check", "internal/machine/checked", "internal/device/option", "internal/machine/counters", "internal/proof/cublas", "internal/proof/openblas", "internal/tools/figure", "internal/machine/report", "packed"}},
		{"internal/proof/cublas", []string{"", "gpu", "internal/device/dynlib"}},
		{"internal/proof/difftest", []string{"*"}},
		{"internal/proof/doctest", []string{}},
		{"internal/proof/effects", []string{}},
		{"internal/proof/english", []string{}},
		{"internal/proof/gpusuite", []string{"*"}},
		{"internal/proof/indigo", []string{}},
		{"internal/proof/litmus", []string{}},
		{"internal/proof/mathtest", []string{"gpu", "internal/math/ieee", "internal/proof/mpfr", "internal/proof/ulp"}},
		{"internal/proof/mpfr", []string{"internal/device/dynlib", "internal/proof/ulp"}},
		{"internal/proof/openblas", []string{"internal/device/dynlib"}},
		{"internal/proof/textbook", []string{"", "gpu", "packed"}},
		{"internal/proof/ulp", []string{}},
	}},
	{"Tools", "what commands and tests share", []room{
		{"internal/tools/atomicfile", []string{}},
		{"internal/tools/cli", []string{"internal/tools/plain"}},
		{"internal/tools/cli/clitest", []string{}},
		{"internal/tools/count", []string{}},
		{"internal/tools/figure", []string{}},
		{"internal/tools/figure/figuretest", []string{"internal/tools/figure"}},
		{"internal/tools/plain", []string{}},
		{"internal/tools/ptxpack", []string{"internal/abi"}},
	}},
	{"Programs", "commands, examples, documents", []room{
		{"cmd", []string{"*"}},
		{"docs", []string{"", "gpu", "blas", "examples/ladder", "similar", "internal/tools/count", "internal/tools/figure", "internal/ptx", "internal/machine/sim", "internal/machine/check", "internal/machine/checked", "internal/device/option", "internal/machine/counters", "internal/machine/report", "internal/tools/ptxpack", "internal/abi"}},
		{"examples", []string{"", "gpu", "blas", "metric", "internal/library/npy", "packed"}},
		{"examples/ladder", []string{"", "gpu", "internal/proof/accuracy", "packed"}},
		{"examples/papers", []string{"similar"}},
	}},
}
